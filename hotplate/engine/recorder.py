"""Outcomes of many nodes, gathered while the database is busy and written together."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from hotplate.engine.outcomes import Outcome, Recorded

Write = Callable[[Sequence[Outcome]], Awaitable[Recorded]]
Publish = Callable[[Iterable[int]], None]


class Recorder:
    """Group commit: whatever arrives during one transaction goes into the next."""

    _MOST = 1000

    def __init__(self, write: Write, publish: Publish) -> None:
        self._write = write
        self._publish = publish
        self._waiting: list[tuple[Outcome, asyncio.Future[bool]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def record(self, outcome: Outcome) -> bool:
        """Write one outcome; False if the claim is lost."""
        (kept,) = await self.record_all([outcome])
        return kept

    async def record_all(self, outcomes: Sequence[Outcome]) -> list[bool]:
        """Write outcomes; for each tell whether the claim was still held."""
        loop = asyncio.get_running_loop()
        futures = [loop.create_future() for _ in outcomes]
        self._waiting.extend(zip(outcomes, futures, strict=True))
        if self._writing is None:
            self._writing = loop.create_task(self._drain())
        return list(await asyncio.gather(*futures))

    async def _drain(self) -> None:
        try:
            while self._waiting:
                batch = self._waiting[: self._MOST]
                del self._waiting[: self._MOST]
                try:
                    recorded = await self._write([outcome for outcome, _ in batch])
                except Exception as error:
                    for _, future in batch:
                        if not future.done():
                            future.set_exception(error)
                    continue
                self._publish(recorded.ready)
                for outcome, future in batch:
                    if not future.done():
                        future.set_result(outcome.claim.node.id not in recorded.lost)
        finally:
            self._writing = None
