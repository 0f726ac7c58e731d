"""Waiting for events: however many wait, the database is asked once per interval."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from hotplate.store.fairness.fair_queue import on_behalf_of

if TYPE_CHECKING:
    from hotplate.engine.requests.listings import Listings

_INTERVAL = 0.2
"""Seconds between two queries."""

_TURN = 0.02
_LONGEST_TURN = 2.0
"""Seconds between two looks of a stream for each other stream of its project, and at most."""


class EventWaiter:
    """Waits for newer events. Asks the database only while a request waits."""

    def __init__(self) -> None:
        self._latest = 0
        self._waiting = 0
        self._arrived = asyncio.Event()
        self._polling: asyncio.Task[None] | None = None
        self._streams: Counter[str] = Counter()
        self.is_closed = False
        """Nobody waits any longer: whoever streams events ends."""

    async def wait_after(self, listings: "Listings", number: int, seconds: float) -> bool:
        """Wait until there is an event with a greater number; False if the time is up first."""
        if self._latest > number or self.is_closed:
            return self._latest > number
        self._waiting += 1
        if self._polling is None or self._polling.done():
            # For all that wait, and not for the project of the first of them.
            with on_behalf_of(""):
                self._polling = asyncio.create_task(self._poll(listings))
        try:
            async with asyncio.timeout(seconds):
                await self._next_after(number)
        except TimeoutError:
            pass
        finally:
            self._waiting -= 1
        return self._latest > number

    async def counted(
        self, project: str, stream: AsyncGenerator[bytes, None]
    ) -> AsyncGenerator[bytes, None]:
        """Yield what a stream of a project yields, counted for as long as it is open."""
        self._streams[project] += 1
        try:
            async with aclosing(stream) as messages:
                async for message in messages:
                    yield message
        finally:
            self._streams[project] -= 1
            if not self._streams[project]:
                del self._streams[project]

    async def turn(self, project: str) -> None:
        """Let a stream of a project look seldomer, the more of them there are.

        All of them wake up at the same event. So a project has as many looks in a second as its
        streams are worth, however many it opens.
        """
        others = self._streams[project] - 1
        await asyncio.sleep(min(_LONGEST_TURN, _TURN * others) if others > 0 else 0)

    async def _next_after(self, number: int) -> None:
        while self._latest <= number and not self.is_closed:
            await self._arrived.wait()

    def close(self) -> None:
        """Let everybody go who waits: the server is about to stop."""
        self.is_closed = True
        self._arrived.set()

    async def _poll(self, listings: "Listings") -> None:
        while self._waiting and not self.is_closed:
            latest = await listings.settled_event_number(self._latest)
            if latest > self._latest:
                self._latest = latest
                self._arrived.set()
                self._arrived = asyncio.Event()
            await asyncio.sleep(_INTERVAL)
