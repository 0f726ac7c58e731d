"""Waiting for executions of workflows: however many wait, the database is asked once a while."""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hotplate.store.fairness.fair_queue import on_behalf_of

if TYPE_CHECKING:
    from hotplate.engine.requests.listings import Listings

_INTERVAL = 0.2
"""Seconds between two queries; longer where they take long."""

_SHARE = 4
"""So many times as long as a query took nobody asks again."""


@dataclass(frozen=True, slots=True)
class Watched:
    """All executions of a project, or with a ``tree`` one of them with its sub-workflows."""

    project: str
    tree: str = ""


class ExecutionWaiter:
    """Waits until something has happened to executions. Asks the database only while one waits."""

    def __init__(self) -> None:
        self._waiting: Counter[Watched] = Counter()
        self._marks: dict[Watched, int | None] = {}
        self._looked = asyncio.Event()
        self._polling: asyncio.Task[None] | None = None
        self.is_closed = False
        """Nobody waits any longer: whoever streams ends."""

    async def mark_after(
        self, listings: "Listings", watched: Watched, seen: int | None, seconds: float
    ) -> int | None:
        """Return a mark other than ``seen``, or the same one if the time is up first.

        What is read after a mark was given has all that the mark stands for. None: there is no
        such tree.
        """
        self._waiting[watched] += 1
        if self._polling is None or self._polling.done():
            # For all that wait, and not for the project of the first of them.
            with on_behalf_of(""):
                self._polling = asyncio.create_task(self._poll(listings))
        try:
            async with asyncio.timeout(seconds):
                while not self.is_closed:
                    await self._looked.wait()
                    if watched in self._marks and self._marks[watched] != seen:
                        return self._marks[watched]
        except TimeoutError:
            pass
        finally:
            self._waiting[watched] -= 1
            if not self._waiting[watched]:
                del self._waiting[watched]
        return seen

    def close(self) -> None:
        """Let everybody go who waits: the server is about to stop."""
        self.is_closed = True
        self._looked.set()

    async def _poll(self, listings: "Listings") -> None:
        while self._waiting and not self.is_closed:
            wanted = list(self._waiting)
            begun = time.monotonic()
            projects = [each.project for each in wanted if not each.tree]
            trees = [each.tree for each in wanted if each.tree]
            of_projects, of_trees = await listings.execution_marks(projects, trees)
            took = time.monotonic() - begun
            self._marks = {
                each: of_trees.get(each.tree) if each.tree else of_projects[each.project]
                for each in wanted
            }
            self._looked.set()
            self._looked = asyncio.Event()
            await asyncio.sleep(max(_INTERVAL, _SHARE * took))
