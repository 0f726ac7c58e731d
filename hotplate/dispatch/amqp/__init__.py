"""Dispatch over RabbitMQ. Only those who have a broker import it."""

from hotplate.dispatch.amqp.dispatcher import AmqpDispatcher, dispatching
from hotplate.dispatch.amqp.link import DeadLetter, dead_letters

__all__ = ["AmqpDispatcher", "DeadLetter", "dead_letters", "dispatching"]
