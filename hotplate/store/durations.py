"""How long actions on resources took, from the events that are kept."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select

from hotplate.model import Status
from hotplate.store.schema import event, stack

NEWEST = 10_000
"""Events that are looked at, so that the answer costs the same however long the history is."""

_EVENTS = (
    select(event.c.stack_id, event.c.name, event.c.type, event.c.action, event.c.status, event.c.at)
    .join(stack, stack.c.id == event.c.stack_id)
    .where(stack.c.project == bindparam("project"))
    .order_by(event.c.number.desc())
    .limit(NEWEST)
)


class Took(NamedTuple):
    """One action on one resource."""

    type: str
    action: str
    seconds: float


def durations(connection: Connection, project: str) -> Iterator[Took]:
    """Yield how long each action took that began and completed among the newest events."""
    began: dict[tuple[str, str, str], float] = {}
    rows = connection.execute(_EVENTS, {"project": project}).all()
    for row in reversed(rows):
        key = (row.stack_id, row.name, row.action)
        if row.status == Status.IN_PROGRESS.value:
            began.setdefault(key, row.at)
        elif (since := began.pop(key, None)) is not None and row.status == Status.COMPLETE.value:
            yield Took(row.type, row.action, row.at - since)
