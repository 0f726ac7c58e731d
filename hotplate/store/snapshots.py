"""Queries on snapshots."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from hotplate.model import Snapshot, Status
from hotplate.store.schema import snapshot

_BY_ID = select(snapshot).where(
    snapshot.c.id == bindparam("id"), snapshot.c.stack_id == bindparam("stack")
)
_OF_STACK = (
    select(snapshot)
    .where(snapshot.c.stack_id == bindparam("stack"))
    .order_by(snapshot.c.created_at, snapshot.c.id)
)


def insert_snapshot(connection: Connection, item: Snapshot) -> None:
    """Insert a snapshot that is being taken."""
    connection.execute(
        insert(snapshot).values(
            id=item.id,
            stack_id=item.stack_id,
            name=item.name,
            status=item.status.value,
            reason=item.reason,
            recipe=item.recipe,
            data=json.dumps(item.data),
            created_at=item.created_at,
        )
    )


def end_snapshots(
    connection: Connection, stack_id: str, status: Status, reason: str, data: Mapping[str, Any]
) -> None:
    """Write the end of the snapshot that is being taken of a stack, if one is."""
    statement = (
        update(snapshot)
        .where(snapshot.c.stack_id == stack_id, snapshot.c.status == Status.IN_PROGRESS.value)
        .values(status=status.value, reason=reason, data=json.dumps(dict(data)))
    )
    connection.execute(statement)


def read_snapshot(connection: Connection, stack_id: str, snapshot_id: str) -> Snapshot | None:
    """Return one snapshot of a stack."""
    row = connection.execute(_BY_ID, {"id": snapshot_id, "stack": stack_id}).first()
    return _snapshot(row) if row else None


def snapshots_of(connection: Connection, stack_id: str) -> list[Snapshot]:
    """Return the snapshots of a stack, oldest first."""
    return [_snapshot(row) for row in connection.execute(_OF_STACK, {"stack": stack_id})]


def remove_snapshot(connection: Connection, snapshot_id: str) -> None:
    """Remove a snapshot."""
    connection.execute(delete(snapshot).where(snapshot.c.id == snapshot_id))


def _snapshot(row: Any) -> Snapshot:
    fields = dict(row._mapping)
    fields["status"] = Status(fields["status"])
    fields["data"] = json.loads(fields["data"])
    return Snapshot(**fields)
