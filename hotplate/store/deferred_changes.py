"""Queries on deferred changes: what is to be done to versions once their stacks are at rest."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select

from hotplate.model import Status
from hotplate.store.prepared import Prepared, PreparedList
from hotplate.store.schema import deferred_change, stack
from hotplate.store.sealing import seals_of

_BODY = "errand|body"

_INSERT = insert(deferred_change)
_OF_STACK = Prepared(
    select(
        deferred_change.c.number,
        deferred_change.c.version_id,
        deferred_change.c.body,
        deferred_change.c.at,
    )
    .where(deferred_change.c.stack_id == bindparam("stack"))
    .order_by(deferred_change.c.number),
    ("stack",),
)
_AT_REST = Prepared(
    select(deferred_change.c.stack_id)
    .distinct()
    .join(stack, stack.c.id == deferred_change.c.stack_id)
    .where(stack.c.status != Status.IN_PROGRESS.value)
    .order_by(deferred_change.c.stack_id),
)
_REMOVE = PreparedList(
    delete(deferred_change).where(
        deferred_change.c.number.in_(bindparam("numbers", expanding=True))
    ),
    "numbers",
)


@dataclass(frozen=True, slots=True)
class DeferredChange:
    """Something that is to be done to a version."""

    number: int
    version_id: int
    body: dict[str, Any]


def insert_deferred_change(
    connection: Connection,
    project: str,
    stack_id: str,
    version_id: int,
    at: float,
    body: dict[str, Any],
) -> None:
    """Note what is to be done to a version once its stack, of this project, is at rest."""
    text = seals_of(connection, project).seal(_BODY, f"{version_id} {at!r}", json.dumps(body))
    connection.execute(
        _INSERT, {"stack_id": stack_id, "version_id": version_id, "at": at, "body": text}
    )


def deferred_changes_of(
    connection: Connection, project: str, stack_id: str
) -> list[DeferredChange]:
    """Return the deferred changes of a stack in the order in which they came."""
    seals = seals_of(connection, project)
    return [
        DeferredChange(
            number, version_id, json.loads(seals.open(_BODY, f"{version_id} {at!r}", body))
        )
        for number, version_id, body, at in _OF_STACK.rows(connection, stack_id)
    ]


def stacks_with_deferred_changes(connection: Connection) -> list[str]:
    """Return the stacks that are at rest and for which there are deferred changes."""
    return [row[0] for row in _AT_REST.rows(connection)]


def remove_deferred_changes(connection: Connection, numbers: Sequence[int]) -> None:
    """Remove deferred changes that have been made or are obsolete."""
    _REMOVE.run(connection, numbers)
