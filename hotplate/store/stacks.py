"""Queries on stacks."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from hotplate.model import Action, ReasonCode, Stack, Status
from hotplate.store.prepared import CHUNK, Prepared, PreparedList
from hotplate.store.schema import stack
from hotplate.store.sealing import seals_of

COLUMNS = [column for column in stack.c if column.name != "name_lock"]
_SOME = select(*COLUMNS).where(stack.c.id.in_(bindparam("ids", expanding=True)))
_BY_ID = PreparedList(_SOME, "ids")
_LOCKED = PreparedList(_SOME.order_by(stack.c.number).with_for_update(), "ids")
_BY_NAME = Prepared(select(*COLUMNS).where(stack.c.name_lock == bindparam("lock")), ("lock",))
_NUMBERS = PreparedList(
    select(stack.c.id, stack.c.number).where(stack.c.id.in_(bindparam("ids", expanding=True))),
    "ids",
)
_PROJECTS = PreparedList(
    select(stack.c.number, stack.c.project).where(
        stack.c.number.in_(bindparam("numbers", expanding=True))
    ),
    "numbers",
)
_INSERT = insert(stack).returning(stack.c.number, sort_by_parameter_order=True)
_OVERDUE = Prepared(
    select(stack.c.id).where(
        stack.c.deadline.is_not(None),
        stack.c.deadline <= bindparam("now"),
        stack.c.deleted_at.is_(None),
    ),
    ("now",),
)
_BELOW = select(*COLUMNS).where(stack.c.root_id == bindparam("root"), stack.c.deleted_at.is_(None))
_OF_PROJECT = (
    select(*COLUMNS)
    .where(
        stack.c.project == bindparam("project"),
        stack.c.deleted_at.is_(None),
        stack.c.parent_id.is_(None),
    )
    .order_by(stack.c.number.desc())
)


def name_lock(project: str, name: str) -> str:
    """Return what makes a stack's name unique while the stack exists."""
    return f"{project}/{name}"


def insert_stacks(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert stacks and return their numbers in the same order."""
    sealed = [_sealed(connection, row["project"], row) for row in rows]
    return list(connection.execute(_INSERT, sealed).scalars())


def insert_new(connection: Connection, stacks: Sequence[Stack]) -> list[int]:
    """Insert stacks as they are in memory but for their numbers, and return these."""
    rows = [
        {name: getattr(item, name) for name in _AT if name != "number"}
        | {
            "action": item.action.value,
            "status": item.status.value,
            "reason_code": item.reason_code.value,
            "tags": json.dumps(item.tags),
            "name_lock": name_lock(item.project, item.name),
        }
        for item in stacks
    ]
    return insert_stacks(connection, rows)


def read_stacks(connection: Connection, ids: Iterable[str]) -> dict[str, Stack]:
    """Return the stacks that exist or have been deleted, by id."""
    return {found.id: found for found in stacks_from(connection, _BY_ID.rows(connection, ids))}


def projects_of(connection: Connection, numbers: Iterable[int]) -> dict[int, str]:
    """Return the projects of stacks that exist or have been deleted, by the stacks' numbers."""
    return {row[0]: row[1] for row in _PROJECTS.rows(connection, numbers)}


def lock_stacks(connection: Connection, ids: Iterable[str]) -> dict[str, Stack]:
    """Return the stacks, locked until this transaction ends.

    They are locked in the order of their numbers, so two transactions cannot wait for each other.
    """
    return {found.id: found for found in stacks_from(connection, _locked(connection, ids))}


def lock_stack(connection: Connection, stack_id: str) -> Stack | None:
    """Return one stack, locked."""
    return lock_stacks(connection, [stack_id]).get(stack_id)


def find_stack(connection: Connection, project: str, name: str) -> Stack | None:
    """Return the stack of that name that has not been deleted."""
    rows = _BY_NAME.rows(connection, name_lock(project, name))
    return next(iter(stacks_from(connection, rows)), None)


def stacks_of_project(connection: Connection, project: str) -> list[Stack]:
    """Return the root stacks of a project, newest first."""
    return stacks_from(connection, connection.execute(_OF_PROJECT, {"project": project}))


def stacks_of_root(connection: Connection, root_id: str) -> list[Stack]:
    """Return all stacks of a tree that have not been deleted."""
    return stacks_from(connection, connection.execute(_BELOW, {"root": root_id}))


def overdue_stacks(connection: Connection, now: float) -> list[str]:
    """Return the stacks whose time is up."""
    return [row[0] for row in _OVERDUE.rows(connection, now)]


def change_stack(
    connection: Connection, stack_id: str, *, project: str = "", **changes: Any
) -> None:
    """Write some columns of a stack that this transaction has locked.

    With a recipe among them, ``project`` must be given.
    """
    values = _plain(_sealed(connection, project, changes))
    _changing(tuple(changes)).run(connection, stack_id, *values)


def switch_traversal(
    connection: Connection,
    stack_id: str,
    expected: int,
    changes: Mapping[str, Any],
    project: str = "",
) -> bool:
    """Install a new traversal if the stack is still at the expected one. This is the race.

    With a recipe among the changes, ``project`` must be given.
    """
    statement = _switching(tuple(changes))
    values = _plain(_sealed(connection, project, changes))
    return statement.run(connection, stack_id, expected, *values) == 1


def forget_stacks(connection: Connection, ids: Iterable[str]) -> None:
    """Remove stacks for good."""
    connection.execute(delete(stack).where(stack.c.id.in_(list(ids))))


@cache
def _changing(columns: tuple[str, ...]) -> Prepared:
    """Return the statement that writes some columns of a stack."""
    return Prepared(
        update(stack)
        .where(stack.c.id == bindparam("at_id"))
        .values({name: bindparam(f"to_{name}") for name in columns}),
        ("at_id", *(f"to_{name}" for name in columns)),
    )


@cache
def _switching(columns: tuple[str, ...]) -> Prepared:
    """Return the same for a stack that is still at a certain traversal."""
    return Prepared(
        update(stack)
        .where(
            stack.c.id == bindparam("at_id"),
            stack.c.sequence == bindparam("at_sequence"),
            stack.c.deleted_at.is_(None),
        )
        .values({name: bindparam(f"to_{name}") for name in columns}),
        ("at_id", "at_sequence", *(f"to_{name}" for name in columns)),
    )


def _locked(connection: Connection, ids: Iterable[str]) -> Iterable[Any]:
    wanted = list(ids)
    if len(wanted) <= CHUNK:
        return _LOCKED.rows(connection, wanted)
    # More than one statement: only sorted beforehand are they locked in order.
    numbers = {row[0]: row[1] for row in _NUMBERS.rows(connection, wanted)}
    return _LOCKED.rows(connection, sorted(numbers, key=numbers.__getitem__))


def _sealed(connection: Connection, project: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return columns with the digests of recipes as they are stored."""
    named = [name for name in _DIGESTS if row.get(name)]
    if not named:
        return row
    seals = seals_of(connection, project)
    return {**row, **{name: seals.stored(row[name]) for name in named}}


def _plain(changes: Mapping[str, Any]) -> list[Any]:
    return [
        value.value
        if isinstance(value, Action | Status | ReasonCode)
        else json.dumps(value)
        if key == "tags"
        else value
        for key, value in changes.items()
    ]


_ACTIONS = {action.value: action for action in Action}
_STATUSES = {status.value: status for status in Status}
_CODES = {code.value: code for code in ReasonCode}
_DIGESTS = ("recipe", "completed_recipe", "carried_recipe")
_AT = {column.name: at for at, column in enumerate(COLUMNS)}
_ACTION, _STATUS, _ROLLBACK, _TAGS, _CODE, _CONVERGES = map(
    _AT.__getitem__, ("action", "status", "rollback", "tags", "reason_code", "converges")
)


def stacks_from(connection: Connection, rows: Iterable[Sequence[Any]]) -> list[Stack]:
    """Return stacks from rows of COLUMNS."""
    found = []
    for row in rows:
        item = stack_of(row)
        seals = seals_of(connection, item.project)
        item.recipe = seals.digest(item.recipe)
        if item.completed_recipe is not None:
            item.completed_recipe = seals.digest(item.completed_recipe)
        if item.carried_recipe is not None:
            item.carried_recipe = seals.digest(item.carried_recipe)
        found.append(item)
    return found


def stack_of(row: Sequence[Any]) -> Stack:
    """Return a stack from a row of COLUMNS, with its recipes named as they are stored.

    Who only lists stacks needs no key for it.
    """
    fields = list(row)
    fields[_ACTION] = _ACTIONS[row[_ACTION]]
    fields[_STATUS] = _STATUSES[row[_STATUS]]
    fields[_CODE] = _CODES[row[_CODE]]
    fields[_ROLLBACK] = bool(row[_ROLLBACK])
    fields[_CONVERGES] = bool(row[_CONVERGES])
    fields[_TAGS] = () if row[_TAGS] == "[]" else tuple(json.loads(row[_TAGS]))
    return Stack(**dict(zip(_AT, fields, strict=True)))
