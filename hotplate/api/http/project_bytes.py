"""What a project keeps in the database has a bound: whoever is above it gets nothing new."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hotplate.api.http.faults import Fault

_SELDOM = 600.0
_OFTEN = 60.0
_AT_ONCE = 5.0
"""Seconds after which a figure is taken anew: far from the bound, near it, and above it."""

Measure = Callable[[str], Awaitable[int]]


@dataclass(slots=True)
class _Known:
    measured: int = 0
    """Bytes when they were last counted."""

    counted: int = 0
    """Bytes of requests that may not have been in the database then."""

    added: int = 0
    """Bytes of requests since."""

    at: float = float("-inf")
    counting: "asyncio.Task[None] | None" = None

    @property
    def size(self) -> int:
        return self.measured + self.counted + self.added


class ProjectBytes:
    """Bounds the bytes of each project. Used in the event loop only.

    Counting reads all that a project has. So it is done beside the requests, seldom far from the
    bound, and what requests bring is added in between. Only a project above the bound waits for
    it, so that what it has removed meanwhile counts.
    """

    def __init__(self, most: int, measure: Measure) -> None:
        self._most = most
        self._measure = measure
        self._projects: dict[str, _Known] = {}

    async def admit(self, project: str, size: int) -> None:
        """Count a request that brings so many bytes. Raises Fault if the project has too many."""
        if not self._most:
            return
        known = self._projects.setdefault(project, _Known())
        age = time.monotonic() - known.at
        wait = _OFTEN if known.size > self._most * 0.8 else _SELDOM
        if known.size + size > self._most:
            if age > _AT_ONCE:
                await asyncio.shield(self._counting(project, known))
            if known.size + size > self._most:
                raise self._fault(project, known.size, size)
        elif age > wait:
            self._counting(project, known)
        known.added += size

    def _counting(self, project: str, known: _Known) -> "asyncio.Task[None]":
        if known.counting is None:
            known.counting = asyncio.create_task(self._count(project, known))
            # Whoever waits for it gets the error; a database that is away is told elsewhere.
            known.counting.add_done_callback(lambda task: task.cancelled() or task.exception())
        return known.counting

    async def _count(self, project: str, known: _Known) -> None:
        # What is on its way now may be found or not; it counts on until the next time.
        older, known.counted, known.added = known.counted, known.counted + known.added, 0
        try:
            known.measured = await self._measure(project)
            known.counted -= older
        finally:
            known.at, known.counting = time.monotonic(), None

    def _fault(self, project: str, size: int, more: int) -> Fault:
        return Fault(
            403,
            f"The project {project} keeps {size} bytes in the database, and with {more} more it "
            f"would have more than the maximum of {self._most}. Delete what is no longer needed; "
            "of deleted stacks the events and templates count until the operator purges them.",
            "RequestLimitExceeded",
        )
