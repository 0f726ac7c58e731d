"""Queries on snapshots."""

from dataclasses import replace

from sqlalchemy import Connection

from hotplate.model import Snapshot, Status
from hotplate.store.snapshots import (
    end_snapshots,
    insert_snapshot,
    read_snapshot,
    remove_snapshot,
    snapshots_of,
)
from tests.unit.store.rows import a_stack

FIRST = Snapshot("a", "s", "name", Status.COMPLETE, "", "r", {"x": [1]}, 1.0)
SECOND = Snapshot("b", "s", None, Status.IN_PROGRESS, "", "r", {}, 2.0)


def test_snapshots_of_a_stack_come_oldest_first(connection: Connection) -> None:
    insert_snapshot(connection, "p", SECOND)
    insert_snapshot(connection, "p", FIRST)
    assert snapshots_of(connection, "s") == [FIRST, SECOND]
    assert read_snapshot(connection, "s", "a") == FIRST
    assert read_snapshot(connection, "other", "a") is None


def test_the_end_is_written_to_the_one_that_is_being_taken(connection: Connection) -> None:
    insert_snapshot(connection, "p", FIRST)
    insert_snapshot(connection, "p", SECOND)
    end_snapshots(connection, a_stack(), Status.FAILED, "why", {"y": 2})
    ended = replace(SECOND, status=Status.FAILED, reason="why", data={"y": 2})
    assert snapshots_of(connection, "s") == [FIRST, ended]
    remove_snapshot(connection, "b")
    assert snapshots_of(connection, "s") == [FIRST]
