"""Queries on events."""

from sqlalchemy import Connection

from hotplate.store.events import events_of, forget_events, insert_events
from tests.unit.store.rows import event_row


def test_events_come_in_the_order_in_which_they_were_inserted(connection: Connection) -> None:
    insert_events(connection, [event_row(3), event_row(1), event_row(2)])
    found = events_of(connection, "s")
    assert [event.id for event in found] == ["event-3", "event-1", "event-2"]
    assert [event.id for event in events_of(connection, "s", found[1].number)] == ["event-2"]


def test_a_number_is_never_given_again(connection: Connection) -> None:
    insert_events(connection, [event_row(1)])
    (first,) = events_of(connection, "s")
    forget_events(connection, ["s"])
    insert_events(connection, [event_row(1)])
    (second,) = events_of(connection, "s")
    assert second.number > first.number
