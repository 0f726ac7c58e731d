"""Dispatch between simulated processes: messages get lost, arrive twice, arrive late."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from hotplate.dispatch.dispatcher import Handler
from hotplate.testing.loop import SimulatedLoop
from hotplate.testing.process import SimulatedProcess


class SimulatedBroker:
    """Carries tokens to any process that is alive; each delivery waits at a gate of its own."""

    def __init__(self, loop: SimulatedLoop) -> None:
        self.loop = loop
        self.copies: Callable[[], int] = lambda: 1
        """How often the next message arrives: 0 loses it."""

        self.token_size: Callable[[], int] = lambda: 64
        self.handlers: dict[SimulatedProcess, Handler] = {}
        self.failures: list[BaseException] = []
        self.queued = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def publish(self, node_ids: Iterable[int]) -> None:
        """Send messages, each with nodes of one stack."""
        by_stack: dict[int, list[int]] = {}
        for node_id in dict.fromkeys(node_ids):
            by_stack.setdefault(node_id >> 32, []).append(node_id)
        for ids in by_stack.values():
            size = max(1, self.token_size())
            for start in range(0, len(ids), size):
                for _ in range(self.copies()):
                    self._spawn(self._deliver(ids[start : start + size]))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.failures.append(error)

    async def _deliver(self, token: list[int]) -> None:
        self.queued += 1
        await self.loop.pass_gate(None, "delivery")
        self.queued -= 1
        takers = [process for process in self.handlers if process.is_alive]
        if takers:
            process = takers[self.loop.choices.choose(len(takers))]
            await process.gate("a message has arrived")
            await self.handlers[process](token)


class SimulatedDispatcher:
    """The dispatcher of one process."""

    def __init__(self, broker: SimulatedBroker, process: SimulatedProcess) -> None:
        self._broker = broker
        self._process = process

    def publish(self, node_ids: Iterable[int]) -> None:
        """Say that nodes are ready."""
        self._broker.publish(node_ids)

    async def run(self, handler: Handler, slots: int) -> None:
        """Take messages until cancelled."""
        self._broker.handlers[self._process] = handler
        await self._broker.loop.create_future()
