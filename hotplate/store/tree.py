"""Queries over a stack and its nested stacks: one statement each, however deep the tree."""

from collections.abc import Iterator, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    Integer,
    String,
    and_,
    bindparam,
    case,
    cast,
    exists,
    func,
    literal,
    not_,
    null,
    or_,
    select,
)

from hotplate.model import Action, Stack, Status
from hotplate.store.carried import RECIPE
from hotplate.store.prepared import Prepared
from hotplate.store.schema import node, stack, version
from hotplate.store.sealing import PLAIN, Seals, seals_of
from hotplate.store.stacks import COLUMNS, stacks_from
from hotplate.store.versions import ATTRIBUTES, DIFFERENCES

_STEP = 20
"""Digits of a version's id, filled up with zeros so that texts compare as numbers do."""

_LONGEST_PATH = 1000

_PART = 1000
"""Versions of a large stack that are read at a time."""

_MOST_SHARED = 1000
"""Texts of one stack that are kept once each; what comes after them is kept as it comes."""


_CHILD = stack.alias("child")
# A stack's id is the physical id of the version it belongs to, so this finds it by its key.
_IS_CHILD = (_CHILD.c.id == version.c.physical_id) & (_CHILD.c.parent_version == version.c.id)


# Which of two versions stands for a name: the newest that is not going away.
_STANDS = version.alias("stands")
_GOES = version.c.action == Action.DELETE.value
_STANDS_GOES = _STANDS.c.action == Action.DELETE.value
_STANDS_BEFORE = and_(
    _STANDS.c.name == version.c.name,
    or_(
        and_(_GOES, not_(_STANDS_GOES)),
        and_(
            or_(_GOES, not_(_STANDS_GOES)),
            or_(
                _STANDS.c.owner > version.c.owner,
                and_(_STANDS.c.owner == version.c.owner, _STANDS.c.id > version.c.id),
            ),
        ),
    ),
)


def count_in_tree(connection: Connection, root_id: str, most: int) -> int:
    """Return how many versions a tree of stacks has; not counted much beyond ``most``."""
    some = select(version.c.id).where(version.c.root_id == root_id).limit(most + 1).subquery()
    return int(connection.execute(select(func.count()).select_from(some)).scalar_one())


def types_in_tree(connection: Connection, root_id: str) -> set[str]:
    """Return the types of all versions in a tree of stacks; of some it is a template file."""
    wanted = select(version.c.type).where(version.c.root_id == root_id).distinct()
    return set(connection.execute(wanted).scalars())


def _padded(dialect: str) -> Any:
    if dialect == "sqlite":
        return func.printf(f"%0{_STEP}d", stack.c.parent_version)
    return func.lpad(cast(stack.c.parent_version, String(_STEP)), _STEP, "0")


def tree(dialect: str) -> CTE:
    """Return the stacks at and below the bound ``top``, down to ``depth`` levels.

    ``path`` orders them depth first: a stack, then the one of its first resource. ``owner`` is
    the version that a stack belongs to. Deleted ones are included.
    """
    top = (
        select(
            stack.c.id,
            stack.c.name,
            stack.c.project,
            stack.c.parent_id,
            stack.c.parent_version.label("owner"),
            cast(literal(0), Integer).label("depth"),
            cast(literal(""), String(_LONGEST_PATH)).label("path"),
        )
        .where(stack.c.id == bindparam("top"))
        .cte("tree", recursive=True)
    )
    path = cast(top.c.path + _padded(dialect), String(_LONGEST_PATH))
    below = (
        select(
            stack.c.id,
            stack.c.name,
            stack.c.project,
            stack.c.parent_id,
            stack.c.parent_version,
            top.c.depth + 1,
            path,
        )
        .join(top, stack.c.parent_id == top.c.id)
        .where(top.c.depth < bindparam("depth"))
    )
    return top.union_all(below)


def stacks_of_tree(connection: Connection, stack_id: str, depth: int) -> list[Stack]:
    """Return a stack and its nested stacks, depth first; deleted ones are included."""
    stacks = tree(connection.dialect.name)
    statement = select(*COLUMNS).join(stacks, stacks.c.id == stack.c.id).order_by(stacks.c.path)
    rows = connection.execute(statement, {"top": stack_id, "depth": depth})
    return stacks_from(connection, rows)


class ListedVersion(NamedTuple):
    """One version with the stack it is in. ``owner_name`` is the resource that the stack is."""

    stack_id: str
    stack_name: str
    depth: int
    owner_name: str | None
    child_id: str | None
    child_name: str | None
    id: int
    uuid: str
    name: str
    type: str
    physical_id: str | None
    action: str
    status: str
    reason: str
    owner: int
    requires: str
    created_at: float
    updated_at: float | None
    recipe: str
    attributes: str
    relation: str = "managed"
    differences: str | None = None
    """JSON, and only where attributes are."""

    project: str = ""


def _loose(stacks: CTE) -> CTE:
    """Return those of the stacks that are large, and in which no version has to do with another."""
    requires = case((version.c.requires != "[]", 1), else_=0)
    return (
        select(stacks.c.id)
        .join(version, version.c.stack_id == stacks.c.id)
        .group_by(stacks.c.id)
        .having(
            func.count() > _PART,
            func.count() == func.count(version.c.name.distinct()),
            func.sum(requires) == 0,
        )
        .cte("loose")
    )


@cache
def _listed(dialect: str, with_attributes: bool) -> Prepared:
    stacks = tree(dialect)
    loose = _loose(stacks)
    holder = version.alias("holder")
    child = _CHILD
    statement = (
        select(
            stacks.c.id,
            stacks.c.name,
            stacks.c.depth,
            holder.c.name,
            child.c.id,
            child.c.name,
            version.c.id,
            version.c.uuid,
            version.c.name,
            version.c.type,
            version.c.physical_id,
            version.c.action,
            version.c.status,
            version.c.reason,
            version.c.owner,
            version.c.requires,
            version.c.created_at,
            version.c.updated_at,
            RECIPE,
            version.c.attributes if with_attributes else literal("{}"),
            version.c.relation,
            version.c.differences if with_attributes else null(),
            stacks.c.project,
            loose.c.id,
        )
        .select_from(stacks)
        .outerjoin(loose, loose.c.id == stacks.c.id)
        .join(stack, stack.c.id == stacks.c.id)
        .join(version, version.c.stack_id == stacks.c.id)
        .outerjoin(holder, holder.c.id == stacks.c.owner)
        .outerjoin(child, _IS_CHILD)
        .order_by(stacks.c.path, version.c.id)
    )
    return Prepared(statement, ("top", "depth"))


def listed_versions(
    connection: Connection, stack_id: str, depth: int, with_attributes: bool
) -> Iterator[Sequence[ListedVersion]]:
    """Yield the versions of each stack of a tree, stack by stack, depth first, in one query.

    Within a stack they come in the order in which they were made. A stack without any version is
    left out. One that is large comes in parts, if no two of its versions have one name and none
    requires another: all of them need not be in memory at once.
    """
    statement = _listed(connection.dialect.name, with_attributes)
    group: list[ListedVersion] = []
    current, seals, shared = "", PLAIN, _Shared()
    for row in statement.each(connection, stack_id, depth):
        is_other, is_loose = row[0] != current, row[-1] is not None
        if is_other or (is_loose and len(group) == _PART):
            if group:
                yield group
            group, current = [], row[0]
        if is_other:
            seals, shared = seals_of(connection, row[-2]), _Shared()
        group.append(_opened(row, seals, shared))
    if group:
        yield group


class _Shared(dict[Any, Any]):
    """Texts that the rows of a stack repeat, each kept once: a hundred thousand rows are one list.

    Not those that differ from row to row.
    """

    def __missing__(self, text: Any) -> Any:
        if len(self) < _MOST_SHARED:
            self[text] = text
        return text


def _opened(row: Any, seals: Seals, shared: _Shared) -> ListedVersion:
    (
        stack_id, stack_name, depth, owner_name, child_id, child_name, number, uuid, name, type_,
        physical_id, action, status, reason, owner, requires, created_at, updated_at, recipe,
        attributes, relation, differences, project, _,
    ) = row  # fmt: skip
    return ListedVersion(
        shared[stack_id], shared[stack_name], depth, shared[owner_name], child_id, child_name,
        number, uuid, name, shared[type_], physical_id, shared[action], shared[status],
        shared[reason], owner, shared[requires], created_at, updated_at,
        shared[seals.digest(recipe)],
        shared[attributes] if attributes == "{}" else seals.open(ATTRIBUTES, number, attributes),
        shared[relation], differences and seals.open(DIFFERENCES, number, differences),
        shared[project],
    )  # fmt: skip


def hooks_of_tree(connection: Connection, stack_id: str, depth: int) -> dict[int, str]:
    """Return the hooks at which versions in a tree wait, by the ids of the versions."""
    stacks = tree(connection.dialect.name)
    statement = (
        select(node.c.version_id, node.c.hook)
        .select_from(stacks)
        .join(node, node.c.stack_id == stacks.c.id)
        .where(node.c.hook.is_not(None))
    )
    rows = connection.execute(statement, {"top": stack_id, "depth": depth})
    return {row.version_id: row.hook for row in rows}


def failed_versions(connection: Connection, stack_id: str, depth: int) -> list[Any]:
    """Return what failed in a tree and is no stack itself: rows with the stack's id and names.

    Also the holders of stacks, which are needed for the path. ``is_old``: another version
    stands for the name.
    """
    return _some(connection, stack_id, depth, version.c.status == Status.FAILED.value)


def differing_versions(connection: Connection, stack_id: str, depth: int) -> list[Any]:
    """Return what a check found to differ in a tree, in the same way as `failed_versions`."""
    return _some(connection, stack_id, depth, version.c.differences.is_not(None))


def _some(
    connection: Connection, stack_id: str, depth: int, condition: ColumnElement[bool]
) -> list[Any]:
    stacks = tree(connection.dialect.name)
    child = _CHILD
    is_old = exists().where(_STANDS.c.stack_id == version.c.stack_id, _STANDS_BEFORE)
    statement = (
        select(
            stacks.c.id.label("stack_id"),
            stacks.c.name.label("stack_name"),
            stacks.c.project,
            stacks.c.owner,
            version.c.id,
            version.c.name,
            version.c.type,
            version.c.physical_id,
            version.c.action,
            version.c.reason,
            version.c.reason_code,
            version.c.differences,
            child.c.id.label("child_id"),
            is_old.label("is_old"),
        )
        .select_from(stacks)
        .join(version, version.c.stack_id == stacks.c.id)
        .outerjoin(child, _IS_CHILD)
        .where(condition | child.c.id.is_not(None))
        .order_by(stacks.c.path, version.c.id)
    )
    rows = connection.execute(statement, {"top": stack_id, "depth": depth})
    return [_shown(connection, row) for row in rows]


def _shown(connection: Connection, row: Any) -> SimpleNamespace:
    fields = dict(row._mapping)
    if fields["differences"]:
        seals = seals_of(connection, fields["project"])
        fields["differences"] = seals.open(DIFFERENCES, fields["id"], fields["differences"])
    return SimpleNamespace(**fields)
