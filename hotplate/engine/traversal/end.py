"""How a traversal ends, well or badly. All of it in a transaction of the caller."""

from typing import Any

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.event_log import NewEvents
from hotplate.engine.nested_stacks import failures_of
from hotplate.engine.traversal.overtaken import parked_at_work, wake_waiting_elsewhere
from hotplate.engine.traversal.transitions import (
    StackState,
    cancelled,
    checked_and_failed,
    completed,
)
from hotplate.engine.version_transitions import SEARCHING
from hotplate.model import Action, NodeState, ReasonCode, Stack, Status
from hotplate.store.events import insert_events
from hotplate.store.nodes import (
    nodes_of,
    remove_idle_nodes,
    remove_unbegun_nodes,
    wake_pausing,
    wake_version,
)
from hotplate.store.snapshots import end_snapshots
from hotplate.store.stacks import change_stack, lock_stacks, read_stacks, stacks_of_root
from hotplate.store.versions import (
    clear_cookie,
    purge_deleted,
    remove_versions_of,
    unfinished_versions,
    versions_of,
)

REACHES_RECIPE = frozenset(
    (Action.CREATE, Action.UPDATE, Action.ROLLBACK, Action.ADOPT, Action.RESTORE)
)
"""Actions whose end means that the stack is what its recipe says."""


def complete(
    connection: Connection, tools: Tools, stack: Stack, is_tidy: bool = False
) -> list[int]:
    """End the traversal of a locked stack well; return nodes that are ready because of it.

    A check has visited everything whatever it found: that is reported here, and the stack may fail.
    ``is_tidy``: nothing is left of versions whose objects have been deleted.
    """
    now = tools.world.now()
    events = NewEvents(tools.world, now)
    is_partly_checked = False
    if stack.action is Action.CHECK:
        failures, is_partly_checked = _found(connection, stack)
        if failures:
            found = checked_and_failed(stack, failures, is_partly_checked)
            return fail(connection, tools, stack, found)
    state = completed(stack, is_partly_checked)
    changes = {**state.columns(), "deadline": None}
    if stack.action in REACHES_RECIPE:
        changes["completed_recipe"] = stack.recipe
    if stack.action is Action.DELETE:
        remove_versions_of(connection, stack.id)
        changes |= {"deleted_at": now, "name_lock": None}
        tools.book.forget(stack.id)
    elif not is_tidy:
        purge_deleted(connection, stack.id)
    if stack.action is Action.SNAPSHOT:
        _end_snapshot(connection, stack, state)
    remove_idle_nodes(connection, stack.id)
    change_stack(connection, stack.id, project=stack.project, **changes)
    for key, value in state.columns().items():
        setattr(stack, key, value)
    events.stack(stack, stack.action, stack.status, stack.reason)
    insert_events(connection, events.rows)
    return _wake_parent(connection, stack)


def fail(connection: Connection, tools: Tools, stack: Stack, state: StackState) -> list[int]:
    """End the traversal of a locked stack badly; return nodes that are ready because of it.

    Nothing more starts: the sequence moves on, so that work still running only records what
    becomes of its version.
    """
    remove_unbegun_nodes(connection, stack.id, _sole_nodes_of_work(connection, stack.id))
    # A search whose node has gone with an older traversal is begun anew by whoever needs it.
    clear_cookie(connection, stack.id, SEARCHING)
    changes = {
        "traversal": None,
        "sequence": stack.sequence + 1,
        **state.columns(),
        "deadline": None,
        "need": 0,
        "update_need": 0,
    }
    change_stack(connection, stack.id, **changes)
    for key, value in changes.items():
        setattr(stack, key, value)
    if stack.action is Action.SNAPSHOT:
        _end_snapshot(connection, stack, state)
    events = NewEvents(tools.world, tools.world.now())
    events.stack(stack, stack.action, stack.status, stack.reason)
    insert_events(connection, events.rows)
    return [*_stop_below(connection, tools, stack), *_wake_parent(connection, stack)]


def _found(connection: Connection, stack: Stack) -> tuple[list[str], bool]:
    """Return what a check found wrong, and whether something could not be checked."""
    versions = versions_of(connection, stack.id)
    inside = read_stacks(connection, [v.physical_id or "" for v in versions if v.is_nested_stack])
    is_partial = any(v.reason_code is ReasonCode.NOT_CHECKED for v in versions) or any(
        child.reason_code is ReasonCode.PARTLY_CHECKED for child in inside.values()
    )
    return failures_of(versions), is_partial


def _end_snapshot(connection: Connection, stack: Stack, state: StackState) -> None:
    kept = _kept(connection, stack.id)
    end_snapshots(connection, stack, state.status, state.reason, kept)


def _kept(connection: Connection, stack_id: str) -> dict[str, Any]:
    """Return what is kept of each resource of a stack and of its nested stacks."""
    kept: dict[str, Any] = {}
    for version in versions_of(connection, stack_id):
        kept[version.name] = {
            "type": version.type_name,
            "physical_id": version.physical_id,
            "data": version.data,
        }
        if version.is_nested_stack and version.physical_id is not None:
            kept[version.name]["resources"] = _kept(connection, version.physical_id)
    return kept


def _wake_parent(connection: Connection, stack: Stack) -> list[int]:
    """Let the node go on that waits for this stack to end."""
    if stack.parent_version is None:
        return []
    return wake_version(connection, stack.parent_version)


def _stop_below(connection: Connection, tools: Tools, stack: Stack) -> list[int]:
    """Fail whatever is in progress inside a stack that has failed, or pauses between stages."""
    ready = wake_pausing(connection, stack.id)
    below = [s for s in stacks_of_root(connection, stack.root_id) if s.parent_id == stack.id]
    for child in lock_stacks(connection, [s.id for s in below]).values() if below else ():
        if child.status is Status.IN_PROGRESS and child.action is not Action.DELETE:
            ready.extend(fail(connection, tools, child, cancelled(child)))
            # What they wait for is not wanted any more, and may never come.
            parked = parked_at_work(nodes_of(connection, child.id))
            ready.extend(wake_waiting_elsewhere(connection, tools.catalogue, parked))
    return ready


def _sole_nodes_of_work(connection: Connection, stack_id: str) -> list[int]:
    """Return a node for each version whose work was begun and that no worker has.

    Its worker died, and it was left to the node of a newer traversal. That one must not go with
    the traversal: the work comes to its end.
    """
    unfinished = unfinished_versions(connection, stack_id)
    kept: dict[int, int] = {}
    for node in nodes_of(connection, stack_id) if unfinished else ():
        is_busy = node.state in (NodeState.CLAIMED, NodeState.PARKED) and not node.is_paused
        if is_busy or (node.state is NodeState.READY and node.generation):
            unfinished.discard(node.version_id)
        elif node.state is not NodeState.DONE:
            kept.setdefault(node.version_id, node.id)
    return [node_id for version_id, node_id in kept.items() if version_id in unfinished]
