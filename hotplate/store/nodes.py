"""Queries on nodes: the graph of a traversal, its sync points and the queue, in one table."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, insert, or_, select, update

from hotplate.model import Node, NodeState, Task
from hotplate.store.schema import node, worker

_CHUNK = 500
_S = NodeState
_BUSY = select(node.c.version_id).where(
    node.c.stack_id == bindparam("stack"), node.c.state.in_([_S.CLAIMED.value, _S.PARKED.value])
)

_INSERT = insert(node)
_BY_ID = (
    select(node)
    .where(node.c.id.in_(bindparam("ids", expanding=True)))
    .order_by(node.c.id)
    .with_for_update()
)
_OF_STACK = (
    select(node).where(node.c.stack_id == bindparam("stack")).order_by(node.c.id).with_for_update()
)
_CLAIM = (
    update(node)
    .where(node.c.id.in_(bindparam("ids", expanding=True)))
    .values(
        state=_S.CLAIMED.value,
        worker=bindparam("to_worker"),
        generation=node.c.generation + 1,
        due=None,
    )
)
_DONE = (
    update(node)
    .where(node.c.id.in_(bindparam("ids", expanding=True)))
    .values(state=_S.DONE.value, worker=None)
)
_PARK = (
    update(node)
    .where(node.c.id == bindparam("at_id"))
    .values(state=bindparam("to_state"), due=bindparam("to_due"), worker=None)
)
_REPOINT = (
    update(node).where(node.c.id == bindparam("at_id")).values(version_id=bindparam("to_version"))
)
_REPORT = (
    update(node).where(node.c.id == bindparam("at_id")).values(need=node.c.need - bindparam("by"))
)
_READY = (
    update(node)
    .where(
        node.c.id.in_(bindparam("ids", expanding=True)),
        node.c.need == 0,
        node.c.state == _S.WAITING.value,
    )
    .values(state=_S.READY.value)
)
_NOW_READY = select(node.c.id).where(
    node.c.id.in_(bindparam("ids", expanding=True)), node.c.state == _S.READY.value
)
_RELEASE_LIST = (
    update(node).where(node.c.id == bindparam("at_id")).values(releases=bindparam("to_releases"))
)
_REMOVE = delete(node).where(node.c.id.in_(bindparam("ids", expanding=True)))
_REMOVE_IDLE = delete(node).where(
    node.c.stack_id == bindparam("stack"),
    node.c.state.in_([_S.WAITING.value, _S.READY.value, _S.DONE.value]),
)
_REMOVE_UNBEGUN = delete(node).where(
    node.c.stack_id == bindparam("stack"),
    or_(
        node.c.state.in_([_S.WAITING.value, _S.DONE.value]),
        and_(node.c.state == _S.READY.value, node.c.generation == 0),
    ),
)
_KEEP = (
    update(node)
    .where(node.c.id.in_(bindparam("ids", expanding=True)))
    .values(state=_S.READY.value, need=0, generation=node.c.generation + 1)
)
_FORGET_RELEASES = (
    update(node)
    .where(node.c.stack_id == bindparam("at_stack"), node.c.releases != "[]")
    .values(releases="[]")
)
_READY_IDS = select(node.c.id, node.c.stack_id).where(node.c.state == _S.READY.value)
_DUE_IDS = select(node.c.id, node.c.stack_id).where(
    node.c.state == _S.PARKED.value, node.c.due <= bindparam("now")
)
_NEXT_DUE = (
    select(node.c.due)
    .where(node.c.state == _S.PARKED.value, node.c.due.is_not(None))
    .order_by(node.c.due)
    .limit(1)
)
_PARKED_OF = select(node.c.id).where(
    node.c.version_id == bindparam("version"), node.c.state == _S.PARKED.value
)
_WAKE = (
    update(node)
    .where(node.c.id.in_(bindparam("ids", expanding=True)), node.c.state == _S.PARKED.value)
    .values(state=_S.READY.value, due=None)
)
_ABANDONED = (
    select(node.c.id, node.c.generation)
    .outerjoin(worker, worker.c.id == node.c.worker)
    .where(
        node.c.state == _S.CLAIMED.value,
        or_(worker.c.id.is_(None), worker.c.heartbeat < bindparam("expired")),
    )
)
_GIVE_BACK = (
    update(node)
    .where(node.c.id.in_(bindparam("ids", expanding=True)), node.c.state == _S.CLAIMED.value)
    .values(state=_S.READY.value, worker=None, generation=node.c.generation + 1)
)
_GIVE_BACK_ONE = (
    update(node)
    .where(
        node.c.id == bindparam("at_id"),
        node.c.generation == bindparam("at_generation"),
        node.c.state == _S.CLAIMED.value,
    )
    .values(state=_S.READY.value, worker=None, generation=node.c.generation + 1)
)
_OF_WORKER = select(node.c.id, node.c.generation).where(
    node.c.state == _S.CLAIMED.value, node.c.worker == bindparam("worker")
)


def busy_versions(connection: Connection, stack_id: str) -> set[int]:
    """Return the versions of a stack that somebody works on or that wait in the middle of it."""
    return set(connection.execute(_BUSY, {"stack": stack_id}).scalars())


def insert_nodes(connection: Connection, nodes: Sequence[Node]) -> None:
    """Insert nodes."""
    if nodes:
        connection.execute(_INSERT, [_row(item) for item in nodes])


def lock_nodes(connection: Connection, ids: Iterable[int]) -> dict[int, Node]:
    """Return nodes by id; nobody else changes them until this transaction ends."""
    found: dict[int, Node] = {}
    for chunk in _chunks(sorted(ids)):
        for row in connection.execute(_BY_ID, {"ids": chunk}):
            found[row[0]] = _node(row)
    return found


def nodes_of(connection: Connection, stack_id: str) -> list[Node]:
    """Return all nodes of a stack, of all its traversals, locked."""
    return [_node(row) for row in connection.execute(_OF_STACK, {"stack": stack_id})]


def claim(connection: Connection, ids: Sequence[int], worker_id: int) -> None:
    """Take locked nodes into a worker's hands; raises their generation."""
    for chunk in _chunks(ids):
        connection.execute(_CLAIM, {"ids": chunk, "to_worker": worker_id})


def finish(connection: Connection, ids: Sequence[int]) -> None:
    """Mark nodes as done; they never run again."""
    for chunk in _chunks(ids):
        connection.execute(_DONE, {"ids": chunk})


def park(connection: Connection, parked: Sequence[tuple[int, float | None]]) -> None:
    """Lay nodes aside until they are due; without a time, until somebody wakes them."""
    if parked:
        connection.execute(
            _PARK,
            [{"at_id": each, "to_state": _S.PARKED.value, "to_due": due} for each, due in parked],
        )


def repoint(connection: Connection, moves: Sequence[tuple[int, int]]) -> None:
    """Let nodes go on with the replacement of their version."""
    if moves:
        connection.execute(
            _REPOINT, [{"at_id": each, "to_version": version} for each, version in moves]
        )


def report(connection: Connection, targets: Iterable[int]) -> list[int]:
    """Count one finished predecessor for each target; return the targets that are ready now."""
    counts = Counter(targets)
    if not counts:
        return []
    connection.execute(_REPORT, [{"at_id": each, "by": by} for each, by in sorted(counts.items())])
    ready: list[int] = []
    for chunk in _chunks(sorted(counts)):
        if connection.execute(_READY, {"ids": chunk}).rowcount:
            ready.extend(connection.execute(_NOW_READY, {"ids": chunk}).scalars())
    return ready


def set_releases(connection: Connection, releases: dict[int, Sequence[int]]) -> None:
    """Note which nodes wait for the end of a claimed one."""
    if releases:
        connection.execute(
            _RELEASE_LIST,
            [
                {"at_id": each, "to_releases": json.dumps(list(ids))}
                for each, ids in releases.items()
            ],
        )


def remove_nodes(connection: Connection, ids: Sequence[int]) -> None:
    """Remove nodes."""
    for chunk in _chunks(ids):
        connection.execute(_REMOVE, {"ids": chunk})


def remove_all_nodes(connection: Connection, stack_id: str) -> None:
    """Remove all nodes of a stack; whoever has one in hand finds it gone."""
    connection.execute(delete(node).where(node.c.stack_id == stack_id))


def remove_idle_nodes(connection: Connection, stack_id: str) -> None:
    """Remove the nodes of a stack that nobody has in hand."""
    connection.execute(_REMOVE_IDLE, {"stack": stack_id})


def remove_unbegun_nodes(connection: Connection, stack_id: str, kept: Iterable[int]) -> None:
    """Remove the nodes of a stack that nobody has ever had in hand, and those that are done.

    The kept ones become ready instead, whatever they waited for. Nobody waits for the end of
    those that stay.
    """
    for chunk in _chunks(sorted(kept)):
        connection.execute(_KEEP, {"ids": chunk})
    connection.execute(_REMOVE_UNBEGUN, {"stack": stack_id})
    connection.execute(_FORGET_RELEASES, {"at_stack": stack_id})


def ready_nodes(connection: Connection) -> list[tuple[int, str]]:
    """Return all nodes that could run now, with their stacks."""
    return [(row[0], row[1]) for row in connection.execute(_READY_IDS)]


def wake_due(connection: Connection, now: float) -> list[tuple[int, str]]:
    """Make parked nodes whose time has come ready, and return them with their stacks."""
    due = [(row[0], row[1]) for row in connection.execute(_DUE_IDS, {"now": now})]
    for chunk in _chunks([each for each, _ in due]):
        connection.execute(_WAKE, {"ids": chunk})
    return due


def wake(connection: Connection, ids: Sequence[int]) -> None:
    """Make parked nodes ready."""
    for chunk in _chunks(ids):
        connection.execute(_WAKE, {"ids": chunk})


def wake_version(connection: Connection, version_id: int) -> list[int]:
    """Make the parked node of a version ready, and return it."""
    parked = list(connection.execute(_PARKED_OF, {"version": version_id}).scalars())
    for chunk in _chunks(parked):
        connection.execute(_WAKE, {"ids": chunk})
    return parked


def next_due(connection: Connection) -> float | None:
    """Return when the next parked node is due."""
    return connection.execute(_NEXT_DUE).scalar()


def take_from_dead(connection: Connection, expired: float) -> list[int]:
    """Make nodes ready whose worker has not been heard of since ``expired``.

    By their generation: another sweep may have done so already, and somebody claimed them anew.
    """
    rows = connection.execute(_ABANDONED, {"expired": expired}).all()
    give_back_some(connection, [(row[0], row[1]) for row in rows])
    return [row[0] for row in rows]


def put_back(connection: Connection, ids: Sequence[int], worker_id: int) -> None:
    """Make those of the nodes ready that a worker still has in hand."""
    found = lock_nodes(connection, ids).values()
    mine = [n.id for n in found if n.worker == worker_id and n.state is NodeState.CLAIMED]
    for chunk in _chunks(mine):
        connection.execute(_GIVE_BACK, {"ids": chunk})


def give_back(connection: Connection, worker_id: int) -> list[int]:
    """Make all nodes of a worker that is stopping ready for others."""
    ids = list(connection.execute(_OF_WORKER, {"worker": worker_id}).scalars())
    for chunk in _chunks(ids):
        connection.execute(_GIVE_BACK, {"ids": chunk})
    return ids


def claims_of(connection: Connection, worker_id: int) -> list[tuple[int, int]]:
    """Return the nodes that a worker has claimed, with the generations of the claims."""
    rows = connection.execute(_OF_WORKER, {"worker": worker_id})
    return [(row[0], row[1]) for row in rows]


def give_back_some(connection: Connection, claims: Sequence[tuple[int, int]]) -> None:
    """Make nodes ready for others, each unless its claim has a newer generation by now."""
    if claims:
        connection.execute(
            _GIVE_BACK_ONE,
            [{"at_id": each, "at_generation": generation} for each, generation in claims],
        )


def _chunks(ids: Sequence[int]) -> Iterable[list[int]]:
    for start in range(0, len(ids), _CHUNK):
        yield list(ids[start : start + _CHUNK])


def _row(item: Node) -> dict[str, Any]:
    return {
        "id": item.id,
        "stack_id": item.stack_id,
        "sequence": item.sequence,
        "version_id": item.version_id,
        "name": item.name,
        "task": item.task.value,
        "need": item.need,
        "state": item.state.value,
        "generation": item.generation,
        "worker": item.worker,
        "due": item.due,
        "successors": json.dumps(item.successors) if item.successors else "[]",
        "releases": json.dumps(item.releases) if item.releases else "[]",
        "spare": item.spare,
    }


_TASKS = {task.value: task for task in Task}
_STATES = {state.value: state for state in NodeState}


def _node(row: Any) -> Node:
    (
        node_id, stack_id, sequence, version_id, name, task, need, state, generation, worker_id,
        due, successors, releases, spare,
    ) = row  # fmt: skip
    return Node(
        node_id, stack_id, sequence, version_id, name, _TASKS[task], need, _STATES[state],
        generation, worker_id, due, () if successors == "[]" else tuple(json.loads(successors)),
        () if releases == "[]" else tuple(json.loads(releases)), spare,
    )  # fmt: skip
