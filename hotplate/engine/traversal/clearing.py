"""What a large stack leaves behind that fails, is stopped or abandoned: taken away in portions.

Each function is one transaction of a coordinator, as in `coordinator`, or a part that reads. The
stack has its status already. Nothing of what is left can begin, for a claim looks at the stack's
sequence; and whatever begins next in the stack takes away itself what is still there by then.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.traversal.abort_waiting import abort_waiting
from hotplate.engine.traversal.claimed_coordinator import Coordinator, lock_stack_of
from hotplate.engine.traversal.end import StopBudget, sole_nodes, stop_below
from hotplate.model import NodeState, ReasonCode, Task
from hotplate.store.large.clearing import (
    is_in_hand,
    nodes_beside,
    remove_unbegun,
    resting_in_tree,
    unbegun_nodes,
    versions_in_tree,
)
from hotplate.store.large.portions import coordinate
from hotplate.store.nodes import keep_nodes, remove_nodes
from hotplate.store.versions import remove_versions

_STOPPED = frozenset((ReasonCode.TIMED_OUT, ReasonCode.CANCELLED))


def stop_some(connection: Connection, tools: Tools, by: Coordinator) -> tuple[list[int], bool]:
    """Fail some of what is in progress inside the stack.

    Returns the nodes that are ready because of it, and whether that was all.
    """
    stack = lock_stack_of(connection, by)
    return stop_below(connection, tools, stack, StopBudget.of(tools))


@dataclass(frozen=True, slots=True)
class Waiting:
    """What shall not go on in a stack and below it."""

    nodes: Sequence[int] = ()
    is_all: bool = True
    """Whether there is nothing that a worker looks at right now, and may lay aside again."""


def read_waiting(connection: Connection, by: Coordinator) -> Waiting:
    """Return the nodes that wait in the stack and below it, if they shall not go on."""
    if by.node.task is Task.CLEAR and by.stack.reason_code not in _STOPPED:
        return Waiting()
    is_all = not _is_late(by) or not is_in_hand(connection, by.stack)
    return Waiting(resting_in_tree(connection, by.stack), is_all)


def give_up_some(
    connection: Connection, tools: Tools, by: Coordinator, ids: Sequence[int]
) -> list[int]:
    """End what some of them wait for; return the nodes that are ready because of it."""
    lock_stack_of(connection, by)
    return abort_waiting(connection, tools, ids, endless_only=not _is_late(by))


def go_on_with_plan(connection: Connection, by: Coordinator) -> None:
    """Let the coordinator plan next: what was to be stopped has been."""
    lock_stack_of(connection, by)
    coordinate(connection, by.node, Task.PLAN, NodeState.CLAIMED)


def read_unbegun(connection: Connection, by: Coordinator) -> Sequence[int]:
    """Return the nodes that will never begin."""
    return unbegun_nodes(connection, by.stack)


def remove_some(connection: Connection, by: Coordinator, ids: Sequence[int]) -> list[int]:
    """Remove some of them; return those that must bring to its end what was begun."""
    stack = lock_stack_of(connection, by)
    beside = nodes_beside(connection, ids)
    kept = sole_nodes({node.version_id for node in beside}, beside) if beside else []
    keep_nodes(connection, kept)
    remove_unbegun(connection, stack, ids)
    return kept


def read_abandoned(connection: Connection, by: Coordinator) -> Sequence[int]:
    """Return the versions that a stack has left that was abandoned."""
    return [] if by.stack.deleted_at is None else versions_in_tree(connection, by.stack)


def remove_abandoned(connection: Connection, by: Coordinator, ids: Sequence[int]) -> None:
    """Remove some of them."""
    lock_stack_of(connection, by)
    remove_versions(connection, ids)


def end_clearing(connection: Connection, by: Coordinator) -> None:
    """Remove the coordinator: nothing is left."""
    lock_stack_of(connection, by)
    remove_nodes(connection, [by.node.id])


def _is_late(by: Coordinator) -> bool:
    """Tell whether the time is up also for what would come to its end by itself."""
    return by.node.task is Task.STOP or by.stack.reason_code is ReasonCode.TIMED_OUT
