"""Random runs in which resources are handed over, switched and returned, by two stacks at once."""

from dataclasses import dataclass, replace
from random import Random

from hotplate.engine.requests.acceptance import Options
from hotplate.engine.requests.operations import Operations
from hotplate.testing import NOTHING, Plan, Thing, Violation
from hotplate.testing.notation import KINDS
from tests.simulation.runs import LONGEST, Run

POOL = 3
"""Objects of each kind that somebody else has made."""

_NEVER = ("restless", "elsewhere")
"""Kinds that these runs do not have; without objects for them every seed stays what it was."""

_NOWHERE = "object-0"
"""The id of nothing."""


@dataclass
class ExternalRun(Run):
    """A run like any other, but that objects of somebody else are used and given back.

    A second stack is after the same objects. Whatever happens, what is external is neither deleted
    nor changed, and what is managed is managed by one resource only: the invariants say so.
    """

    def __post_init__(self) -> None:
        self.transfers = Random(self.seed * 11 + 7)
        self.rival = ""
        self.rival_plan = NOTHING
        super().__post_init__()
        external = self.simulation.invariants.external
        self.pool = {
            kind: [external.make(self.transfers.choice("xyz")).id for _ in range(POOL)]
            for kind in KINDS
            if kind not in _NEVER
        }
        self.plan = self._transferred(self.plan)
        self.rival_plan = self._transferred(self._small())

    def _small(self) -> Plan:
        names = self.transfers.sample("RST", self.transfers.randint(1, 2))
        return Plan({name: Thing(name, literal=self.transfers.choice("xyz")) for name in names})

    def _transferred(self, plan: Plan, stack_id: str = "") -> Plan:
        """The plan with some of its things external, others not any more."""
        things = {
            name: replace(thing, external=None if thing.is_stack else self._drawn(thing, stack_id))
            for name, thing in plan.things.items()
        }
        return replace(plan, things=things)

    def _drawn(self, thing: Thing, stack_id: str) -> str | None:
        """Return what a thing shall be from now on: somebody's object, its own, or managed."""
        drawn = self.transfers.random()
        pool = self.pool[thing.kind]
        if thing.external is not None:
            if drawn < 0.5:
                return None
            others = self._managed_elsewhere(thing, stack_id)
            if others and drawn < 0.55:
                return self.transfers.choice(others)
            return self.transfers.choice(pool) if drawn < 0.65 else thing.external
        own = [
            version.physical_id
            for version in self.simulation.invariants.now.of_stack(stack_id)
            if version.name == thing.name
            and version.type == KINDS[thing.kind]
            and version.physical_id
            and version.action != "DELETE"
        ]
        if own and drawn < 0.25:
            return self.transfers.choice(own)
        if drawn < 0.4:
            return self.transfers.choice(pool)
        others = self._managed_elsewhere(thing, stack_id)
        if others and drawn < 0.48:
            return self.transfers.choice(others)
        return _NOWHERE if drawn < 0.5 else None

    def _managed_elsewhere(self, thing: Thing, stack_id: str) -> list[str]:
        """Return objects that others manage and that may be read all the same."""
        return [
            version.physical_id
            for version in self.simulation.invariants.now.versions.values()
            if (version.stack_id, version.name) != (stack_id, thing.name)
            and version.type == KINDS[thing.kind]
            and version.physical_id
            and not version.is_external
        ]

    def _changed(self) -> Plan:
        return self._transferred(super()._changed(), self.stack_id)

    def _do_something(self) -> None:
        drawn = self.transfers.random()
        if drawn < 0.05:
            self._something_vanishes()
        elif drawn < 0.3:
            self._rival_does_something()
        elif drawn < 0.75:
            self._transfer()
        else:
            super()._do_something()

    def _something_vanishes(self) -> None:
        """Somebody deletes what is theirs, whoever reads it."""
        external = self.simulation.invariants.external
        pool = [each for ids in self.pool.values() for each in ids if each in external]
        if pool:
            gone = self.transfers.choice(pool)
            self.told.append(f"{self._when()} {gone} vanishes")
            external.remove(gone)

    def _transfer(self) -> None:
        """Change nothing but whose the objects are; often of a stack that is at rest."""
        if self.transfers.random() < 0.5:
            self.simulation.run_until_rest(LONGEST)
            self._look()
        plan = self.plan = self._transferred(self.plan, self.stack_id)
        stack, recipe = self.stack_id, self._recipe(plan)
        options = Options(rollback=self.transfers.choice((None, None, True, False)))
        words = f"transfer {plan}; {options}"
        self._ask(words, lambda ops: ops.update(stack, recipe, options), plan)

    def _rival_does_something(self) -> None:
        rollback = self.transfers.random() < 0.4
        if not self.rival:
            self._create_rival(Options(rollback=rollback))
            return
        rival = self.rival
        if self.transfers.random() < 0.2:
            self._ask("delete the rival", lambda ops: ops.delete(rival), NOTHING)
            return
        plan = self._small() if self.transfers.random() < 0.3 else self.rival_plan
        plan = self.rival_plan = self._transferred(plan, rival)
        recipe, options = self._recipe(plan), Options(rollback=rollback)
        words = f"update the rival {plan}; {options}"
        self._ask(words, lambda ops: ops.update(rival, recipe, options), plan)

    def _create_rival(self, options: Options) -> None:
        recipe = self._recipe(self.rival_plan)

        async def ask(operations: Operations) -> None:
            self.rival = await operations.create("project", "rival", recipe, options)

        self.told.append(f"{self._when()} create the rival {self.rival_plan}")
        request = self.simulation.ask("create the rival", ask, self.rival_plan)
        self.simulation.run_until(lambda: request.is_over)

    def _end_well(self) -> None:
        """There is a way on with whatever is external left external; then both stacks go."""
        self._delete_rival()
        now = self.simulation.invariants.now
        present = {
            version.name: version.physical_id
            for version in now.of_stack(self.stack_id)
            if version.is_external and version.action != "DELETE" and version.type in KINDS.values()
        }
        kinds = {version.name: version.type for version in now.of_stack(self.stack_id)}
        self.plan = replace(
            self.plan,
            things={
                name: replace(
                    thing,
                    external=None
                    if thing.is_stack or kinds.get(name) != KINDS[thing.kind]
                    else self._kept(thing, present.get(name)),
                )
                for name, thing in self.plan.things.items()
            },
        )
        super()._end_well()
        external = self.simulation.invariants.external
        left = [each for each in self.simulation.cloud.objects.values() if each.id not in external]
        reported = self.simulation.invariants.reported
        if [item for item in left if item.creation_token not in reported]:
            raise Violation(f"{left} are nobody's")

    def _kept(self, thing: Thing, object_id: str | None) -> str | None:
        """Return the external object that a thing ends with: not one that goes with a resource."""
        removed = {
            version.physical_id
            for version in self.simulation.invariants.now.of_stack(self.stack_id)
            if not version.is_external and version.name not in self.plan.things
        }
        if object_id is None or object_id not in removed:
            return object_id
        external = self.simulation.invariants.external
        return next((each for each in self.pool[thing.kind] if each in external), object_id)

    def _delete_rival(self) -> None:
        rival, now = self.rival, self.simulation.invariants.now
        if not rival or now.stacks[rival].deleted_at is not None:
            return
        self.simulation.cloud.behaviour.fault = lambda verb, name: None
        for item in self.simulation.cloud.objects.values():
            item.is_broken = False
        self._finally("delete the rival", lambda ops: ops.delete(rival), NOTHING)
        self.simulation.run_until_rest(LONGEST)
        if self.simulation.invariants.now.stacks[rival].deleted_at is None:
            raise Violation("the rival is still there")
