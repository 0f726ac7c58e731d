"""A real SQLite database in memory behind simulated time and gates."""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine

from hotplate.store.database import create_tables, open_engine
from hotplate.store.schema import METADATA
from hotplate.testing.loop import SimulatedLoop
from hotplate.testing.process import SimulatedProcess

T = TypeVar("T")

_EPOCH_IN_JULIAN_DAYS = 2440587.5


class SimulatedDatabase:
    """The database that all processes of a simulation share. It survives their crashes.

    One SQLite database in memory is used for all simulations of an operating system process, one
    after the other; it is emptied when the next one begins. Its clock is the simulation's.
    """

    _engine: Engine | None = None
    _clock: Callable[[], float] = float

    def __init__(self, loop: SimulatedLoop) -> None:
        self.engine = self._shared_engine()
        self.transactions = 0
        self.after_commit: Callable[[], None] = lambda: None
        with self.engine.connect() as connection:
            self.driver: Any = connection.connection.driver_connection
        SimulatedDatabase._clock = loop.time
        with self.engine.begin() as connection:
            for table in METADATA.sorted_tables:
                connection.execute(table.delete())
            # Numbers begin anew too, or a seed would depend on what ran before it.
            connection.exec_driver_sql("DELETE FROM sqlite_sequence")

    @classmethod
    def _shared_engine(cls) -> Engine:
        if cls._engine is None:
            cls._engine = open_engine("sqlite://")
            with cls._engine.connect() as connection:
                driver: Any = connection.connection.driver_connection
                # The store asks the database for the time; here it gets the simulated one.
                driver.create_function("julianday", 1, cls._julian_day)
            create_tables(cls._engine)
        return cls._engine

    @classmethod
    def _julian_day(cls, _: str) -> float:
        return cls._clock() / 86400.0 + _EPOCH_IN_JULIAN_DAYS

    def transact(self, work: Callable[[Connection], T], twice: bool = False) -> T:
        """Run the work in one transaction.

        ``twice``: the database gives the first try up, as a deadlock would, and runs it again.
        """
        if twice:
            with self.engine.connect() as connection:
                connection.begin()
                work(connection)
                connection.rollback()
        with self.engine.begin() as connection:
            result = work(connection)
        self.transactions += 1
        return result

    def read(self, work: Callable[[Connection], T]) -> T:
        """Look at the database without being part of the simulation."""
        with self.engine.begin() as connection:
            return work(connection)


class SimulatedStore:
    """The store of one process: a gate before and a gate after each transaction."""

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
        name = getattr(getattr(work, "func", work), "__qualname__", "work")
        await self._process.gate(f"before {name}")
        result = self._database.transact(work, self._gives_up())
        self._database.after_commit()
        await self._process.gate(f"after {name}")
        return result
