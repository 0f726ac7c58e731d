"""Queries of large traversals: what there is to do is read by one, and done by others in portions.

All ids of a stack follow its number, so its rows are found in their order.
"""

from array import array
from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, or_, select, update

from hotplate.model import Action, Node, NodeState, Stack, Status, Task, Version
from hotplate.store.nodes import node_of
from hotplate.store.prepared import Prepared, PreparedList, PreparedUpdate
from hotplate.store.schema import node, version
from hotplate.store.sealing import seals_of
from hotplate.store.stacks import change_stack

_S = NodeState


def _in_state(*states: NodeState) -> ColumnElement[bool]:
    return or_(*(node.c.state == state.value for state in states))


_OF_OLDER = and_(
    node.c.sequence < bindparam("at_sequence"),
    node.c.version_id > 0,
    or_(
        _in_state(_S.CLAIMED, _S.PARKED),
        and_(node.c.state == _S.READY.value, node.c.generation > 0),
    ),
)
_OLDER = Prepared(
    select(node).where(node.c.stack_id == bindparam("stack"), _OF_OLDER).order_by(node.c.id),
    ("stack", "at_sequence"),
)
_OLDER_ON = PreparedList(
    select(node)
    .where(node.c.version_id.in_(bindparam("versions", expanding=True)), _OF_OLDER)
    .order_by(node.c.id)
    .with_for_update(),
    "versions",
    ("at_sequence",),
)
_IS_STALE = or_(
    and_(
        node.c.sequence < bindparam("at_sequence"),
        or_(
            _in_state(_S.DRAFT, _S.WAITING, _S.DONE),
            and_(node.c.state == _S.READY.value, node.c.generation == 0),
            node.c.version_id == 0,
            and_(node.c.state == _S.PARKED.value, node.c.hook.is_not(None)),
        ),
    ),
    and_(
        node.c.sequence == bindparam("same_sequence"),
        node.c.id <= bindparam("before"),
        node.c.version_id > 0,
    ),
)
_STALE = Prepared(
    select(node.c.id).where(node.c.stack_id == bindparam("stack"), _IS_STALE).order_by(node.c.id),
    ("stack", "at_sequence", "same_sequence", "before"),
)
_REMOVE_STALE = PreparedList(
    delete(node).where(node.c.id.in_(bindparam("ids", expanding=True)), _IS_STALE),
    "ids",
    ("at_sequence", "same_sequence", "before"),
)
_OF_STATE = Prepared(
    select(node.c.id)
    .where(
        node.c.stack_id == bindparam("stack"),
        node.c.sequence <= bindparam("at_sequence"),
        node.c.state == bindparam("at_state"),
    )
    .order_by(node.c.id),
    ("stack", "at_sequence", "at_state"),
)
_DRAFTS = PreparedList(
    # By their ids alone: a server may take the index of states instead, and read all drafts.
    select(node.c.id, node.c.need, node.c.state)
    .where(node.c.id.in_(bindparam("ids", expanding=True)))
    .order_by(node.c.id)
    .with_for_update(),
    "ids",
)
_SET_STATE = PreparedList(
    update(node)
    .where(node.c.id.in_(bindparam("ids", expanding=True)))
    .values(state=bindparam("to_state")),
    "ids",
    ("to_state",),
)
_GONE = Prepared(
    select(version.c.id)
    .where(
        version.c.stack_id == bindparam("stack"),
        version.c.action == Action.DELETE.value,
        version.c.status == Status.COMPLETE.value,
    )
    .order_by(version.c.id),
    ("stack",),
)
_CONFIRM = PreparedList(
    update(version)
    .where(version.c.id.in_(bindparam("ids", expanding=True)))
    .values(owner=bindparam("to_owner"), recipe=bindparam("to_recipe")),
    "ids",
    ("to_owner", "to_recipe"),
)
_DISOWN = PreparedUpdate(version, "id", ("owner", "recipe"))
_COORDINATE = Prepared(
    update(node)
    .where(node.c.id == bindparam("at_id"))
    .values(task=bindparam("to_task"), state=bindparam("to_state"), worker=bindparam("to_worker")),
    ("at_id", "to_task", "to_state", "to_worker"),
)
_COORDINATOR = Prepared(
    select(node.c.id, node.c.state).where(
        node.c.stack_id == bindparam("stack"),
        node.c.sequence == bindparam("at_sequence"),
        node.c.version_id == 0,
    ),
    ("stack", "at_sequence"),
)


def older_nodes(connection: Connection, stack: Stack) -> list[Node]:
    """Return the nodes of older traversals of a stack on which work was begun, or may be."""
    return [node_of(row) for row in _OLDER.rows(connection, stack.id, stack.sequence)]


def older_nodes_on(
    connection: Connection, versions: Sequence[int], sequence: int
) -> dict[int, Node]:
    """Return the same for some versions, by version, locked."""
    rows = _OLDER_ON.rows(connection, versions, sequence) if versions else ()
    return {found.version_id: found for found in map(node_of, rows)}


def stale_nodes(connection: Connection, stack: Stack, before: int) -> Sequence[int]:
    """Return the nodes of older traversals that never began, or are done, and coordinators.

    With them those of the present one up to ``before``, which an earlier try to write its graph
    has left.
    """
    values = (stack.id, stack.sequence, stack.sequence, before)
    return numbers(_STALE.each(connection, *values))


def remove_stale_nodes(
    connection: Connection, stack: Stack, before: int, ids: Sequence[int]
) -> None:
    """Remove some of them, unless work on one has begun meanwhile."""
    _REMOVE_STALE.run(connection, ids, stack.sequence, stack.sequence, before)


def draft_nodes(connection: Connection, stack: Stack) -> Sequence[int]:
    """Return the drafts of a traversal."""
    return numbers(_OF_STATE.each(connection, stack.id, stack.sequence, _S.DRAFT.value))


def open_drafts(connection: Connection, ids: Sequence[int]) -> list[int]:
    """Let some drafts wait for what they still need; return those that are ready."""
    rows = [row for row in _DRAFTS.rows(connection, ids) if row[2] == _S.DRAFT.value]
    ready = [row[0] for row in rows if not row[1]]
    _SET_STATE.run(connection, ready, _S.READY.value)
    _SET_STATE.run(connection, [row[0] for row in rows if row[1]], _S.WAITING.value)
    return ready


def done_nodes(connection: Connection, stack: Stack) -> Sequence[int]:
    """Return the nodes of a stack that are done."""
    return numbers(_OF_STATE.each(connection, stack.id, stack.sequence, _S.DONE.value))


def gone_versions(connection: Connection, stack: Stack) -> Sequence[int]:
    """Return the versions of a stack whose objects have been deleted."""
    return numbers(_GONE.each(connection, stack.id))


def numbers(rows: Iterable[Sequence[int]]) -> "array[int]":
    """Return the first column of rows that are being read.

    As objects, the ids of a large stack would be scattered over memory that cannot be given back
    as long as anything beside one of them lives.
    """
    return array("q", (row[0] for row in rows))


def confirm_some(connection: Connection, stack: Stack, ids: Sequence[int]) -> None:
    """Hand some versions over to the traversal of their stack, for it found nothing to do."""
    recipe = seals_of(connection, stack.project).stored(stack.recipe)
    _CONFIRM.run(connection, ids, stack.sequence, recipe)


def carry(connection: Connection, stack: Stack) -> None:
    """Let the traversal of a locked stack carry the versions that nothing was written to."""
    change_stack(
        connection,
        stack.id,
        project=stack.project,
        carrier=stack.sequence,
        carried_recipe=stack.recipe,
    )


def disown(connection: Connection, stack: Stack, versions: Iterable[Version]) -> None:
    """Write that some versions do not belong to the traversal of their stack, which carries others.

    They get the owner that is nobody's, and what they are confirmed for.
    """
    stored = seals_of(connection, stack.project).stored
    rows = [(each.id, stack.sequence - 1, stored(each.recipe)) for each in versions]
    _DISOWN.run_all(connection, rows)


def coordinate(connection: Connection, coordinator: Node, task: Task, state: NodeState) -> None:
    """Let a coordinator go on with what comes next; it stays claimed in that state only."""
    worker = coordinator.worker if state is _S.CLAIMED else None
    _COORDINATE.run(connection, coordinator.id, task.value, state.value, worker)


def has_coordinator(connection: Connection, stack: Stack) -> bool:
    """Tell whether a stack's traversal has a coordinator."""
    return bool(_COORDINATOR.rows(connection, stack.id, stack.sequence))


def ready_coordinator(connection: Connection, stack: Stack) -> list[int]:
    """Let the coordinator go on that waits for the end of all other nodes; return it."""
    rows = _COORDINATOR.rows(connection, stack.id, stack.sequence)
    waiting = [row[0] for row in rows if row[1] == _S.WAITING.value]
    _SET_STATE.run(connection, waiting, _S.READY.value)
    return waiting
