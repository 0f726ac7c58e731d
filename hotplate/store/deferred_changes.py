"""Queries on errands: what is to be done to versions once their stacks are at rest."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select

from hotplate.model import Status
from hotplate.store.prepared import Prepared, PreparedList
from hotplate.store.schema import errand, stack

_INSERT = insert(errand)
_OF_STACK = Prepared(
    select(errand.c.number, errand.c.version_id, errand.c.body)
    .where(errand.c.stack_id == bindparam("stack"))
    .order_by(errand.c.number),
    ("stack",),
)
_AT_REST = Prepared(
    select(errand.c.stack_id)
    .distinct()
    .join(stack, stack.c.id == errand.c.stack_id)
    .where(stack.c.status != Status.IN_PROGRESS.value)
    .order_by(errand.c.stack_id),
)
_REMOVE = PreparedList(
    delete(errand).where(errand.c.number.in_(bindparam("numbers", expanding=True))), "numbers"
)


@dataclass(frozen=True, slots=True)
class Errand:
    """Something that is to be done to a version."""

    number: int
    version_id: int
    body: dict[str, Any]


def insert_errand(
    connection: Connection, stack_id: str, version_id: int, at: float, body: dict[str, Any]
) -> None:
    """Note what is to be done to a version once its stack is at rest."""
    connection.execute(
        _INSERT,
        {"stack_id": stack_id, "version_id": version_id, "at": at, "body": json.dumps(body)},
    )


def errands_of(connection: Connection, stack_id: str) -> list[Errand]:
    """Return the errands of a stack in the order in which they came."""
    rows = _OF_STACK.rows(connection, stack_id)
    return [Errand(row[0], row[1], json.loads(row[2])) for row in rows]


def stacks_with_errands(connection: Connection) -> list[str]:
    """Return the stacks that are at rest and for which there are errands."""
    return [row[0] for row in _AT_REST.rows(connection)]


def remove_errands(connection: Connection, numbers: Sequence[int]) -> None:
    """Forget errands that have been run."""
    _REMOVE.run(connection, numbers)
