"""Snapshots of stacks: taken, restored, removed."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.lookup import current_stack, kept_snapshot, locked_stack
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import fetch
from hotplate.engine.recipes.stored import keep
from hotplate.engine.refusals import Entity, NotFound, NotSupported, Refused
from hotplate.engine.requests.preconditions import must_be_awake, must_be_idle, must_be_sound
from hotplate.engine.traversal.begin import begin
from hotplate.engine.traversal.visits import begin_visit
from hotplate.engine.world import ServiceMissing
from hotplate.identity import AuthorityLost
from hotplate.model import Action, Snapshot, Stack, Status
from hotplate.resources.capabilities import SnapshotsAtDeletion
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.resource_type import ResourceFailed
from hotplate.store.snapshots import (
    has_snapshot,
    insert_snapshot,
    remove_snapshot,
    snapshots_of,
)

_log = logging.getLogger("hotplate.requests")
_IN_USE: Final = "Conflict"


def begin_snapshot(
    connection: Connection, tools: Tools, stack: Stack, snapshot_id: str, name: str | None
) -> list[int]:
    """Begin to keep the state of a locked stack; return the nodes that are ready."""
    must_be_idle(stack)
    must_be_sound(stack, "Taking a snapshot of a stack")
    must_be_awake(connection, stack, "Taking a snapshot of a stack")
    insert_snapshot(
        connection,
        stack.project,
        Snapshot(
            id=snapshot_id,
            stack_id=stack.id,
            name=name,
            status=Status.IN_PROGRESS,
            reason="",
            recipe=stack.recipe,
            data={},
            created_at=tools.world.now(),
        ),
    )
    return begin_visit(connection, tools, stack, Action.SNAPSHOT)


@dataclass(frozen=True, slots=True)
class Restorable:
    """A stack, and what a snapshot of it would make of it. A snapshot never changes."""

    stack: Stack
    snapshot: Snapshot
    recipe: Recipe


def restorable(connection: Connection, stack_id: str, snapshot_id: str) -> Restorable:
    """Return what a snapshot kept. Raises NotFound, NotSupported if it is not complete."""
    stack = current_stack(connection, stack_id)
    must_be_idle(stack)
    found = kept_snapshot(connection, stack, snapshot_id)
    if found.status is not Status.COMPLETE:
        raise NotSupported("Restoring incomplete snapshot")
    recipe = fetch(connection, stack.project, found.recipe)
    return Restorable(stack, found, replace(recipe, kept=_worth_keeping(found.data)))


def begin_restore(
    connection: Connection, tools: Tools, stack: Stack, kept: Restorable
) -> list[int]:
    """Begin to bring a locked stack back to a snapshot; return the nodes that are ready."""
    must_be_idle(stack)
    if not has_snapshot(connection, stack.id, kept.snapshot.id):
        raise NotFound(Entity.SNAPSHOT, kept.snapshot.id, stack.name)
    digest = keep(connection, stack.project, kept.recipe)
    return begin(connection, tools, stack, Action.RESTORE, digest)


def removable_snapshot(connection: Connection, stack_id: str, snapshot_id: str) -> Snapshot:
    """Return a snapshot that shall be removed. Raises NotSupported while it is being taken."""
    found = kept_snapshot(connection, locked_stack(connection, stack_id), snapshot_id)
    if found.status is Status.IN_PROGRESS:
        raise NotSupported("Deleting in-progress snapshot", "wait until it has been taken")
    return found


async def remove_copies(tools: Tools, kept: Mapping[str, Any]) -> None:
    """Remove the copies that a snapshot has made of objects. Raises Refused.

    May be called again: what is removed already is no error.
    """
    for name, entry in kept.items():
        await remove_copies(tools, entry.get("resources", {}))
        try:
            resource_type = resource_type_for(tools.catalogue, entry.get("type", ""))
            if isinstance(resource_type, SnapshotsAtDeletion):
                await resource_type.remove_snapshot(tools.world, entry["data"])
        except UnknownType:
            continue
        except (ResourceFailed, ServiceMissing, AuthorityLost) as error:
            raise Refused(
                f"The copy of {name} in the snapshot cannot be removed: {error}",
                "nothing else is lost by it: try again when the service does it",
            ) from error


async def without_copies(tools: Tools, found: Sequence[Snapshot]) -> list[str]:
    """Remove the copies of the snapshots of a stack that is going to be deleted.

    Returns the snapshots that have none any more. One stays whose copy is in use, as the image of a
    server may be that was restored from it: the server goes only now. Raises Refused for others.
    """
    gone = []
    for each in found:
        try:
            await remove_copies(tools, each.data)
            gone.append(each.id)
        except Refused as refused:
            cause = refused.__cause__
            if not isinstance(cause, ResourceFailed) or cause.error != _IN_USE:
                raise
            facts = {"stack": each.stack_id, "snapshot": each.id, "reason": str(refused)}
            _log.warning("a snapshot outlives its stack", extra=facts)
    return gone


def removable_snapshots(connection: Connection, stack_id: str) -> list[Snapshot]:
    """Return the snapshots of a stack that are not being taken just now."""
    found = snapshots_of(connection, stack_id)
    return [each for each in found if each.status is not Status.IN_PROGRESS]


def forget_snapshot(connection: Connection, stack_id: str, snapshot_id: str) -> None:
    """Remove a snapshot. Raises NotSupported while it is being taken."""
    remove_snapshot(connection, removable_snapshot(connection, stack_id, snapshot_id).id)


def _worth_keeping(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return of what a snapshot kept only what a type has put there."""
    found: dict[str, Any] = {}
    for name, entry in kept.items():
        nested = _worth_keeping(entry.get("resources", {}))
        if entry["data"] or nested:
            found[name] = {"data": entry["data"], "resources": nested}
    return found
