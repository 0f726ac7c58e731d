"""The database out of reach: workers go on once it is back, and say so once."""

import asyncio
import logging
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from hotplate.engine.store import Store
from hotplate.engine.world import RealWorld
from hotplate.store.database import is_transient

T = TypeVar("T")

_log = logging.getLogger("hotplate.worker")

_SHORTEST_PAUSE = 0.1
_LONGEST_PAUSE = 4.0
"""Seconds between two tries while the database is away."""


class Outage:
    """Whether the database is away, as one worker sees it."""

    def __init__(self, store: Store, world: RealWorld) -> None:
        self._store = store
        self._world = world
        self._away_since: float | None = None
        self._is_stopping = False
        self.worker_id = 0
        """Who says so in the log."""

    def stop(self) -> None:
        """From now on work that meets an outage is given up."""
        self._is_stopping = True

    def tolerate(self, error: DBAPIError) -> None:
        """Note that the database is away; raise whatever else went wrong."""
        if not is_transient(error):
            raise error
        if self._away_since is None:
            self._away_since = self._world.now()
            reason = " ".join(str(error.orig).split())
            _log.error("the database is away", extra={"worker": self.worker_id, "reason": reason})

    def end(self) -> None:
        """Note that the database has answered."""
        if self._away_since is not None:
            seconds = round(self._world.now() - self._away_since, 1)
            _log.info("the database is back", extra={"worker": self.worker_id, "seconds": seconds})
            self._away_since = None

    async def outlast(self, work: Callable[[Connection], T]) -> T:
        """Run work that is not given up while the database is away."""
        pause = _SHORTEST_PAUSE
        while True:
            try:
                result = await self._store.transact(work)
            except DBAPIError as error:
                self.tolerate(error)
                if self._is_stopping:
                    raise
            else:
                self.end()
                return result
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
