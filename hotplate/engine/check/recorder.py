"""Outcomes of many nodes, recorded together."""

from collections.abc import Awaitable, Callable, Iterable, Sequence

from hotplate.engine.check.outcome import Outcome, Recorded
from hotplate.store.fairness.batching import Batcher
from hotplate.store.fairness.fair_queue import at_work_for

Write = Callable[[Sequence[Outcome]], Awaitable[Recorded]]
Publish = Callable[[Iterable[int]], None]
Learn = Callable[[Iterable[int], str], None]
"""Takes nodes that have become ready, and whose they are."""


_STACK = 8
"""To begin something in a nested stack takes as long as so many outcomes."""


class Recorder:
    """Group commit: whatever arrives during one transaction goes into the next."""

    _MOST = 200
    """Outcomes of one transaction: others wait for it, some 20 ms of the processor."""

    def __init__(
        self,
        write: Write,
        publish: Publish,
        is_contended: Callable[[], bool] = lambda: False,
        learn: Learn = lambda ready, project: None,
    ) -> None:
        self._write = write
        self._publish = publish
        self._learn = learn
        # Projects take turns. What is to be written together is one question: there are many.
        self._outcomes: Batcher[Sequence[Outcome], list[bool]] = Batcher(
            self._written,
            self._MOST,
            line=lambda outcomes: outcomes[0].claim.stack.project,
            weight=lambda outcomes: sum(map(_weight, outcomes)),
            is_contended=is_contended,
            # Each has its own turns at the database then, and waits for no other's outcomes.
            is_apart=is_contended,
        )

    async def record(self, outcome: Outcome) -> bool:
        """Write one outcome; False if the claim is lost."""
        (is_kept,) = await self._outcomes.ask([outcome])
        return is_kept

    async def record_all(self, outcomes: Sequence[Outcome]) -> list[bool]:
        """Write outcomes of one stack; for each tell whether the claim was still held."""
        return await self._outcomes.ask(outcomes)

    async def _written(self, asked: Sequence[Sequence[Outcome]]) -> list[list[bool]]:
        outcomes = [outcome for together in asked for outcome in together]
        projects = {outcome.claim.stack.project for outcome in outcomes}
        with at_work_for(projects):
            recorded = await self._write(outcomes)
        if len(projects) == 1:
            self._learn(recorded.ready, *projects)
        self._publish(recorded.ready)
        lost = recorded.lost
        return [[each.claim.node.id not in lost for each in together] for together in asked]


def _weight(outcome: Outcome) -> int:
    return 1 if outcome.request is None else _STACK
