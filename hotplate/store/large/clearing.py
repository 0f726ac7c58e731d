"""Queries of what is left to be cleared away when a large stack ends, or is stopped.

What there is to do is read by one, and done by others in portions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, bindparam, delete, func, or_, select, update

from hotplate.model import Action, Node, NodeState, ReasonCode, Stack, Status, Version
from hotplate.store.large.portions import numbers
from hotplate.store.nodes import node_of
from hotplate.store.prepared import Prepared, PreparedList
from hotplate.store.schema import node, stack, version
from hotplate.store.versions import read_versions

_S = NodeState
_IS_PAUSED = and_(node.c.state == _S.PARKED.value, node.c.hook.is_not(None))
_IS_UNBEGUN = or_(
    *(node.c.state == state.value for state in (_S.DRAFT, _S.WAITING, _S.DONE)),
    and_(node.c.state == _S.READY.value, node.c.generation == 0),
    _IS_PAUSED,
    node.c.version_id == 0,
)
_OF_OLDER = node.c.sequence < bindparam("at_sequence")
_UNBEGUN = Prepared(
    select(node.c.id)
    .where(node.c.stack_id == bindparam("stack"), _OF_OLDER, _IS_UNBEGUN)
    .order_by(node.c.id),
    ("stack", "at_sequence"),
)
_REMOVE_UNBEGUN = PreparedList(
    delete(node).where(node.c.id.in_(bindparam("ids", expanding=True)), _OF_OLDER, _IS_UNBEGUN),
    "ids",
    ("at_sequence",),
)
_BESIDE = PreparedList(
    select(node)
    .where(
        node.c.version_id.in_(
            select(version.c.id).where(
                version.c.id.in_(
                    select(node.c.version_id).where(
                        node.c.id.in_(bindparam("ids", expanding=True)), node.c.version_id > 0
                    )
                ),
                version.c.status == Status.IN_PROGRESS.value,
            )
        )
    )
    .order_by(node.c.id),
    "ids",
)
_FORGET_RELEASES = Prepared(
    update(node)
    .where(node.c.stack_id == bindparam("at_stack"), node.c.releases != "[]")
    .values(releases="[]"),
    ("at_stack",),
)
_IS_BUSY = and_(
    stack.c.status == Status.IN_PROGRESS.value,
    stack.c.action != Action.DELETE.value,
    stack.c.deleted_at.is_(None),
)
_BUSY_CHILDREN = Prepared(
    select(stack.c.id)
    .where(stack.c.parent_id == bindparam("parent"), _IS_BUSY)
    .order_by(stack.c.number)
    .limit(bindparam("most")),
    ("parent", "most"),
)
_CHILDREN = PreparedList(
    select(stack.c.id).where(stack.c.parent_id.in_(bindparam("parents", expanding=True))),
    "parents",
)
_PARKED = PreparedList(
    select(node.c.id)
    .join(stack, stack.c.id == node.c.stack_id)
    .where(
        node.c.stack_id.in_(bindparam("stacks", expanding=True)),
        or_(
            and_(node.c.state == _S.PARKED.value, node.c.hook.is_(None)),
            and_(node.c.state == _S.READY.value, node.c.generation > 0),
        ),
        node.c.version_id > 0,
        stack.c.action != Action.DELETE.value,
        stack.c.deleted_at.is_(None),
    )
    .order_by(node.c.id),
    "stacks",
)
_IN_HAND = PreparedList(
    select(node.c.id)
    .where(
        node.c.stack_id.in_(bindparam("stacks", expanding=True)),
        node.c.state == _S.CLAIMED.value,
        node.c.version_id > 0,
    )
    .limit(1),
    "stacks",
)
_SUSPENDED = Prepared(
    select(version.c.id)
    .where(
        version.c.stack_id == bindparam("stack"),
        or_(
            version.c.action == Action.SUSPEND.value,
            and_(
                version.c.action == Action.RESUME.value,
                version.c.status == Status.FAILED.value,
            ),
        ),
    )
    .limit(1),
    ("stack",),
)
_FAILED = Prepared(
    select(version.c.id)
    .where(version.c.stack_id == bindparam("stack"), version.c.status == Status.FAILED.value)
    .order_by(version.c.id),
    ("stack",),
)
_CHILD = stack.alias("child")
_PARTLY_CHECKED = Prepared(
    select(version.c.id)
    .outerjoin(_CHILD, _CHILD.c.id == version.c.physical_id)
    .where(
        version.c.stack_id == bindparam("stack"),
        or_(
            version.c.reason_code == ReasonCode.NOT_CHECKED.value,
            _CHILD.c.reason_code == ReasonCode.PARTLY_CHECKED.value,
        ),
    )
    .limit(1),
    ("stack",),
)
_VERSIONS = PreparedList(
    select(version.c.id)
    .where(version.c.stack_id.in_(bindparam("stacks", expanding=True)))
    .order_by(version.c.id),
    "stacks",
)

_STATE = PreparedList(
    select(stack.c.id, stack.c.sequence, stack.c.counter).where(
        stack.c.id.in_(bindparam("ids", expanding=True)), stack.c.deleted_at.is_(None)
    ),
    "ids",
)
_VERSIONS_STATE = PreparedList(
    select(func.count(), func.max(version.c.updated_at)).where(
        version.c.stack_id.in_(bindparam("ids", expanding=True))
    ),
    "ids",
)
_NODES_STATE = PreparedList(
    select(func.sum(node.c.generation)).where(
        node.c.stack_id.in_(bindparam("ids", expanding=True))
    ),
    "ids",
)
_FORGET_DELETING = PreparedList(
    update(stack)
    .where(
        stack.c.id.in_(bindparam("ids", expanding=True)),
        stack.c.deleted_at.is_(None),
        stack.c.action == Action.DELETE.value,
    )
    .values(status=bindparam("to_status"), reason=bindparam("to_reason")),
    "ids",
    ("to_status", "to_reason"),
)
_FORGET = PreparedList(
    update(stack)
    .where(stack.c.id.in_(bindparam("ids", expanding=True)), stack.c.deleted_at.is_(None))
    .values(
        deleted_at=bindparam("to_time"),
        name_lock=None,
        deadline=None,
        traversal=None,
        sequence=stack.c.sequence + 1,
    ),
    "ids",
    ("to_time",),
)
_REMOVE_NODES = PreparedList(
    delete(node).where(node.c.stack_id.in_(bindparam("ids", expanding=True))), "ids"
)


def unbegun_nodes(connection: Connection, stack: Stack) -> Sequence[int]:
    """Return the nodes of older traversals that never began, are done, or wait at a hook.

    With them older coordinators.
    """
    return numbers(_UNBEGUN.each(connection, stack.id, stack.sequence))


def remove_unbegun(connection: Connection, stack: Stack, ids: Sequence[int]) -> None:
    """Remove some of them, unless one has become ready for work that was begun."""
    _REMOVE_UNBEGUN.run(connection, ids, stack.sequence)


def nodes_beside(connection: Connection, ids: Sequence[int]) -> list[Node]:
    """Return all nodes on versions with unfinished work that some of the nodes are for."""
    return [node_of(row) for row in _BESIDE.rows(connection, ids)]


def forget_releases(connection: Connection, stack_id: str) -> None:
    """Let nothing wait any more for the end of what goes on in a stack."""
    _FORGET_RELEASES.run(connection, stack_id)


def busy_children(connection: Connection, stack_id: str, most: int) -> list[str]:
    """Return some of the stacks right below one in which something is made or changed."""
    return [row[0] for row in _BUSY_CHILDREN.rows(connection, stack_id, most)]


def resting_in_tree(connection: Connection, top: Stack) -> Sequence[int]:
    """Return the nodes in a stack and below it that are in the middle of work, and no worker has.

    They are parked, or have just been woken. Stacks that are being deleted are left out.
    """
    return numbers(_PARKED.each(connection, tree_of(connection, top.id)))


def is_in_hand(connection: Connection, top: Stack) -> bool:
    """Tell whether a worker has a node of a stack or of one below it."""
    return bool(_IN_HAND.rows(connection, tree_of(connection, top.id)))


def tree_of(connection: Connection, stack_id: str) -> list[str]:
    """Return a stack and all below it, also those that have been deleted."""
    tree, level = [stack_id], [stack_id]
    while level:
        level = [row[0] for row in _CHILDREN.rows(connection, level)]
        tree.extend(level)
    return tree


def versions_in_tree(connection: Connection, top: Stack) -> Sequence[int]:
    """Return the versions of a stack and of those below it."""
    return numbers(_VERSIONS.each(connection, tree_of(connection, top.id)))


@dataclass(frozen=True, slots=True)
class TreeState:
    """By what it is seen that stacks are still what they were."""

    stacks: tuple[tuple[str, int, int], ...]
    versions: int
    changed_at: float
    nodes: int
    """How often nodes that are there were claimed."""


def tree_state(connection: Connection, stack_ids: Sequence[str]) -> TreeState:
    """Return what stacks and their versions are like."""
    stacks = _STATE.rows(connection, stack_ids)
    versions = _VERSIONS_STATE.rows(connection, stack_ids)
    nodes = _NODES_STATE.rows(connection, stack_ids)
    return TreeState(
        tuple(sorted((row[0], row[1], row[2]) for row in stacks)),
        sum(row[0] for row in versions),
        max((row[1] for row in versions if row[1] is not None), default=0.0),
        sum(row[0] or 0 for row in nodes),
    )


def forget_stacks(
    connection: Connection, stack_ids: Sequence[str], now: float, reason: str
) -> None:
    """Mark stacks as deleted, and remove their nodes; ``reason`` is for those that were about it.

    A worker that has claimed one of the nodes has lost it.
    """
    _FORGET_DELETING.run(connection, stack_ids, Status.COMPLETE.value, reason)
    _FORGET.run(connection, stack_ids, now)
    _REMOVE_NODES.run(connection, stack_ids)


def is_partly_suspended(connection: Connection, stack_id: str) -> bool:
    """Tell whether the object of any version may be at rest."""
    return bool(_SUSPENDED.rows(connection, stack_id))


def failed_versions(connection: Connection, stack_id: str) -> list[Version]:
    """Return the versions of a stack that failed, oldest first."""
    ids = [row[0] for row in _FAILED.rows(connection, stack_id)]
    return list(read_versions(connection, ids).values()) if ids else []


def is_partly_checked(connection: Connection, stack_id: str) -> bool:
    """Tell whether a check could not look at everything in a stack and those below it."""
    return bool(_PARTLY_CHECKED.rows(connection, stack_id))
