"""The connection to a database and the threads that speak to it."""

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import StaticPool

from hotplate.store.schema import METADATA

T = TypeVar("T")
Work = Callable[[Connection], T]

_TRIES = 8


def open_engine(url: str) -> Engine:
    """Return a SQLAlchemy engine set up for many short transactions."""
    if url.startswith("sqlite"):
        return _sqlite(url)
    isolation = "READ COMMITTED"
    return create_engine(url, isolation_level=isolation, pool_pre_ping=True, pool_size=8)


def _sqlite(url: str) -> Engine:
    in_memory = url in ("sqlite://", "sqlite:///:memory:")
    options: dict[str, Any] = {"connect_args": {"check_same_thread": False, "timeout": 30}}
    if in_memory:
        options["poolclass"] = StaticPool
    engine = create_engine(url, **options)

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, record: Any) -> None:
        # Transactions are begun by us: the driver's own BEGIN would not take the write lock.
        connection.isolation_level = None
        cursor = connection.cursor()
        if not in_memory:
            cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def create_tables(engine: Engine) -> None:
    """Make the tables of an empty database."""
    METADATA.create_all(engine)


def transact(engine: Engine, work: Work[T]) -> T:
    """Run the work in one transaction; a transaction that the database gave up is run again."""
    for attempt in range(_TRIES):
        try:
            with engine.begin() as connection:
                return work(connection)
        except OperationalError:
            if attempt + 1 == _TRIES:
                raise
    raise AssertionError("unreachable")


class Database:
    """Runs units of work in database threads. Use one per process."""

    def __init__(self, url: str, threads: int = 1) -> None:
        self.engine = open_engine(url)
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        self._queue: queue.SimpleQueue[tuple[Work[Any], asyncio.Future[Any]] | None] = (
            queue.SimpleQueue()
        )
        self._threads = [
            threading.Thread(target=self._serve, name=f"database-{number}", daemon=True)
            for number in range(1 if self.is_sqlite else threads)
        ]
        for thread in self._threads:
            thread.start()

    async def transact(self, work: Work[T]) -> T:
        """Run the work in one transaction. What it returns has been committed."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue.put((work, future))
        return await future

    def close(self) -> None:
        """Finish what is queued, then let go of the database."""
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()
        self.engine.dispose()

    def _serve(self) -> None:
        while True:
            item = self._queue.get()
            if item is None:
                return
            work, future = item
            try:
                result = transact(self.engine, work)
            except BaseException as error:
                _answer(future, None, error)
            else:
                _answer(future, result, None)


def _answer(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    def settle() -> None:
        if future.cancelled():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    try:
        future.get_loop().call_soon_threadsafe(settle)
    except RuntimeError:
        # The loop is closed: nobody waits for the answer any more.
        return
