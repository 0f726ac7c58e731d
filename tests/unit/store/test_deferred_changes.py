"""Queries on deferred changes."""

from sqlalchemy import Connection, insert

from hotplate.model import Status
from hotplate.store.deferred_changes import (
    DeferredChange,
    deferred_changes_of,
    insert_deferred_change,
    remove_deferred_changes,
    stacks_with_deferred_changes,
)
from hotplate.store.schema import stack
from hotplate.store.stacks import change_stack
from tests.unit.store.rows import stack_row


def test_deferred_changes_come_in_their_order_once_the_stack_is_at_rest(
    connection: Connection,
) -> None:
    connection.execute(insert(stack), stack_row("s", status=Status.IN_PROGRESS.value))
    connection.execute(insert(stack), stack_row("other"))
    insert_deferred_change(connection, "p", "s", 7, 1.0, {"do": "one"})
    insert_deferred_change(connection, "p", "s", 8, 1.0, {"do": "two"})
    assert stacks_with_deferred_changes(connection) == []
    change_stack(connection, "s", status=Status.FAILED)
    assert stacks_with_deferred_changes(connection) == ["s"]
    assert deferred_changes_of(connection, "p", "s") == [
        DeferredChange(1, 7, {"do": "one"}),
        DeferredChange(2, 8, {"do": "two"}),
    ]
    remove_deferred_changes(connection, [1])
    assert [each.number for each in deferred_changes_of(connection, "p", "s")] == [2]
    remove_deferred_changes(connection, [2])
    assert stacks_with_deferred_changes(connection) == []
