"""How a cluster stands: its workers, what waits and why, and what is at the broker."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Engine

from hotplate.engine.worker.lease import EXPIRY
from hotplate.engine.worker.presence import host_of, process_has_ended
from hotplate.model import NodeState
from hotplate.server.broker import loaded, shown_broker
from hotplate.server.configuration import Configuration
from hotplate.store.monitoring.queue import WaitingNode, count_nodes, oldest_waiting
from hotplate.store.workers import workers

_LETTERS = 100
"""Dead letters that are shown, and removed, at most."""


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """A process on the database."""

    id: int
    host: str
    silent_seconds: float
    is_alive: bool


@dataclass(frozen=True, slots=True)
class BrokerStatus:
    """What waits at the broker; or why that is not known."""

    url: str
    ready: int = 0
    dead: int = 0
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The node that holds up the stack which is in progress longest."""

    stack: str
    project: str
    resource: str
    seconds: float
    reason: str


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """All of it."""

    workers: list[WorkerStatus]
    nodes: dict[str, int]
    oldest: Waiting | None
    broker: BrokerStatus | None
    dead_letters: list[dict[str, object]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """What is to be done with dead letters."""

    are_shown: bool = False
    are_removed: bool = False


LEFT_ALONE: Final = DeadLetters()


def status_of(
    engine: Engine, configuration: Configuration, dead_letters: DeadLetters = LEFT_ALONE
) -> ClusterStatus:
    """Return how the cluster of a configuration stands. Raises CannotStart."""
    with engine.connect() as connection:
        known = [
            WorkerStatus(
                each.id,
                host_of(each.name),
                round(each.silence, 1),
                each.silence < EXPIRY and not process_has_ended(each.name),
            )
            for each in workers(connection)
        ]
        counts = {state.value: count for state, count in count_nodes(connection).items()}
        oldest = oldest_waiting(connection)
    broker, letters = None, []
    if configuration.broker:
        broker = asyncio.run(_broker(configuration.broker))
        if dead_letters.are_shown and not broker.trouble:
            letters = asyncio.run(_letters(configuration.broker, dead_letters.are_removed))
    return ClusterStatus(known, counts, _explained(oldest) if oldest else None, broker, letters)


def _explained(node: WaitingNode) -> Waiting:
    now = time.time()
    match node.state:
        case NodeState.READY:
            reason = "no worker has taken it yet"
        case NodeState.CLAIMED:
            reason = f"worker {node.worker} works on it"
        case _ if node.hook:
            reason = f"it waits at the hook {node.hook}"
        case _ if node.due is not None:
            reason = f"it is looked at again in {max(0.0, node.due - now):.0f} s"
        case _:
            reason = "it waits for a signal or for its nested stack"
    return Waiting(
        node.stack, node.project, node.name, round(max(0.0, now - node.since), 1), reason
    )


async def _broker(url: str) -> BrokerStatus:
    amqp = loaded(url)
    try:
        found = await amqp.depths(url)
    except amqp.BROKEN as error:
        return BrokerStatus(shown_broker(url), trouble=f"it does not answer ({_kind(error)})")
    return BrokerStatus(shown_broker(url), found.ready, found.dead)


async def _letters(url: str, remove: bool) -> list[dict[str, object]]:
    amqp = loaded(url)
    return [
        {"body": each.body, "reason": each.reason, "deliveries": each.deliveries}
        for each in await amqp.dead_letters(url, _LETTERS, remove)
    ]


def _kind(error: Exception) -> str:
    # Not its text: that may name the account.
    return type(error).__name__
