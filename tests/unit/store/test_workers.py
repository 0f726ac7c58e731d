"""Queries on workers."""

import time

from sqlalchemy import Connection

from hotplate.store.workers import (
    beat,
    database_time,
    known_workers,
    live_workers,
    register_worker,
    remove_dead_workers,
    remove_worker,
)


def test_the_database_tells_the_time(connection: Connection) -> None:
    assert abs(database_time(connection) - time.time()) < 5


def test_who_does_not_beat_is_dead(connection: Connection) -> None:
    ann = register_worker(connection, "ann", 1.0)
    bob = register_worker(connection, "bob", 1.0)
    assert beat(connection, bob, 11.0)
    assert live_workers(connection, 5.0) == ["bob"]
    assert known_workers(connection) == {ann: "ann", bob: "bob"}
    remove_dead_workers(connection, 5.0)
    assert known_workers(connection) == {bob: "bob"}
    assert not beat(connection, ann, 12.0)


def test_the_id_of_a_worker_is_never_given_again(connection: Connection) -> None:
    first = register_worker(connection, "ann", 1.0)
    remove_worker(connection, first)
    assert register_worker(connection, "bob", 1.0) > first
