"""Queries on stacks."""

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from hotplate.model import Action, Status
from hotplate.store.stacks import (
    change_stack,
    find_stack,
    insert_stacks,
    lock_stack,
    lock_stacks,
    overdue_stacks,
    read_stacks,
    stacks_of_project,
    stacks_of_root,
    switch_traversal,
)
from tests.unit.store.rows import stack_row


def test_stacks_are_numbered_in_the_order_given(connection: Connection) -> None:
    first = insert_stacks(connection, [stack_row("c"), stack_row("a"), stack_row("b")])
    assert first == sorted(first)
    numbers = {key: found.number for key, found in read_stacks(connection, "abc").items()}
    assert [numbers[key] for key in "cab"] == first


def test_a_stack_is_read_as_it_was_written(connection: Connection) -> None:
    insert_stacks(connection, [stack_row("s", rollback=True, timeout=5)])
    change_stack(connection, "s", tags=("x", "y"), action=Action.UPDATE, status=Status.FAILED)
    found = lock_stack(connection, "s")
    assert found is not None
    assert (found.rollback, found.timeout, found.tags) == (True, 5, ("x", "y"))
    assert (found.action, found.status) == (Action.UPDATE, Status.FAILED)
    assert lock_stack(connection, "other") is None
    assert list(lock_stacks(connection, ["s", "other"])) == ["s"]


def test_a_name_is_taken_until_its_stack_is_deleted(connection: Connection) -> None:
    insert_stacks(connection, [stack_row("s", name="web")])
    with pytest.raises(IntegrityError), connection.begin_nested():
        insert_stacks(connection, [stack_row("t", name="web")])
    found = find_stack(connection, "p", "web")
    assert found is not None
    assert found.id == "s"
    change_stack(connection, "s", deleted_at=5.0, name_lock=None)
    assert find_stack(connection, "p", "web") is None
    insert_stacks(connection, [stack_row("t", name="web")])


def test_a_project_lists_its_own_roots_that_exist(connection: Connection) -> None:
    rows = [
        stack_row("a"),
        stack_row("b"),
        stack_row("gone", deleted_at=1.0),
        stack_row("child", parent_id="a", root_id="a"),
        stack_row("theirs", project="q"),
    ]
    insert_stacks(connection, rows)
    assert [found.id for found in stacks_of_project(connection, "p")] == ["b", "a"]
    assert {found.id for found in stacks_of_root(connection, "a")} == {"a", "child"}


def test_stacks_past_their_deadline_are_overdue(connection: Connection) -> None:
    rows = [
        stack_row("late", deadline=5.0),
        stack_row("in time", deadline=15.0),
        stack_row("without"),
        stack_row("gone", deadline=5.0, deleted_at=1.0),
    ]
    insert_stacks(connection, rows)
    assert overdue_stacks(connection, 10.0) == ["late"]


def test_a_traversal_is_switched_once_from_each_sequence(connection: Connection) -> None:
    insert_stacks(connection, [stack_row("s", sequence=4)])
    changes = {"sequence": 5, "traversal": "t"}
    assert switch_traversal(connection, "s", 4, changes)
    assert not switch_traversal(connection, "s", 4, changes)


def test_a_deleted_stack_gets_no_traversal(connection: Connection) -> None:
    insert_stacks(connection, [stack_row("s", sequence=4, deleted_at=1.0)])
    assert not switch_traversal(connection, "s", 4, {"sequence": 5})
