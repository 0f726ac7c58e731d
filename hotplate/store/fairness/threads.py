"""Threads for which projects take turns: those that ask a database, and one that computes."""

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import Context, copy_context
from typing import Any, Generic, TypeVar

from hotplate.store.fairness.fair_queue import FairQueue
from hotplate.store.fairness.precedence import Precedence

T = TypeVar("T")
Work = TypeVar("Work")


class Threads(Generic[Work]):
    """Threads that take units of work from a queue that is fair.

    ``run`` does a unit of work. Of a project at most so many are done at a time; where it is only
    read, what a worker does for it is counted apart, and what nobody waits for any more is left
    out.
    """

    def __init__(
        self,
        run: Callable[[Work], Any],
        number: int,
        observe: Callable[[float], None],
        most: int,
        is_reading: bool = False,
        precedence: Precedence | None = None,
        name: str = "database",
    ) -> None:
        self._run = run
        self._observe = observe
        self._is_reading = is_reading
        self._queue: FairQueue[tuple[Work, asyncio.Future[Any], Context]] = FairQueue(
            most, is_work_apart=is_reading, precedence=precedence
        )
        self._threads = [
            threading.Thread(target=self._serve, name=f"{name}-{each}", daemon=True)
            for each in range(number)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def is_contended(self) -> bool:
        """Whether several projects have had work lately."""
        return self._queue.is_contended

    async def run(self, work: Work) -> Any:
        """Do the work in one of the threads and return what it returns."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        # The answer is that project's as well, in the event loop too.
        self._queue.put((work, future, copy_context()))
        return await future

    def close(self) -> None:
        """Finish what is queued."""
        self._queue.close()
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while self._serve_next():
            pass

    def _serve_next(self) -> bool:
        """Do what comes next; return whether there is more to come.

        Nothing of it is held any more while the thread waits: an answer may be of many megabytes.
        """
        taken = self._queue.get()
        if taken is None:
            return False
        work, future, context = taken.item
        if self._is_reading and future.cancelled():
            self._queue.done(taken)
            return True
        begun, had = time.perf_counter(), time.thread_time()
        try:
            result = self._run(work)
        except BaseException as error:
            _answer(future, context, None, error)
        else:
            _answer(future, context, result, None)
        self._queue.done(taken, time.thread_time() - had)
        self._observe(time.perf_counter() - begun)
        return True


class InTurn:
    """One thread for what computes for some milliseconds and is no transaction.

    Reading and writing megabytes keeps the interpreter, whichever thread does it. So there is one
    piece of it in hand at a time, and none of a project that has computed much while somebody else
    is worked for. The thread is started when it is needed.
    """

    def __init__(self, precedence: Precedence) -> None:
        self._precedence = precedence
        self._threads: Threads[Callable[[], Any]] | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """Return what the work returns."""
        if self._threads is None:
            self._threads = Threads(
                lambda work: work(),
                1,
                lambda seconds: None,
                1,
                is_reading=True,
                precedence=self._precedence,
                name="computing",
            )
        found: T = await self._threads.run(work)
        return found

    def asking(self, project: str) -> AbstractContextManager[None]:
        """Note that a project has a request in hand inside."""
        return self._precedence.asking(project)

    def is_heavy(self, project: str) -> bool:
        """Tell whether a project has computed so much that it gives way, and others are there."""
        return self._precedence.is_heavy(project)

    def close(self) -> None:
        """Finish what is in hand."""
        if self._threads is not None:
            self._threads.close()


def _answer(
    future: asyncio.Future[Any], context: Context, result: Any, error: BaseException | None
) -> None:
    def settle() -> None:
        if future.cancelled():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    try:
        future.get_loop().call_soon_threadsafe(settle, context=context)
    except RuntimeError:
        # The loop is closed: the answer is not awaited any more.
        return
