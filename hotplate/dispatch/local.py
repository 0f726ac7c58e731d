"""Dispatch inside one process, fair between projects and their stacks."""

import asyncio
from collections.abc import Iterable, Sequence
from functools import partial

from hotplate.dispatch.dispatcher import Handler
from hotplate.dispatch.project_lookup import ProjectLookup
from hotplate.dispatch.round_robin import RoundRobin, Turn
from hotplate.dispatch.tokens import TOKEN_SIZE


class LocalDispatcher:
    """A queue for each stack; projects take turns, and in each of them its stacks."""

    def __init__(self, token_size: int = TOKEN_SIZE) -> None:
        self._token_size = token_size
        self._turns: RoundRobin[int] = RoundRobin(0)
        self._queued: set[int] = set()
        self._wake = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_paused = False

    def publish(self, node_ids: Iterable[int]) -> None:
        """Queue nodes that are not queued yet."""
        for node_id in node_ids:
            if node_id not in self._queued:
                self._queued.add(node_id)
                self._turns.add(node_id >> 32, node_id)
        if self._turns:
            self._wake.set()

    def remind(self, node_ids: Sequence[int], new: Sequence[int]) -> None:
        """Queue nodes that are not queued yet."""
        del new  # it is known what is queued
        self.publish(node_ids)

    async def has_left(self, name: str) -> bool:
        """Nobody else can be seen from here."""
        del name
        return False

    async def pause(self) -> None:
        """Hand out nothing more."""
        self._is_paused = True

    def clear(self) -> None:
        """Forget what is queued."""
        self._turns.give_up()
        self._queued.clear()

    async def run(self, handler: Handler, slots: int) -> None:
        """Hand tokens to the handler until cancelled; then give its tasks up as well."""
        waiting, self._turns = self._turns, RoundRobin(slots)
        for node_id in waiting.give_up():
            self._turns.add(node_id >> 32, node_id)
        lookup = ProjectLookup(self._turns, handler, self._wake.set)
        try:
            while True:
                turn = await self._next_turn(lookup)
                task = asyncio.create_task(handler.handle(turn.items))
                self._tasks.add(task)
                task.add_done_callback(self._forget)
                task.add_done_callback(partial(self._release, turn))
        finally:
            lookup.stop()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            asyncio.get_running_loop().call_exception_handler(
                {
                    "message": "work on some nodes failed: the next sweep finds them",
                    "exception": task.exception(),
                    "task": task,
                }
            )

    def _release(self, turn: Turn[int], _: asyncio.Task[None]) -> None:
        self._turns.end(turn)
        self._wake.set()

    async def _next_turn(self, lookup: ProjectLookup[int]) -> Turn[int]:
        while True:
            lookup.begin()
            turn = None if self._is_paused else self._turns.take(self._token_size)
            if turn is not None:
                self._queued.difference_update(turn.items)
                if not self._queued:
                    self._queued.clear()  # it keeps the room of all that ever was in it
                return turn
            self._wake.clear()
            await self._wake.wait()
