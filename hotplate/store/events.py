"""Queries on events: inserted with the change that they report, read in their order."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, delete, select

from hotplate.model import Action, Event, Status
from hotplate.store.prepared import PreparedInsert
from hotplate.store.schema import event, stack
from hotplate.store.workers import database_time

NEWEST = 10_000
"""Events that are looked at, so that the answer costs the same however long the history is."""

SETTLING = 10.0
"""Seconds after which a number that is missing is taken to be missing for good."""

EventRow = tuple[str, str, str, float, str, str, str | None, str, str, str]
"""Id, stack, root, time, name, type, physical id, action, status, reason: the columns in order."""

_INSERT = PreparedInsert(
    event,
    (
        "id", "stack_id", "root_id", "at", "name", "type", "physical_id", "action", "status",
        "reason",
    ),
)  # fmt: skip
_OF_STACK = (
    select(event)
    .where(event.c.stack_id == bindparam("stack"), event.c.number > bindparam("after"))
    .order_by(event.c.number)
)
_NEWEST_BEFORE = (
    select(event.c.number)
    .where(event.c.at < bindparam("time"))
    .order_by(event.c.number.desc())
    .limit(1)
)
_NUMBERS = (
    select(event.c.number).where(event.c.number > bindparam("after")).order_by(event.c.number)
)
_NEWEST_OF_PROJECT = (
    select(event.c.stack_id, event.c.name, event.c.type, event.c.action, event.c.status, event.c.at)
    .join(stack, stack.c.id == event.c.stack_id)
    .where(stack.c.project == bindparam("project"))
    .order_by(event.c.number.desc())
    .limit(NEWEST)
)
_NEWEST_OF_TREE = (
    select(event.c.id)
    .where(event.c.root_id == bindparam("root"), event.c.number <= bindparam("until"))
    .order_by(event.c.number.desc())
    .limit(1)
)
_LATEST = select(event.c.number).order_by(event.c.number.desc()).limit(1)
_LAST_TIME = select(event.c.at).order_by(event.c.number.desc()).limit(1)
_FORGET = delete(event).where(event.c.stack_id.in_(bindparam("ids", expanding=True)))


def insert_events(connection: Connection, rows: Sequence[EventRow]) -> None:
    """Insert events in their order."""
    _INSERT.run_all(connection, rows)


def events_of(connection: Connection, stack_id: str, after: int = 0) -> list[Event]:
    """Return the events of a stack, oldest first.

    Whoever asks again with the number of the last one misses nothing: who writes events of a stack
    has locked it, so they are committed in the order of their numbers.
    """
    return [
        _event(row) for row in connection.execute(_OF_STACK, {"stack": stack_id, "after": after})
    ]


def last_time(connection: Connection) -> float | None:
    """Return when the newest event happened, by the clock of whoever noted it."""
    return connection.execute(_LAST_TIME).scalar()


def settled_number(connection: Connection, after: int = 0) -> int:
    """Return the number up to which no more events will come that are not there yet.

    Different stacks are written at the same time, and servers give numbers before the commit: a
    number that is missing may still come. What is behind it does not count as settled until it is
    older than SETTLING, for then it is known that the missing one never will. No transaction may
    take longer than that. ``after`` is a number known to be settled. Reads the numbers of young
    events only, so it costs little to those who follow.
    """
    if connection.dialect.name == "sqlite":
        # There is one writer, so whatever is missing is missing for good.
        return max(connection.execute(_LATEST).scalar() or 0, after)
    time = database_time(connection) - SETTLING
    settled = connection.execute(_NEWEST_BEFORE, {"time": time}).scalar() or 0
    last = max(settled, after)
    for number in connection.execute(_NUMBERS, {"after": last}).scalars():
        if number != last + 1:
            break
        last = number
    return last


def newest_settled(connection: Connection, root_id: str) -> str:
    """Return the id of the newest event of a tree behind which nothing is missing; empty for none.

    Whoever goes on after it gets all that comes, and some of what they know if the servers are
    busy.
    """
    settled = settled_number(connection)
    found = connection.execute(_NEWEST_OF_TREE, {"root": root_id, "until": settled}).scalar()
    return found or ""


def forget_events(connection: Connection, stack_ids: Sequence[str]) -> None:
    """Remove all events of stacks."""
    connection.execute(_FORGET, {"ids": list(stack_ids)})


def _event(row: Any) -> Event:
    fields = dict(row._mapping)
    fields["action"] = Action(fields["action"])
    fields["status"] = Status(fields["status"])
    return Event(**fields)


class Took(NamedTuple):
    """One action on one resource."""

    type: str
    action: str
    seconds: float


def durations(connection: Connection, project: str) -> Iterator[Took]:
    """Yield how long each action took that began and completed among the newest events."""
    began: dict[tuple[str, str, str], float] = {}
    rows = connection.execute(_NEWEST_OF_PROJECT, {"project": project}).all()
    for row in reversed(rows):
        key = (row.stack_id, row.name, row.action)
        if row.status == Status.IN_PROGRESS.value:
            began.setdefault(key, row.at)
        elif (since := began.pop(key, None)) is not None and row.status == Status.COMPLETE.value:
            yield Took(row.type, row.action, row.at - since)
