"""Traversals that visit every version and delete none: suspend, resume, check, snapshot."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection

from hotplate.engine import words
from hotplate.engine.journal import Journal
from hotplate.engine.traversal import Tools, await_release, clear_way, complete, version_id
from hotplate.model import Action, Node, NodeState, Stack, Status, Task, Version
from hotplate.plan.prepare import removal_order
from hotplate.store.events import insert_events
from hotplate.store.nodes import insert_nodes
from hotplate.store.stacks import switch_traversal
from hotplate.store.versions import versions_of

WALKS: Final = {
    Action.SUSPEND: Task.SUSPEND,
    Action.RESUME: Task.RESUME,
    Action.CHECK: Task.CHECK,
    Action.SNAPSHOT: Task.SNAPSHOT,
}
"""Actions that visit every version and change none of them."""


def begin_walk(
    connection: Connection, tools: Tools, stack: Stack, action: Action, task: Task
) -> list[int] | None:
    """Start a traversal that visits every version and deletes none; return the ready nodes.

    Suspending goes from the dependants to what they need, everything else the other way.
    """
    now = tools.world.now()
    sequence = stack.sequence + 1
    busy = clear_way(connection, tools, stack, action, now)
    versions = versions_of(connection, stack.id)
    nodes, counter = _walk_nodes(stack, versions, task, sequence, busy)
    changes = {
        "traversal": tools.world.uuid(),
        "sequence": sequence,
        "counter": counter,
        "need": len(nodes),
        "update_need": 0,
        "action": action,
        "status": Status.IN_PROGRESS,
        "reason": words.started(action),
        "deadline": None if stack.timeout is None else now + 60.0 * stack.timeout,
        "updated_at": now,
    }
    if not switch_traversal(connection, stack.id, stack.sequence, changes):
        return None
    for key, value in changes.items():
        setattr(stack, key, value)
    insert_nodes(connection, nodes)
    await_release(connection, nodes, busy)
    journal = Journal(tools.world, now)
    journal.stack(stack, action, Status.IN_PROGRESS, stack.reason)
    insert_events(connection, journal.rows)
    if not nodes:
        return complete(connection, tools, stack)
    return [node.id for node in nodes if node.state is NodeState.READY]


def _walk_nodes(
    stack: Stack,
    versions: list[Version],
    task: Task,
    sequence: int,
    busy: Mapping[int, int],
) -> tuple[list[Node], int]:
    """Give each version a node; what an older traversal still works on is waited for."""
    numbers = {version.id: stack.counter + 1 + at for at, version in enumerate(versions)}
    after: dict[int, list[int]] = {version.id: [] for version in versions}
    order, _ = removal_order(versions)
    for needed, dependants in order.items():
        for dependant in dependants:
            first, then = (dependant, needed) if task is Task.SUSPEND else (needed, dependant)
            after[first].append(then)
    need = Counter(then for others in after.values() for then in others)
    need.update(version.id for version in versions if version.id in busy)
    nodes = [
        Node(
            id=version_id(stack.number, numbers[version.id]),
            stack_id=stack.id,
            sequence=sequence,
            version_id=version.id,
            name=version.name,
            task=task,
            need=need[version.id],
            state=NodeState.WAITING if need[version.id] else NodeState.READY,
            successors=tuple(
                version_id(stack.number, numbers[other]) for other in after[version.id]
            ),
        )
        for version in versions
    ]
    return nodes, stack.counter + len(versions)
