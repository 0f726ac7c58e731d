"""Resources that are marked unhealthy, or well again."""

from dataclasses import replace

from sqlalchemy import Connection

from hotplate.engine import status_texts
from hotplate.engine.current_versions import named
from hotplate.engine.event_log import NewEvents
from hotplate.engine.lookup import locked_stack
from hotplate.engine.refusals import ActionInProgress, Entity, NotFound
from hotplate.engine.requests.preconditions import must_be_idle
from hotplate.engine.traversal.nested import lock_with_outer, visit_in_next_update
from hotplate.engine.version_transitions import observe
from hotplate.engine.world import RealWorld
from hotplate.model import Action, EarlierFailure, Status, Version
from hotplate.store.events import insert_events
from hotplate.store.nodes import busy_versions
from hotplate.store.versions import save_versions, versions_of


def mark_resource(
    connection: Connection,
    world: RealWorld,
    stack_id: str,
    name: str,
    unhealthy: bool,
    reason: str = "",
) -> None:
    """Call a resource unhealthy, or take that back; ``name`` may be its physical id.

    What is half done is left alone: it is made anew, or looked for, in any case. Raises NotFound,
    and ActionInProgress while the stack is busy or work on the resource is under way.
    """
    around = lock_with_outer(connection, stack_id)[1:]
    locked = locked_stack(connection, stack_id)
    version = named(versions_of(connection, stack_id), name)
    if version is None:
        raise NotFound(Entity.RESOURCE, name, locked.name)
    must_be_idle(locked)
    if version.id in busy_versions(connection, stack_id):
        raise ActionInProgress(locked)
    if version.action in (Action.DELETE, Action.INIT) or version.intent is not None:
        return
    failed = version.action is Action.CHECK and version.status is Status.FAILED
    if not unhealthy and not failed:
        return
    mark_version(version, unhealthy, reason or status_texts.MARKED)
    version.updated_at = world.now()
    save_versions(connection, [version])
    visit_in_next_update(connection, locked, around)
    events = NewEvents(world, version.updated_at)
    events.version(version, version.action, version.status, version.reason)
    insert_events(connection, events.rows)


def mark_version(version: Version, unhealthy: bool, reason: str) -> None:
    """Call a version unhealthy, so that the next update replaces it, or take that back.

    Whoever takes it back knows of the mark and nothing else: what had failed before is as it was
    then, and not in order.
    """
    earlier = version.definition.failed
    if version.action is not Action.CHECK or version.status is not Status.FAILED:
        is_failed = version.status is Status.FAILED
        reported = EarlierFailure(version.action, version.reason, version.reason_code)
        earlier = reported if is_failed else None
    if unhealthy:
        observe(version, Action.CHECK, Status.FAILED, reason)
    elif earlier:
        observe(version, earlier.action, Status.FAILED, earlier.reason, earlier.code)
    else:
        observe(version, Action.CHECK, Status.COMPLETE, reason)
    version.definition = replace(version.definition, failed=earlier if unhealthy else None)
