"""Queries over all versions of a stack at once, of which there may be a hundred thousand."""

import json
from array import array
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Connection, and_, bindparam, case, func, not_, null, or_, select

from hotplate.model import NOT_APPLIED, OURS, Action, Relation, Stack, Status, Version
from hotplate.store.carried import APART, OWNER, RECIPE
from hotplate.store.prepared import Prepared, PreparedList
from hotplate.store.schema import stack, version
from hotplate.store.sealing import PLAIN, Seals, seals_of
from hotplate.store.versions import ATTRIBUTES, FINGERPRINT, REFERENCE_TEXT

_DIGEST = 64
"""Characters of a digest, sealed or not."""

_IDS = 32
"""Bits of an id that follow the number of its stack."""

_COLUMNS = (
    version.c.id, version.c.name, version.c.type, version.c.physical_id, version.c.action,
    version.c.status, OWNER, RECIPE, version.c.fingerprint,
    version.c.requires, version.c.replaces, version.c.replaced_by, version.c.intent,
    version.c.created_at, version.c.updated_at, version.c.relation, version.c.always_visited,
)  # fmt: skip
_OF_STACK = version.c.stack_id == bindparam("stack")
_WITH_STACKS = select(*_COLUMNS).outerjoin(stack, stack.c.id == version.c.stack_id)
_SURVEY = Prepared(_WITH_STACKS.where(_OF_STACK).order_by(version.c.id), ("stack",))
_SURVEY_SOME = PreparedList(
    _WITH_STACKS.where(version.c.id.in_(bindparam("ids", expanding=True))), "ids"
)
_IN_ORDER = and_(
    version.c.status == Status.COMPLETE.value,
    *(version.c.action != each.value for each in (Action.INIT, Action.DELETE, Action.SUSPEND)),
    version.c.relation == Relation.MANAGED.value,
    version.c.requires == "[]",
    version.c.replaces.is_(None),
    version.c.replaced_by.is_(None),
    version.c.intent.is_(None),
)
"""Versions of which nothing but the fingerprint tells whether there is something to do."""

_IS_INDEPENDENT = and_(
    version.c.status == Status.COMPLETE.value,
    version.c.action != Action.DELETE.value,
    version.c.requires == "[]",
    version.c.replaces.is_(None),
    version.c.replaced_by.is_(None),
    version.c.intent.is_(None),
)
"""Versions at rest that require no other. Others may require them all the same."""

_IN_RANGE = and_(version.c.id >= bindparam("first"), version.c.id < bindparam("end"))
_INDEPENDENT = Prepared(
    select(version.c.id).where(_IN_RANGE, _IS_INDEPENDENT).order_by(version.c.id), ("first", "end")
)
_DEPENDENT = Prepared(
    _WITH_STACKS.where(_IN_RANGE, not_(_IS_INDEPENDENT)).order_by(version.c.id), ("first", "end")
)
_NAMES_BY_ID = PreparedList(
    select(version.c.id, version.c.name).where(version.c.id.in_(bindparam("ids", expanding=True))),
    "ids",
)
_IS_CONFIRMED = and_(
    or_(version.c.recipe == bindparam("confirmed"), version.c.owner <= bindparam("carried")),
    # A version that was found not to be as it was applied has a word there.
    func.length(version.c.fingerprint) == _DIGEST,
)
_AT_A_GLANCE = select(
    version.c.id,
    version.c.name,
    version.c.owner,
    case((not_(_IN_ORDER), ""), (_IS_CONFIRMED, null()), else_=version.c.fingerprint),
).where(_IN_RANGE)
_GLANCE = Prepared(_AT_A_GLANCE, ("confirmed", "carried", "first", "end"))
_OTHERS = Prepared(
    _AT_A_GLANCE.where(
        not_(
            and_(
                _IN_ORDER,
                _IS_CONFIRMED,
                version.c.owner >= bindparam("oldest"),
                version.c.owner <= bindparam("newest"),
            )
        )
    ),
    ("confirmed", "carried", "first", "end", "oldest", "newest"),
)
_NAMES = Prepared(
    select(func.count(), func.count(version.c.name.distinct())).where(_OF_STACK), ("stack",)
)
_NAMED = PreparedList(
    select(version.c.id).where(
        version.c.stack_id == bindparam("stack"),
        version.c.name.in_(bindparam("names", expanding=True)),
    ),
    "names",
    ("stack",),
)
_OBJECTS = Prepared(
    select(version.c.id, version.c.name, version.c.type, version.c.physical_id)
    .where(_IN_RANGE)
    .order_by(version.c.id),
    ("first", "end"),
)
_DIFFERING = Prepared(
    select(version.c.id).where(_OF_STACK, version.c.differences.is_not(None)), ("stack",)
)
_PROJECT = Prepared(select(stack.c.project).where(stack.c.id == bindparam("stack")), ("stack",))
_REFERENCES = Prepared(
    select(version.c.id, version.c.reference)
    .where(version.c.stack_id == bindparam("stack"), version.c.reference.is_not(None))
    .order_by(version.c.id),
    ("stack",),
)
_ATTRIBUTES = PreparedList(
    select(version.c.id, version.c.attributes, version.c.reference, stack.c.project)
    .outerjoin(stack, stack.c.id == version.c.stack_id)
    .where(
        version.c.stack_id == bindparam("stack"),
        version.c.name.in_(bindparam("names", expanding=True)),
    ),
    "names",
    ("stack",),
)
_KINDS = Prepared(
    select(version.c.type, version.c.relation, version.c.always_visited)
    .where(version.c.stack_id == bindparam("stack"))
    .distinct(),
    ("stack",),
)

_ACTIONS = {action.value: action for action in Action}
_STATUSES = {status.value: status for status in Status}
_RELATIONS = {relation.value: relation for relation in Relation}
_NOTHING: list[Any] = []
_NO_FACTS: dict[str, Any] = {}


def survey(connection: Connection, stack_id: str) -> list[Version]:
    """Return all versions of a stack, oldest first, with what planning needs of them.

    Definitions, attributes, references and what types keep are left out: decoding them would cost
    more than all the rest. They may be a hundred thousand, so what they have in common is shared
    among them: nobody may change a list or map of theirs, only put another one in its place.
    """
    project = _project_of(connection, stack_id)
    return _surveyed(connection, stack_id, project, _SURVEY.each(connection, stack_id))


def survey_some(connection: Connection, stack_id: str, ids: Sequence[int]) -> list[Version]:
    """Return the same of some versions of a stack."""
    project = _project_of(connection, stack_id)
    rows = _SURVEY_SOME.rows(connection, ids)
    found = _surveyed(connection, stack_id, project, rows)
    return sorted(found, key=lambda each: each.id)


def survey_independent(
    connection: Connection, of: Stack, busy: Container[int]
) -> tuple[list[Version], "array[int]"]:
    """Return the same but for independent versions; of these only the ids.

    They are at rest, require none and are required by none, and nothing of them is ``busy``: a
    hundred thousand of them take less than a megabyte.
    """
    first, end = _range(of)
    others = _surveyed(connection, of.id, of.project, _DEPENDENT.each(connection, first, end))
    named = {number for each in others for number in (*each.requires, each.replaces)}
    independent, among = array("q"), []
    for (number,) in _INDEPENDENT.each(connection, first, end):
        if number in named or number in busy:
            among.append(number)
        else:
            independent.append(number)
    if among:
        others += survey_some(connection, of.id, among)
        others.sort(key=lambda each: each.id)
    return others, independent


def names_by_id(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    """Return the names of versions."""
    return {row[0]: row[1] for row in _NAMES_BY_ID.rows(connection, ids)}


Glance: TypeAlias = tuple[int, str, int, str | None]
"""Of a version its id, its name, its owner, and what tells whether it is as is wanted.

The owner is that of the row, also of one that is carried. What tells it is its fingerprint; None if
it is the one that the recipe wanted for which the version was confirmed; empty if it is not enough
to go by a fingerprint.
"""


def glances(connection: Connection, of: Stack, recipe: str = "") -> Iterator[Sequence[Glance]]:
    """Yield a glance at each version of a stack, many at a time and in no order.

    Of versions in order that were confirmed for a ``recipe`` no fingerprint is read: opening what
    is sealed costs more than all the rest.
    """
    seals = seals_of(connection, of.project)
    for rows in _GLANCE.parts(connection, *_confirmed(seals, of, recipe)):
        yield [_opened(seals, row) for row in rows]


@dataclass(frozen=True, slots=True)
class Counted:
    """Versions of a stack of which nothing but their number is known, and all others."""

    number: int
    others: list[Glance]


def counted(
    connection: Connection, of: Stack, recipe: str, oldest: int, newest: int
) -> Counted | None:
    """Count the versions of a stack in order that were confirmed for a recipe and have such owners.

    All of it happens in the database; what others there are is told. None if there are several
    versions of one name.
    """
    total, names = _NAMES.rows(connection, of.id)[0]
    if total != names:
        return None
    seals = seals_of(connection, of.project)
    rows = _OTHERS.rows(connection, *_confirmed(seals, of, recipe), oldest, newest)
    return Counted(total - len(rows), [_opened(seals, row) for row in rows])


class NamedObject(NamedTuple):
    """What a list says of a version: which it is, and its object."""

    id: int
    name: str
    type: str
    physical_id: str | None


def objects_of(connection: Connection, of: Stack) -> Iterator[NamedObject]:
    """Yield the objects of all versions of a stack, oldest first, while they are being read."""
    return map(NamedObject._make, _OBJECTS.each(connection, *_range(of)))


def named(connection: Connection, of: Stack, names: Sequence[str]) -> list[int]:
    """Return the versions of some resources of a stack."""
    return [row[0] for row in _NAMED.rows(connection, names, of.id)]


def _confirmed(seals: Seals, of: Stack, recipe: str) -> tuple[str, int, int, int]:
    """Return what a glance asks: which versions are confirmed for a recipe, and whose ids it is of.

    All ids of a stack follow its number, so its rows are beside each other.
    """
    carried = of.carrier - APART if recipe and of.carried_recipe == recipe else -1
    return seals.stored(recipe), carried, *_range(of)


def _range(of: Stack) -> tuple[int, int]:
    """Return the first id of a stack, and the first one after its ids."""
    return of.number << _IDS, (of.number + 1) << _IDS


def _opened(seals: Seals, row: Any) -> Glance:
    number, name, owner, fingerprint = row
    if not fingerprint:
        return number, name, owner, fingerprint
    return number, name, owner, seals.digest_for(FINGERPRINT, number, fingerprint)


def differing_versions(connection: Connection, stack_id: str) -> set[int]:
    """Return the versions of a stack whose objects were found not to be what was applied."""
    return {row[0] for row in _DIFFERING.rows(connection, stack_id)}


def _surveyed(
    connection: Connection, stack_id: str, project: str, rows: Iterable[Any]
) -> list[Version]:
    versions = []
    shared: dict[str, str] = {}
    seals = seals_of(connection, project)
    for row in rows:
        (
            number, name, type_name, physical_id, action, status, owner, recipe, fingerprint,
            requires, replaces, replaced_by, intent, created_at, updated_at, relation, visited,
        ) = row  # fmt: skip
        digest = seals.digest_for(FINGERPRINT, number, fingerprint)
        versions.append(
            Version(
                number, "", stack_id, "", name, shared.setdefault(type_name, type_name),
                _ACTIONS[action], _STATUSES[status], owner, seals.digest(recipe), created_at,
                physical_id, "", shared.setdefault(digest, digest), NOT_APPLIED,
                _NOTHING if requires == "[]" else json.loads(requires), _NOTHING, _NO_FACTS,
                replaces, replaced_by, None, _NO_FACTS, _NO_FACTS, None,
                _ACTIONS[intent] if intent else None, 0, None, updated_at, _RELATIONS[relation],
                bool(visited), project=project,
            )
        )  # fmt: skip
    return versions


def _project_of(connection: Connection, stack_id: str) -> str:
    rows = _PROJECT.rows(connection, stack_id)
    return rows[0][0] or "" if rows else ""


def references_by_id(connection: Connection, stack_id: str) -> dict[int, str]:
    """Return the references of the versions of a stack that have one, by id."""
    opened = seals_of(connection, _project_of(connection, stack_id)).open
    return {
        number: opened(REFERENCE_TEXT, number, reference)
        for number, reference in _REFERENCES.rows(connection, stack_id)
    }


class Kind(NamedTuple):
    """What versions of a stack have in common: their type, as the template names it.

    ``is_visited``: external, or a nested stack in which something must be visited each time.
    """

    type: str
    is_visited: bool


def kinds_of_versions(connection: Connection, stack_id: str) -> set[Kind]:
    """Return of what kinds the versions of a stack are."""
    return {
        Kind(type_name, bool(always_visited) or _RELATIONS[relation] not in OURS)
        for type_name, relation, always_visited in _KINDS.rows(connection, stack_id)
    }


def offered_by_id(
    connection: Connection, stack_id: str, names: Sequence[str]
) -> dict[int, tuple[dict[str, Any], str | None]]:
    """Return the attributes and references of the versions of some resources, by id."""
    rows = _ATTRIBUTES.rows(connection, names, stack_id)
    opened = seals_of(connection, rows[0][3] or "").open if rows else PLAIN.open
    return {
        number: (
            json.loads(opened(ATTRIBUTES, number, attributes)),
            reference and opened(REFERENCE_TEXT, number, reference),
        )
        for number, attributes, reference, _ in rows
    }
