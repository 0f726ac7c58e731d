"""Random runs in which many objects come up broken, and are deleted and made anew."""

from dataclasses import replace
from random import Random

from hotplate.testing import Plan
from hotplate.testing.cloud import Fault
from tests.simulation.runs import Run


class RetriedRun(Run):
    """A run like any other, but most objects are of a type that makes another one of a broken one.

    Many come up broken, some several times, and what goes on with the stack meanwhile is whatever
    it is in other runs.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.plan = self._retried(self.plan)
        drawn, behaviour = Random(self.seed * 31 + 29), self.simulation.cloud.behaviour
        usual = behaviour.fault

        def fault(verb: str, name: str) -> Fault | None:
            is_broken = verb == "create" and drawn.random() < 0.5
            return Fault.BREAKS if is_broken else usual(verb, name)

        behaviour.fault = fault

    def _retried(self, plan: Plan) -> Plan:
        """The plan with all of its findable objects, which most are, of the type in question."""
        things = {
            name: replace(
                thing,
                kind="retried" if thing.kind == "findable" else thing.kind,
                inside=None if thing.inside is None else self._retried(thing.inside),
            )
            for name, thing in plan.things.items()
        }
        return replace(plan, things=things)

    def _changed(self) -> Plan:
        return self._retried(super()._changed())
