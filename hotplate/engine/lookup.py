"""Stacks and snapshots that a request names, or the refusal that there is none."""

from sqlalchemy import Connection

from hotplate.engine.refusals import Entity, NotFound
from hotplate.model import Snapshot, Stack
from hotplate.store.snapshots import read_snapshot
from hotplate.store.stacks import lock_stack, read_stacks


def current_stack(connection: Connection, stack_id: str) -> Stack:
    """Return a stack that has not been deleted, as it is at this moment. Raises NotFound."""
    stack = read_stacks(connection, [stack_id]).get(stack_id)
    if stack is None or stack.deleted_at is not None:
        raise NotFound(Entity.STACK, stack_id)
    return stack


def locked_stack(connection: Connection, stack_id: str) -> Stack:
    """Return a stack that has not been deleted, locked. Raises NotFound."""
    stack = lock_stack(connection, stack_id)
    if stack is None or stack.deleted_at is not None:
        raise NotFound(Entity.STACK, stack_id)
    return stack


def kept_snapshot(connection: Connection, stack: Stack, snapshot_id: str) -> Snapshot:
    """Return a snapshot of a stack. Raises NotFound."""
    found = read_snapshot(connection, stack.id, snapshot_id)
    if found is None:
        raise NotFound(Entity.SNAPSHOT, snapshot_id, stack.name)
    return found
