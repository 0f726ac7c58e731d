"""A semaphore whose places are shared fairly between projects."""

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable

from hotplate.store.fairness.recent_use import RecentUse


class FairSemaphore:
    """Gives out places; who has had them for the least time lately is served first.

    No project has all places, so that one is free for the others.
    """

    def __init__(self, places: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._use = RecentUse()
        self._since: dict[str, deque[float]] = {}
        self._free = places
        self._most = max(1, places - 1)
        self._taken: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(map(len, self._waiting.values()))

    async def take(self, project: str) -> None:
        """Wait for a place."""
        if self._free and self._taken[project] < self._most and project not in self._waiting:
            self._give(project)
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(project, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back(project)  # it was given a place in the same moment
            else:
                self._forget(project, turn)
            raise

    def give_back(self, project: str) -> None:
        """Let the next one have the place."""
        self._free += 1
        self._taken[project] -= 1
        if not self._taken[project]:
            del self._taken[project]
        now = self._clock()
        # Of all that are in hand the longest: it does not matter which of them this one is.
        self._use.add(project, now - self._since[project].popleft(), now)
        if not self._since[project]:
            del self._since[project]
        for other in sorted(self._waiting, key=lambda each: self._use.of(each, now)):
            if not self._free:
                return
            if self._taken[other] < self._most:
                self._serve(other)

    def _serve(self, project: str) -> None:
        turns = self._waiting[project]
        turn = turns.popleft()
        if turns:
            self._waiting.move_to_end(project)
        else:
            del self._waiting[project]
        self._give(project)
        turn.set_result(None)

    def _give(self, project: str) -> None:
        self._free -= 1
        self._taken[project] += 1
        self._since.setdefault(project, deque()).append(self._clock())

    def _forget(self, project: str, turn: asyncio.Future[None]) -> None:
        turns = self._waiting.get(project)
        if turns is not None and turn in turns:
            turns.remove(turn)
            if not turns:
                del self._waiting[project]
