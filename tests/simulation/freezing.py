"""Random runs in which processes are stopped past their lease with many calls in hand."""

from collections import Counter
from random import Random

from hotplate.testing import SimulatedProcess
from hotplate.testing.cloud import QUEUED
from tests.simulation.runs import Run

MOST = 4
CHANCE = 0.1
"""That a process is stopped before a step, if calls wait in it for a thread or a connection."""


class FrozenRun(Run):
    """A run like any other, but calls wait in their process, which may be stopped meanwhile."""

    def __post_init__(self) -> None:
        self.freezing = Random(self.seed * 19 + 17)
        self.freezes = MOST
        super().__post_init__()
        self.simulation.cloud.behaviour.queued = lambda: self.freezing.random() < 0.9

    def _meddle(self) -> None:
        waiting = self._waiting()
        if not self.is_over and self.freezes and waiting and self.freezing.random() < CHANCE:
            self.freezes -= 1
            process, number = waiting.most_common(1)[0]
            seconds = self.freezing.choice((4.0, 8.0, 12.0, 30.0))
            self.told.append(
                f"{self._when()} {process} is stopped for {seconds} s with {number} calls in hand"
            )
            process.pause(seconds)
            if len(self._alive()) == 1:
                self.workers.append(self.simulation.start_worker())
        super()._meddle()

    def _waiting(self) -> Counter[SimulatedProcess]:
        """Return how many calls wait in each process that is awake."""
        now = self.simulation.loop.time()
        gates = self.simulation.loop.gates
        return Counter(
            gate.process
            for gate in gates
            if gate.label == QUEUED
            and gate.process in self.workers
            and gate.process.wakes_at <= now
        )
