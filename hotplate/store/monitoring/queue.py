"""Queries on what waits: what a broker may have forgotten, and what an operator wants to know."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, select

from hotplate.model import NodeState, Status
from hotplate.store.prepared import Prepared, PreparedList
from hotplate.store.schema import node, stack
from hotplate.store.workers import workers

_S = NodeState
_READY_AFTER = Prepared(
    select(node.c.id)
    .where(
        node.c.id > bindparam("after"),
        node.c.id < bindparam("end"),
        node.c.state == _S.READY.value,
    )
    .order_by(node.c.id)
    .limit(bindparam("most")),
    ("after", "end", "most"),
)
_OUTCOMES = PreparedList(
    select(node.c.state, node.c.worker, node.c.successors, node.c.releases).where(
        node.c.id.in_(bindparam("ids", expanding=True))
    ),
    "ids",
)
_NOW_READY = PreparedList(
    select(node.c.id).where(
        node.c.id.in_(bindparam("ids", expanding=True)), node.c.state == _S.READY.value
    ),
    "ids",
)


def ready_after(connection: Connection, node_id: int, most: int) -> list[int]:
    """Return ready nodes of the stack of a node, those after it, in the order of their ids."""
    end = ((node_id >> 32) + 1) << 32
    return [row[0] for row in _READY_AFTER.rows(connection, node_id, end, most)]


def owners_of(connection: Connection, ids: Sequence[int]) -> set[int]:
    """Return the workers that have claimed any of the nodes."""
    return {
        row[1]
        for row in _OUTCOMES.rows(connection, ids)
        if row[0] == _S.CLAIMED.value and row[1] is not None
    }


def readied_by(connection: Connection, ids: Sequence[int], most: int) -> list[int]:
    """Return the ready nodes among those that waited for any of the nodes that are done.

    One transaction may have ended nodes after these as well, and then those after them: up to
    ``most`` nodes that are done are looked at besides.
    """
    seen = set(ids)
    latest = list(ids)
    while latest and len(seen) <= len(ids) + most:
        after: set[int] = set()
        for state, _, successors, releases in _OUTCOMES.rows(connection, latest):
            if state == _S.DONE.value:
                after.update(json.loads(successors))
                after.update(json.loads(releases))
        latest = sorted(after - seen)
        seen.update(latest)
    found = sorted(seen.difference(ids))
    return sorted(row[0] for row in _NOW_READY.rows(connection, found)) if found else []


@dataclass(frozen=True, slots=True)
class WaitingNode:
    """A node that is not done, and what can be known of why."""

    stack: str
    project: str
    name: str
    state: NodeState
    since: float
    """When the operation on its stack began."""

    need: int
    due: float | None
    hook: str | None
    worker: int | None


def count_nodes(connection: Connection) -> dict[NodeState, int]:
    """Return how many nodes are in each state."""
    rows = connection.execute(select(node.c.state, func.count()).group_by(node.c.state))
    return {NodeState(state): int(count) for state, count in rows}


def oldest_waiting(connection: Connection) -> WaitingNode | None:
    """Return the node to blame for the stack that has been in progress longest.

    Of its nodes that is one that could go on or is being worked on, not one that waits for these.
    """
    since = func.coalesce(stack.c.updated_at, stack.c.created_at)
    query = (
        select(
            stack.c.name, stack.c.project, node.c.name, node.c.state, since, node.c.need,
            node.c.due, node.c.hook, node.c.worker, node.c.version_id,
        )
        .join(stack, stack.c.id == node.c.stack_id)
        .where(
            stack.c.status == Status.IN_PROGRESS.value,
            node.c.state.in_([_S.READY.value, _S.CLAIMED.value, _S.PARKED.value]),
        )
        .order_by(since, stack.c.depth.desc(), node.c.id)
        .limit(1)
    )  # fmt: skip
    row = connection.execute(query).first()
    if row is None:
        return None
    name, project, resource, state, begun, need, due, hook, worker, version_id = row
    # The coordinator of a large traversal has no resource: it stands for its stack.
    resource = resource if version_id else name
    return WaitingNode(name, project, resource, NodeState(state), begun, need, due, hook, worker)


@dataclass(frozen=True, slots=True)
class Standing:
    """How all stacks of a database stand, in numbers."""

    in_progress: int
    """Stacks in progress, nested ones included."""

    nodes: dict[NodeState, int]
    oldest: float | None
    """When the operation began that has been in progress longest."""

    heartbeats: list[float]
    """How many seconds each worker has been silent."""


def standing(connection: Connection) -> Standing:
    """Return how all stacks stand. Nodes that are done are not counted."""
    since = func.coalesce(stack.c.updated_at, stack.c.created_at)
    total, oldest = connection.execute(
        select(func.count(), func.min(since)).where(
            stack.c.status == Status.IN_PROGRESS.value, stack.c.deleted_at.is_(None)
        )
    ).one()
    wanted = [state for state in NodeState if state is not NodeState.DONE]
    rows = connection.execute(
        select(node.c.state, func.count())
        .where(node.c.state.in_([state.value for state in wanted]))
        .group_by(node.c.state)
    )
    found = {NodeState(state): int(count) for state, count in rows}
    return Standing(
        int(total),
        {state: found.get(state, 0) for state in wanted},
        oldest,
        [each.silence for each in workers(connection)],
    )
