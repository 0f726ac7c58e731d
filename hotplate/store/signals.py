"""Queries on the signals that resources got."""

import json
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select

from hotplate.model import NodeState
from hotplate.store.prepared import Prepared
from hotplate.store.schema import node, signal, version

_INSERT = insert(signal)
_OF_VERSION = Prepared(
    select(signal.c.number, signal.c.body)
    .where(signal.c.version_id == bindparam("version"))
    .order_by(signal.c.number),
    ("version",),
)
_HANDLES = (
    select(version.c.id)
    .where(version.c.root_id == bindparam("root"), version.c.reference == bindparam("reference"))
    .order_by(version.c.id.desc())
)
_ONE = select(version.c.id).where(version.c.id == bindparam("version"))


def insert_signal(
    connection: Connection, version_id: int, stack_id: str, at: float, body: dict[str, Any]
) -> None:
    """Keep a signal that a version was sent."""
    connection.execute(
        _INSERT,
        {"version_id": version_id, "stack_id": stack_id, "at": at, "body": json.dumps(body)},
    )


def signals_of(connection: Connection, version_id: int) -> list[tuple[int, dict[str, Any]]]:
    """Return the signals of a version with their numbers, oldest first."""
    rows = _OF_VERSION.rows(connection, version_id)
    return [(row[0], json.loads(row[1])) for row in rows]


def lock_handle(connection: Connection, root_id: str, reference: str) -> int | None:
    """Return the newest version in a tree that others refer to in this way, locked.

    A signal to it, and a node that is parked until there is one, take turns by this lock.
    """
    statement = _HANDLES.with_for_update()
    rows = connection.execute(statement, {"root": root_id, "reference": reference})
    found = rows.first()
    return None if found is None else int(found[0])


def lock_version(connection: Connection, version_id: int) -> None:
    """Lock a version, so that signals to it come one after the other."""
    connection.execute(_ONE.with_for_update(), {"version": version_id})


def parked_versions_with(connection: Connection, root_id: str, text: str) -> list[int]:
    """Return the versions of a tree that are parked and whose definition contains a text."""
    find = func.strpos if connection.dialect.name == "postgresql" else func.instr
    statement = (
        select(version.c.id)
        .join(node, node.c.version_id == version.c.id)
        .where(
            version.c.root_id == root_id,
            node.c.state == NodeState.PARKED.value,
            find(version.c.definition, json.dumps(text)) > 0,
        )
    )
    return [int(row[0]) for row in connection.execute(statement)]


def find_handle(connection: Connection, root_id: str, reference: str) -> int | None:
    """Return the newest version in a tree that others refer to in this way."""
    found = connection.execute(_HANDLES, {"root": root_id, "reference": reference}).first()
    return None if found is None else int(found[0])
