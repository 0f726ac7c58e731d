"""Queries on stacks."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from hotplate.model import Action, Stack, Status
from hotplate.store.schema import stack

_COLUMNS = [column for column in stack.c if column.name != "name_lock"]
_BY_ID = select(*_COLUMNS).where(stack.c.id.in_(bindparam("ids", expanding=True)))
_LOCKED = _BY_ID.order_by(stack.c.number).with_for_update()
_BY_NAME = select(*_COLUMNS).where(stack.c.name_lock == bindparam("lock"))
_OVERDUE = select(stack.c.id).where(
    stack.c.deadline.is_not(None),
    stack.c.deadline <= bindparam("now"),
    stack.c.deleted_at.is_(None),
)
_BELOW = select(*_COLUMNS).where(stack.c.root_id == bindparam("root"), stack.c.deleted_at.is_(None))
_OF_PROJECT = (
    select(*_COLUMNS)
    .where(
        stack.c.project == bindparam("project"),
        stack.c.deleted_at.is_(None),
        stack.c.parent_id.is_(None),
    )
    .order_by(stack.c.number.desc())
)


def name_lock(project: str, name: str) -> str:
    """Return what makes a stack's name unique while the stack exists."""
    return f"{project}/{name}"


def insert_stacks(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert stacks and return their numbers in the same order."""
    statement = insert(stack).returning(stack.c.number, sort_by_parameter_order=True)
    return list(connection.execute(statement, rows).scalars())


def read_stacks(connection: Connection, ids: Iterable[str]) -> dict[str, Stack]:
    """Return the stacks that exist or have been deleted, by id."""
    rows = connection.execute(_BY_ID, {"ids": list(ids)})
    return {row.id: _stack(row) for row in rows}


def lock_stacks(connection: Connection, ids: Iterable[str]) -> dict[str, Stack]:
    """Return the stacks; nobody else changes them until this transaction ends.

    They are locked in the order of their numbers, so two transactions cannot wait for each other.
    """
    rows = connection.execute(_LOCKED, {"ids": list(ids)})
    return {row.id: _stack(row) for row in rows}


def lock_stack(connection: Connection, stack_id: str) -> Stack | None:
    """Return one stack, locked."""
    return lock_stacks(connection, [stack_id]).get(stack_id)


def find_stack(connection: Connection, project: str, name: str) -> Stack | None:
    """Return the stack of that name that has not been deleted."""
    row = connection.execute(_BY_NAME, {"lock": name_lock(project, name)}).first()
    return _stack(row) if row else None


def stacks_of_project(connection: Connection, project: str) -> list[Stack]:
    """Return the root stacks of a project, newest first."""
    return [_stack(row) for row in connection.execute(_OF_PROJECT, {"project": project})]


def stacks_of_root(connection: Connection, root_id: str) -> list[Stack]:
    """Return all stacks of a tree that have not been deleted."""
    return [_stack(row) for row in connection.execute(_BELOW, {"root": root_id})]


def overdue_stacks(connection: Connection, now: float) -> list[str]:
    """Return the stacks whose time is up."""
    return list(connection.execute(_OVERDUE, {"now": now}).scalars())


def change_stack(connection: Connection, stack_id: str, **changes: Any) -> None:
    """Write some columns of a stack that this transaction has locked."""
    connection.execute(update(stack).where(stack.c.id == stack_id).values(**_plain(changes)))


def switch_traversal(
    connection: Connection, stack_id: str, expected: int, changes: Mapping[str, Any]
) -> bool:
    """Install a new traversal if the stack is still at the expected one. This is the race."""
    statement = (
        update(stack)
        .where(stack.c.id == stack_id, stack.c.sequence == expected, stack.c.deleted_at.is_(None))
        .values(**_plain(changes))
    )
    return connection.execute(statement).rowcount == 1


def forget_stacks(connection: Connection, ids: Iterable[str]) -> None:
    """Remove stacks for good."""
    connection.execute(delete(stack).where(stack.c.id.in_(list(ids))))


def _plain(changes: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value.value
        if isinstance(value, Action | Status)
        else json.dumps(value)
        if key == "tags"
        else value
        for key, value in changes.items()
    }


def _stack(row: Row[Any]) -> Stack:
    fields = dict(row._mapping)
    fields["action"] = Action(fields["action"])
    fields["status"] = Status(fields["status"])
    fields["rollback"] = bool(fields["rollback"])
    fields["tags"] = tuple(json.loads(fields["tags"]))
    return Stack(**fields)
