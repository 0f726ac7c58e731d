"""A real database behind simulated time and gates: SQLite in memory, or one on a server."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Connection, event

from hotplate.store.database import create_tables, open_engine
from hotplate.store.schema import METADATA
from hotplate.store.workers import TIME_QUERIES
from hotplate.testing.loop import SimulatedLoop
from hotplate.testing.process import SimulatedProcess

T = TypeVar("T")

_TABLES = tuple(table.name for table in METADATA.sorted_tables)
_WRITTEN = re.compile(r"\s*(?:INSERT (?:IGNORE )?INTO|UPDATE|DELETE FROM|COPY) (\w+)\s")
_SOME_TABLE = ""
"""Stands for the table of a statement that does not begin with its name."""

_SWEPT_EVERY = 30
"""Simulations after which a database of PostgreSQL gets rid of what was deleted in it."""


class SimulatedDatabase:
    """The database that all processes of a simulation share. It survives their crashes.

    It may serve many simulations, one after the other, and is emptied when the next one begins:
    making the tables takes longer than most simulations. Its clock is the simulation's. Units of
    work are real transactions, one at a time and in the simulation's thread, so the order of them
    is the simulation's choice on a server too.

    Close it when done; the database at ``url`` must be one that nothing else uses.
    """

    def __init__(self, url: str = "sqlite://") -> None:
        self.engine = open_engine(url)
        self.kind = self.engine.dialect.name
        self.transactions = 0
        self.after_commit: Callable[[], None] = lambda: None
        self._clock: Callable[[], float] = float
        self._written: Counter[str] = Counter()
        self._begun = 0
        self._time_query = TIME_QUERIES[self.kind]
        create_tables(self.engine)
        # On a server one connection works and this one looks on: it sees what is committed.
        # SQLite in memory has one connection only.
        self._onlooker = self.engine.connect()
        self.driver: Any = self._onlooker.connection.driver_connection
        event.listen(self.engine, "before_cursor_execute", self._tell_time, retval=True)
        # Kept, and not taken from the pool each time: half of what an empty transaction costs.
        self._worker = self.engine.connect()
        if self.kind == "sqlite":
            self._onlooker.close()
        else:
            self._onlooker.execution_options(isolation_level="AUTOCOMMIT")
            event.listen(self.engine, "after_cursor_execute", self._count)

    def begin(self, loop: SimulatedLoop) -> None:
        """Forget everything: another simulation begins, with a clock of its own."""
        self.transactions = 0
        self.after_commit = lambda: None
        self._clock = loop.wall
        if self.kind == "sqlite":
            # Numbers begin anew too, or a seed would depend on what ran before it.
            names = (*_TABLES, "sqlite_sequence")
            self.driver.executescript(";".join(f"DELETE FROM {name}" for name in names))  # noqa: S608
            return
        with self.engine.begin() as connection:
            # Rows that are merely deleted are still read by every query of PostgreSQL that follows,
            # but to truncate a table costs it as much as a hundred queries: done now and then.
            self._begun += 1
            if self.kind == "postgresql" and self._begun % _SWEPT_EVERY == 0:
                connection.exec_driver_sql(f"TRUNCATE {', '.join(_TABLES)} RESTART IDENTITY")
                return
            looks = (
                f"SELECT '{name}' WHERE EXISTS (SELECT * FROM {name})"  # noqa: S608 (our names)
                for name in _TABLES
            )
            for name in connection.exec_driver_sql(" UNION ALL ".join(looks)).scalars().all():
                connection.exec_driver_sql(f"DELETE FROM {name}")  # noqa: S608 (our names)

    def close(self) -> None:
        """Let go of the database."""
        self._worker.close()
        self._onlooker.close()
        self.engine.dispose()

    @property
    def changes(self) -> int:
        """A number that is another one whenever rows have been written."""
        return int(self.driver.total_changes) if self.kind == "sqlite" else self._written.total()

    def changes_of(self, table: str) -> int:
        """A number that is another one whenever rows of a table have been written.

        SQLite tells of all tables only, but reads them without a way to a server.
        """
        if self.kind == "sqlite":
            return self.changes
        return self._written[table] + self._written[_SOME_TABLE]

    def rows(self, query: str) -> Sequence[Any]:
        """Return what a query finds among what has been committed.

        Costs little, because it goes past SQLAlchemy: invariants ask after every transaction.
        """
        cursor = self.driver.cursor()
        cursor.execute(query)
        found: Sequence[Any] = cursor.fetchall()
        cursor.close()
        return found

    def transact(self, work: Callable[[Connection], T], twice: bool = False) -> T:
        """Run the work in one transaction.

        ``twice``: the database gives the first try up, as a deadlock would, and runs it again.
        """
        if twice:
            with self._worker.begin() as given_up:
                work(self._worker)
                given_up.rollback()
        with self._worker.begin():
            result = work(self._worker)
        self.transactions += 1
        return result

    def time(self, _: Connection) -> float:
        """Return the simulated time, as the database would if it were asked."""
        return self._clock()

    def read(self, work: Callable[[Connection], T]) -> T:
        """Look at the database without being part of the simulation."""
        with self.engine.begin() as connection:
            return work(connection)

    def _tell_time(
        self, connection: Connection, cursor: Any, statement: str, parameters: Any, *_: Any
    ) -> tuple[str, Any]:
        """Let the database answer with the simulated time where the store asks for its own."""
        if statement == self._time_query:
            return f"SELECT {self._clock()!r}", parameters
        return statement, parameters

    def _count(self, connection: Connection, cursor: Any, statement: str, *_: Any) -> None:
        if not statement.startswith("SELECT") and cursor.rowcount:
            named = _WRITTEN.match(statement)
            self._written[named[1] if named else _SOME_TABLE] += 1


@cache
def in_memory() -> SimulatedDatabase:
    """Return the one in memory that the simulations of an operating system process share."""
    return SimulatedDatabase()


class SimulatedStore:
    """The store of one process: a gate before and a gate after each transaction."""

    is_contended = False

    def __init__(
        self,
        database: SimulatedDatabase,
        process: SimulatedProcess,
        gives_up: Callable[[], bool] = lambda: False,
    ) -> None:
        self._database = database
        self._process = process
        self._gives_up = gives_up

    async def transact(self, work: Callable[[Connection], T]) -> T:
        """Run the work in one transaction; what it returns has been committed."""
        name = _name_of(work)
        await self._process.gate(f"before {name}")
        result = self._database.transact(work, self._gives_up())
        self._database.after_commit()
        await self._process.gate(f"after {name}")
        return result

    async def read_soon(self, work: Callable[[Connection], T]) -> T:
        """Run work that only reads."""
        return await self.read(work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run work that writes nothing."""
        return await self.transact(work)

    async def stream(self, work: Callable[[Connection], Iterator[bytes]]) -> AsyncIterator[bytes]:
        """Yield what reading work yields."""
        for chunk in await self.read(lambda connection: list(work(connection))):
            if chunk:
                yield chunk


def _name_of(work: Any) -> str:
    """Return what a transaction does, in a word."""
    inside = getattr(work, "keywords", {}).get("work", work)
    return str(getattr(getattr(inside, "func", inside), "__qualname__", "work"))
