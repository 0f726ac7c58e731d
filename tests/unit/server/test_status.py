from pathlib import Path

import pytest

from hotplate.engine.worker.presence import host_of_this_machine, name_of_this_process
from hotplate.model import NodeState
from hotplate.server.configuration import configure
from hotplate.server.status import _explained, status_of
from hotplate.store.database import open_engine
from hotplate.store.monitoring.queue import WaitingNode
from hotplate.store.workers import database_time, register_worker
from tests.databases import new_sqlite_file


def test_workers_are_alive_while_they_are_heard_and_a_broker_that_is_away_is_said_to_be(
    tmp_path: Path,
) -> None:
    engine = open_engine(f"sqlite:///{new_sqlite_file(tmp_path / 'x.db')}")
    with engine.begin() as connection:
        now = database_time(connection)
        register_worker(connection, name_of_this_process(), now)
        register_worker(connection, "somewhere", now - 60)
    configuration = configure({}, {"HOME": "/", "HOTPLATE_BROKER": "amqp://me:hunter2@127.0.0.1:1"})
    found = status_of(engine, configuration)
    engine.dispose()
    assert [(each.host, each.is_alive) for each in found.workers] == [
        (host_of_this_machine(), True),
        ("", False),
    ]
    assert (found.nodes, found.oldest) == ({}, None)
    assert found.broker is not None
    assert "does not answer" in found.broker.trouble
    assert "hunter2" not in repr(found)


@pytest.mark.parametrize(
    ("state", "due", "hook", "words"),
    [
        (NodeState.READY, None, None, "no worker has taken it yet"),
        (NodeState.CLAIMED, None, None, "worker 3 works on it"),
        (NodeState.PARKED, None, "pre-create", "it waits at the hook pre-create"),
        (NodeState.PARKED, 0.0, None, "it is looked at again in 0 s"),
        (NodeState.PARKED, None, None, "it waits for a signal or for its nested stack"),
    ],
)
def test_the_oldest_node_tells_why_it_waits(
    state: NodeState, due: float | None, hook: str | None, words: str
) -> None:
    node = WaitingNode("s", "p", "r", state, 0.0, 0, due, hook, 3)
    assert _explained(node).reason == words
