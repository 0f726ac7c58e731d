"""Dispatch inside one process, fair between stacks."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from functools import partial

from hotplate.dispatch.dispatcher import Handler
from hotplate.dispatch.slots import Slots

TOKEN_SIZE = 64
"""Nodes of one stack that are handed out together."""


class LocalDispatcher:
    """A queue for each stack; the stacks take turns."""

    def __init__(self, token_size: int = TOKEN_SIZE) -> None:
        self._token_size = token_size
        self._queues: OrderedDict[int, deque[int]] = OrderedDict()
        self._queued: set[int] = set()
        self._wake = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_paused = False

    def publish(self, node_ids: Iterable[int]) -> None:
        """Queue nodes that are not queued yet."""
        for node_id in node_ids:
            if node_id not in self._queued:
                self._queued.add(node_id)
                self._queues.setdefault(node_id >> 32, deque()).append(node_id)
        if self._queues:
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
        self._queues.clear()
        self._queued.clear()

    async def run(self, handler: Handler, slots: int) -> None:
        """Hand tokens to the handler until cancelled; then give its tasks up as well."""
        taken = Slots(slots)
        try:
            while True:
                stack, token = await self._next_token(taken)
                taken.begin(stack)
                task = asyncio.create_task(handler.handle(token))
                self._tasks.add(task)
                task.add_done_callback(self._forget)
                task.add_done_callback(partial(self._release, taken, stack))
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a token was dropped", "exception": task.exception(), "task": task}
            )

    def _release(self, taken: Slots, stack: int, _: asyncio.Task[None]) -> None:
        taken.end(stack)
        self._wake.set()

    async def _next_token(self, taken: Slots) -> tuple[int, list[int]]:
        while (stack := self._next_stack(taken)) is None:
            self._wake.clear()
            await self._wake.wait()
        queue = self._queues.pop(stack)
        token = [queue.popleft() for _ in range(min(self._token_size, len(queue)))]
        if queue:
            self._queues[stack] = queue
        self._queued.difference_update(token)
        return stack, token

    def _next_stack(self, taken: Slots) -> int | None:
        """Return the first stack in line that may have another token in hand."""
        if self._is_paused or taken.is_full:
            return None
        return next(filter(taken.may_begin, self._queues), None)
