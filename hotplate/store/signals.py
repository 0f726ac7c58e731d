"""Queries on the signals that resources got."""

import json
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select

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
_LAST = Prepared(
    select(func.max(signal.c.number)).where(signal.c.version_id == bindparam("version")),
    ("version",),
)
_ACCOUNT = Prepared(
    select(func.count(), func.coalesce(func.sum(func.length(signal.c.body)), 0)).where(
        signal.c.version_id == bindparam("version")
    ),
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


def last_signal(connection: Connection, version_id: int) -> int:
    """Return the number of the newest signal of a version, 0 if there is none; reads no signal."""
    return int(_LAST.rows(connection, version_id)[0][0] or 0)


def count_signals(connection: Connection, version_id: int) -> tuple[int, int]:
    """Return how many signals of a version are kept, and how many characters they have."""
    number, size = _ACCOUNT.rows(connection, version_id)[0]
    return int(number), int(size)


def forget_signals(connection: Connection, version_id: int, most: int) -> None:
    """Remove the signals of a version but for the newest."""
    newest = (
        select(signal.c.number)
        .where(signal.c.version_id == version_id)
        .order_by(signal.c.number.desc())
        .offset(most)
        .limit(1)
    )
    last = connection.execute(newest).scalar()
    if last is not None:
        old = delete(signal).where(signal.c.version_id == version_id, signal.c.number <= last)
        connection.execute(old)


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
