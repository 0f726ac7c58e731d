"""Events of a tree on real servers, where several transactions write at the same time."""

from collections.abc import Iterator
from functools import partial

import pytest
from sqlalchemy import Engine

from hotplate.store.database import create_tables, open_engine, transact
from hotplate.store.event_listing import Followed, follow_events
from hotplate.store.events import SETTLING, insert_events
from hotplate.store.stacks import change_stack, insert_stacks
from hotplate.store.workers import database_time
from tests.unit.store.rows import event_row, stack_row


@pytest.fixture
def server(server_url: str) -> Iterator[Engine]:
    engine = open_engine(server_url)
    create_tables(engine)
    children = [
        stack_row(name, root_id="s", parent_id="s", parent_version=number)
        for number, name in enumerate(("one child", "another child"))
    ]
    transact(engine, partial(insert_stacks, rows=[stack_row("s", parent_version=None), *children]))
    yield engine
    engine.dispose()


def page(engine: Engine, after: int = 0) -> Followed:
    return transact(engine, partial(follow_events, stack_id="s", depth=1, after=after, limit=100))


def followed(engine: Engine, after: int = 0) -> dict[str, int]:
    return {event.id: event.number for event in page(engine, after).events}


def test_who_follows_a_tree_misses_nothing_that_is_committed_late(server: Engine) -> None:
    now = transact(server, database_time)
    with server.begin() as connection:
        insert_events(connection, [event_row(1, at=now)])
    seen = followed(server)
    assert list(seen) == ["event-1"]
    with server.connect() as late, late.begin() as transaction:
        insert_events(late, [event_row(2, stack_id="one child", at=now)])
        with server.begin() as quick:
            insert_events(quick, [event_row(3, stack_id="another child", at=now)])
        assert followed(server, seen["event-1"]) == {}
        transaction.commit()
    assert list(followed(server, seen["event-1"])) == ["event-2", "event-3"]


def test_a_number_that_never_comes_is_not_waited_for_long(server: Engine) -> None:
    now = transact(server, database_time)
    with server.connect() as connection, connection.begin() as transaction:
        insert_events(connection, [event_row(1, at=now)])
        transaction.rollback()
    with server.begin() as connection:
        insert_events(connection, [event_row(2, at=now - SETTLING - 1)])
    seen = followed(server)
    assert list(seen) == ["event-2"]
    with server.begin() as connection:
        insert_events(connection, [event_row(3, at=now)])
    assert list(followed(server, seen["event-2"])) == ["event-3"]


def test_a_deleted_tree_is_not_over_while_something_is_held_back(server: Engine) -> None:
    now = transact(server, database_time)
    with server.connect() as late, late.begin() as transaction:
        insert_events(late, [event_row(1, stack_id="one child", at=now)])
        with server.begin() as quick:
            insert_events(quick, [event_row(2, at=now)])
            change_stack(quick, "s", deleted_at=now)
        held_back = page(server)
        assert (held_back.events, held_back.is_over) == ([], False)
        transaction.commit()
    last = page(server, held_back.after)
    assert [event.id for event in last.events] == ["event-1", "event-2"]
    assert last.is_over
