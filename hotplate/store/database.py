"""The connection to a database and the threads that speak to it."""

import asyncio
import random
import sqlite3
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.pool import StaticPool

from hotplate.store.capacity.spool import Spool
from hotplate.store.fairness.fair_queue import project_of
from hotplate.store.fairness.precedence import Precedence
from hotplate.store.fairness.threads import Threads
from hotplate.store.sealing import OPTION, READS, Sealer
from hotplate.store.workers import IDLE_SECONDS

T = TypeVar("T")
Work = Callable[[Connection], T]
Observe = Callable[[str, float], None]
"""Takes what a transaction was for, "read" or "write", and its seconds; called in any thread."""

_TRIES = 12
_PAUSE = 0.005
_SQLITE_PATIENCE = 30.0
_READERS = 3
_READS_OF_A_PROJECT = 1
"""Long reads of one project at a time: those who read share the interpreter with all others."""

_DRIVERS = {
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "mysql": "mariadb+pymysql",
    "mariadb": "mariadb+pymysql",
}
# Words of an error end in logs and in the reasons of resources; values may be secret.
_DISCREET: dict[str, Any] = {"hide_parameters": True}

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

# Errors of a database that is away or cannot work for the moment; nothing is wrong with the work.
_POSTGRESQL_TROUBLE = frozenset(
    (
        "08",  # connection
        "53",  # too few resources
        "57",  # shut down by its operator
    )
)
_MARIADB_TROUBLE = frozenset(
    (
        0,  # the connection is closed
        1021,  # disk full
        1040,  # too many connections
        1047,  # a Galera node that has lost its cluster
        1053,  # shutting down
        1927,  # the connection was killed
        2002,  # no connection
        2003,  # no connection
        2006,  # gone away
        2013,  # lost during the query
        2055,  # lost
    )
)
_SQLITE_TROUBLE = frozenset(
    (
        10,  # input or output
        13,  # disk full
        14,  # the file cannot be opened
    )
)


def open_engine(url: str, sealer: Sealer | None = None) -> Engine:
    """Return a SQLAlchemy engine set up for many short transactions.

    Without a driver in the URL the one that hotplate is tested with is used. With a sealer, what
    can be secret is sealed; a database in memory never is.
    """
    parsed = _parsed(url)
    options = {OPTION: sealer}
    if parsed.get_backend_name() == "sqlite":
        engine = _sqlite(parsed, options)
        event.listen(engine, "begin", _wait_for_turn)
        return engine
    # A connection that broke is noticed by the transaction that meets it, and that is run again;
    # asking before each of them would cost a round trip.
    engine = create_engine(
        parsed,
        isolation_level="READ COMMITTED",
        pool_size=8,
        pool_recycle=1800,
        execution_options=options,
        **_DISCREET,
    )
    event.listen(engine, "connect", _set_up_session)
    return engine


def open_for_reading(url: str, sealer: Sealer | None = None) -> Engine:
    """Return an engine whose transactions see one moment of the database and refuse to write.

    They hold no locks and wait for none.
    """
    parsed = _parsed(url)
    options = {OPTION: sealer, READS: True}
    if parsed.get_backend_name() == "sqlite":
        engine = _sqlite(parsed, options)
        event.listen(engine, "begin", _begin_reading)
    else:
        engine = create_engine(
            parsed,
            isolation_level="REPEATABLE READ",
            pool_size=_READERS,
            pool_recycle=1800,
            execution_options=options,
            **_DISCREET,
        )
    event.listen(engine, "connect", _refuse_to_write)
    return engine


def make_file(url: str) -> None:
    """Make the file of an SQLite database and its folder, for the owner only: it holds secrets."""
    parsed = make_url(url)
    name = parsed.database
    if parsed.get_backend_name() != "sqlite" or not name or name == ":memory:":
        return
    if name.startswith("file:"):
        return
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.touch(mode=0o600)


def _parsed(url: str) -> URL:
    parsed = make_url(url)
    return parsed.set(drivername=_DRIVERS.get(parsed.drivername, parsed.drivername))


def is_in_memory(url: URL) -> bool:
    """Tell whether an SQLite database lives no longer than its connection."""
    return url.database in (None, "", ":memory:")


def _sqlite(url: URL, execution_options: dict[str, Any]) -> Engine:
    in_memory = is_in_memory(url)
    if in_memory:
        execution_options = {}
    options: dict[str, Any] = {
        "connect_args": {"check_same_thread": False, "timeout": 30},
        "execution_options": execution_options,
        **_DISCREET,
    }
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

    return engine


def _begin_reading(connection: Connection) -> None:
    connection.connection.driver_connection.execute("BEGIN")  # type: ignore[union-attr]


def _refuse_to_write(connection: Any, record: Any) -> None:
    cursor = connection.cursor()
    if isinstance(connection, sqlite3.Connection):
        cursor.execute("PRAGMA query_only=ON")
    elif type(connection).__module__.startswith("psycopg"):
        cursor.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
        connection.commit()
    else:
        cursor.execute("SET SESSION TRANSACTION READ ONLY")
    cursor.close()


def _set_up_session(connection: Any, record: Any) -> None:
    """Tell a server what it could not know of our transactions."""
    cursor = connection.cursor()
    if type(connection).__module__.startswith("psycopg"):
        # Nodes and versions that are worked on are in memory. As if they were on a turning disk,
        # PostgreSQL would read the whole table instead of the hundred rows whose keys it is given.
        cursor.execute("SET random_page_cost = 1.1")
        connection.commit()
    else:
        # A process that is stopped in the middle of a transaction would keep its locks, and others
        # waiting, for as long as it stands still. PostgreSQL is told of this by
        # `workers.end_stalled_transactions`: its own limit does not count after statements that
        # were sent many at a time. MariaDB reads what stands in such a comment; MySQL has no such
        # variable.
        cursor.execute(f"SET @idle = 0 /*M!, SESSION idle_transaction_timeout = {IDLE_SECONDS} */")
    cursor.close()


def _wait_for_turn(connection: Connection) -> None:
    """Begin a transaction as SQLite's only writer.

    SQLite itself would wait in steps of up to a tenth of a second, far longer than a transaction.
    """
    end = time.monotonic() + _SQLITE_PATIENCE
    while True:
        try:
            # Past SQLAlchemy: every transaction begins with this.
            connection.connection.driver_connection.execute("BEGIN IMMEDIATE")  # type: ignore[union-attr]
        except sqlite3.OperationalError as error:
            if not _sqlite_gave_up(error) or time.monotonic() > end:
                raise OperationalError("BEGIN IMMEDIATE", None, error) from error
            time.sleep(random.uniform(0, _PAUSE))  # noqa: S311
        else:
            return


def _unobserved(kind: str, seconds: float) -> None:
    """Keep no figures."""


def create_tables(bind: Engine | Connection) -> None:
    """Make the tables of a database that is new; all others need `upgrade`."""
    from hotplate.store.workflows.schema import METADATA  # noqa: PLC0415  # seldom needed

    if bind.dialect.name == "postgresql":
        for index in METADATA.tables["version"].indexes:
            if index.name == "version_physical":
                index.dialect_kwargs["postgresql_using"] = "hash"
    METADATA.create_all(bind)


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
    """Whether the database has undone the transaction for reasons that may not hold next time."""
    origin = error.orig
    if origin is None:
        return False
    if (sqlstate := getattr(origin, "sqlstate", None)) is not None:
        return sqlstate in _POSTGRESQL_GAVE_UP
    if isinstance(origin, sqlite3.Error):
        return _sqlite_gave_up(origin)
    return bool(origin.args) and origin.args[0] in _MARIADB_GAVE_UP


def is_transient(error: BaseException) -> bool:
    """Whether the database is away, full or too busy, and the same work may succeed later."""
    if not isinstance(error, DBAPIError):
        return False
    origin = error.orig
    if error.connection_invalidated or gave_up(error):
        return True
    if isinstance(origin, sqlite3.Error):
        return getattr(origin, "sqlite_errorcode", 0) & 0xFF in _SQLITE_TROUBLE
    if hasattr(origin, "sqlstate"):
        state = getattr(origin, "sqlstate", None)
        if state is None:
            return isinstance(error, OperationalError | InterfaceError)
        return str(state)[:2] in _POSTGRESQL_TROUBLE
    code = origin.args[0] if origin is not None and origin.args else None
    return code in _MARIADB_TROUBLE


def is_full(error: DBAPIError) -> bool:
    """Whether the disk of an SQLite file is full."""
    origin = error.orig
    return isinstance(origin, sqlite3.Error) and (
        getattr(origin, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL
    )


def _sqlite_gave_up(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _SQLITE_GAVE_UP


class Database:
    """Runs units of work in database threads. Use one per process.

    SQLite has one writer at a time, so one thread is enough for it. Reading has threads and
    connections of its own, so that it does not wait behind those who write.
    """

    def __init__(self, url: str, threads: int = 1, sealer: Sealer | None = None) -> None:
        self.engine = open_engine(url, sealer)
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        self.observe: Observe = _unobserved
        self.on_full: Callable[[], bool] = lambda: False
        """Called when the disk of an SQLite file is full; returns whether it has made room."""

        self.precedence = Precedence()
        """Who goes before whom; the event loop may heed it as well."""

        self._writers: Threads[Work[Any]] = Threads(
            partial(transact, self.engine),
            1 if self.is_sqlite else threads,
            lambda seconds: self.observe("write", seconds),
            threads,
            precedence=self.precedence,
        )
        self._url = url
        self._sealer = sealer
        self._readers: Threads[Work[Any]] | None = None
        self._quick_reader: Threads[Work[Any]] | None = None
        self._read_engines: list[Engine] = []
        # A database in memory is one connection; whoever reads takes turns with who writes.
        self._is_shared = isinstance(self.engine.pool, StaticPool)

    @property
    def is_contended(self) -> bool:
        """Whether several projects have had something to write lately."""
        return self._writers.is_contended

    def let_go(self) -> None:
        """Forget what is remembered only to save time. Takes a moment; any thread may call it.

        A connection to SQLite keeps pages of its file, and of each statement the values that it was
        last given, however large. Those that are not in use are closed.
        """
        if self._sealer is not None:
            self._sealer.recent.forget()
        if self.is_sqlite and not self._is_shared:
            for engine in (self.engine, *self._read_engines):
                engine.dispose()

    async def transact(self, work: Work[T]) -> T:
        """Run the work in one transaction. What it returns has been committed."""
        try:
            return await self._writers.run(work)
        except DBAPIError as error:
            if not is_full(error) or not await asyncio.to_thread(self.on_full):
                raise
            return await self._writers.run(work)

    async def read(self, work: Work[T]) -> T:
        """Run work that only reads. All it reads is of one moment, after whatever was committed."""
        return await self._reading().run(work)

    async def read_soon(self, work: Work[T]) -> T:
        """Do the same for work of moments: it has a thread that long reads never take."""
        if self._is_shared:
            return await self._writers.run(work)
        if self._quick_reader is None:
            self._quick_reader = self._reader_threads(1)
        return await self._quick_reader.run(work)

    async def stream(
        self, work: Callable[[Connection], Iterator[bytes]]
    ) -> AsyncGenerator[bytes, None]:
        """Yield the chunks that the work makes of what it reads.

        The work never waits for whoever takes the chunks, so a slow client keeps no transaction
        open; what it has not read yet is kept for it within the bounds of a `Spool`, and raises
        SpoolFull beyond them. Closing the iterator stops the work. An empty chunk says nothing, and
        is where others may go first.
        """
        spool, project = Spool(), project_of(copy_context())

        def pump(connection: Connection) -> None:
            has_begun = False
            try:
                for chunk in work(connection):
                    if spool.is_closed:
                        return
                    has_begun = has_begun or bool(chunk)
                    spool.put(chunk)
                    self.precedence.give_way(project)
            except DBAPIError as error:
                if has_begun:
                    # Not to be run again: the beginning is already on its way.
                    raise _Broken from error
                raise

        done = asyncio.ensure_future(self._reading().run(pump))
        done.add_done_callback(partial(_ended, spool))
        try:
            while chunk := await spool.take():
                yield chunk
            try:
                await done
            except _Broken as broken:
                raise broken.__cause__ or broken from None
        finally:
            spool.close()
            done.cancel()

    def close(self) -> None:
        """Finish what is queued, then let go of the database."""
        self._writers.close()
        self.engine.dispose()
        for readers in (self._readers, self._quick_reader):
            if readers is not None:
                readers.close()
        for engine in self._read_engines:
            engine.dispose()

    def _reading(self) -> Threads[Work[Any]]:
        if self._is_shared:
            return self._writers
        if self._readers is None:
            self._readers = self._reader_threads(_READERS)
        return self._readers

    def _reader_threads(self, number: int) -> Threads[Work[Any]]:
        engine = open_for_reading(self._url, self._sealer)
        self._read_engines.append(engine)
        return Threads(
            partial(transact, engine),
            number,
            lambda seconds: self.observe("read", seconds),
            _READS_OF_A_PROJECT,
            is_reading=True,
            precedence=self.precedence,
        )


def _ended(spool: Spool, done: asyncio.Future[None]) -> None:
    spool.end()
    if not done.cancelled():
        done.exception()  # is known now, also if nobody waits for it any more


class _Broken(Exception):
    """A stream ended in the middle; the cause says why."""
