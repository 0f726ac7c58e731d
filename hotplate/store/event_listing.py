"""Queries that list events of a stack and of its nested stacks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, select

from hotplate.store.events import settled_number
from hotplate.store.schema import event
from hotplate.store.stack_listing import beyond
from hotplate.store.stacks import read_stacks
from hotplate.store.tree import tree


class ListedEvent(NamedTuple):
    """One event with the name of the stack it happened in."""

    number: int
    id: str
    stack_id: str
    stack_name: str
    at: float
    name: str
    type: str
    physical_id: str | None
    action: str
    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class WantedEvents:
    """Which events are asked for: of the stack ``top`` and of those ``depth`` levels below it.

    ``filters`` maps columns to the values they may have. ``order`` names columns that come
    before the order in which the events happened.
    """

    top: str
    depth: int = 0
    filters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    descending: bool = True
    limit: int | None = None
    marker: str | None = None
    after: int | None = None
    """Only those with a greater number."""

    until: int | None = None
    """Only those with no greater number."""


@dataclass(frozen=True, slots=True)
class Followed:
    """News of a tree. ``after`` is where to go on; ``is_over``: there will be no more of them."""

    events: list[ListedEvent]
    after: int
    is_over: bool


def list_events(connection: Connection, wanted: WantedEvents) -> list[ListedEvent]:
    """Return events in a total order; an unknown marker is no marker, as is one of another tree.

    Deleted stacks have their events still, until they are purged.
    """
    stacks = tree(connection.dialect.name)
    keys = [event.c[name] for name in wanted.order]
    keys.append(event.c.number)
    statement: Select[Any] = (
        select(
            event.c.number,
            event.c.id,
            event.c.stack_id,
            stacks.c.name,
            event.c.at,
            event.c.name,
            event.c.type,
            event.c.physical_id,
            event.c.action,
            event.c.status,
            event.c.reason,
        )
        .select_from(stacks)
        .join(event, event.c.stack_id == stacks.c.id)
    )
    for name, values in wanted.filters.items():
        statement = statement.where(event.c[name].in_(list(values)))
    if wanted.after is not None:
        statement = statement.where(event.c.number > wanted.after)
    if wanted.until is not None:
        statement = statement.where(event.c.number <= wanted.until)
    statement = _beyond_marker(connection, statement, wanted, keys)
    statement = statement.order_by(*(key.desc() if wanted.descending else key for key in keys))
    if wanted.limit is not None:
        statement = statement.limit(wanted.limit)
    rows = connection.execute(statement, {"top": wanted.top, "depth": wanted.depth})
    return [ListedEvent._make(row) for row in rows]


def follow_events(
    connection: Connection, stack_id: str, depth: int, after: int, limit: int
) -> Followed:
    """Return the oldest events of a tree after a number, at most ``limit``.

    Whoever goes on from the returned number misses nothing and gets nothing twice: events behind
    a number that may still come are left for later, see `settled_number`.
    """
    settled = settled_number(connection, after)
    wanted = WantedEvents(
        stack_id, depth, descending=False, limit=limit, after=after, until=settled
    )
    found = list_events(connection, wanted)
    if len(found) == limit:
        return Followed(found, found[-1].number, False)
    top = read_stacks(connection, [stack_id]).get(stack_id)
    is_over = top is None or top.deleted_at is not None
    held_back = WantedEvents(stack_id, depth, limit=1, after=settled)
    return Followed(found, settled, is_over and not list_events(connection, held_back))


def _beyond_marker(
    connection: Connection, statement: Select[Any], wanted: WantedEvents, keys: Sequence[Any]
) -> Select[Any]:
    if wanted.marker is None:
        return statement
    place = select(*keys, event.c.stack_id).where(event.c.id == wanted.marker)
    last = connection.execute(place).first()
    if last is None or not _is_inside(connection, wanted, last[-1]):
        return statement
    return statement.where(beyond(keys, last, wanted.descending))


def _is_inside(connection: Connection, wanted: WantedEvents, stack_id: str) -> bool:
    if stack_id == wanted.top:
        return True
    stacks = tree(connection.dialect.name)
    found = select(stacks.c.id).where(stacks.c.id == stack_id)
    parameters = {"top": wanted.top, "depth": wanted.depth}
    return connection.execute(found, parameters).first() is not None


def number_of_event(connection: Connection, event_id: str) -> int | None:
    """Return the number of an event, None if there is none with that id."""
    row = connection.execute(select(event.c.number).where(event.c.id == event_id)).first()
    return None if row is None else int(row[0])
