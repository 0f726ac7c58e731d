"""How a traversal ends, well or badly. All of it in a transaction of the caller."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.event_log import NewEvents
from hotplate.engine.nested_stacks import failures_of
from hotplate.engine.traversal.overtaken import parked_at_work, wake_waiting_elsewhere
from hotplate.engine.traversal.planned_rows import row_id
from hotplate.engine.traversal.stack_transitions import (
    StackState,
    cancelled,
    checked_and_failed,
    completed,
)
from hotplate.engine.version_transitions import SEARCHING
from hotplate.model import Action, Node, NodeState, Stack, Status, Task
from hotplate.store.events import insert_events
from hotplate.store.large.clearing import (
    busy_children,
    failed_versions,
    forget_releases,
    is_partly_checked,
)
from hotplate.store.nodes import (
    insert_nodes,
    nodes_of,
    remove_idle_nodes,
    remove_unbegun_nodes,
    wake_pausing,
    wake_version,
)
from hotplate.store.snapshots import end_snapshots
from hotplate.store.stacks import change_stack, lock_stacks
from hotplate.store.versions import (
    clear_cookie,
    count_versions,
    purge_deleted,
    remove_versions_of,
    unfinished_versions,
    versions_of,
)

_STOP_BUDGET: Final = 2
"""Portions of resources in stacks inside one that are stopped in one transaction."""

_STACK: Final = 20
"""Stopping a stack takes as long as removing so many nodes."""

REACHES_RECIPE = frozenset(
    (Action.CREATE, Action.UPDATE, Action.ROLLBACK, Action.ADOPT, Action.RESTORE)
)
"""Actions whose end means that the stack is what its recipe says."""


def complete(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    is_tidy: bool = False,
    kept: Mapping[str, Any] | None = None,
    found: "Found | None" = None,
) -> list[int]:
    """End the traversal of a locked stack well; return nodes that are ready because of it.

    A check has visited everything whatever it found: that is reported here, and the stack may fail.
    ``is_tidy``: nothing is left of versions whose objects have been deleted. ``kept`` is what a
    snapshot keeps and ``found`` what a check found, if somebody has read that already.
    """
    now = tools.world.now()
    events = NewEvents(tools.world, now)
    is_partial = False
    if stack.action is Action.CHECK:
        found = found_by_check(connection, stack) if found is None else found
        is_partial = found.is_partial
        if found.failures:
            state = checked_and_failed(stack, found.failures, is_partial)
            return fail(connection, tools, stack, state)
    state = completed(stack, is_partial)
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
        kept = kept_data(connection, stack) if kept is None else kept
        end_snapshots(connection, stack, state.status, state.reason, kept)
    remove_idle_nodes(connection, stack.id)
    change_stack(connection, stack.id, project=stack.project, **changes)
    for key, value in state.columns().items():
        setattr(stack, key, value)
    events.stack(stack, stack.action, stack.status, stack.reason)
    insert_events(connection, events.rows)
    return _wake_parent(connection, stack)


@dataclass(slots=True)
class StopBudget:
    """How much one transaction may still end."""

    left: int

    @classmethod
    def of(cls, tools: Tools) -> "StopBudget":
        """Return what a whole transaction may end."""
        return cls(_STOP_BUDGET * tools.portion)

    def takes(self, size: int) -> bool:
        """Take some of it, if there is any left."""
        is_there = self.left > 0
        self.left -= size
        return is_there


def fail(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    state: StackState,
    budget: StopBudget | None = None,
    is_left: bool = False,
) -> list[int]:
    """End the traversal of a locked stack badly; return nodes that are ready because of it.

    Nothing more starts: the sequence moves on, so that work still running only records what
    becomes of its version. What is too much to be taken away at once is left to a coordinator, and
    with it whatever else has been left to do, if ``is_left``.
    """
    budget = StopBudget.of(tools) if budget is None else budget
    is_large = count_versions(connection, stack.id, tools.portion) > tools.portion
    if is_large:
        forget_releases(connection, stack.id)
    else:
        kept = _sole_nodes_of_work(connection, stack.id)
        remove_unbegun_nodes(connection, stack.id, kept)
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
        end_snapshots(connection, stack, state.status, state.reason, kept_data(connection, stack))
    events = NewEvents(tools.world, tools.world.now())
    events.stack(stack, stack.action, stack.status, stack.reason)
    insert_events(connection, events.rows)
    ready, is_over = stop_below(connection, tools, stack, budget)
    if is_large or is_left or not is_over:
        ready.append(appoint_clearing(connection, stack))
    return [*ready, *_wake_parent(connection, stack)]


def appoint_clearing(connection: Connection, stack: Stack) -> int:
    """Have a coordinator take away what a locked stack has left; return its node."""
    stack.counter += 1
    change_stack(connection, stack.id, counter=stack.counter)
    node = Node(
        id=row_id(stack.number, stack.counter),
        stack_id=stack.id,
        sequence=stack.sequence,
        version_id=0,
        name="",
        task=Task.CLEAR,
        need=0,
        state=NodeState.READY,
    )
    insert_nodes(connection, [node])
    return node.id


def stop_below(
    connection: Connection, tools: Tools, stack: Stack, budget: StopBudget
) -> tuple[list[int], bool]:
    """Fail what is in progress inside a stack that has failed, or pauses between stages.

    Returns the nodes that are ready because of it, and whether that was all.
    """
    ready = wake_pausing(connection, stack.id)
    most = max(1, budget.left // _STACK)
    found = busy_children(connection, stack.id, most + 1)
    for child in lock_stacks(connection, found[:most]).values() if found else ():
        if child.status is not Status.IN_PROGRESS or child.action is Action.DELETE:
            continue
        size = count_versions(connection, child.id, tools.portion)
        if not budget.takes(_STACK + (size if size <= tools.portion else 0)):
            return ready, False
        ready.extend(fail(connection, tools, child, cancelled(child), budget))
        if size <= tools.portion:
            # What they wait for is not wanted any more, and may never come.
            parked = parked_at_work(nodes_of(connection, child.id))
            ready.extend(wake_waiting_elsewhere(connection, tools.catalogue, parked))
    return ready, len(found) <= most


@dataclass(frozen=True, slots=True)
class Found:
    """What a check found: what is wrong, and whether something could not be checked."""

    failures: list[str]
    is_partial: bool


def found_by_check(connection: Connection, stack: Stack) -> Found:
    """Return what a check of a stack found. Of a large one all versions are looked at."""
    failures = failures_of(failed_versions(connection, stack.id))
    return Found(failures, is_partly_checked(connection, stack.id))


def kept_data(connection: Connection, stack: Stack) -> dict[str, Any]:
    """Return what is kept of each resource of a stack and of its nested stacks."""
    return _kept(connection, stack.id)


def _kept(connection: Connection, stack_id: str) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for each in versions_of(connection, stack_id):
        kept[each.name] = {
            "type": each.type_name,
            "physical_id": each.physical_id,
            "data": each.data,
        }
        if each.is_nested_stack and each.physical_id is not None:
            kept[each.name]["resources"] = _kept(connection, each.physical_id)
    return kept


def _wake_parent(connection: Connection, stack: Stack) -> list[int]:
    """Let the node go on that waits for this stack to end."""
    if stack.parent_version is None:
        return []
    return wake_version(connection, stack.parent_version)


def _sole_nodes_of_work(connection: Connection, stack_id: str) -> list[int]:
    """Return the nodes of a stack that must stay, for there is no other to end what was begun."""
    unfinished = unfinished_versions(connection, stack_id)
    return sole_nodes(unfinished, nodes_of(connection, stack_id)) if unfinished else []


def sole_nodes(unfinished: set[int], nodes: Iterable[Node]) -> list[int]:
    """Return a node for each version whose work was begun and that no worker has.

    Its worker died, and it was left to the node of a newer traversal. That one must not go with
    the traversal: the work comes to its end. ``nodes`` are all those on these versions.
    """
    kept: dict[int, int] = {}
    for node in nodes:
        is_busy = node.state in (NodeState.CLAIMED, NodeState.PARKED) and not node.is_paused
        if is_busy or (node.state is NodeState.READY and node.generation):
            unfinished.discard(node.version_id)
        elif node.state is not NodeState.DONE:
            kept.setdefault(node.version_id, node.id)
    return [node_id for version_id, node_id in kept.items() if version_id in unfinished]
