"""Random runs with signals: wait conditions wait for them, and policies change a group by them."""

from dataclasses import replace
from random import Random
from typing import Any

from sqlalchemy import Connection

from hotplate.engine.requests.operations import Operations
from hotplate.testing import Plan, Request, Thing, Violation
from hotplate.testing.notation import KINDS, SCALED_GROUP
from hotplate.testing.picture import VersionRow
from tests.simulation.runs import LONGEST, Run

GROUP, UP, DOWN, HANDLE, CONDITION, AFTER = "Group", "Up", "Down", "Handle", "Wait", "After"
TOLD = "Told"
EXTRA = (GROUP, UP, DOWN, HANDLE, CONDITION, AFTER, TOLD)
SIZES = ((0, 2), (1, 2), (1, 3), (2, 3))
CHANCE = 0.02
"""That a policy is signalled before a step, and a handle to which something listens."""


class SignalledRun(Run):
    """A run like any other, with a group that scales, and something that waits for signals.

    Signals come at random moments, to processes that may crash. Handles are signalled until the
    run is over, so that what waits comes to its end; now and then nobody does, and it times out.
    """

    def __post_init__(self) -> None:
        self.signalling = Random(self.seed * 11 + 7)
        self.is_quiet = False
        self.sent = 0
        self.telling = Random(self.seed * 13 + 11)
        self.is_told = self.telling.random() < 0.5
        self.spoken: list[tuple[Request, int, str]] = []
        """Signals to versions that must remember them, once they have been answered."""

        # The same for the whole run: in the middle of a batch some members are still what they
        # were, and a plan knows only what they shall be.
        is_boxed = self.nested and self.signalling.random() < 0.4
        self.inside = Plan({"I": Thing("I", how="param")}) if is_boxed else None
        super().__post_init__()
        self.plan = self._equipped(self.plan, {})

    def _equipped(self, plan: Plan, old: dict[str, Thing]) -> Plan:
        """The plan with what signals are for; some of it mostly as it was."""
        random = self.signalling
        base = [name for name, thing in plan.things.items() if not thing.is_stack]
        drawn = {
            GROUP: Thing(
                GROUP,
                literal=random.choice("xyz"),
                fixed=random.random() < 0.3,
                sizes=random.choice(SIZES),
                batch=random.choice((0, 0, 1, 2)),
                inside=self.inside,
            ),
            UP: Thing(UP, literal=random.choice("112"), other=GROUP, kind="policy"),
            DOWN: Thing(
                DOWN, literal=random.choice(("-1", "-1", "-2")), other=GROUP, kind="policy"
            ),
            HANDLE: Thing(HANDLE, tuple(random.sample(base, min(1, len(base)))), kind="handle"),
            CONDITION: Thing(
                CONDITION, literal=random.choice("112"), other=HANDLE, kind="condition"
            ),
            AFTER: Thing(AFTER, (CONDITION,), literal=random.choice("xyz")),
        }
        if self.is_told:
            drawn[TOLD] = Thing(TOLD, literal=self.telling.choice("xyz"), kind="told")
        kept = {name: old[name] for name in old if random.random() < 0.6}
        handle = kept.get(HANDLE)
        if handle is not None:
            needs = tuple(name for name in handle.needs if name in plan.things)
            kept[HANDLE] = replace(handle, needs=needs)
        return Plan({**plan.things, **drawn, **kept})

    def _changed(self) -> Plan:
        things = self.plan.things
        old = {name: things[name] for name in EXTRA if name in things}
        self.plan = self.plan.without(*EXTRA)
        return self._equipped(super()._changed(), old)

    def _meddle(self) -> None:
        random = self.signalling
        if not self.is_quiet and random.random() < CHANCE:
            self._signal_policy()
        if random.random() < CHANCE and not self.is_quiet:
            self._signal_handle()
        if self.is_told and self.telling.random() < 2 * CHANCE and not self.is_quiet:
            self._signal_told()
        super()._meddle()

    def _signal_policy(self) -> None:
        policies = self._versions(KINDS["policy"])
        if policies and not self.is_over:
            version = self.signalling.choice(policies)
            self._send(version, {})

    def _signal_handle(self) -> None:
        handles = self._versions(KINDS["handle"])
        is_awaited = any(v.cookie is not None for v in self._versions(KINDS["condition"]))
        if handles and (is_awaited or self.signalling.random() < 0.1):
            self.sent += 1
            self._send(self.signalling.choice(handles), {"id": str(self.sent)})

    def _signal_told(self) -> None:
        versions = self._versions(KINDS["told"])
        if versions and not self.is_over:
            version = self.telling.choice(versions)
            text = str(len(self.spoken))
            request = self._send(version, {"id": text}, self.telling, version.uuid)
            self.spoken.append((request, version.id, text))

    def _send(
        self,
        version: VersionRow,
        details: dict[str, Any],
        random: Random | None = None,
        creation_token: str = "",
    ) -> Request:
        stack_id, name = version.stack_id, version.name

        def ask(operations: Operations) -> Any:
            return operations.signal(stack_id, name, details, creation_token)

        process = (random or self.signalling).choice([None, *self._alive()])
        self.told.append(f"{self._when()} signal {name} at {process}")
        request = self.simulation.ask(f"signal {name}", ask, process=process)
        if version.type == KINDS["policy"]:
            request.afterwards = lambda connection: _kept(connection, stack_id)
        return request

    def _versions(self, kind: str) -> list[VersionRow]:
        return [
            version
            for version in self.simulation.invariants.now.versions.values()
            if version.type == kind and version.action not in ("INIT", "DELETE")
        ]

    def _look(self) -> None:
        super()._look()
        for request, version_id, text in self.spoken:
            is_answered = request.task is not None and request.task.done()
            version = self.simulation.invariants.now.versions.get(version_id)
            if not is_answered or request.error is not None or version is None:
                continue
            if text not in version.told:
                raise Violation(f"{version} does not remember the signal {text} (11)")
        if self.signalling.random() < 0.5:
            self._scale()

    def _scale(self) -> None:
        """At rest a signal has its effect, and nobody need wait for anything else."""
        now = self.simulation.invariants.now
        stack = now.stacks[self.stack_id]
        groups = self._versions(SCALED_GROUP)
        if stack.action == "SUSPEND" or stack.deleted_at is not None or len(groups) != 1:
            return
        plan = self.simulation.invariants.plans.get(groups[0].recipe)
        policy = [v for v in self._versions(KINDS["policy"]) if v.name == UP]
        if plan is None or groups[0].status != "COMPLETE" or len(policy) != 1:
            return
        if stack.status != "COMPLETE" or policy[0].status != "COMPLETE":
            return
        sizes = plan.things[GROUP].sizes or (0, 0)
        members = now.of_stack(groups[0].physical_id or "")
        size = len([member for member in members if member.status != "FAILED"])
        wanted = min(sizes[1], size + int(plan.things[UP].literal or 1))
        self.is_quiet = True
        self.told.append(f"{self._when()} scale from {size} to {wanted}")
        stack_id = self.stack_id
        self.simulation.ask("scale", lambda ops: ops.signal(stack_id, UP, {}))
        self.simulation.run_until_rest(LONGEST)
        self.is_quiet = False
        group = self.simulation.invariants.now.versions[groups[0].id]
        if group.status == "COMPLETE" and group.capacity != wanted:
            raise Violation(f"{group} was {size}, is {group.capacity}, and should be {wanted} (11)")


def _kept(connection: Connection, stack_id: str) -> None:
    """What a policy was told in the middle of something is not forgotten."""
    query = "SELECT status FROM stack WHERE id = ?"
    if connection.exec_driver_sql(query, (stack_id,)).scalar() == "IN_PROGRESS":
        query = "SELECT count(*) FROM errand WHERE stack_id = ?"
        if not connection.exec_driver_sql(query, (stack_id,)).scalar():
            raise Violation(f"a signal during a traversal of {stack_id} was forgotten (11)")
