"""Dispatch between simulated processes: messages get lost, arrive twice, arrive late."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
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
        self.redelivers = False
        """Whether a message whose process has crashed is given to another one."""

        self.redelivered = 0
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
                    token = ids[start : start + size]
                    deliver = self._deliver_until_done if self.redelivers else self._deliver
                    self._spawn(deliver(token))

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
            await self.handlers[process].handle(token)

    async def _deliver_until_done(self, token: list[int]) -> None:
        """Give a message to one process after the other, until one has come to its end with it."""
        is_redelivered = False
        while True:
            self.queued += 1
            await self.loop.pass_gate(None, "delivery")
            self.queued -= 1
            takers = [process for process in self.handlers if process.is_alive]
            if not takers:
                return
            process = takers[self.loop.choices.choose(len(takers))]
            work = self.loop.create_task(self._handled(process, token, is_redelivered))
            crash = self.loop.create_task(process.crashed.wait())
            await asyncio.wait((work, crash), return_when=asyncio.FIRST_COMPLETED)
            crash.cancel()
            if work.done():
                work.result()
                return
            is_redelivered = True
            self.redelivered += 1

    async def _handled(
        self, process: SimulatedProcess, token: list[int], is_redelivered: bool
    ) -> None:
        await process.gate("a message has arrived")
        await self.handlers[process].handle(token, is_redelivered)


class SimulatedDispatcher:
    """The dispatcher of one process."""

    def __init__(self, broker: SimulatedBroker, process: SimulatedProcess) -> None:
        self._broker = broker
        self._process = process

    def publish(self, node_ids: Iterable[int]) -> None:
        """Say that nodes are ready."""
        self._broker.publish(node_ids)

    def remind(self, node_ids: Sequence[int], new: Sequence[int]) -> None:
        """Say of all nodes that they are ready: nobody knows which messages were lost."""
        del new
        self._broker.publish(node_ids)

    async def has_left(self, name: str) -> bool:
        """Tell whether a process has crashed."""
        return any(each.name == name and not each.is_alive for each in self._broker.handlers)

    async def pause(self) -> None:
        """Take no more messages."""
        self._broker.handlers.pop(self._process, None)

    async def run(self, handler: Handler, slots: int) -> None:
        """Take messages until cancelled."""
        self._broker.handlers[self._process] = handler
        await self._broker.loop.create_future()
