"""Queries on what workflows are made of and started by: definitions, environments, triggers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import md5
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from hotplate.store.prepared import Prepared
from hotplate.store.sealing import seals_of
from hotplate.store.workflows.schema import (
    workflow_definition,
    workflow_environment,
    workflow_trigger,
)


class DefinitionKind(StrEnum):
    """What a text defines."""

    WORKFLOW = "workflow"
    ACTION = "action"
    WORKBOOK = "workbook"


class NameTaken(Exception):
    """Another of the project has this name; ``name`` is that name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(frozen=True, slots=True)
class Definition:
    """A workflow, an ad-hoc action or a workbook of a project."""

    id: str
    kind: DefinitionKind
    project: str
    name: str
    definition: str
    namespace: str = ""
    workbook: str = ""
    scope: str = "private"
    description: str = ""
    tags: tuple[str, ...] = ()
    input: list[Any] = field(default_factory=list)
    output: tuple[str, ...] = ()
    checksum: str | None = None
    created_at: float = 0.0
    updated_at: float | None = None


@dataclass(frozen=True, slots=True)
class StoredEnvironment:
    """Variables that executions may be given by their name."""

    id: str
    project: str
    name: str
    description: str | None
    variables: dict[str, Any]
    scope: str
    created_at: float
    updated_at: float | None = None


@dataclass(frozen=True, slots=True)
class Trigger:
    """Starts a workflow at times."""

    id: str
    project: str
    name: str
    pattern: str | None
    workflow_name: str
    workflow_id: str
    workflow_input: dict[str, Any]
    workflow_params: dict[str, Any]
    first_at: float | None
    next_at: float
    remaining: int | None
    scope: str
    created_at: float
    updated_at: float | None = None


_D = workflow_definition.c
_DEFINITION = tuple(column for column in _D if column.name != "number")
_BY_NAME = Prepared(
    select(*_DEFINITION).where(
        _D.project == bindparam("project"),
        _D.kind == bindparam("kind"),
        _D.namespace == bindparam("namespace"),
        _D.name == bindparam("name"),
    ),
    ("project", "kind", "namespace", "name"),
)
_PUBLIC = Prepared(
    select(*_DEFINITION)
    .where(
        _D.scope == "public",
        _D.kind == bindparam("kind"),
        _D.namespace == bindparam("namespace"),
        _D.name == bindparam("name"),
    )
    .order_by(_D.number),
    ("kind", "namespace", "name"),
)
_BY_ID = Prepared(
    select(*_DEFINITION).where(
        _D.id == bindparam("id"),
        _D.kind == bindparam("kind"),
        or_(_D.project == bindparam("project"), _D.scope == "public"),
    ),
    ("id", "kind", "project"),
)
_COUNT = Prepared(
    select(func.count()).where(_D.project == bindparam("project")),
    ("project",),
)
_E = workflow_environment.c
_ENVIRONMENT = tuple(column for column in _E if column.name != "number")
_T = workflow_trigger.c
_TRIGGER = tuple(column for column in _T if column.name != "number")
_DUE_TRIGGERS = Prepared(
    select(*_TRIGGER).where(_T.next_at <= bindparam("now")).order_by(_T.next_at).limit(200),
    ("now",),
)
_NEXT_TRIGGER = Prepared(
    select(func.min(_T.next_at)).where(_T.next_at > bindparam("now")), ("now",)
)


def find_definition(
    connection: Connection, project: str, kind: DefinitionKind, name: str, namespace: str = ""
) -> Definition | None:
    """Return what a project means by a name: its own first, then what others made public.

    What is not found in a namespace is looked for outside of all. A name of its own, wherever it
    is, wins over one that others have made public.
    """
    places = tuple(dict.fromkeys((namespace, "")))
    for place in places:
        rows = _BY_NAME.rows(connection, project, kind.value, place, name)
        if rows:
            return _definition_of(connection, rows[0])
    for place in places:
        rows = _PUBLIC.rows(connection, kind.value, place, name)
        if rows:
            return _definition_of(connection, rows[0])
    return None


def definition_by_id(
    connection: Connection, project: str, kind: DefinitionKind, definition_id: str
) -> Definition | None:
    """Return a definition that the project may see."""
    rows = _BY_ID.rows(connection, definition_id, kind.value, project)
    return _definition_of(connection, rows[0]) if rows else None


def own_definition(
    connection: Connection, project: str, kind: DefinitionKind, name: str, namespace: str
) -> Definition | None:
    """Return the project's own definition of a name in just this namespace."""
    rows = _BY_NAME.rows(connection, project, kind.value, namespace, name)
    return _definition_of(connection, rows[0]) if rows else None


def insert_definitions(connection: Connection, definitions: Sequence[Definition]) -> None:
    """Insert definitions. Raises NameTaken; then this transaction must not be committed."""
    for item in definitions:
        if _BY_NAME.rows(connection, item.project, item.kind.value, item.namespace, item.name):
            raise NameTaken(item.name)
        try:
            connection.execute(insert(workflow_definition).values(**_row(connection, item)))
        except IntegrityError:
            raise NameTaken(item.name) from None


def save_definition(connection: Connection, item: Definition) -> bool:
    """Write all that can change of a definition; tell whether it is still there."""
    row = _row(connection, item)
    for name in ("id", "kind", "project", "name", "namespace", "created_at"):
        del row[name]
    statement = update(workflow_definition).where(_D.id == item.id).values(**row)
    return connection.execute(statement).rowcount == 1


def remove_definition(connection: Connection, definition_id: str) -> None:
    """Remove a definition."""
    connection.execute(delete(workflow_definition).where(_D.id == definition_id))


def count_definitions(connection: Connection, project: str) -> int:
    """Return how many definitions a project has, of all kinds."""
    return int(_COUNT.rows(connection, project)[0][0])


def _definition_of(connection: Connection, row: Any) -> Definition:
    named = dict(zip((column.name for column in _DEFINITION), row, strict=True))
    return definition_from(_opened(connection, named, _TEXT, _INPUT))


def definition_from(row: Mapping[str, Any]) -> Definition:
    """Return the definition that a row holds, given as a map and opened."""
    named = {name: value for name, value in row.items() if name != "number"}
    named["kind"] = DefinitionKind(named["kind"])
    named["tags"] = tuple(json.loads(named["tags"]))
    named["input"] = json.loads(named["input"])
    named["output"] = tuple(json.loads(named["output"]))
    if named["kind"] is not DefinitionKind.WORKBOOK:
        named["checksum"] = checksum_of(named["definition"])
    return Definition(**named)


def checksum_of(text: str) -> str:
    """Return what clients know a text by. It is not stored: it would tell of what is sealed."""
    return md5(text.encode(), usedforsecurity=False).hexdigest()


_TEXT = "workflow_definition|definition"
_INPUT = "workflow_definition|input"
_VARIABLES = "workflow_environment|variables"
_TRIGGER_INPUT = "workflow_trigger|workflow_input"
_TRIGGER_PARAMS = "workflow_trigger|workflow_params"


def _opened(connection: Connection, row: dict[str, Any], *places: str) -> dict[str, Any]:
    seals = seals_of(connection, row["project"])
    for place in places:
        name = place.partition("|")[2]
        row[name] = seals.open(place, row["id"], row[name])
    return row


def _row(connection: Connection, item: Definition) -> dict[str, Any]:
    seal = seals_of(connection, item.project).seal
    return {
        "id": item.id,
        "kind": item.kind.value,
        "project": item.project,
        "namespace": item.namespace,
        "name": item.name,
        "workbook": item.workbook,
        "scope": item.scope,
        "definition": seal(_TEXT, item.id, item.definition),
        "description": item.description,
        "tags": json.dumps(list(item.tags)),
        "input": seal(_INPUT, item.id, json.dumps(item.input)),
        "output": json.dumps(list(item.output)),
        "checksum": None,
        "created_at": item.created_at,
        "updated_at": item.updated_at,
    }


def find_environment(
    connection: Connection, project: str, name: str, to_change: bool = False
) -> StoredEnvironment | None:
    """Return an environment of a project by its name; ``to_change``: locked."""
    statement = select(*_ENVIRONMENT).where(_E.project == project, _E.name == name)
    if to_change:
        statement = statement.with_for_update()
    row = connection.execute(statement).first()
    return None if row is None else _environment_of(connection, row)


def insert_environment(connection: Connection, item: StoredEnvironment) -> None:
    """Insert an environment. Raises NameTaken."""
    if find_environment(connection, item.project, item.name) is not None:
        raise NameTaken(item.name)
    try:
        connection.execute(
            insert(workflow_environment).values(**_environment_row(connection, item))
        )
    except IntegrityError:
        raise NameTaken(item.name) from None


def save_environment(connection: Connection, item: StoredEnvironment) -> None:
    """Write what can change of an environment."""
    row = _environment_row(connection, item)
    connection.execute(
        update(workflow_environment)
        .where(_E.id == item.id)
        .values(**{key: row[key] for key in ("description", "variables", "scope", "updated_at")})
    )


def remove_environment(connection: Connection, project: str, name: str) -> bool:
    """Remove an environment; tell whether the project had it."""
    statement = delete(workflow_environment).where(_E.project == project, _E.name == name)
    return connection.execute(statement).rowcount == 1


def count_environments(connection: Connection, project: str) -> int:
    """Return how many environments a project has."""
    statement = select(func.count()).where(_E.project == project)
    return int(connection.execute(statement).scalar_one())


def _environment_of(connection: Connection, row: Any) -> StoredEnvironment:
    named = dict(zip((column.name for column in _ENVIRONMENT), row, strict=True))
    return environment_from(_opened(connection, named, _VARIABLES))


def environment_from(row: Mapping[str, Any]) -> StoredEnvironment:
    """Return the environment that a row holds, given as a map and opened."""
    named = {name: value for name, value in row.items() if name != "number"}
    named["variables"] = json.loads(named["variables"])
    return StoredEnvironment(**named)


def _environment_row(connection: Connection, item: StoredEnvironment) -> dict[str, Any]:
    text = json.dumps(item.variables)
    return {
        "id": item.id,
        "project": item.project,
        "name": item.name,
        "description": item.description,
        "variables": seals_of(connection, item.project).seal(_VARIABLES, item.id, text),
        "scope": item.scope,
        "created_at": item.created_at,
        "updated_at": item.updated_at,
    }


def find_trigger(connection: Connection, project: str, name_or_id: str) -> Trigger | None:
    """Return a cron trigger of a project by its name or its id."""
    statement = select(*_TRIGGER).where(
        _T.project == project, or_(_T.name == name_or_id, _T.id == name_or_id)
    )
    row = connection.execute(statement).first()
    return None if row is None else _trigger_of(connection, row)


def insert_trigger(connection: Connection, item: Trigger) -> None:
    """Insert a cron trigger. Raises NameTaken."""
    statement = select(_T.id).where(_T.project == item.project, _T.name == item.name)
    if connection.execute(statement).first() is not None:
        raise NameTaken(item.name)
    seal = seals_of(connection, item.project).seal
    try:
        connection.execute(
            insert(workflow_trigger).values(
                id=item.id,
                project=item.project,
                name=item.name,
                pattern=item.pattern,
                workflow_name=item.workflow_name,
                workflow_id=item.workflow_id,
                workflow_input=seal(_TRIGGER_INPUT, item.id, json.dumps(item.workflow_input)),
                workflow_params=seal(_TRIGGER_PARAMS, item.id, json.dumps(item.workflow_params)),
                first_at=item.first_at,
                next_at=item.next_at,
                remaining=item.remaining,
                scope=item.scope,
                created_at=item.created_at,
                updated_at=item.updated_at,
            )
        )
    except IntegrityError:
        raise NameTaken(item.name) from None


def remove_trigger(connection: Connection, project: str, name_or_id: str) -> bool:
    """Remove a cron trigger; tell whether the project had it."""
    statement = delete(workflow_trigger).where(
        _T.project == project, or_(_T.name == name_or_id, _T.id == name_or_id)
    )
    return connection.execute(statement).rowcount > 0


def count_triggers(connection: Connection, project: str) -> int:
    """Return how many cron triggers a project has."""
    statement = select(func.count()).where(_T.project == project)
    return int(connection.execute(statement).scalar_one())


def due_triggers(connection: Connection, now: float) -> list[Trigger]:
    """Return cron triggers whose time has come."""
    return [_trigger_of(connection, row) for row in _DUE_TRIGGERS.rows(connection, now)]


def next_trigger(connection: Connection, now: float) -> float | None:
    """Return when, after this time, a cron trigger is due."""
    at: float | None = _NEXT_TRIGGER.rows(connection, now)[0][0]
    return at


def advance_trigger(
    connection: Connection, item: Trigger, next_at: float | None, now: float
) -> None:
    """Count one start and set the next, unless another worker has; without a next it is removed."""
    remaining = None if item.remaining is None else item.remaining - 1
    if next_at is None or remaining == 0:
        connection.execute(
            delete(workflow_trigger).where(_T.id == item.id, _T.next_at == item.next_at)
        )
        return
    connection.execute(
        update(workflow_trigger)
        .where(_T.id == item.id, _T.next_at == item.next_at)
        .values(next_at=next_at, remaining=remaining, updated_at=now)
    )


def _trigger_of(connection: Connection, row: Any) -> Trigger:
    named = dict(zip((column.name for column in _TRIGGER), row, strict=True))
    return trigger_from(_opened(connection, named, _TRIGGER_INPUT, _TRIGGER_PARAMS))


def trigger_from(row: Mapping[str, Any]) -> Trigger:
    """Return the cron trigger that a row holds, given as a map and opened."""
    named = {name: value for name, value in row.items() if name != "number"}
    named["workflow_input"] = json.loads(named["workflow_input"])
    named["workflow_params"] = json.loads(named["workflow_params"])
    return Trigger(**named)
