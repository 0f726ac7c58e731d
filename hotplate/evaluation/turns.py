"""Whose turn it is: places that are shared fairly between projects."""

import asyncio
from collections import Counter, OrderedDict, deque


class Turns:
    """Gives out places; projects that wait are served in turn, whatever they wait for.

    No project has all places, so that one is free for the others.
    """

    def __init__(self, places: int) -> None:
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
        for other in list(self._waiting):
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

    def _forget(self, project: str, turn: asyncio.Future[None]) -> None:
        turns = self._waiting.get(project)
        if turns is not None and turn in turns:
            turns.remove(turn)
            if not turns:
                del self._waiting[project]
