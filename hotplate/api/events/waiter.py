"""Waiting for events: however many wait, the database is asked once per beat."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from hotplate.store.events import settled_number

if TYPE_CHECKING:
    from hotplate.engine.requests.operations import Operations

_BEAT = 0.2
"""Seconds between two looks."""


class Arrivals:
    """Tells when there are newer events. Asks the database only while somebody waits."""

    def __init__(self) -> None:
        self._latest = 0
        self._waiting = 0
        self._news = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None

    async def after(self, operations: "Operations", number: int, seconds: float) -> bool:
        """Wait until there is an event with a greater number; False if the time is up first."""
        if self._latest > number:
            return True
        self._waiting += 1
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(operations))
        try:
            async with asyncio.timeout(seconds):
                while self._latest <= number:
                    await self._news.wait()
        except TimeoutError:
            return False
        finally:
            self._waiting -= 1
        return True

    async def _look(self, operations: "Operations") -> None:
        while self._waiting:
            latest = await operations.ask(partial(settled_number, after=self._latest))
            if latest > self._latest:
                self._latest = latest
                self._news.set()
                self._news = asyncio.Event()
            await asyncio.sleep(_BEAT)
