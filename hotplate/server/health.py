"""Whether the server can do its work: read, write, and hear its worker."""

import asyncio
from collections.abc import Callable

from sqlalchemy.exc import SQLAlchemyError

from hotplate.engine.embedded import Embedded
from hotplate.store.fairness.fair_queue import HEALTH, on_behalf_of
from hotplate.store.monitoring.health import read_something, write_something

_PATIENCE = 3.0
"""Seconds after which a database that does not answer counts as away."""

_INTERVAL = 1.0
"""Seconds for which an answer holds: however often it is asked, the database is written once."""


class Health:
    """Answers whether all is well. Safe to ask from any number of tasks."""

    def __init__(self, engine: Embedded, is_full: Callable[[], bool] = lambda: False) -> None:
        self._engine = engine
        self._is_full = is_full
        self._last = ""
        self._checked_at = float("-inf")
        self._check: asyncio.Task[None] | None = None

    async def trouble(self) -> str:
        """Return what is wrong, in words for an operator; nothing if all is well."""
        now = asyncio.get_running_loop().time()
        if now - self._checked_at >= _INTERVAL:
            reason = await self._checked()
            if reason:
                return reason
        if not self._engine.worker.has_valid_lease:
            return "the worker has not reported to the database for some time"
        return ""

    @property
    def note(self) -> str:
        """What an operator should know even though requests are answered."""
        if self._is_full():
            return "the disk of the database is full, and only deletes are accepted"
        return ""

    async def _checked(self) -> str:
        if self._check is None:
            # One that waits is not joined by a second: each would wait in the database's queue.
            self._check = asyncio.create_task(self._ask())
        try:
            async with asyncio.timeout(_PATIENCE):
                await asyncio.shield(self._check)
        except TimeoutError:
            return f"the database has not answered for {_PATIENCE:.0f} seconds"
        return self._last

    async def _ask(self) -> None:
        database = self._engine.database
        doing = "read"
        try:
            with on_behalf_of(HEALTH):
                await database.read_soon(read_something)
                doing = "written"
                await database.transact(write_something)
        except SQLAlchemyError as error:
            self._last = (
                f"the database cannot be {doing} ({type(error).__name__}); the log has the details"
                if doing == "written"
                else f"the database is away ({type(error).__name__}); the log has the details"
            )
            self._checked_at = float("-inf")
        else:
            self._last = ""
            self._checked_at = asyncio.get_running_loop().time()
        finally:
            self._check = None
