"""The coordinator of a large traversal, as a worker has it in hand."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from hotplate.model import Node, NodeState, Stack, Status, Task
from hotplate.store.nodes import lock_nodes
from hotplate.store.stacks import lock_stack


class NotNewest(Exception):
    """A newer traversal of the stack has begun, or it has failed: nothing more may be written."""


class NotOwner(Exception):
    """Another worker has the coordinator."""


@dataclass(frozen=True, slots=True)
class Coordinator:
    """A coordinator that a worker has claimed, and its stack as it was then."""

    node: Node
    stack: Stack


def lock_stack_of(connection: Connection, by: Coordinator) -> Stack:
    """Return the stack, locked. Raises NotOwner and NotNewest."""
    found = lock_stack(connection, by.stack.id)
    if not is_owner(connection, by.node):
        raise NotOwner
    return newest(by, [] if found is None else [found])


def newest(by: Coordinator, stacks: Iterable[Stack]) -> Stack:
    """Return the stack if the coordinator's traversal is its newest. Raises NotNewest."""
    for stack in stacks:
        # What there is to clear away is left by one that is not in progress.
        is_going_on = stack.status is Status.IN_PROGRESS or by.node.task is Task.CLEAR
        if stack.sequence == by.node.sequence and is_going_on:
            return stack
    raise NotNewest


def is_owner(connection: Connection, node: Node) -> bool:
    """Tell whether the worker that claimed a coordinator still has it."""
    row = lock_nodes(connection, [node.id]).get(node.id)
    return (
        row is not None
        and row.state is NodeState.CLAIMED
        and (row.generation, row.worker) == (node.generation, node.worker)
    )
