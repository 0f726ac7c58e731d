"""What a deletion has deleted already, by the events it left.

The rows of a stack's versions go with the stack. Its events stay until they are purged, and they
say of each resource what it was and how it ended.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from hotplate.model import Action, Stack
from hotplate.store.schema import event, stack, version
from hotplate.store.stacks import read_stacks
from hotplate.store.tree import ListedVersion, listed_versions, tree

_NO_ID = 1 << 62


def listed_resources(
    connection: Connection, stack_id: str, depth: int, with_attributes: bool
) -> Iterator[Sequence[ListedVersion]]:
    """Yield the versions of each stack of a tree as `listed_versions` does.

    If the stack is being deleted or has been, those that it has deleted are among them, in
    their places, so nothing drops out of the list while it goes. The number of queries depends
    neither on the depth nor on the number of stacks.
    """
    top = read_stacks(connection, [stack_id]).get(stack_id)
    if top is None or top.action is not Action.DELETE:
        yield from listed_versions(connection, stack_id, depth, with_attributes)
        return
    groups = list(listed_versions(connection, stack_id, depth, with_attributes))
    groups.extend(_gone(connection, top, depth))
    paths = _paths(connection, stack_id, depth)
    yield from sorted(groups, key=lambda group: paths[group[0].stack_id])


def _paths(connection: Connection, stack_id: str, depth: int) -> dict[str, str]:
    """Return for each stack of a tree the text by which the stacks are ordered depth first."""
    stacks = tree(connection.dialect.name)
    rows = connection.execute(select(stacks.c.id, stacks.c.path), {"top": stack_id, "depth": depth})
    return {row.id: row.path for row in rows}


def _gone(connection: Connection, top: Stack, depth: int) -> Iterator[list[ListedVersion]]:
    """Yield what was in the stacks that the deletion of a stack has deleted, stack by stack."""
    rows = connection.execute(
        _last_events(connection.dialect.name), {"top": top.id, "depth": depth, "of": top.id}
    ).all()
    owners: dict[str, str | None] = {
        row.child_id: row.resource_name for row in rows if row.child_id is not None
    }
    if top.parent_id is not None:
        holder = select(event.c.name).where(
            event.c.stack_id == top.parent_id, event.c.physical_id == top.id
        )
        owners[top.id] = connection.execute(holder.limit(1)).scalar()
    for _, group in groupby(rows, key=lambda row: row.stack_id):
        yield [_version(row, owners) for row in group]


def _last_events(dialect: str) -> Any:
    """Return the query for the last event of each resource of the stacks that are deleted.

    Only what was deleted since the bound stack ``of`` had last done anything but being deleted:
    what earlier updates removed is no part of the deletion. Events from before there was an object
    have another id, or none; they say nothing about what was deleted.
    """
    stacks = tree(dialect)
    own, first = event.alias("own"), event.alias("first")
    before = (
        select(func.coalesce(func.max(own.c.number), 0))
        .where(
            own.c.stack_id == bindparam("of"),
            own.c.physical_id == own.c.stack_id,
            own.c.action != Action.DELETE.value,
        )
        .scalar_subquery()
    )
    # An operation that was interrupted has no event of its end: the deletion begins with its own,
    # unless that has been purged.
    since = (
        select(func.coalesce(func.min(first.c.number), before))
        .where(
            first.c.stack_id == bindparam("of"),
            first.c.physical_id == first.c.stack_id,
            first.c.number > before,
        )
        .scalar_subquery()
    )
    listed = (
        select(
            event.c.stack_id,
            event.c.name,
            event.c.physical_id,
            func.min(event.c.at).label("created_at"),
            func.min(event.c.number).label("first"),
            func.max(event.c.number).label("last"),
        )
        .select_from(stacks)
        .join(stack, stack.c.id == stacks.c.id)
        .join(event, event.c.stack_id == stacks.c.id)
        .where(
            stack.c.deleted_at.is_not(None),
            event.c.physical_id.is_(None) | (event.c.physical_id != event.c.stack_id),
        )
        .group_by(event.c.stack_id, event.c.name, event.c.physical_id)
        .having(func.max(event.c.number) > since)
        .subquery("listed")
    )
    last = event.alias("last")
    child = stack.alias("child")
    return (
        select(
            stacks.c.id.label("stack_id"),
            stacks.c.name.label("stack_name"),
            stacks.c.depth,
            version.c.name.label("owner_name"),
            child.c.id.label("child_id"),
            child.c.name.label("child_name"),
            listed.c.name.label("resource_name"),
            listed.c.physical_id,
            listed.c.created_at,
            listed.c.first,
            last.c.type,
            last.c.action,
            last.c.status,
            last.c.reason,
            last.c.at,
        )
        .select_from(stacks)
        .join(listed, listed.c.stack_id == stacks.c.id)
        .join(last, (last.c.number == listed.c.last) & (last.c.action == Action.DELETE.value))
        .outerjoin(version, version.c.id == stacks.c.owner)
        .outerjoin(child, (child.c.id == listed.c.physical_id) & (child.c.parent_id == stacks.c.id))
        .order_by(stacks.c.path, listed.c.first)
    )


def _version(row: Any, owners: dict[str, str | None]) -> ListedVersion:
    return ListedVersion(
        stack_id=row.stack_id,
        stack_name=row.stack_name,
        depth=row.depth,
        owner_name=row.owner_name or owners.get(row.stack_id),
        child_id=row.child_id,
        child_name=row.child_name,
        # The row is deleted and its id unknown; but newer resources have greater ones.
        id=row.first - _NO_ID,
        uuid="",
        name=row.resource_name,
        type=row.type,
        physical_id=row.physical_id,
        action=row.action,
        status=row.status,
        reason=row.reason,
        owner=0,
        requires="[]",
        created_at=row.created_at,
        updated_at=row.at,
        recipe="",
        attributes="{}",
    )
