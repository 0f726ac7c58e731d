"""Queries on snapshots."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from hotplate.model import Snapshot, Stack, Status
from hotplate.store.schema import snapshot, stack
from hotplate.store.sealing import seals_of

_DATA = "snapshot|data"
_READ = select(snapshot, stack.c.project).outerjoin(stack, stack.c.id == snapshot.c.stack_id)
_BY_ID = _READ.where(snapshot.c.id == bindparam("id"), snapshot.c.stack_id == bindparam("stack"))
_EXISTS = select(snapshot.c.id).where(
    snapshot.c.id == bindparam("id"), snapshot.c.stack_id == bindparam("stack")
)
_OF_STACK = _READ.where(snapshot.c.stack_id == bindparam("stack")).order_by(
    snapshot.c.created_at, snapshot.c.id
)
_IN_PROGRESS = select(snapshot.c.id).where(
    snapshot.c.stack_id == bindparam("stack"), snapshot.c.status == Status.IN_PROGRESS.value
)


def insert_snapshot(connection: Connection, project: str, item: Snapshot) -> None:
    """Insert a snapshot that is being taken of a stack of the project."""
    seals = seals_of(connection, project)
    connection.execute(
        insert(snapshot).values(
            id=item.id,
            stack_id=item.stack_id,
            name=item.name,
            status=item.status.value,
            reason=item.reason,
            recipe=seals.stored(item.recipe),
            data=seals.seal(_DATA, item.id, json.dumps(item.data)),
            created_at=item.created_at,
        )
    )


def end_snapshots(
    connection: Connection, of: Stack, status: Status, reason: str, data: Mapping[str, Any]
) -> None:
    """Write the end of the snapshot that is being taken of a stack, if one is."""
    seals = seals_of(connection, of.project)
    text = json.dumps(dict(data))
    for snapshot_id in connection.execute(_IN_PROGRESS, {"stack": of.id}).scalars().all():
        connection.execute(
            update(snapshot)
            .where(snapshot.c.id == snapshot_id)
            .values(status=status.value, reason=reason, data=seals.seal(_DATA, snapshot_id, text))
        )


def read_snapshot(connection: Connection, stack_id: str, snapshot_id: str) -> Snapshot | None:
    """Return one snapshot of a stack."""
    row = connection.execute(_BY_ID, {"id": snapshot_id, "stack": stack_id}).first()
    return _snapshot(connection, row) if row else None


def has_snapshot(connection: Connection, stack_id: str, snapshot_id: str) -> bool:
    """Tell whether a stack has a snapshot; what it kept is not read."""
    return bool(connection.execute(_EXISTS, {"id": snapshot_id, "stack": stack_id}).first())


def snapshots_of(connection: Connection, stack_id: str) -> list[Snapshot]:
    """Return the snapshots of a stack, oldest first."""
    return [
        _snapshot(connection, row) for row in connection.execute(_OF_STACK, {"stack": stack_id})
    ]


def remove_snapshot(connection: Connection, snapshot_id: str) -> None:
    """Remove a snapshot."""
    connection.execute(delete(snapshot).where(snapshot.c.id == snapshot_id))


def _snapshot(connection: Connection, row: Any) -> Snapshot:
    fields = dict(row._mapping)
    seals = seals_of(connection, fields.pop("project"))
    fields["status"] = Status(fields["status"])
    fields["recipe"] = seals.digest(fields["recipe"])
    fields["data"] = json.loads(seals.open(_DATA, fields["id"], fields["data"]))
    return Snapshot(**fields)
