"""Queries on nodes: the graph of a traversal, its sync points and the queue, in one table."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    delete,
    or_,
    select,
    update,
)

from hotplate.model import Node, NodeState, Task
from hotplate.store.prepared import Prepared, PreparedInsert, PreparedList, PreparedUpdate
from hotplate.store.schema import node, stack, version, worker

_S = NodeState

MOST_OF_STACK: Final = 4096
"""Ready nodes of one stack that are told of at a time: a worker has enough to do with them."""


def _in_state(*states: NodeState) -> ColumnElement[bool]:
    return or_(*(node.c.state == state.value for state in states))


_BUSY = Prepared(
    select(node.c.version_id).where(
        node.c.stack_id == bindparam("stack"), _in_state(_S.CLAIMED, _S.PARKED)
    ),
    ("stack",),
)

_INSERT = PreparedInsert(node, [column.name for column in node.c])
_BY_ID = PreparedList(
    select(node)
    .where(node.c.id.in_(bindparam("ids", expanding=True)))
    .order_by(node.c.id)
    .with_for_update(),
    "ids",
)
_OF_STACK = Prepared(
    select(node).where(node.c.stack_id == bindparam("stack")).order_by(node.c.id).with_for_update(),
    ("stack",),
)
_CLAIM = PreparedList(
    update(node)
    .where(node.c.id.in_(bindparam("ids", expanding=True)))
    .values(
        state=_S.CLAIMED.value,
        worker=bindparam("to_worker"),
        generation=node.c.generation + 1,
        due=None,
    ),
    "ids",
    ("to_worker",),
)
_DONE = PreparedList(
    update(node)
    .where(node.c.id.in_(bindparam("ids", expanding=True)))
    .values(state=_S.DONE.value, worker=None),
    "ids",
)
_PARK = PreparedUpdate(node, "id", ("due", "state", "worker"))
_PAUSE = Prepared(
    update(node)
    .where(node.c.id == bindparam("at_id"))
    .values(state=_S.PARKED.value, due=None, worker=None, hook=bindparam("to_hook")),
    ("at_id", "to_hook"),
)
_PAUSED = and_(node.c.state == _S.PARKED.value, node.c.hook.is_not(None))
_COORDINATES = node.c.version_id == 0
_AT_HOOK = Prepared(
    select(node.c.id, node.c.version_id)
    .where(
        node.c.stack_id == bindparam("stack"),
        node.c.name == bindparam("name"),
        node.c.hook == bindparam("hook"),
    )
    .order_by(node.c.id)
    .with_for_update(),
    ("stack", "name", "hook"),
)
_PASS = PreparedList(
    update(node)
    .where(node.c.id.in_(bindparam("ids", expanding=True)))
    .values(hook=None, passed=bindparam("to_passed")),
    "ids",
    ("to_passed",),
)
_REPOINT = PreparedUpdate(node, "id", ("version_id",))
_COUNT_DOWN = Prepared(
    update(node).where(node.c.id == bindparam("at_id")).values(need=node.c.need - bindparam("by")),
    ("at_id", "by"),
)
_READY = PreparedList(
    update(node)
    .where(
        node.c.id.in_(bindparam("ids", expanding=True)),
        node.c.need == 0,
        node.c.state == _S.WAITING.value,
    )
    .values(state=_S.READY.value),
    "ids",
)
_TASKS_OF = PreparedList(
    select(node.c.id, node.c.task).where(node.c.id.in_(bindparam("ids", expanding=True))),
    "ids",
)
_NOW_READY = PreparedList(
    select(node.c.id).where(
        node.c.id.in_(bindparam("ids", expanding=True)), node.c.state == _S.READY.value
    ),
    "ids",
)
_RELEASE_LIST = Prepared(
    update(node).where(node.c.id == bindparam("at_id")).values(releases=bindparam("to_releases")),
    ("at_id", "to_releases"),
)
_REMOVE = PreparedList(
    delete(node).where(node.c.id.in_(bindparam("ids", expanding=True))),
    "ids",
)
_REMOVE_IDLE = Prepared(
    delete(node).where(
        node.c.stack_id == bindparam("stack"),
        or_(_in_state(_S.DRAFT, _S.WAITING, _S.READY, _S.DONE), _PAUSED, _COORDINATES),
    ),
    ("stack",),
)
_REMOVE_UNBEGUN = Prepared(
    delete(node).where(
        node.c.stack_id == bindparam("stack"),
        or_(
            _in_state(_S.DRAFT, _S.WAITING, _S.DONE),
            and_(node.c.state == _S.READY.value, node.c.generation == 0),
            _PAUSED,
            _COORDINATES,
        ),
    ),
    ("stack",),
)
_KEEP = PreparedList(
    update(node)
    .where(node.c.id.in_(bindparam("ids", expanding=True)))
    .values(state=_S.READY.value, need=0, generation=node.c.generation + 1),
    "ids",
)
_FORGET_RELEASES = Prepared(
    update(node)
    .where(node.c.stack_id == bindparam("at_stack"), node.c.releases != "[]")
    .values(releases="[]"),
    ("at_stack",),
)
# Nothing but the id: an index has all that this reads, and it is read every second.
_READY_IDS = Prepared(select(node.c.id).where(node.c.state == _S.READY.value))
# By the index of states and times, in which nodes without a time are in the order of their ids.
_READY_AFTER = Prepared(
    select(node.c.id)
    .where(node.c.state == _S.READY.value, node.c.due.is_(None), node.c.id > bindparam("after"))
    .order_by(node.c.id)
    .limit(bindparam("most")),
    ("after", "most"),
)
_READY_AT_TIMES = Prepared(
    select(node.c.id).where(node.c.state == _S.READY.value, node.c.due.is_not(None))
)
# What another sweep has locked is left to it; whoever waited for it would send it once more.
_DUE = Prepared(
    select(node)
    .where(node.c.state == _S.PARKED.value, node.c.due <= bindparam("now"))
    .order_by(node.c.due)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True),
    ("now", "most"),
)
_NEXT_DUE = Prepared(
    select(node.c.due)
    .where(node.c.state == _S.PARKED.value, node.c.due.is_not(None))
    .order_by(node.c.due)
    .limit(1),
)
_PARKED_OF = Prepared(
    select(node.c.id).where(
        node.c.version_id == bindparam("version"), node.c.state == _S.PARKED.value
    ),
    ("version",),
)
_PARKED_OF_SOME = PreparedList(
    select(node.c.id).where(
        node.c.version_id.in_(bindparam("versions", expanding=True)),
        node.c.state == _S.PARKED.value,
        node.c.hook.is_(None),
    ),
    "versions",
)
_PAUSING = Prepared(
    select(node.c.id).where(
        node.c.stack_id == bindparam("at_stack"),
        node.c.state == _S.PARKED.value,
        node.c.due.is_not(None),
        node.c.version_id.in_(
            select(stack.c.parent_version).where(stack.c.parent_id == bindparam("at_stack"))
        ),
    ),
    ("at_stack",),
)
_WAKE = PreparedList(
    update(node)
    .where(node.c.id.in_(bindparam("ids", expanding=True)), node.c.state == _S.PARKED.value)
    .values(state=_S.READY.value, due=None),
    "ids",
)
_ABANDONED = Prepared(
    select(node.c.id, node.c.generation)
    .outerjoin(worker, worker.c.id == node.c.worker)
    .where(
        node.c.state == _S.CLAIMED.value,
        or_(worker.c.id.is_(None), worker.c.heartbeat < bindparam("expired")),
    ),
    ("expired",),
)
_GIVE_BACK = PreparedList(
    update(node)
    .where(node.c.id.in_(bindparam("ids", expanding=True)), node.c.state == _S.CLAIMED.value)
    .values(state=_S.READY.value, worker=None, generation=node.c.generation + 1),
    "ids",
)
_GIVE_BACK_ONE = Prepared(
    update(node)
    .where(
        node.c.id == bindparam("at_id"),
        node.c.generation == bindparam("at_generation"),
        node.c.state == _S.CLAIMED.value,
    )
    .values(state=_S.READY.value, worker=None, generation=node.c.generation + 1),
    ("at_id", "at_generation"),
)
_OF_WORKER = Prepared(
    select(node.c.id, node.c.generation).where(
        node.c.state == _S.CLAIMED.value, node.c.worker == bindparam("worker")
    ),
    ("worker",),
)


def busy_versions(connection: Connection, stack_id: str) -> set[int]:
    """Return the versions of a stack that a worker has or that are parked in the middle of work."""
    return {row[0] for row in _BUSY.rows(connection, stack_id)}


def insert_nodes(connection: Connection, nodes: Sequence[Node]) -> None:
    """Insert nodes."""
    _INSERT.run_all(connection, [_row(item) for item in nodes])


def lock_nodes(connection: Connection, ids: Iterable[int]) -> dict[int, Node]:
    """Return nodes by id, locked until this transaction ends."""
    return {row[0]: node_of(row) for row in _BY_ID.rows(connection, sorted(ids))}


def tasks_of(connection: Connection, ids: Iterable[int]) -> dict[int, Task]:
    """Return what nodes shall do; those that do not exist any more are left out."""
    return {row[0]: _TASKS[row[1]] for row in _TASKS_OF.rows(connection, sorted(ids))}


def nodes_of(connection: Connection, stack_id: str) -> list[Node]:
    """Return all nodes of a stack, of all its traversals, locked."""
    return [node_of(row) for row in _OF_STACK.rows(connection, stack_id)]


def claim(connection: Connection, ids: Sequence[int], worker_id: int) -> None:
    """Take locked nodes into a worker's hands; raises their generation."""
    _CLAIM.run(connection, ids, worker_id)


def finish(connection: Connection, ids: Sequence[int]) -> None:
    """Mark nodes as done; they never run again."""
    _DONE.run(connection, ids)


def park(connection: Connection, parked: Sequence[tuple[int, float | None]]) -> None:
    """Park nodes until they are due; without a time, until they are woken."""
    _PARK.run_all(connection, [(each, due, _S.PARKED.value, None) for each, due in parked])


def pause(connection: Connection, paused: Sequence[tuple[int, str]]) -> None:
    """Lay nodes aside until the hook that each has come to is cleared."""
    _PAUSE.run_all(connection, paused)


def nodes_at_hook(
    connection: Connection, stack_id: str, name: str, hook: str
) -> list[tuple[int, int]]:
    """Return the nodes of a resource that wait at a hook, with their versions, locked."""
    return [(row[0], row[1]) for row in _AT_HOOK.rows(connection, stack_id, name, hook)]


def let_pass(connection: Connection, ids: Sequence[int], hook: str) -> None:
    """Clear the hook at which nodes wait; those that are laid aside become ready."""
    _PASS.run(connection, ids, hook)
    _WAKE.run(connection, ids)


def repoint(connection: Connection, moves: Sequence[tuple[int, int]]) -> None:
    """Let nodes go on with the replacement of their version."""
    _REPOINT.run_all(connection, moves)


def count_down(connection: Connection, targets: Iterable[int]) -> list[int]:
    """Count one finished predecessor for each target; return those that are ready now, in order."""
    counts = Counter(targets)
    if not counts:
        return []
    _COUNT_DOWN.run_all(connection, sorted(counts.items()))
    ids = sorted(counts)
    if not _READY.run(connection, ids):
        return []
    return sorted(row[0] for row in _NOW_READY.rows(connection, ids))


def set_releases(connection: Connection, releases: dict[int, Sequence[int]]) -> None:
    """Note which nodes wait for the end of a claimed one."""
    _RELEASE_LIST.run_all(
        connection, [(each, json.dumps(list(ids))) for each, ids in releases.items()]
    )


def remove_nodes(connection: Connection, ids: Sequence[int]) -> None:
    """Remove nodes."""
    _REMOVE.run(connection, ids)


def remove_idle_nodes(connection: Connection, stack_id: str) -> None:
    """Remove the nodes of a stack that are not claimed, also those that wait at a hook.

    With them go coordinators, claimed or not: they have nothing under way in the world.
    """
    _REMOVE_IDLE.run(connection, stack_id)


def remove_unbegun_nodes(connection: Connection, stack_id: str, kept: Iterable[int]) -> None:
    """Remove the nodes of a stack that have never been claimed, and those that are done.

    Those that wait at a hook go, too, and coordinators: they have nothing under way.
    The kept ones become ready instead, whatever they waited for. Nothing waits for the end of
    those that stay.
    """
    keep_nodes(connection, kept)
    _REMOVE_UNBEGUN.run(connection, stack_id)
    _FORGET_RELEASES.run(connection, stack_id)


def keep_nodes(connection: Connection, ids: Iterable[int]) -> None:
    """Make nodes ready that must stay, whatever they waited for."""
    _KEEP.run(connection, sorted(ids))


def ready_nodes(connection: Connection, most: int = MOST_OF_STACK) -> list[int]:
    """Return all nodes that could run now, in order; on SQLite of a large stack only the first.

    These are ``most`` or up to twice as many: whoever writes would wait. A server might go through
    all nodes to find the first ones, and keeps nobody waiting.
    """
    if connection.dialect.name != "sqlite":
        return sorted([row[0] for row in _READY_IDS.rows(connection)])
    found = [row[0] for row in _READY_AT_TIMES.rows(connection)]
    after = 0
    while len(rows := _READY_AFTER.rows(connection, after, most)) == most:
        found.extend(row[0] for row in rows)
        first, after = rows[0][0], rows[-1][0]
        if first >> 32 == after >> 32:
            after |= (1 << 32) - 1  # there are enough of this stack
    found.extend(row[0] for row in rows)
    return sorted(found)


def lock_due(connection: Connection, now: float, most: int) -> list[Node]:
    """Return parked nodes whose time has come, locked and in order.

    So many at a time, those first that have waited longest. Two who do this at the same time never
    get the same node.
    """
    found = [node_of(row) for row in _DUE.rows(connection, now, most)]
    return sorted(found, key=lambda each: each.id)


def wake(connection: Connection, ids: Sequence[int]) -> None:
    """Make parked nodes ready."""
    _WAKE.run(connection, ids)


def parked_versions(connection: Connection, versions: Sequence[int]) -> list[int]:
    """Return the parked nodes of versions, in order; not those that wait at a hook."""
    return sorted(row[0] for row in _PARKED_OF_SOME.rows(connection, versions))


def wake_version(connection: Connection, version_id: int) -> list[int]:
    """Make the parked node of a version ready, and return it."""
    parked = [row[0] for row in _PARKED_OF.rows(connection, version_id)]
    _WAKE.run(connection, parked)
    return parked


def wake_pausing(connection: Connection, stack_id: str) -> list[int]:
    """Make the parked nodes ready that pause between two stages of the nested stacks of a stack."""
    pausing = sorted(row[0] for row in _PAUSING.rows(connection, stack_id))
    _WAKE.run(connection, pausing)
    return pausing


def wake_waiting_for(connection: Connection, execution_id: str) -> list[int]:
    """Make the parked nodes ready whose versions remember an execution in their cookies."""
    statement = (
        select(node.c.id)
        .join(version, version.c.id == node.c.version_id)
        .where(node.c.state == _S.PARKED.value, version.c.awaits == execution_id)
    )
    parked = sorted(int(row[0]) for row in connection.execute(statement))
    _WAKE.run(connection, parked)
    return parked


def next_due(connection: Connection) -> float | None:
    """Return when the next parked node is due."""
    rows = _NEXT_DUE.rows(connection)
    return rows[0][0] if rows else None


def take_from_dead(connection: Connection, expired: float) -> list[int]:
    """Make nodes ready whose worker has had no heartbeat since ``expired``.

    By their generation: another sweep may have done so already, and a worker claimed them anew.
    """
    # In order: two sweeps that take rows in different orders would lock each other out.
    claims = sorted((row[0], row[1]) for row in _ABANDONED.rows(connection, expired))
    give_back_some(connection, claims)
    return [node_id for node_id, _ in claims]


def put_back(connection: Connection, ids: Sequence[int], worker_id: int) -> None:
    """Make those of the nodes ready that a worker still has in hand."""
    found = lock_nodes(connection, ids).values()
    mine = [n.id for n in found if n.worker == worker_id and n.state is NodeState.CLAIMED]
    _GIVE_BACK.run(connection, mine)


def give_back(connection: Connection, worker_id: int) -> list[int]:
    """Make all nodes of a worker that is stopping ready for others."""
    ids = [row[0] for row in _OF_WORKER.rows(connection, worker_id)]
    _GIVE_BACK.run(connection, ids)
    return ids


def claims_of(connection: Connection, worker_id: int) -> list[tuple[int, int]]:
    """Return the nodes that a worker has claimed, with the generations of the claims."""
    return [(row[0], row[1]) for row in _OF_WORKER.rows(connection, worker_id)]


def give_back_some(connection: Connection, claims: Sequence[tuple[int, int]]) -> None:
    """Make nodes ready for others, each unless its claim has a newer generation by now."""
    _GIVE_BACK_ONE.run_all(connection, claims)


def _row(item: Node) -> tuple[Any, ...]:
    return (
        item.id, item.stack_id, item.sequence, item.version_id, item.name, item.task.value,
        item.need, item.state.value, item.generation, item.worker, item.due,
        json.dumps(item.successors) if item.successors else "[]",
        json.dumps(item.releases) if item.releases else "[]", item.spare, item.hook, item.passed,
    )  # fmt: skip


_TASKS = {task.value: task for task in Task}
_STATES = {state.value: state for state in NodeState}


def node_of(row: Any) -> Node:
    """Return a node from a row of all columns."""
    (
        node_id, stack_id, sequence, version_id, name, task, need, state, generation, worker_id,
        due, successors, releases, spare, hook, passed,
    ) = row  # fmt: skip
    return Node(
        node_id, stack_id, sequence, version_id, name, _TASKS[task], need, _STATES[state],
        generation, worker_id, due, () if successors == "[]" else tuple(json.loads(successors)),
        () if releases == "[]" else tuple(json.loads(releases)), spare, hook, passed,
    )  # fmt: skip
