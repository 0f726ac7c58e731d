"""Random runs in which objects have keys: the provider refuses a second one with the same key."""

from dataclasses import replace
from random import Random

from hotplate.testing import Plan, Thing
from tests.simulation.runs import LONGEST, Run

KEYED = ("exclusive", "attached")


class ExclusiveRun(Run):
    """A run like any other, but most objects have a key that only one object can have.

    Some must be deleted before another can have it, from others it can be taken; and most of their
    changes replace them.
    """

    def __post_init__(self) -> None:
        self.keying = Random(self.seed * 29 + 23)
        super().__post_init__()
        self.plan = self._keyed(self.plan, Plan())

    def _keyed(self, plan: Plan, old: Plan) -> Plan:
        """The plan, in which most objects have keys; which, and how, is mostly as before."""
        random = self.keying
        things = {}
        for name, thing in plan.things.items():
            before = old.things.get(name)
            kind, fixed = thing.kind, thing.fixed
            if before is not None and before.kind in KEYED and random.random() < 0.95:
                kind, fixed = before.kind, before.fixed
            elif random.random() < 0.7:
                kind, fixed = random.choice(KEYED), random.random() < 0.8
            inside = self._inside(thing, before)
            things[name] = replace(thing, kind=kind, fixed=fixed, inside=inside)
        return replace(plan, things=things)

    def _inside(self, thing: Thing, before: Thing | None) -> Plan | None:
        if thing.inside is None:
            return None
        return self._keyed(thing.inside, (before and before.inside) or Plan())

    def _changed(self) -> Plan:
        plan = self._keyed(super()._changed(), self.plan)
        return replace(plan, things={n: self._moved(thing) for n, thing in plan.things.items()})

    def _moved(self, thing: Thing) -> Thing:
        """The resource, half the time with another value of its own."""
        random = self.keying
        inside = thing.inside
        if inside is not None:
            moved = {name: self._moved(each) for name, each in inside.things.items()}
            inside = replace(inside, things=moved)
        if thing.kind not in KEYED or thing.how or random.random() < 0.5:
            return replace(thing, inside=inside)
        return replace(thing, inside=inside, literal=random.choice("xxyyz"))

    def _do_something(self) -> None:
        """Do something to a stack that is often at rest, and often go back in the middle of it."""
        random, stack_id = self.keying, self.stack_id
        if random.random() < 0.5:
            self.simulation.run_until_rest(LONGEST)
        super()._do_something()
        if random.random() < 0.4:
            self._steps(random.randint(20, 200))
            self._ask("roll back", lambda ops: ops.roll_back(stack_id))
