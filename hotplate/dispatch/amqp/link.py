"""One connection to the broker: its queues, and what can be asked of them."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import aio_pika
from aio_pika.abc import (
    AbstractChannel,
    AbstractConnection,
    AbstractIncomingMessage,
    AbstractQueue,
)
from aio_pika.exceptions import CONNECTION_EXCEPTIONS, ChannelClosed, ChannelNotFoundEntity

from hotplate.dispatch.tokens import Token

BROKEN: Final[tuple[type[Exception], ...]] = (*CONNECTION_EXCEPTIONS, TimeoutError)
"""What tells that the broker is away, or is not what it was."""

QUEUE: Final = "hotplate"
_DELIVERIES = 20
"""How often a token may come back before it is laid aside."""

_MOST_DEAD = 10_000
"""Dead letters that are kept; the oldest go."""

_PATIENCE = 5.0
"""Seconds for an answer of the broker."""

_HEARTBEAT = 10
"""Seconds after two of which the broker gives up a connection that says nothing."""

Deliver = Callable[[AbstractIncomingMessage], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Depths:
    """Messages that wait."""

    ready: int
    dead: int


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that was laid aside, and why."""

    body: str
    reason: str
    deliveries: int


def dead_queue(queue: str) -> str:
    """Return the name of the queue of dead letters."""
    return f"{queue}.dead"


def _presence(queue: str, name: str) -> str:
    return f"{queue}.worker.{hashlib.sha256(name.encode()).hexdigest()[:32]}"


class Link:
    """An open connection, with the queues declared. Not usable any more once it is `closed`.

    Every method raises one of BROKEN if the broker does not do as told.
    """

    def __init__(
        self, connection: AbstractConnection, channel: AbstractChannel, queue: AbstractQueue
    ) -> None:
        self._connection = connection
        self._channel = channel
        self._queue = queue
        self._consumer: tuple[AbstractQueue, str] | None = None
        self.closed = asyncio.Event()
        """Set when the connection has ended, whoever ended it."""

    @classmethod
    async def open(cls, url: str, name: str) -> "Link":
        """Connect, and make the queues that are missing.

        A queue that only this connection may use tells others that the process of ``name`` is
        there: the broker removes it when the connection ends.
        """
        queue = queue_of(url)
        connection = await _connected(url)
        try:
            channel = await connection.channel(publisher_confirms=True, on_return_raises=True)
            found = await _declared(channel, queue)
            await channel.declare_queue(_presence(queue, name), exclusive=True, timeout=_PATIENCE)
        except BaseException:
            with suppress(*BROKEN):
                await connection.close()
            raise
        link = cls(connection, channel, found)
        connection.close_callbacks.add(link._lost)
        channel.close_callbacks.add(link._lost)
        return link

    def _lost(self, *_: Any) -> None:
        self.closed.set()

    async def send(self, tokens: Iterable[Token]) -> None:
        """Send tokens; returns when the broker has them on its disk."""
        exchange, key = self._channel.default_exchange, self._queue.name
        async with asyncio.timeout(_PATIENCE):
            await asyncio.gather(
                *(
                    exchange.publish(
                        aio_pika.Message(
                            token.encoded(), delivery_mode=aio_pika.DeliveryMode.PERSISTENT
                        ),
                        routing_key=key,
                    )
                    for token in tokens
                )
            )

    async def depths(self) -> Depths:
        """Return how many messages wait."""
        counts = []
        for name in (self._queue.name, dead_queue(self._queue.name)):
            found = await self._channel.declare_queue(name, passive=True, timeout=_PATIENCE)
            counts.append(found.declaration_result.message_count or 0)
        return Depths(*counts)

    async def is_present(self, name: str) -> bool:
        """Tell whether the process of a name is connected."""
        # A channel of its own: the broker closes it with its answer.
        channel = await self._connection.channel(publisher_confirms=False)
        try:
            presence = _presence(self._queue.name, name)
            await channel.declare_queue(presence, passive=True, timeout=_PATIENCE)
        except ChannelNotFoundEntity:
            return False
        except ChannelClosed:
            return True  # it belongs to another connection
        finally:
            if not channel.is_closed:
                await channel.close()
        return True

    async def consume(self, deliver: Deliver, slots: int) -> None:
        """Take messages, so many unacknowledged ones at a time."""
        channel = await self._connection.channel(publisher_confirms=False)
        channel.close_callbacks.add(self._lost)
        await channel.set_qos(prefetch_count=slots, timeout=_PATIENCE)
        queue = await channel.get_queue(self._queue.name, ensure=False)
        self._consumer = queue, await queue.consume(deliver, timeout=_PATIENCE)

    async def stop_consuming(self) -> None:
        """Take no more messages; those that were taken can still be acknowledged."""
        if self._consumer is not None:
            queue, tag = self._consumer
            self._consumer = None
            await queue.cancel(tag, timeout=_PATIENCE)

    async def close(self) -> None:
        """End the connection; what was not acknowledged is given to others."""
        with suppress(*BROKEN):
            async with asyncio.timeout(_PATIENCE):
                await self._connection.close()


def queue_of(url: str) -> str:
    """Return the name of the queue: several engines may share a broker by ``?queue=name``."""
    return dict(parse_qsl(urlsplit(url).query)).get("queue") or QUEUE


async def _connected(url: str) -> AbstractConnection:
    parts = urlsplit(url)
    options = {"heartbeat": str(_HEARTBEAT), **dict(parse_qsl(parts.query))}
    options.pop("queue", None)
    address = parts._replace(query=urlencode(options)).geturl()
    return await aio_pika.connect(address, timeout=_PATIENCE)


async def _declared(channel: AbstractChannel, queue: str) -> AbstractQueue:
    dead = dead_queue(queue)
    kinds = {"x-queue-type": "quorum"}
    await channel.declare_queue(
        dead,
        durable=True,
        arguments={**kinds, "x-max-length": _MOST_DEAD},
        timeout=_PATIENCE,
    )
    return await channel.declare_queue(
        queue,
        durable=True,
        arguments={
            **kinds,
            "x-delivery-limit": _DELIVERIES,
            "x-dead-letter-exchange": "",
            "x-dead-letter-routing-key": dead,
        },
        timeout=_PATIENCE,
    )


@asynccontextmanager
async def _visit(url: str) -> AsyncIterator[AbstractChannel]:
    connection = await _connected(url)
    try:
        yield await connection.channel(publisher_confirms=False)
    finally:
        with suppress(*BROKEN):
            await connection.close()


async def depths(url: str) -> Depths:
    """Return how many messages wait at a broker. Raises one of BROKEN."""
    queue = queue_of(url)
    async with _visit(url) as channel:
        await _declared(channel, queue)
        counts = []
        for name in (queue, dead_queue(queue)):
            found = await channel.declare_queue(name, passive=True, timeout=_PATIENCE)
            counts.append(found.declaration_result.message_count or 0)
        return Depths(*counts)


async def dead_letters(url: str, most: int, remove: bool = False) -> list[DeadLetter]:
    """Return the oldest dead letters, which stay unless they are removed. Raises one of BROKEN."""
    queue = queue_of(url)
    found: list[DeadLetter] = []
    async with _visit(url) as channel:
        await _declared(channel, queue)
        dead = await channel.get_queue(dead_queue(queue), ensure=False)
        while len(found) < most:
            message = await dead.get(fail=False, timeout=_PATIENCE)
            if message is None:
                break
            found.append(_letter(message))
            if remove:
                await message.ack()
    # The others come back to their queue when the connection ends.
    return found


def _letter(message: AbstractIncomingMessage) -> DeadLetter:
    deaths: Any = message.headers.get("x-death") or [{}]
    return DeadLetter(
        message.body.decode("utf-8", "replace")[:2000],
        str(deaths[0].get("reason", "")),
        int(str(message.headers.get("x-delivery-count", 0))),
    )
