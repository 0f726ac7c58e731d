"""Queries on the versions of resources."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)

from hotplate.model import (
    NOT_APPLIED,
    OURS,
    Action,
    Definition,
    Difference,
    NodeState,
    ReasonCode,
    Relation,
    Stack,
    Status,
    Version,
)
from hotplate.store.carried import OWNER, RECIPE
from hotplate.store.prepared import Prepared, PreparedInsert, PreparedList, PreparedUpdate
from hotplate.store.schema import node, stack, version
from hotplate.store.sealing import Seals, seals_of

_NOTHING: Mapping[int, "BuiltRow"] = MappingProxyType({})

REFERENCE = "reference"
"""What the marks of references are made for."""

_NAMES = [column.name for column in version.c]
_UNREAD = ("reference_mark", "listens", "awaits")
_COMPUTED: dict[str, ColumnElement[Any]] = {"owner": OWNER, "recipe": RECIPE}
# Which project a version belongs to is told by its stack, and by nothing that moves with the row.
_READ = select(
    *(_COMPUTED.get(column.name, column) for column in version.c if column.name not in _UNREAD),
    stack.c.project,
).outerjoin(stack, stack.c.id == version.c.stack_id)
_OF_STACK = Prepared(
    _READ.where(version.c.stack_id == bindparam("stack")).order_by(version.c.id),
    ("stack",),
)
_OF_STACKS = PreparedList(
    _READ.where(version.c.stack_id.in_(bindparam("stacks", expanding=True))).order_by(version.c.id),
    "stacks",
)
_BY_ID = PreparedList(
    _READ.where(version.c.id.in_(bindparam("ids", expanding=True))).order_by(version.c.id),
    "ids",
)
_TYPES = PreparedList(
    select(version.c.id, version.c.type).where(version.c.id.in_(bindparam("ids", expanding=True))),
    "ids",
)
_PUBLISHED = PreparedList(
    _READ.where(
        version.c.stack_id == bindparam("stack"),
        bindparam("by") == OWNER,
        version.c.name.in_(bindparam("names", expanding=True)),
    ),
    "names",
    ("stack", "by"),
)
_NAMED = PreparedList(
    _READ.where(
        version.c.stack_id == bindparam("stack"),
        version.c.name.in_(bindparam("names", expanding=True)),
    ),
    "names",
    ("stack",),
)
_EXTERNAL = Prepared(
    _READ.where(
        version.c.root_id == bindparam("root"),
        *(version.c.relation != each for each in sorted(relation.value for relation in OURS)),
    ).order_by(version.c.id),
    ("root",),
)
_MEMBERS = PreparedList(
    select(
        version.c.id, version.c.uuid, version.c.stack_id, version.c.root_id, version.c.name,
        version.c.type, version.c.physical_id, version.c.action, version.c.status, OWNER,
        version.c.definition, version.c.reference, version.c.attributes, version.c.created_at,
        version.c.relation, version.c.always_visited, stack.c.project,
    )
    .outerjoin(stack, stack.c.id == version.c.stack_id)
    .where(version.c.stack_id.in_(bindparam("stacks", expanding=True)))
    .order_by(version.c.id),
    "stacks",
)  # fmt: skip
_COUNT = Prepared(
    select(func.count()).select_from(
        select(version.c.id)
        .where(version.c.stack_id == bindparam("stack"))
        .limit(bindparam("most"))
        .subquery()
    ),
    ("stack", "most"),
)
_INSERT = PreparedInsert(version, _NAMES)
# What never changes is not written again: indexes would have to be, too.
_SAVED = [
    name
    for name in _NAMES
    if name not in ("id", "uuid", "stack_id", "root_id", "name", "created_at", "listens")
]
_SAVE = PreparedUpdate(version, "id", _SAVED)
_CONFIRM = Prepared(
    update(version)
    .where(version.c.stack_id == bindparam("at_stack"), version.c.owner == bindparam("at_owner"))
    .values(owner=bindparam("to_owner"), recipe=bindparam("to_recipe")),
    ("at_stack", "at_owner", "to_owner", "to_recipe"),
)
_CONFIRM_SOME = PreparedUpdate(version, "id", ("owner", "recipe"))
_MOVE = PreparedUpdate(version, "id", ("requires",))
_UNFINISHED = Prepared(
    select(version.c.id).where(
        version.c.stack_id == bindparam("stack"), version.c.status == Status.IN_PROGRESS.value
    ),
    ("stack",),
)
_LEFT_BEHIND = Prepared(
    select(version.c.id, version.c.cookie, stack.c.project)
    .outerjoin(stack, stack.c.id == version.c.stack_id)
    .where(
        version.c.stack_id == bindparam("stack"),
        version.c.status == Status.FAILED.value,
        version.c.cookie.is_not(None),
        ~exists().where(
            node.c.version_id == version.c.id,
            or_(
                node.c.state == NodeState.CLAIMED.value,
                and_(node.c.state == NodeState.PARKED.value, node.c.hook.is_(None)),
                and_(node.c.state == NodeState.READY.value, node.c.generation > 0),
            ),
        ),
    ),
    ("stack",),
)
_CLEAR_COOKIE = PreparedList(
    update(version)
    .where(version.c.id.in_(bindparam("ids", expanding=True)))
    .values(cookie=None, awaits=None),
    "ids",
)
_REMOVE = PreparedList(
    delete(version).where(version.c.id.in_(bindparam("ids", expanding=True))),
    "ids",
)
_REMOVE_OF_STACK = Prepared(
    delete(version).where(version.c.stack_id == bindparam("stack")),
    ("stack",),
)
_PURGE = Prepared(
    delete(version).where(
        version.c.stack_id == bindparam("stack"),
        version.c.action == Action.DELETE.value,
        version.c.status == Status.COMPLETE.value,
    ),
    ("stack",),
)


def insert_versions(connection: Connection, versions: Sequence[Version]) -> None:
    """Insert versions."""
    _INSERT.run_all(connection, _rows(connection, versions))


def versions_of(connection: Connection, stack_id: str) -> list[Version]:
    """Return all versions of a stack, oldest first."""
    return _versions(connection, _OF_STACK.rows(connection, stack_id))


def versions_of_stacks(connection: Connection, stack_ids: Iterable[str]) -> list[Version]:
    """Return all versions of several stacks, of each the oldest first."""
    return _versions(connection, _OF_STACKS.rows(connection, stack_ids))


def versions_named(connection: Connection, stack_id: str, names: Iterable[str]) -> list[Version]:
    """Return all versions of some resources of a stack, oldest first."""
    found = _versions(connection, _NAMED.rows(connection, names, stack_id))
    return sorted(found, key=lambda each: each.id)


def external_versions(connection: Connection, root_id: str) -> list[Version]:
    """Return the versions of a tree of stacks whose objects are external, oldest first."""
    return _versions(connection, _EXTERNAL.rows(connection, root_id))


def members_of_stacks(connection: Connection, stack_ids: Iterable[str]) -> Iterator[Version]:
    """Yield all versions of several stacks, of each the oldest first, with what others see.

    That is their definitions and attributes; what is for the next update or the type is left out.
    """
    alike: dict[tuple[str, str], Definition] = {}
    for row in _MEMBERS.each(connection, stack_ids):
        (
            version_id, uuid, stack_id, root_id, name, type_name, physical_id, action, status,
            owner, definition, reference, attributes, created_at, relation, always_visited, project,
        ) = row  # fmt: skip
        opened = seals_of(connection, project or "").open
        yield Version(
            version_id, uuid, stack_id, root_id, name, type_name, _ACTIONS[action],
            _STATUSES[status], owner, "", created_at, physical_id,
            definition=_defined(type_name, version_id, definition, opened, alike),
            reference=reference and opened(REFERENCE_TEXT, version_id, reference),
            attributes=_load(opened(ATTRIBUTES, version_id, attributes)),
            relation=_RELATIONS[relation], always_visited=bool(always_visited),
            project=project or "",
        )  # fmt: skip


def count_versions(connection: Connection, stack_id: str, most: int) -> int:
    """Return how many versions a stack has; not counted beyond one more than ``most``."""
    return int(_COUNT.rows(connection, stack_id, most + 1)[0][0])


def read_versions(connection: Connection, ids: Iterable[int]) -> dict[int, Version]:
    """Return versions by id, oldest first: in this order users are told about them."""
    # A long list is read in pieces.
    rows = _BY_ID.rows(connection, sorted(ids))
    return {found.id: found for found in _versions(connection, rows)}


def types_of_versions(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    """Return the types of versions as their templates name them, by the ids of the versions."""
    return {row[0]: row[1] for row in _TYPES.rows(connection, sorted(ids))}


def published(
    connection: Connection, stack_id: str, owner: int, names: Sequence[str]
) -> list[Version]:
    """Return the versions of these names that a traversal has confirmed."""
    return _versions(connection, _PUBLISHED.rows(connection, names, stack_id, owner))


@dataclass(frozen=True, slots=True)
class BuiltRow:
    """What is stored of a version as it was when this was built."""

    version: Version
    columns: tuple[Any, ...]


def build_rows(connection: Connection, versions: Sequence[Version]) -> dict[int, BuiltRow]:
    """Return what `save_versions` would write of versions as they are, by their ids.

    Whoever is about to lock something does this before, for others wait for the lock. It asks the
    database nothing, and locks nothing: without keys at hand it returns nothing.
    """
    uses = _SEALED * len(versions)
    for project in {each.project for each in versions}:
        if not seals_of(connection, project).is_at_hand(uses):
            return {}
    rows = _rows(connection, versions)
    return {version.id: BuiltRow(version, row) for version, row in zip(versions, rows, strict=True)}


def save_versions(
    connection: Connection, versions: Sequence[Version], built: Mapping[int, BuiltRow] = _NOTHING
) -> None:
    """Write versions as they are in memory. Only the claim holder may do this.

    What is ``built`` already has not changed since.
    """
    others = [each for each in versions if each.id not in built]
    rows = {row[0]: row for row in _rows(connection, others)}
    rows |= {each.id: built[each.id].columns for each in versions if each.id in built}
    _SAVE.run_all(connection, [_saved(rows[each.id]) for each in versions])


def confirm_all(connection: Connection, of: Stack, owner: int) -> None:
    """Hand all versions of one traversal over to the present one of their stack.

    Not those that it carries.
    """
    recipe = seals_of(connection, of.project).stored(of.recipe)
    _CONFIRM.run(connection, of.id, owner, of.sequence, recipe)


def confirm(connection: Connection, of: Stack, ids: Sequence[int]) -> None:
    """Hand some versions over to the traversal of their stack, for it found nothing to do."""
    recipe = seals_of(connection, of.project).stored(of.recipe)
    _CONFIRM_SOME.run_all(connection, [(each, of.sequence, recipe) for each in ids])


def move_requirements(connection: Connection, moved: Mapping[int, Sequence[int]]) -> None:
    """Write what versions require that stay as they are in every other respect."""
    _MOVE.run_all(connection, [(each, _dump(list(ids))) for each, ids in moved.items()])


def unfinished_versions(connection: Connection, stack_id: str) -> set[int]:
    """Return the versions of a stack on which work was begun and has not come to its end."""
    return {row[0] for row in _UNFINISHED.rows(connection, stack_id)}


def clear_cookie(connection: Connection, stack_id: str, cookie: Any) -> None:
    """Take a cookie from the failed versions of a stack on which no node has begun to work."""
    text = json.dumps(cookie)
    doomed = [
        version_id
        for version_id, stored, project in _LEFT_BEHIND.rows(connection, stack_id)
        if seals_of(connection, project).open(_COOKIE, version_id, stored) == text
    ]
    _CLEAR_COOKIE.run(connection, doomed)


def remove_versions(connection: Connection, ids: Sequence[int]) -> None:
    """Remove versions that never came to anything."""
    _REMOVE.run(connection, ids)


def remove_versions_of(connection: Connection, stack_id: str) -> None:
    """Remove all versions of a stack."""
    _REMOVE_OF_STACK.run(connection, stack_id)


def purge_deleted(connection: Connection, stack_id: str) -> None:
    """Remove the versions whose objects have been deleted."""
    _PURGE.run(connection, stack_id)


DEFINITION = "version|definition"
_BEFORE = "version|before"
REFERENCE_TEXT = "version|reference"
ATTRIBUTES = "version|attributes"
_DATA = "version|data"
_COOKIE = "version|cookie"
DIFFERENCES = "version|differences"
FINGERPRINT = "version|fingerprint"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _rows(connection: Connection, versions: Iterable[Version]) -> list[tuple[Any, ...]]:
    known: dict[str, Seals] = {}
    rows = []
    for item in versions:
        seals = known.get(item.project)
        if seals is None:
            seals = known[item.project] = seals_of(connection, item.project)
        rows.append(_row(item, seals))
    return rows


def _row(item: Version, seals: Seals) -> tuple[Any, ...]:
    """Return all columns in their order."""
    number, reference, cookie = item.id, item.reference, item.cookie
    is_remembered = item.status is Status.IN_PROGRESS  # others are seldom needed again soon
    definition, before, reference_text, attributes, data, cookie_text, differences = seals.seal_all(
        number,
        (
            (DEFINITION, item.definition.as_text()),
            (_BEFORE, _dump(item.before)),
            (REFERENCE_TEXT, reference),
            (ATTRIBUTES, _dump(item.attributes)),
            (_DATA, _dump(item.data)),
            (_COOKIE, None if cookie is None else json.dumps(cookie)),
            (DIFFERENCES, _dump_differences(item.differences) if item.differences else None),
        ),
        is_remembered,
    )
    fingerprint = seals.stored_for(FINGERPRINT, number, item.fingerprint, is_remembered)
    return (
        number, item.uuid, item.stack_id, item.root_id, item.name, item.type, item.physical_id,
        item.action.value, item.status.value, item.reason, item.owner, seals.stored(item.recipe),
        fingerprint, definition, _dump(item.requires), _dump(item.needed), before, item.replaces,
        item.replaced_by, reference_text, attributes, data, cookie_text,
        item.intent.value if item.intent else None, item.attempt, item.intent_at, item.created_at,
        item.updated_at, item.relation.value, item.always_visited, item.reason_code.value,
        differences,
        None if reference is None else seals.mark(REFERENCE, reference),
        None,
        None if cookie is None else awaited(cookie),
    )  # fmt: skip


def awaited(cookie: Any) -> str | None:
    """Return the execution that a cookie names, which wakes the version when it ends."""
    named = cookie.get("id") if isinstance(cookie, dict) else None
    return named if isinstance(named, str) and _UUID.fullmatch(named) else None


_SEALED = 7
"""Columns of a version that may be sealed."""

_MOST_ALIKE = 32
"""Definitions that are remembered while versions are read."""

_saved = itemgetter(_NAMES.index("id"), *map(_NAMES.index, _SAVED))


def _dump(value: Any) -> str:
    if not value:
        return "[]" if isinstance(value, list) else "{}"
    return json.dumps(value)


def _load(text: str) -> Any:
    if text == "{}":
        return {}
    return [] if text == "[]" else json.loads(text)


def _dump_differences(differences: Iterable[Difference]) -> str:
    return json.dumps([[each.path, each.applied, each.live] for each in differences])


def load_differences(text: str) -> tuple[Difference, ...]:
    """Return differences as they are stored."""
    return tuple(Difference(*each) for each in json.loads(text))


_ACTIONS = {action.value: action for action in Action}
_STATUSES = {status.value: status for status in Status}
_CODES = {code.value: code for code in ReasonCode}
_definition = Definition.from_data
_RELATIONS = {relation.value: relation for relation in Relation}


def _defined(
    type_name: str,
    version_id: int,
    stored: str,
    opened: Callable[[str, int, str], str],
    alike: dict[tuple[str, str], Definition],
) -> Definition:
    """Return a definition; those that say the same in the same words are read once.

    ``alike`` are some that have been read.
    """
    if stored == "{}":
        return NOT_APPLIED
    text = opened(DEFINITION, version_id, stored)
    found = alike.get((type_name, text))
    if found is None:
        found = _definition(type_name, json.loads(text))
        if len(alike) < _MOST_ALIKE:
            alike[type_name, text] = found
    return found


def _versions(connection: Connection, rows: Iterable[Any]) -> list[Version]:
    known: dict[str, Seals] = {}
    alike: dict[tuple[str, str], Definition] = {}
    found = []
    for row in rows:
        project = row[-1] or ""
        seals = known.get(project)
        if seals is None:
            seals = known[project] = seals_of(connection, project)
        found.append(_version(row, seals, alike))
    return found


def _version(row: Any, seals: Seals, alike: dict[tuple[str, str], Definition]) -> Version:
    (
        version_id, uuid, stack_id, root_id, name, type_name, physical_id, action, status, reason,
        owner, recipe, fingerprint, definition, requires, needed, before, replaces, replaced_by,
        reference, attributes, data, cookie, intent, attempt, intent_at, created_at, updated_at,
        relation, always_visited, reason_code, differences, project,
    ) = row  # fmt: skip
    opened = seals.open
    return Version(
        version_id, uuid, stack_id, root_id, name, type_name, _ACTIONS[action], _STATUSES[status],
        owner, seals.digest(recipe), created_at, physical_id, reason,
        seals.digest_for(FINGERPRINT, version_id, fingerprint),
        _defined(type_name, version_id, definition, opened, alike),
        _load(requires), _load(needed), _load(opened(_BEFORE, version_id, before)), replaces,
        replaced_by, None if reference is None else opened(REFERENCE_TEXT, version_id, reference),
        _load(opened(ATTRIBUTES, version_id, attributes)),
        _load(opened(_DATA, version_id, data)),
        None if cookie is None else json.loads(opened(_COOKIE, version_id, cookie)),
        _ACTIONS[intent] if intent else None, attempt, intent_at, updated_at, _RELATIONS[relation],
        bool(always_visited), _CODES[reason_code],
        load_differences(opened(DIFFERENCES, version_id, differences)) if differences else (),
        project or "",
    )  # fmt: skip
