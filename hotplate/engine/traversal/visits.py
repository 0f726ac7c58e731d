"""Traversals that visit every version and delete none: suspend, resume, check, snapshot."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.traversal.begin import clear_way, set_out, switch
from hotplate.engine.traversal.rows import version_id
from hotplate.model import Action, Node, NodeState, Stack, Task, Version
from hotplate.plan.prepare import removal_order
from hotplate.store.versions import versions_of

VISITS: Final = {
    Action.SUSPEND: Task.SUSPEND,
    Action.RESUME: Task.RESUME,
    Action.CHECK: Task.CHECK,
    Action.SNAPSHOT: Task.SNAPSHOT,
}
"""Actions that visit every version and change none of them."""


def begin_visit(connection: Connection, tools: Tools, stack: Stack, action: Action) -> list[int]:
    """Start a traversal that visits every version and deletes none; return the ready nodes.

    Suspending goes from the dependants to what they need, everything else the other way.
    """
    busy = clear_way(connection, tools, stack, action, tools.world.now())
    versions = versions_of(connection, stack.id)
    nodes, counter = _visit_nodes(stack, versions, VISITS[action], stack.sequence + 1, busy)
    switch(connection, tools, stack, action, nodes, {"counter": counter})
    return set_out(connection, tools, stack, nodes, busy)


def _visit_nodes(
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
