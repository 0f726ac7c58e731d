"""Dispatch over RabbitMQ: late acknowledgement, confirmed sending, and work without a broker."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial

from aio_pika.abc import AbstractIncomingMessage

from hotplate.dispatch.amqp.link import BROKEN, Depths, Link
from hotplate.dispatch.amqp.outbox import Outbox
from hotplate.dispatch.dispatcher import Handler
from hotplate.dispatch.local import LocalDispatcher
from hotplate.dispatch.project_lookup import ProjectLookup
from hotplate.dispatch.reminders import Reminders
from hotplate.dispatch.round_robin import RoundRobin, Turn
from hotplate.dispatch.tokens import WINDOW, NotAToken, Token, following, tokens_of

_log = logging.getLogger("hotplate.broker")

_PULSE = 1.0
"""Seconds between two looks at the queue."""

_SHORTEST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0
"""Seconds between two tries to connect."""

_HOLD = 600.0
"""Seconds after which work that still goes on gives its message back; the broker closes the
channel of a consumer after 30 minutes."""

_PREFETCH = 8
"""Messages that are taken for each slot. The queue keeps its order, and projects take turns in what
has been taken: those of a thousand nested stacks must not hide all others."""

_PENALTY = 1.0
"""Seconds until a token whose handler failed is given to somebody again."""

Delivery = tuple[AbstractIncomingMessage, Token]
"""A message that has arrived, and what it says."""

_FAREWELL = 2.0
"""Seconds for the last messages of a process that stops."""


@dataclass(slots=True)
class Figures:
    """What a process knows of its broker."""

    is_connected: bool = False
    ready: int = 0
    dead: int = 0
    sent: int = 0
    delivered: int = 0
    redelivered: int = 0
    connections: int = 0
    """How often a connection was made."""


class AmqpDispatcher:
    """The dispatcher of one process. While the broker is away it works as without one.

    A message is acknowledged when the work on its nodes is recorded and the nodes that became
    ready by it have been sent and confirmed: whoever dies before leaves it to another.
    """

    def __init__(self, url: str, name: str) -> None:
        self._url = url
        self._name = name
        self._local = LocalDispatcher()
        self._outbox = Outbox()
        self._reminders = Reminders()
        self._handler: Handler | None = None
        self._link: Link | None = None
        self._linked = asyncio.Event()
        self._is_paused = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._deliveries: RoundRobin[Delivery] = RoundRobin(0)
        self._lookup: ProjectLookup[Delivery] | None = None
        self.figures = Figures()

    def publish(self, node_ids: Iterable[int]) -> None:
        """Send tokens; without a broker this process works on the nodes itself."""
        if self._link is not None:
            self._outbox.add(tokens_of(node_ids))
        elif self._handler is not None:
            self._local.publish(node_ids)

    def remind(self, node_ids: Sequence[int], new: Sequence[int]) -> None:
        """Send what is new, and remember the rest: what nobody takes is sent again."""
        if self._link is not None:
            self.publish(new)
            self._reminders.note(node_ids, asyncio.get_running_loop().time())
        elif self._handler is not None:
            self._local.publish(node_ids)

    async def has_left(self, name: str) -> bool:
        """Tell whether a worker has no connection to the broker, which this process has."""
        link = self._link
        if link is None:
            return False
        try:
            return not await link.is_present(name)
        except BROKEN:
            return False

    async def run(self, handler: Handler, slots: int) -> None:
        """Take messages until cancelled; then give the tasks up as well."""
        self._handler = handler
        self._deliveries = RoundRobin(slots)
        self._lookup = ProjectLookup(self._deliveries, handler, partial(self._begin_some, handler))
        handler.seen(self._link is not None)
        local = asyncio.create_task(self._local.run(handler, slots))
        try:
            while True:
                await self._linked.wait()
                link = self._link
                if link is None:
                    continue
                if not self._is_paused:
                    with suppress(*BROKEN):
                        await link.consume(self._deliver, _PREFETCH * slots)
                await link.closed.wait()
                await asyncio.sleep(0)
        finally:
            self._handler = None
            self._lookup.stop()
            tasks = [local, *self._tasks]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def pause(self) -> None:
        """Take no more messages."""
        self._is_paused = True
        await self._local.pause()
        if self._link is not None:
            with suppress(*BROKEN):
                await self._link.stop_consuming()
                for message, _ in self._deliveries.give_up():
                    await message.reject(requeue=True)

    async def keep_connected(self) -> None:
        """Connect, and connect again, until cancelled."""
        pause, is_away = _SHORTEST_PAUSE, False
        while True:
            try:
                link = await Link.open(self._url, self._name)
            except BROKEN as error:
                if not is_away:
                    is_away = True
                    # Its text may name the address; the password is never part of it.
                    _log.error("the broker is away", extra={"reason": type(error).__name__})
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            pause, is_away = _SHORTEST_PAUSE, False
            self._begin(link)
            try:
                await self._use(link)
            finally:
                self._end()
                await link.close()

    async def flush(self) -> None:
        """Wait a moment for what has not been sent."""
        if self._link is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_FAREWELL):
                    await self._outbox.flushed()

    def _begin(self, link: Link) -> None:
        self._link = link
        self._linked.set()
        self._local.clear()
        self._reminders.forget()
        self.figures.is_connected = True
        self.figures.connections += 1
        if self._handler is not None:
            self._handler.seen(True)
        _log.info("connected to the broker")

    def _end(self) -> None:
        self._link = None
        self._linked.clear()
        self.figures.is_connected = False
        self._deliveries.give_up()  # the broker redelivers them
        rest = self._outbox.give_up()
        if self._handler is not None:
            self._handler.seen(False)
            self._local.publish(node_id for token in rest for node_id in token.nodes)
        _log.warning("the connection to the broker has ended")

    async def _use(self, link: Link) -> None:
        """Send and look until the connection ends."""
        tasks = [
            asyncio.create_task(self._send(link)),
            asyncio.create_task(self._watch_queue(link)),
            asyncio.create_task(_closed(link)),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception) and not isinstance(end, BROKEN):
                raise end

    async def _send(self, link: Link) -> None:
        while True:
            batch = await self._outbox.batch()
            await link.send(batch)
            self.figures.sent += len(batch)
            self._outbox.confirm(len(batch))

    async def _watch_queue(self, link: Link) -> None:
        """See how many messages wait, and send what has been forgotten."""
        while True:
            await asyncio.sleep(_PULSE)
            depths: Depths = await link.depths()
            self.figures.ready, self.figures.dead = depths.ready, depths.dead
            now = asyncio.get_running_loop().time()
            # What has arrived and waits for a slot is not missed. A worker that has nothing to do
            # sends it all the same, and so takes it from others that have much.
            is_empty = depths.ready == 0 and not self._deliveries
            missed = self._reminders.missed(now, is_empty)
            if missed:
                _log.info(
                    "sent ready nodes again: no worker had claimed them",
                    extra={"nodes": len(missed)},
                )
                # Of a large stack only the first are known here.
                self._outbox.add(tokens_of(missed, are_all=False))

    async def _deliver(self, message: AbstractIncomingMessage) -> None:
        """Let a message wait for a slot."""
        handler = self._handler
        if handler is None:
            return
        self.figures.delivered += 1
        if message.redelivered:
            self.figures.redelivered += 1
        try:
            token = Token.decoded(message.body)
        except NotAToken as error:
            _log.error(
                "an unreadable message was moved to the dead letters", extra={"reason": str(error)}
            )
            with suppress(*BROKEN):
                await message.reject(requeue=False)
            return
        self._deliveries.add(token.stack, (message, token))
        self._begin_some(handler)

    def _begin_some(self, handler: Handler) -> None:
        """Begin the work on all messages for which there is a slot."""
        while (turn := self._deliveries.take()) is not None:
            ((message, token),) = turn.items
            task = asyncio.create_task(self._take(handler, message, token))
            self._tasks.add(task)
            task.add_done_callback(partial(self._ended, handler, self._deliveries, turn))
        if self._lookup is not None:
            self._lookup.begin()

    def _ended(
        self,
        handler: Handler,
        deliveries: RoundRobin[Delivery],
        turn: Turn[Delivery],
        task: asyncio.Task[None],
    ) -> None:
        self._tasks.discard(task)
        deliveries.end(turn)
        if handler is self._handler:
            self._begin_some(handler)

    async def _take(self, handler: Handler, message: AbstractIncomingMessage, token: Token) -> None:
        # Whatever is done to a message fails if its connection has ended: it is redelivered.
        try:
            await self._work(handler, token, message)
        except Exception:
            _log.exception(
                "work on a message failed: it is delivered again",
                extra={"nodes": list(token.nodes)},
            )
            await asyncio.sleep(_PENALTY)
            with suppress(*BROKEN):
                await message.reject(requeue=True)

    async def _work(self, handler: Handler, token: Token, message: AbstractIncomingMessage) -> None:
        is_redelivered = bool(message.redelivered)
        sending: list[asyncio.Task[None]] = []

        def claimed(count: int) -> None:
            # A token that came twice claims nothing, and must not continue its stack twice.
            if token.after is not None and (count or is_redelivered):
                sending.append(asyncio.create_task(self._continue(handler, token)))

        working = asyncio.create_task(handler.handle(token.nodes, is_redelivered, claimed))
        try:
            done, _ = await asyncio.wait((working,), timeout=_HOLD)
            if not done:
                self._outbox.add([Token(token.nodes)])
                await self._acknowledge(message, sending)
                await working
                return
            await working
            await self._acknowledge(message, sending)
        finally:
            unfinished = [task for task in (working, *sending) if not task.done()]
            for task in unfinished:
                task.cancel()
            await asyncio.gather(*unfinished, return_exceptions=True)

    async def _acknowledge(
        self, message: AbstractIncomingMessage, sending: list[asyncio.Task[None]]
    ) -> None:
        """Acknowledge a message, after all that must be sent for it has been confirmed."""
        await asyncio.gather(*sending)
        await self._outbox.flushed()
        with suppress(*BROKEN):
            await message.ack()

    async def _continue(self, handler: Handler, token: Token) -> None:
        """Send the next window of a stack."""
        found = await handler.ready_after(token.after or 0, WINDOW)
        if self._link is not None:
            self._outbox.add(following(found, token.until))


async def _closed(link: Link) -> None:
    await link.closed.wait()


@asynccontextmanager
async def dispatching(url: str, name: str) -> AsyncIterator[AmqpDispatcher]:
    """Keep a connection to the broker for the length of a block."""
    dispatcher = AmqpDispatcher(url, name)
    keeping = asyncio.create_task(dispatcher.keep_connected())
    try:
        yield dispatcher
    finally:
        await dispatcher.flush()
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
