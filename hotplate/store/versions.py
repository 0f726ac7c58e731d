"""Queries on the versions of resources."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from hotplate.model import Action, Status, Version
from hotplate.store.schema import version

_NAMES = [column.name for column in version.c]
_OF_STACK = select(version).where(version.c.stack_id == bindparam("stack")).order_by(version.c.id)
_BY_ID = select(version).where(version.c.id.in_(bindparam("ids", expanding=True)))
_PUBLISHED = select(version).where(
    version.c.stack_id == bindparam("stack"),
    version.c.owner == bindparam("owner"),
    version.c.name.in_(bindparam("names", expanding=True)),
)
_SURVEY = (
    select(
        version.c.id, version.c.uuid, version.c.root_id, version.c.name, version.c.type,
        version.c.physical_id, version.c.action, version.c.status, version.c.owner,
        version.c.recipe, version.c.fingerprint, version.c.requires, version.c.replaces,
        version.c.replaced_by, version.c.reference, version.c.intent, version.c.created_at,
        version.c.updated_at,
    )
    .where(version.c.stack_id == bindparam("stack"))
    .order_by(version.c.id)
)  # fmt: skip
_ATTRIBUTES = select(version.c.id, version.c.attributes).where(
    version.c.stack_id == bindparam("stack"),
    version.c.name.in_(bindparam("names", expanding=True)),
)
_INSERT = insert(version)
_SAVED = [
    name for name in _NAMES if name not in ("id", "uuid", "stack_id", "root_id", "created_at")
]
_SAVE = (
    update(version)
    .where(version.c.id == bindparam("at_id"))
    .values({name: bindparam(f"to_{name}") for name in _SAVED})
)
_CONFIRM = (
    update(version)
    .where(version.c.stack_id == bindparam("at_stack"), version.c.owner == bindparam("at_owner"))
    .values(owner=bindparam("to_owner"), recipe=bindparam("to_recipe"))
)
_CONFIRM_SOME = (
    update(version)
    .where(version.c.id == bindparam("at_id"))
    .values(owner=bindparam("to_owner"), recipe=bindparam("to_recipe"))
)
_MOVE = (
    update(version)
    .where(version.c.id == bindparam("at_id"))
    .values(requires=bindparam("to_requires"))
)
_UNFINISHED = select(version.c.id).where(
    version.c.stack_id == bindparam("stack"), version.c.status == Status.IN_PROGRESS.value
)
_REMOVE = delete(version).where(version.c.id.in_(bindparam("ids", expanding=True)))
_REMOVE_OF_STACK = delete(version).where(version.c.stack_id == bindparam("stack"))
_PURGE = delete(version).where(
    version.c.stack_id == bindparam("stack"),
    version.c.action == Action.DELETE.value,
    version.c.status == Status.COMPLETE.value,
)


def insert_versions(connection: Connection, versions: Sequence[Version]) -> None:
    """Insert versions."""
    if versions:
        connection.execute(_INSERT, [_row(item) for item in versions])


def versions_of(connection: Connection, stack_id: str) -> list[Version]:
    """Return all versions of a stack, oldest first."""
    return [_version(row) for row in connection.execute(_OF_STACK, {"stack": stack_id})]


def survey(connection: Connection, stack_id: str) -> list[Version]:
    """Return all versions of a stack, oldest first, with what planning needs of them.

    Definitions, attributes and what types keep are left out: decoding them would cost more than
    all the rest.
    """
    versions = []
    for row in connection.execute(_SURVEY, {"stack": stack_id}):
        (
            version_id, uuid, root_id, name, type_name, physical_id, action, status, owner, recipe,
            fingerprint, requires, replaces, replaced_by, reference, intent, created_at, updated_at,
        ) = row  # fmt: skip
        versions.append(
            Version(
                version_id, uuid, stack_id, root_id, name, type_name, _ACTIONS[action],
                _STATUSES[status], owner, recipe, created_at, physical_id, "", fingerprint, {},
                _load(requires), [], {}, replaces, replaced_by, reference, {}, {}, None,
                _ACTIONS[intent] if intent else None, 0, None, updated_at,
            )
        )  # fmt: skip
    return versions


def attributes_by_id(
    connection: Connection, stack_id: str, names: Sequence[str]
) -> dict[int, dict[str, Any]]:
    """Return the attributes of the versions of some resources, by id."""
    found: dict[int, dict[str, Any]] = {}
    for start in range(0, len(names), 500):
        some = list(names[start : start + 500])
        for row in connection.execute(_ATTRIBUTES, {"stack": stack_id, "names": some}):
            found[row[0]] = _load(row[1])
    return found


def read_versions(connection: Connection, ids: Iterable[int]) -> dict[int, Version]:
    """Return versions by id."""
    rows = connection.execute(_BY_ID, {"ids": list(ids)})
    return {row[0]: _version(row) for row in rows}


def published(
    connection: Connection, stack_id: str, owner: int, names: Sequence[str]
) -> list[Version]:
    """Return the versions of these names that a traversal has confirmed."""
    found: list[Version] = []
    for start in range(0, len(names), 500):
        some = list(names[start : start + 500])
        rows = connection.execute(_PUBLISHED, {"stack": stack_id, "owner": owner, "names": some})
        found.extend(map(_version, rows))
    return found


def save_versions(connection: Connection, versions: Sequence[Version]) -> None:
    """Write versions as they are in memory. Only the claim holder may do this."""
    if versions:
        connection.execute(
            _SAVE,
            [
                {"at_id": item.id, **{f"to_{key}": row[key] for key in _SAVED}}
                for item in versions
                if (row := _row(item))
            ],
        )


def confirm_all(
    connection: Connection, stack_id: str, owner: int, new_owner: int, recipe: str
) -> None:
    """Hand all versions of one traversal over to the next."""
    connection.execute(
        _CONFIRM,
        {"at_stack": stack_id, "at_owner": owner, "to_owner": new_owner, "to_recipe": recipe},
    )


def confirm(connection: Connection, ids: Sequence[int], owner: int, recipe: str) -> None:
    """Hand some versions over to a traversal that found nothing to do for them."""
    if ids:
        connection.execute(
            _CONFIRM_SOME,
            [{"at_id": each, "to_owner": owner, "to_recipe": recipe} for each in ids],
        )


def move_requirements(connection: Connection, moved: Mapping[int, Sequence[int]]) -> None:
    """Write what versions require that stay as they are in every other respect."""
    if moved:
        connection.execute(
            _MOVE,
            [{"at_id": each, "to_requires": _dump(list(ids))} for each, ids in moved.items()],
        )


def unfinished_versions(connection: Connection, stack_id: str) -> set[int]:
    """Return the versions of a stack on which work was begun and has not come to its end."""
    return set(connection.execute(_UNFINISHED, {"stack": stack_id}).scalars())


def remove_versions(connection: Connection, ids: Sequence[int]) -> None:
    """Remove versions that never came to anything."""
    for start in range(0, len(ids), 500):
        connection.execute(_REMOVE, {"ids": list(ids[start : start + 500])})


def remove_versions_of(connection: Connection, stack_id: str) -> None:
    """Remove all versions of a stack."""
    connection.execute(_REMOVE_OF_STACK, {"stack": stack_id})


def purge_deleted(connection: Connection, stack_id: str) -> None:
    """Remove the versions whose objects have been deleted."""
    connection.execute(_PURGE, {"stack": stack_id})


def _row(item: Version) -> dict[str, Any]:
    return {
        "id": item.id,
        "uuid": item.uuid,
        "stack_id": item.stack_id,
        "root_id": item.root_id,
        "name": item.name,
        "type": item.type,
        "physical_id": item.physical_id,
        "action": item.action.value,
        "status": item.status.value,
        "reason": item.reason,
        "owner": item.owner,
        "recipe": item.recipe,
        "fingerprint": item.fingerprint,
        "definition": _dump(item.definition),
        "requires": _dump(item.requires),
        "needed": _dump(item.needed),
        "before": _dump(item.before),
        "replaces": item.replaces,
        "replaced_by": item.replaced_by,
        "reference": item.reference,
        "attributes": _dump(item.attributes),
        "data": _dump(item.data),
        "cookie": None if item.cookie is None else json.dumps(item.cookie),
        "intent": item.intent.value if item.intent else None,
        "attempt": item.attempt,
        "intent_at": item.intent_at,
        "created_at": item.created_at,
        "updated_at": item.updated_at,
    }


def _dump(value: Any) -> str:
    if not value:
        return "[]" if isinstance(value, list) else "{}"
    return json.dumps(value)


def _load(text: str) -> Any:
    if text == "{}":
        return {}
    return [] if text == "[]" else json.loads(text)


_ACTIONS = {action.value: action for action in Action}
_STATUSES = {status.value: status for status in Status}


def _version(row: Any) -> Version:
    (
        version_id, uuid, stack_id, root_id, name, type_name, physical_id, action, status, reason,
        owner, recipe, fingerprint, definition, requires, needed, before, replaces, replaced_by,
        reference, attributes, data, cookie, intent, attempt, intent_at, created_at, updated_at,
    ) = row  # fmt: skip
    return Version(
        version_id, uuid, stack_id, root_id, name, type_name, _ACTIONS[action], _STATUSES[status],
        owner, recipe, created_at, physical_id, reason, fingerprint, _load(definition),
        _load(requires), _load(needed), _load(before), replaces, replaced_by, reference,
        _load(attributes), _load(data), None if cookie is None else json.loads(cookie),
        _ACTIONS[intent] if intent else None, attempt, intent_at, updated_at,
    )  # fmt: skip
