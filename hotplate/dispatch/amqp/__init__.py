"""Dispatch over RabbitMQ. Only those who have a broker import it."""

from hotplate.dispatch.amqp.dispatcher import AmqpDispatcher, dispatching
from hotplate.dispatch.amqp.link import BROKEN, DeadLetter, Depths, dead_letters, depths

__all__ = [
    "BROKEN",
    "AmqpDispatcher",
    "DeadLetter",
    "Depths",
    "dead_letters",
    "depths",
    "dispatching",
]
