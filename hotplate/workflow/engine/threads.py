"""Threads in which steps are computed, so that the event loop stays free."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

T = TypeVar("T")

_NUMBER = 2


class InThread(Protocol):
    """Runs work elsewhere and waits for what it returns."""

    def __call__(self, work: Callable[[], T]) -> Awaitable[T]:
        """Return what the work returns; it may take a while."""
        ...


class Threads:
    """A few threads of one process. The work must not wait for other work that is put here."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_NUMBER, thread_name_prefix="workflow")

    async def __call__(self, work: Callable[[], T]) -> T:
        """Return what the work returns."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
