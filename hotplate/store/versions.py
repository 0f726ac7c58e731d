"""Queries on the versions of resources."""

import json
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, bindparam, delete, exists, func, insert, select, update

from hotplate.model import (
    NOT_APPLIED,
    OURS,
    Action,
    Definition,
    Difference,
    ReasonCode,
    Relation,
    Status,
    Version,
)
from hotplate.store.prepared import Prepared, PreparedList
from hotplate.store.schema import node, version

_NAMES = [column.name for column in version.c]
_OF_STACK = Prepared(
    select(version).where(version.c.stack_id == bindparam("stack")).order_by(version.c.id),
    ("stack",),
)
_OF_STACKS = PreparedList(
    select(version)
    .where(version.c.stack_id.in_(bindparam("stacks", expanding=True)))
    .order_by(version.c.id),
    "stacks",
)
_BY_ID = PreparedList(
    select(version).where(version.c.id.in_(bindparam("ids", expanding=True))),
    "ids",
)
_PUBLISHED = PreparedList(
    select(version).where(
        version.c.stack_id == bindparam("stack"),
        version.c.owner == bindparam("owner"),
        version.c.name.in_(bindparam("names", expanding=True)),
    ),
    "names",
    ("stack", "owner"),
)
_NAMED = PreparedList(
    select(version).where(
        version.c.stack_id == bindparam("stack"),
        version.c.name.in_(bindparam("names", expanding=True)),
    ),
    "names",
    ("stack",),
)
_EXTERNAL = Prepared(
    select(version)
    .where(
        version.c.root_id == bindparam("root"),
        *(version.c.relation != each for each in sorted(relation.value for relation in OURS)),
    )
    .order_by(version.c.id),
    ("root",),
)
_SURVEY = Prepared(
    select(
        version.c.id, version.c.uuid, version.c.root_id, version.c.name, version.c.type,
        version.c.physical_id, version.c.action, version.c.status, version.c.owner,
        version.c.recipe, version.c.fingerprint, version.c.requires, version.c.replaces,
        version.c.replaced_by, version.c.reference, version.c.intent, version.c.created_at,
        version.c.updated_at, version.c.relation, version.c.always_visited,
    )
    .where(version.c.stack_id == bindparam("stack"))
    .order_by(version.c.id),
    ("stack",),
)  # fmt: skip
_ATTRIBUTES = PreparedList(
    select(version.c.id, version.c.attributes).where(
        version.c.stack_id == bindparam("stack"),
        version.c.name.in_(bindparam("names", expanding=True)),
    ),
    "names",
    ("stack",),
)
_INSERT = Prepared(insert(version), _NAMES)
_SAVED = [
    name for name in _NAMES if name not in ("id", "uuid", "stack_id", "root_id", "created_at")
]
_SAVE = Prepared(
    update(version)
    .where(version.c.id == bindparam("at_id"))
    .values({name: bindparam(f"to_{name}") for name in _SAVED}),
    ("at_id", *(f"to_{name}" for name in _SAVED)),
)
_CONFIRM = Prepared(
    update(version)
    .where(version.c.stack_id == bindparam("at_stack"), version.c.owner == bindparam("at_owner"))
    .values(owner=bindparam("to_owner"), recipe=bindparam("to_recipe")),
    ("at_stack", "at_owner", "to_owner", "to_recipe"),
)
_CONFIRM_SOME = Prepared(
    update(version)
    .where(version.c.id == bindparam("at_id"))
    .values(owner=bindparam("to_owner"), recipe=bindparam("to_recipe")),
    ("at_id", "to_owner", "to_recipe"),
)
_MOVE = Prepared(
    update(version)
    .where(version.c.id == bindparam("at_id"))
    .values(requires=bindparam("to_requires")),
    ("at_id", "to_requires"),
)
_UNFINISHED = Prepared(
    select(version.c.id).where(
        version.c.stack_id == bindparam("stack"), version.c.status == Status.IN_PROGRESS.value
    ),
    ("stack",),
)
_CLEAR_COOKIE = Prepared(
    update(version)
    .where(
        version.c.stack_id == bindparam("stack"),
        version.c.status == Status.FAILED.value,
        version.c.cookie == bindparam("searching"),
        ~exists().where(node.c.version_id == version.c.id),
    )
    .values(cookie=None),
    ("stack", "searching"),
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
    _INSERT.run_all(connection, [_row(item) for item in versions])


def versions_of(connection: Connection, stack_id: str) -> list[Version]:
    """Return all versions of a stack, oldest first."""
    return [_version(row) for row in _OF_STACK.rows(connection, stack_id)]


def versions_of_stacks(connection: Connection, stack_ids: Iterable[str]) -> list[Version]:
    """Return all versions of several stacks, of each the oldest first."""
    return [_version(row) for row in _OF_STACKS.rows(connection, stack_ids)]


def versions_named(connection: Connection, stack_id: str, names: Iterable[str]) -> list[Version]:
    """Return all versions of some resources of a stack, oldest first."""
    found = [_version(row) for row in _NAMED.rows(connection, names, stack_id)]
    return sorted(found, key=lambda each: each.id)


def external_versions(connection: Connection, root_id: str) -> list[Version]:
    """Return the versions of a tree of stacks whose objects are external, oldest first."""
    return [_version(row) for row in _EXTERNAL.rows(connection, root_id)]


def survey(connection: Connection, stack_id: str) -> list[Version]:
    """Return all versions of a stack, oldest first, with what planning needs of them.

    Definitions, attributes and what types keep are left out: decoding them would cost more than
    all the rest.
    """
    versions = []
    for row in _SURVEY.rows(connection, stack_id):
        (
            version_id, uuid, root_id, name, type_name, physical_id, action, status, owner, recipe,
            fingerprint, requires, replaces, replaced_by, reference, intent, created_at, updated_at,
            relation, always_visited,
        ) = row  # fmt: skip
        versions.append(
            Version(
                version_id, uuid, stack_id, root_id, name, type_name, _ACTIONS[action],
                _STATUSES[status], owner, recipe, created_at, physical_id, "", fingerprint,
                NOT_APPLIED, _load(requires), [], {}, replaces, replaced_by, reference, {}, {},
                None, _ACTIONS[intent] if intent else None, 0, None, updated_at,
                _RELATIONS[relation], bool(always_visited),
            )
        )  # fmt: skip
    return versions


def count_in_tree(connection: Connection, root_id: str, most: int) -> int:
    """Return how many versions a tree of stacks has; not counted much beyond ``most``."""
    some = select(version.c.id).where(version.c.root_id == root_id).limit(most + 1).subquery()
    return int(connection.execute(select(func.count()).select_from(some)).scalar_one())


def attributes_by_id(
    connection: Connection, stack_id: str, names: Sequence[str]
) -> dict[int, dict[str, Any]]:
    """Return the attributes of the versions of some resources, by id."""
    return {row[0]: _load(row[1]) for row in _ATTRIBUTES.rows(connection, names, stack_id)}


def read_versions(connection: Connection, ids: Iterable[int]) -> dict[int, Version]:
    """Return versions by id."""
    return {row[0]: _version(row) for row in _BY_ID.rows(connection, ids)}


def published(
    connection: Connection, stack_id: str, owner: int, names: Sequence[str]
) -> list[Version]:
    """Return the versions of these names that a traversal has confirmed."""
    return [_version(row) for row in _PUBLISHED.rows(connection, names, stack_id, owner)]


def save_versions(connection: Connection, versions: Sequence[Version]) -> None:
    """Write versions as they are in memory. Only the claim holder may do this."""
    _SAVE.run_all(connection, [_saved(_row(item)) for item in versions])


def confirm_all(
    connection: Connection, stack_id: str, owner: int, new_owner: int, recipe: str
) -> None:
    """Hand all versions of one traversal over to the next."""
    _CONFIRM.run(connection, stack_id, owner, new_owner, recipe)


def confirm(connection: Connection, ids: Sequence[int], owner: int, recipe: str) -> None:
    """Hand some versions over to a traversal that found nothing to do for them."""
    _CONFIRM_SOME.run_all(connection, [(each, owner, recipe) for each in ids])


def move_requirements(connection: Connection, moved: Mapping[int, Sequence[int]]) -> None:
    """Write what versions require that stay as they are in every other respect."""
    _MOVE.run_all(connection, [(each, _dump(list(ids))) for each, ids in moved.items()])


def unfinished_versions(connection: Connection, stack_id: str) -> set[int]:
    """Return the versions of a stack on which work was begun and has not come to its end."""
    return {row[0] for row in _UNFINISHED.rows(connection, stack_id)}


def clear_cookie(connection: Connection, stack_id: str, cookie: Any) -> None:
    """Take a cookie from the failed versions of a stack that no node is left for."""
    _CLEAR_COOKIE.run(connection, stack_id, json.dumps(cookie))


def remove_versions(connection: Connection, ids: Sequence[int]) -> None:
    """Remove versions that never came to anything."""
    _REMOVE.run(connection, ids)


def remove_versions_of(connection: Connection, stack_id: str) -> None:
    """Remove all versions of a stack."""
    _REMOVE_OF_STACK.run(connection, stack_id)


def purge_deleted(connection: Connection, stack_id: str) -> None:
    """Remove the versions whose objects have been deleted."""
    _PURGE.run(connection, stack_id)


def _row(item: Version) -> tuple[Any, ...]:
    """Return all columns in their order."""
    return (
        item.id, item.uuid, item.stack_id, item.root_id, item.name, item.type, item.physical_id,
        item.action.value, item.status.value, item.reason, item.owner, item.recipe,
        item.fingerprint, _dump(item.definition.as_data()), _dump(item.requires),
        _dump(item.needed), _dump(item.before), item.replaces, item.replaced_by, item.reference,
        _dump(item.attributes), _dump(item.data),
        None if item.cookie is None else json.dumps(item.cookie),
        item.intent.value if item.intent else None, item.attempt, item.intent_at, item.created_at,
        item.updated_at, item.relation.value, item.always_visited, item.reason_code.value,
        _dump_differences(item.differences) if item.differences else None,
    )  # fmt: skip


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


def _version(row: Any) -> Version:
    (
        version_id, uuid, stack_id, root_id, name, type_name, physical_id, action, status, reason,
        owner, recipe, fingerprint, definition, requires, needed, before, replaces, replaced_by,
        reference, attributes, data, cookie, intent, attempt, intent_at, created_at, updated_at,
        relation, always_visited, reason_code, differences,
    ) = row  # fmt: skip
    return Version(
        version_id, uuid, stack_id, root_id, name, type_name, _ACTIONS[action], _STATUSES[status],
        owner, recipe, created_at, physical_id, reason, fingerprint,
        NOT_APPLIED if definition == "{}" else _definition(type_name, json.loads(definition)),
        _load(requires), _load(needed), _load(before), replaces, replaced_by, reference,
        _load(attributes), _load(data), None if cookie is None else json.loads(cookie),
        _ACTIONS[intent] if intent else None, attempt, intent_at, updated_at, _RELATIONS[relation],
        bool(always_visited), _CODES[reason_code],
        load_differences(differences) if differences else (),
    )  # fmt: skip
