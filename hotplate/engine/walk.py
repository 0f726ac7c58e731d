"""Traversals that visit every version and delete none: suspend, resume, check, snapshot."""

from collections import Counter
from typing import Final

from sqlalchemy import Connection

from hotplate.engine import words
from hotplate.engine.journal import Journal
from hotplate.engine.traversal import Tools, complete, version_id
from hotplate.model import Action, Node, NodeState, Stack, Status, Task, Version
from hotplate.store.events import insert_events
from hotplate.store.nodes import insert_nodes, remove_idle_nodes
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
    remove_idle_nodes(connection, stack.id)
    versions = [v for v in versions_of(connection, stack.id) if v.action is not Action.DELETE]
    nodes, counter = _walk_nodes(stack, versions, task, sequence)
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
    journal = Journal(tools.world, now)
    journal.stack(stack, action, Status.IN_PROGRESS, stack.reason)
    insert_events(connection, journal.rows)
    if not nodes:
        return complete(connection, tools, stack)
    return [node.id for node in nodes if node.state is NodeState.READY]


def _walk_nodes(
    stack: Stack, versions: list[Version], task: Task, sequence: int
) -> tuple[list[Node], int]:
    numbers = {version.id: stack.counter + 1 + at for at, version in enumerate(versions)}
    after: dict[int, list[int]] = {version.id: [] for version in versions}
    for version in versions:
        for needed in version.requires:
            if needed in numbers:
                first, then = (needed, version.id)
                if task is Task.SUSPEND:
                    first, then = then, first
                after[first].append(then)
    need = Counter(then for others in after.values() for then in others)
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
