"""The threads that speak to a database."""

import asyncio
import threading
import time
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine

from hotplate.store.fairness.fair_queue import FairQueue
from hotplate.store.fairness.precedence import Precedence

T = TypeVar("T")
Work = Callable[[Connection], T]
Run = Callable[[Engine, Work[Any]], Any]
_Asked = tuple[Work[Any], asyncio.Future[Any], Context]


class Threads:
    """Threads that take units of work from a queue that is fair, each in one transaction.

    ``run`` runs a unit of work on the engine. Of a project at most so many are done at a time;
    where it is only read, what a worker does for it is counted apart, and what nobody waits for any
    more is left out.
    """

    def __init__(
        self,
        engine: Engine,
        run: Run,
        number: int,
        observe: Callable[[float], None],
        most: int,
        is_reading: bool = False,
        precedence: Precedence | None = None,
    ) -> None:
        self.engine = engine
        self._run = run
        self._observe = observe
        self._is_reading = is_reading
        self._queue: FairQueue[_Asked] = FairQueue(
            most, is_work_apart=is_reading, precedence=precedence
        )
        self._threads = [
            threading.Thread(target=self._serve, name=f"database-{each}", daemon=True)
            for each in range(number)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def is_contended(self) -> bool:
        """Whether several projects have had work lately."""
        return self._queue.is_contended

    async def run(self, work: Work[T]) -> T:
        """Run the work in one of the threads and return what it returns."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        # The answer is that project's as well, in the event loop too.
        self._queue.put((work, future, copy_context()))
        return await future

    def close(self) -> None:
        """Finish what is queued."""
        self._queue.close()
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while True:
            taken = self._queue.get()
            if taken is None:
                return
            work, future, context = taken.item
            if self._is_reading and future.cancelled():
                self._queue.done(taken)
                continue
            begun = time.perf_counter()
            try:
                result = self._run(self.engine, work)
            except BaseException as error:
                _answer(future, context, None, error)
            else:
                _answer(future, context, result, None)
            self._queue.done(taken)
            self._observe(time.perf_counter() - begun)


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
