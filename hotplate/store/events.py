"""Queries on events."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select

from hotplate.model import Action, Event, Status
from hotplate.store.schema import event

_INSERT = insert(event)
_OF_STACK = (
    select(event)
    .where(event.c.stack_id == bindparam("stack"), event.c.number > bindparam("after"))
    .order_by(event.c.number)
)
_OF_ROOT = (
    select(event)
    .where(event.c.root_id == bindparam("root"), event.c.number > bindparam("after"))
    .order_by(event.c.number)
)
_FORGET = delete(event).where(event.c.stack_id.in_(bindparam("ids", expanding=True)))


def insert_events(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Insert events in their order."""
    if rows:
        connection.execute(_INSERT, rows)


def events_of(connection: Connection, stack_id: str, after: int = 0) -> list[Event]:
    """Return the events of a stack, oldest first."""
    return [
        _event(row) for row in connection.execute(_OF_STACK, {"stack": stack_id, "after": after})
    ]


def events_of_root(connection: Connection, root_id: str, after: int = 0) -> list[Event]:
    """Return the events of a whole tree of stacks, oldest first."""
    return [_event(row) for row in connection.execute(_OF_ROOT, {"root": root_id, "after": after})]


def forget_events(connection: Connection, stack_ids: Sequence[str]) -> None:
    """Remove all events of stacks."""
    connection.execute(_FORGET, {"ids": list(stack_ids)})


def _event(row: Any) -> Event:
    fields = dict(row._mapping)
    fields["action"] = Action(fields["action"])
    fields["status"] = Status(fields["status"])
    return Event(**fields)
