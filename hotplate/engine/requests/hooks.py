"""Letting a resource go on that waits at a hook."""

from sqlalchemy import Connection

from hotplate.engine import status_texts
from hotplate.engine.context import Tools
from hotplate.engine.current_versions import shown
from hotplate.engine.event_log import NewEvents
from hotplate.engine.lookup import locked_stack
from hotplate.engine.refusals import BadHook, Entity, NotFound
from hotplate.environment import Hook
from hotplate.model import Stack, Version
from hotplate.store.events import insert_events
from hotplate.store.nodes import let_pass, nodes_at_hook
from hotplate.store.versions import read_versions, versions_of


def clear_hook(
    connection: Connection, tools: Tools, stack_id: str, name: str, hook: str
) -> list[int]:
    """Let a resource go on that waits at a hook; return the nodes that are ready.

    The stack is locked, and so it is where nodes are laid aside: none can be missed on its way.
    Raises NotFound, or BadHook if the resource does not wait there.
    """
    stack = locked_stack(connection, stack_id)
    waiting = nodes_at_hook(connection, stack_id, name, hook)
    if not waiting:
        raise _nothing_to_clear(connection, stack, name, hook)
    ready = [node_id for node_id, _ in waiting]
    let_pass(connection, ready, hook)
    events = NewEvents(tools.world, tools.world.now())
    versions = read_versions(connection, [version_id for _, version_id in waiting])
    for _, version_id in waiting:
        version = versions[version_id]
        events.version(version, version.action, version.status, status_texts.cleared(hook))
    insert_events(connection, events.rows)
    return ready


def _nothing_to_clear(connection: Connection, stack: Stack, name: str, hook: str) -> Exception:
    version = shown(versions_of(connection, stack.id)).get(name)
    if version is None:
        return NotFound(Entity.RESOURCE, name, stack.name)
    resource = _described(version, stack)
    if hook not in {each.value for each in Hook}:
        return BadHook(f'Invalid hook type "{hook}" for {resource}')
    return BadHook(f'The "{hook}" hook is not defined on {resource}')


def _described(version: Version, stack: Stack) -> str:
    """Return a resource in the words that Heat has for it."""
    name = f'{version.type.rpartition("::")[2]} "{version.name}"'
    if version.physical_id is not None:
        name = f"{name} [{version.physical_id}]"
    return f'{name} Stack "{stack.name}" [{stack.id}]'
