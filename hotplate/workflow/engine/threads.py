"""Threads in which steps are computed, so that the event loop stays free."""

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Protocol, TypeVar

T = TypeVar("T")

_NUMBER = 3
_OF_ONE = 2
"""Threads that one project has at a time: a long step of it leaves one for the others."""


class InThread(Protocol):
    """Runs work elsewhere and waits for what it returns."""

    def __call__(self, work: Callable[[], T], project: str = "") -> Awaitable[T]:
        """Return what the work returns; it may take a while. Projects take turns."""
        ...


class Threads:
    """A few threads of one process. The work must not wait for other work that is put here.

    Who waits is served by project in turn: one with a thousand steps to compute keeps another
    waiting for one of them at most. Used in one event loop.
    """

    def __init__(self, pool: Executor | None = None) -> None:
        self._pool = pool or ThreadPoolExecutor(_NUMBER, thread_name_prefix="workflow")
        self._busy: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def __call__(self, work: Callable[[], T], project: str = "") -> T:
        """Return what the work returns."""
        loop = asyncio.get_running_loop()
        if self._is_free_for(project):
            self._busy[project] += 1
        else:
            turn: asyncio.Future[None] = loop.create_future()
            self._waiting.setdefault(project, deque()).append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._hand_on(project)
                raise
        try:
            return await loop.run_in_executor(self._pool, work)
        finally:
            self._hand_on(project)

    def _is_free_for(self, project: str) -> bool:
        return self._busy.total() < _NUMBER and self._busy[project] < _OF_ONE

    def _hand_on(self, project: str) -> None:
        """Give the thread that a project had to the one whose turn it is."""
        self._busy[project] -= 1
        if not self._busy[project]:
            del self._busy[project]
        for each in list(self._waiting):
            while each in self._waiting and self._is_free_for(each):
                turns = self._waiting.pop(each)
                turn = turns.popleft()
                if turns:
                    self._waiting[each] = turns
                if not turn.done():
                    self._busy[each] += 1
                    turn.set_result(None)
                    break

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
