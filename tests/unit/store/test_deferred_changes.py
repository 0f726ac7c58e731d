"""Queries on errands."""

from sqlalchemy import Connection, insert

from hotplate.model import Status
from hotplate.store.deferred_changes import (
    Errand,
    errands_of,
    insert_errand,
    remove_errands,
    stacks_with_errands,
)
from hotplate.store.schema import stack
from hotplate.store.stacks import change_stack
from tests.unit.store.rows import stack_row


def test_errands_come_in_their_order_once_the_stack_is_at_rest(connection: Connection) -> None:
    connection.execute(insert(stack), stack_row("s", status=Status.IN_PROGRESS.value))
    connection.execute(insert(stack), stack_row("other"))
    insert_errand(connection, "s", 7, 1.0, {"do": "one"})
    insert_errand(connection, "s", 8, 1.0, {"do": "two"})
    assert stacks_with_errands(connection) == []
    change_stack(connection, "s", status=Status.FAILED)
    assert stacks_with_errands(connection) == ["s"]
    assert errands_of(connection, "s") == [
        Errand(1, 7, {"do": "one"}),
        Errand(2, 8, {"do": "two"}),
    ]
    remove_errands(connection, [1])
    assert [errand.number for errand in errands_of(connection, "s")] == [2]
    remove_errands(connection, [2])
    assert stacks_with_errands(connection) == []
