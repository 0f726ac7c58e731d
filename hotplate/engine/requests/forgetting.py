"""Forgetting a resource that cannot be deleted, so that its stack can go on without it."""

from sqlalchemy import Connection

from hotplate.engine import status_texts
from hotplate.engine.event_log import NewEvents
from hotplate.engine.lookup import locked_stack
from hotplate.engine.refusals import ActionInProgress, Entity, NotFound, NotSupported
from hotplate.engine.requests.preconditions import must_be_idle
from hotplate.engine.traversal.nested import lock_with_outer
from hotplate.engine.version_transitions import complete
from hotplate.engine.world import RealWorld
from hotplate.model import Action, ReasonCode, Stack, Status, Version
from hotplate.store.events import insert_events
from hotplate.store.nodes import busy_versions
from hotplate.store.versions import save_versions, versions_named


def forget_resource(
    connection: Connection, world: RealWorld, stack_id: str, name: str
) -> list[Version]:
    """Take a resource whose deletion failed for deleted; return the versions whose objects stay.

    No provider is called. The stack stays as it is: whatever failed is to be tried again. Of a
    resource whose old object cannot be deleted, only that is forgotten. Raises NotFound,
    ActionInProgress while work on the stack or a parent is under way, and NotSupported.
    """
    around = lock_with_outer(connection, stack_id)
    locked = locked_stack(connection, stack_id)
    versions = versions_named(connection, stack_id, [name])
    if not versions:
        raise NotFound(Entity.RESOURCE, name, locked.name)
    for stack in around:
        must_be_idle(stack)
    failed = [version for version in versions if _could_not_be_deleted(version, locked)]
    if not failed:
        raise NotSupported(
            "Forgetting a resource whose deletion has not failed",
            "delete it first; to keep its object, give it the deletion policy Retain",
        )
    if any(version.is_nested_stack for version in failed):
        raise NotSupported(
            "Forgetting a resource that is a stack", "forget what could not be deleted inside it"
        )
    if not busy_versions(connection, stack_id).isdisjoint(version.id for version in failed):
        raise ActionInProgress(locked)
    events = NewEvents(world, world.now())
    for version in failed:
        reason = status_texts.forgotten(version.physical_id, version.uuid)
        complete(version, Action.DELETE, reason, ReasonCode.NONE, world.now())
        events.version(version, version.action, version.status, version.reason)
    save_versions(connection, failed)
    insert_events(connection, events.rows)
    return failed


def _could_not_be_deleted(version: Version, stack: Stack) -> bool:
    """Tell whether a deletion failed at a version; also one that could not find what to delete."""
    is_in_doubt = stack.action is Action.DELETE and version.intent is Action.CREATE
    return version.status is Status.FAILED and (version.action is Action.DELETE or is_in_doubt)
