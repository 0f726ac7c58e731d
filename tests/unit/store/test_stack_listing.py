"""Queries that list stacks and events: pages, and what a marker may be."""

import pytest
from sqlalchemy import Connection

from hotplate.store.event_listing import WantedEvents, list_events
from hotplate.store.events import insert_events
from hotplate.store.stack_listing import Wanted, count_stacks, list_stacks
from hotplate.store.stacks import insert_stacks
from tests.unit.store.rows import event_row, stack_row


def ids(connection: Connection, wanted: Wanted) -> str:
    return "".join(stack.id for stack in list_stacks(connection, wanted))


def test_pages_go_on_where_the_one_before_ended(connection: Connection) -> None:
    insert_stacks(connection, [stack_row(each, created_at=7.0) for each in "cab"])
    for order, descending, expected in (
        ((), True, "bac"),
        (("name",), False, "abc"),
        (("created_at", "name"), True, "cba"),
    ):
        pages = ""
        while page := ids(
            connection,
            Wanted("p", order=order, descending=descending, limit=1, marker=pages[-1:] or None),
        ):
            pages += page
        assert pages == expected
    assert count_stacks(connection, Wanted("p", limit=1)) == 3


@pytest.mark.parametrize("marker", ["unknown", "theirs"])
def test_a_marker_that_is_not_in_the_list_is_none(connection: Connection, marker: str) -> None:
    rows = [stack_row("a"), stack_row("theirs", name="b", project="q"), stack_row("c")]
    insert_stacks(connection, rows)
    assert ids(connection, Wanted("p", order=("name",), marker=marker)) == "ac"


def test_a_marker_may_have_been_deleted_since(connection: Connection) -> None:
    insert_stacks(connection, [stack_row("a"), stack_row("b", deleted_at=9.0), stack_row("c")])
    assert ids(connection, Wanted("p", order=("name",), marker="b")) == "c"


def test_an_event_of_another_stack_is_no_marker(connection: Connection) -> None:
    insert_stacks(connection, [stack_row("s"), stack_row("other", project="q")])
    insert_events(connection, [event_row(1), event_row(2, "other", "other"), event_row(3)])

    def found(marker: str) -> list[str]:
        wanted = WantedEvents("s", descending=False, marker=marker)
        return [event.id for event in list_events(connection, wanted)]

    assert found("event-1") == ["event-3"]
    assert found("event-2") == found("unknown") == ["event-1", "event-3"]
