"""Random runs in which resources anywhere in the tree are marked as unhealthy, at any moment."""

from collections.abc import Callable
from random import Random
from typing import Any

from hotplate.engine.requests.operations import Operations
from hotplate.testing import Plan, Violation
from tests.simulation.runs import LONGEST, Run

CHANCE = 0.03
"""That something is marked before a step."""


class MarkedRun(Run):
    """A run like any other, but for marks, also on what is deep inside.

    In the end something is marked while all is at rest, and the update that follows must heal it
    although nothing else has changed.
    """

    def __post_init__(self) -> None:
        self.marking = Random(self.seed * 17 + 13)
        super().__post_init__()

    def _meddle(self) -> None:
        if not self.is_over and self.marking.random() < CHANCE:
            self._mark()
        super()._meddle()

    def _mark(self) -> None:
        random = self.marking
        versions = list(self.simulation.invariants.now.versions.values())
        if not versions:
            return
        version = random.choice(versions)
        stack_id, name, unhealthy = version.stack_id, version.name, random.random() < 0.8
        process = random.choice([None, *self._alive()])
        self.told.append(f"{self._when()} mark {name} of {stack_id}: {unhealthy} at {process}")
        self.simulation.ask(
            f"mark {name}", lambda ops: ops.mark(stack_id, name, unhealthy), process=process
        )

    def _finally(
        self, words: str, ask: Callable[[Operations], Any], plan: Plan | None = None
    ) -> None:
        if words == "update":
            for _ in range(3):
                self._mark()
            self.simulation.run_until_rest(LONGEST)
        super()._finally(words, ask, plan)
        now = self.simulation.invariants.now
        if words == "update" and now.stacks[self.stack_id].status == "COMPLETE":
            sick = [version for version in now.versions.values() if version.status == "FAILED"]
            if sick:
                raise Violation(f"an update was complete and has not healed {sick} (12)")
