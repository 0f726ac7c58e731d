"""The connection to a database and the threads that speak to it."""

import asyncio
import queue
import random
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from hotplate.store.schema import METADATA

T = TypeVar("T")
Work = Callable[[Connection], T]

_TRIES = 12
_PAUSE = 0.005
_SQLITE_PATIENCE = 30.0
_DRIVERS = {
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "mysql": "mariadb+pymysql",
    "mariadb": "mariadb+pymysql",
}

# Errors after which the database has undone the transaction, and the same work may well succeed.
_POSTGRESQL_GAVE_UP = frozenset(
    (
        "40001",  # serialization failure
        "40P01",  # deadlock
        "55P03",  # lock not available
    )
)
_MARIADB_GAVE_UP = frozenset(
    (
        1020,  # record has changed since last read
        1205,  # lock wait timeout
        1213,  # deadlock; also what a Galera node says to the loser of a commit
    )
)
_SQLITE_GAVE_UP = frozenset(
    (
        5,  # busy
        6,  # locked
    )
)


def open_engine(url: str) -> Engine:
    """Return a SQLAlchemy engine set up for many short transactions.

    Without a driver in the URL the one that hotplate is tested with is used.
    """
    parsed = make_url(url)
    parsed = parsed.set(drivername=_DRIVERS.get(parsed.drivername, parsed.drivername))
    if parsed.get_backend_name() == "sqlite":
        return _sqlite(parsed)
    # A connection that broke is noticed by the transaction that meets it, and that is run again;
    # asking before each of them would cost a round trip.
    return create_engine(parsed, isolation_level="READ COMMITTED", pool_size=8, pool_recycle=1800)


def _sqlite(url: URL) -> Engine:
    in_memory = url.database in (None, "", ":memory:")
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
        cursor.execute("PRAGMA busy_timeout=1")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        _wait_for_turn(connection)

    return engine


def _wait_for_turn(connection: Connection) -> None:
    """Begin a transaction as SQLite's only writer.

    SQLite itself would wait in steps of up to a tenth of a second, far longer than a transaction.
    """
    end = time.monotonic() + _SQLITE_PATIENCE
    while True:
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        except DBAPIError as error:
            if not gave_up(error) or time.monotonic() > end:
                raise
            time.sleep(random.uniform(0, _PAUSE))  # noqa: S311
        else:
            return


def create_tables(engine: Engine) -> None:
    """Make the tables of a database that lives no longer than a test; others need `upgrade`."""
    METADATA.create_all(engine)


def transact(engine: Engine, work: Work[T]) -> T:
    """Run the work in one transaction; a transaction that the database gave up is run again.

    So the work must not change anything but the database before it returns. An error during the
    commit itself is handed on, unless the database says that nothing was committed.
    """
    for attempt in range(1, _TRIES + 1):
        committing = False
        try:
            with engine.connect() as connection, connection.begin() as transaction:
                result = work(connection)
                committing = True
                transaction.commit()
                return result
        except DBAPIError as error:
            lost = error.connection_invalidated and not committing
            if attempt == _TRIES or not (lost or gave_up(error)):
                raise
        # Those who stood in each other's way come back at different times.
        time.sleep(random.uniform(0, _PAUSE * 2 ** min(attempt, 6)))  # noqa: S311
    raise AssertionError("unreachable")


def gave_up(error: DBAPIError) -> bool:
    """Whether the database has undone the transaction for reasons that may be gone next time."""
    origin = error.orig
    if origin is None:
        return False
    if (sqlstate := getattr(origin, "sqlstate", None)) is not None:
        return sqlstate in _POSTGRESQL_GAVE_UP
    if (code := getattr(origin, "sqlite_errorcode", None)) is not None:
        return code & 0xFF in _SQLITE_GAVE_UP
    return bool(origin.args) and origin.args[0] in _MARIADB_GAVE_UP


class Database:
    """Runs units of work in database threads. Use one per process.

    SQLite has one writer at a time, so one thread is enough for it.
    """

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
