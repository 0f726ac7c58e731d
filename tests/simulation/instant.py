"""Random runs in which many resources are nothing but rows, and end as soon as they are ready."""

from dataclasses import replace
from random import Random

from hotplate.testing import Plan
from tests.simulation.runs import Run


class InstantRun(Run):
    """A run like any other, but most resources call no provider.

    Transactions go ahead with one, two or all of those that become ready.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.plan = self._instant(self.plan)
        self.simulation.ahead = Random(self.seed * 17 + 13).choice((1, 2, 64))

    def _instant(self, plan: Plan) -> Plan:
        """The plan with most of its resources of the type in question, always the same ones."""
        things = {
            name: replace(
                thing,
                kind="instant" if self._is_instant(name, thing.kind) else thing.kind,
                inside=None if thing.inside is None else self._instant(thing.inside),
            )
            for name, thing in plan.things.items()
        }
        return replace(plan, things=things)

    def _is_instant(self, name: str, kind: str) -> bool:
        is_plain = kind in ("findable", "repeatable")
        return is_plain and Random(f"{self.seed} {name}").random() < 0.75

    def _changed(self) -> Plan:
        return self._instant(super()._changed())
