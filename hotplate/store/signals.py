"""Queries on the signals that resources got."""

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from hotplate.model import NodeState, Version
from hotplate.store.prepared import Prepared
from hotplate.store.schema import node, signal, version
from hotplate.store.sealing import seals_of
from hotplate.store.versions import REFERENCE

_BODY = "received_signal|body"
_INSERT = insert(signal)
_OF_VERSION = Prepared(
    select(signal.c.number, signal.c.at, signal.c.body)
    .where(signal.c.version_id == bindparam("version"), signal.c.number > bindparam("after"))
    .order_by(signal.c.number),
    ("version", "after"),
)
_FIRST = Prepared(
    select(func.min(signal.c.number)).where(signal.c.version_id == bindparam("version")),
    ("version",),
)
_AT = Prepared(
    select(signal.c.at).where(
        signal.c.number == bindparam("number"), signal.c.version_id == bindparam("version")
    ),
    ("number", "version"),
)
_HANDLES = (
    select(version.c.id)
    .where(version.c.root_id == bindparam("root"), version.c.reference_mark == bindparam("mark"))
    .order_by(version.c.id.desc())
)
_LAST = Prepared(
    select(func.max(signal.c.number)).where(signal.c.version_id == bindparam("version")),
    ("version",),
)
_ONE = select(version.c.id).where(version.c.id == bindparam("version"))


def insert_signal(
    connection: Connection,
    project: str,
    version_id: int,
    stack_id: str,
    at: float,
    body: dict[str, Any],
) -> None:
    """Keep a signal that a version was sent."""
    text = json.dumps(body)
    if body:
        text = seals_of(connection, project).seal(_BODY, _row(version_id, at), text)
    connection.execute(
        _INSERT, {"version_id": version_id, "stack_id": stack_id, "at": at, "body": text}
    )


@dataclass(frozen=True, slots=True)
class StoredSignal:
    """A signal as it is kept; ``size`` is how many letters it has in the database."""

    number: int
    at: float
    body: dict[str, Any]
    size: int


def signals_after(connection: Connection, of: Version, number: int = 0) -> list[StoredSignal]:
    """Return the signals of a version that came after the one with a number, oldest first."""
    seals = seals_of(connection, of.project)
    return [
        StoredSignal(number, at, json.loads(seals.open(_BODY, _row(of.id, at), body)), len(body))
        for number, at, body in _OF_VERSION.rows(connection, of.id, number)
    ]


def signal_edges(
    connection: Connection, version_id: int, number: int
) -> tuple[int | None, float | None]:
    """Return the number of the oldest signal of a version, and when one with a number came."""
    first = _FIRST.rows(connection, version_id)[0][0]
    at = _AT.rows(connection, number, version_id)
    return first, at[0][0] if at else None


def last_signal(connection: Connection, version_id: int) -> int:
    """Return the number of the newest signal of a version, 0 if there is none; reads no signal."""
    return int(_LAST.rows(connection, version_id)[0][0] or 0)


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


def lock_handle(connection: Connection, of: Version, reference: str) -> int | None:
    """Return the newest version in the tree of another that others refer to in this way, locked.

    A signal to it, and a node that is parked until there is one, take turns by this lock.
    """
    rows = connection.execute(_HANDLES.with_for_update(), _marked(connection, of, reference))
    found = rows.first()
    return None if found is None else int(found[0])


def lock_version(connection: Connection, version_id: int) -> None:
    """Lock a version, so that signals to it come one after the other."""
    connection.execute(_ONE.with_for_update(), {"version": version_id})


def listen(connection: Connection, of: Version, reference: str) -> None:
    """Note whose signals a version waits for, or has waited for."""
    mark = _marked(connection, of, reference)["mark"]
    connection.execute(update(version).where(version.c.id == of.id).values(listens=mark))


def listening_versions(connection: Connection, of: Version, reference: str) -> list[int]:
    """Return the parked versions in the tree of a version that wait for signals to a reference."""
    statement = (
        select(version.c.id)
        .join(node, node.c.version_id == version.c.id)
        .where(
            version.c.root_id == bindparam("root"),
            node.c.state == NodeState.PARKED.value,
            version.c.listens == bindparam("mark"),
        )
    )
    rows = connection.execute(statement, _marked(connection, of, reference))
    return [int(row[0]) for row in rows]


def listeners(connection: Connection, of: Version, reference: str) -> list[int]:
    """Return all versions in the tree of a version that listen to a reference, or have done so."""
    statement = select(version.c.id).where(
        version.c.root_id == bindparam("root"), version.c.listens == bindparam("mark")
    )
    rows = connection.execute(statement, _marked(connection, of, reference))
    return [int(row[0]) for row in rows]


def find_handle(connection: Connection, of: Version, reference: str) -> int | None:
    """Return the newest version in the tree of another that others refer to in this way."""
    found = connection.execute(_HANDLES, _marked(connection, of, reference)).first()
    return None if found is None else int(found[0])


def _marked(connection: Connection, of: Version, reference: str) -> dict[str, str]:
    mark = seals_of(connection, of.project).mark(REFERENCE, reference)
    return {"root": of.root_id, "mark": mark}


def _row(version_id: int, at: float) -> str:
    """Return what a signal is bound to: its number is not known before it is stored."""
    return f"{version_id} {at!r}"
