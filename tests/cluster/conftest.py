"""Fixtures of the cluster: one broker for the run, a database and a queue for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.processes import Cluster, own_queue
from tests.rabbitmq import Broker, shared_broker, start_broker


@pytest.fixture(scope="session")
def broker() -> Iterator[Broker]:
    """A private RabbitMQ."""
    with shared_broker() as found:
        yield found


@pytest.fixture
def own_broker() -> Iterator[Broker]:
    """A RabbitMQ that no other test uses: it may be ended."""
    made = start_broker()
    try:
        yield made
    finally:
        made.remove()


@pytest.fixture
def cluster(broker: Broker, server_url: str, tmp_path: Path) -> Iterator[Cluster]:
    """An empty cluster on a database server; nothing is started yet."""
    made = Cluster(tmp_path, server_url, own_queue(broker))
    try:
        yield made
    finally:
        made.close()
