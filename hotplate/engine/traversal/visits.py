"""Traversals that visit every version and delete none: suspend, resume, check, snapshot."""

from collections.abc import Container, Sequence
from typing import Final

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.traversal.begin import (
    appoint,
    insert_graph,
    is_large,
    remove_idle_work,
    start_traversal,
)
from hotplate.engine.traversal.planned_rows import PlannedRows
from hotplate.model import Action, Stack, Task, Version
from hotplate.plan.prepare import PlannedNode, TraversalPlan, removal_order
from hotplate.store.large.survey import survey

VISIT_TASKS: Final = {
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
    if is_large(connection, tools, stack, None):
        return appoint(connection, tools, stack, action, {})
    now = tools.world.now()
    busy = remove_idle_work(connection, tools, stack, action, now)
    plan = plan_visit(survey(connection, stack.id), VISIT_TASKS[action], busy)
    sequence, recipe = stack.sequence + 1, stack.recipe
    rows = PlannedRows(tools.world, stack, plan, {}, sequence, recipe, now, stack.counter)
    nodes = rows.nodes()
    start_traversal(connection, tools, stack, action, nodes, {"counter": rows.counter})
    return insert_graph(connection, tools, stack, nodes, busy)


def plan_visit(versions: Sequence[Version], task: Task, busy: Container[int]) -> TraversalPlan:
    """Give each version a node; what an older traversal still works on is waited for."""
    places = {version.id: at for at, version in enumerate(versions)}
    plan = TraversalPlan(
        nodes=[
            PlannedNode(at, version.id, version.name, task, int(version.id in busy))
            for at, version in enumerate(versions)
        ]
    )
    order, _ = removal_order(versions)
    for needed, dependants in order.items():
        for dependant in dependants:
            first, then = (dependant, needed) if task is Task.SUSPEND else (needed, dependant)
            plan.nodes[places[first]].successors.append(places[then])
            plan.nodes[places[then]].need += 1
    return plan
