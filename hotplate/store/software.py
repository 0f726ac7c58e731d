"""Queries on software configs and deployments."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from hotplate.model import Input, Output, SoftwareConfig, SoftwareDeployment, ValueType
from hotplate.store.schema import software_config, software_deployment, version
from hotplate.store.sealing import seals_of


def _columns(table: Table) -> list[Any]:
    return [column for column in table.c if column.name != "number"]


_CONFIG = _columns(software_config)
_DEPLOYMENT = _columns(software_deployment)
_CONFIG_BY_ID = select(*_CONFIG).where(
    software_config.c.id == bindparam("id"), software_config.c.project == bindparam("project")
)
_DEPLOYMENT_BY_ID = select(*_DEPLOYMENT).where(
    software_deployment.c.id == bindparam("id"),
    software_deployment.c.project == bindparam("project"),
)
_ON_SERVER = (
    select(*_CONFIG)
    .join(software_deployment, software_deployment.c.config_id == software_config.c.id)
    .where(
        software_deployment.c.server_id == bindparam("server"),
        software_deployment.c.project == bindparam("project"),
        software_config.c.project == bindparam("project"),
    )
    .order_by(software_deployment.c.number)
)


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list is wanted: at most ``limit`` entries after the one with that id.

    A marker that is not in the list is taken for none, as Heat does it.
    """

    limit: int | None = None
    marker: str | None = None


@dataclass(frozen=True, slots=True)
class ListedConfig:
    """What a list shows of a config."""

    id: str
    project: str
    name: str | None
    group: str | None
    created_at: float


def insert_config(connection: Connection, config: SoftwareConfig) -> None:
    """Insert a config."""
    seals = seals_of(connection, config.project)

    def sealed(column: str, value: Any) -> str:
        return seals.seal(f"software_config|{column}", config.id, json.dumps(value))

    connection.execute(
        insert(software_config).values(
            id=config.id,
            project=config.project,
            name=config.name,
            group=config.group,
            config=sealed("config", config.config),
            inputs=sealed("inputs", [each.document() for each in config.inputs]),
            outputs=sealed("outputs", [each.document() for each in config.outputs]),
            options=sealed("options", config.options),
            created_at=config.created_at,
        )
    )


def read_config(connection: Connection, project: str, config_id: str) -> SoftwareConfig | None:
    """Return a config of the project."""
    row = connection.execute(_CONFIG_BY_ID, {"id": config_id, "project": project}).first()
    return None if row is None else _config(connection, row._mapping)


def lock_config(connection: Connection, project: str, config_id: str) -> bool:
    """Tell whether the project has that config; if so, it stays until this transaction ends.

    Whoever deletes it or makes a deployment of it waits here, so neither misses the other.
    """
    statement = _CONFIG_BY_ID.with_only_columns(software_config.c.id).with_for_update()
    found = connection.execute(statement, {"id": config_id, "project": project})
    return found.first() is not None


def list_configs(connection: Connection, project: str | None, page: Page) -> list[ListedConfig]:
    """Return configs of a project, newest first; of all projects for None."""
    table = software_config
    statement = select(
        table.c.id, table.c.project, table.c.name, table.c.group, table.c.created_at
    ).order_by(table.c.number.desc())
    conditions = [] if project is None else [table.c.project == project]
    after = _number_of(connection, table, conditions, page.marker)
    if after is not None:
        conditions.append(table.c.number < after)
    found = connection.execute(_limited(statement.where(*conditions), page))
    return [ListedConfig(**row._mapping) for row in found]


def count_configs(connection: Connection, project: str) -> int:
    """Return how many configs a project has."""
    return _count(connection, software_config, project)


def remove_config(connection: Connection, config_id: str) -> None:
    """Remove a config that this transaction has locked and that nothing refers to."""
    connection.execute(delete(software_config).where(software_config.c.id == config_id))


def count_deployments_of_config(connection: Connection, config_id: str) -> int:
    """Return how many deployments refer to a config."""
    statement = select(func.count()).where(software_deployment.c.config_id == config_id)
    return int(connection.execute(statement).scalar_one())


def insert_deployment(connection: Connection, item: SoftwareDeployment) -> None:
    """Insert a deployment of a config that this transaction has locked."""
    connection.execute(
        insert(software_deployment).values(
            id=item.id,
            project=item.project,
            server_id=item.server_id,
            stack_user_project_id=item.stack_user_project_id,
            created_at=item.created_at,
            **_changing(connection, item),
        )
    )


def read_deployment(
    connection: Connection, project: str, deployment_id: str
) -> SoftwareDeployment | None:
    """Return a deployment of the project."""
    parameters = {"id": deployment_id, "project": project}
    row = connection.execute(_DEPLOYMENT_BY_ID, parameters).first()
    return None if row is None else _deployment(connection, row._mapping)


def lock_deployment(
    connection: Connection, project: str, deployment_id: str
) -> SoftwareDeployment | None:
    """Return a deployment of the project, locked until this transaction ends."""
    parameters = {"id": deployment_id, "project": project}
    row = connection.execute(_DEPLOYMENT_BY_ID.with_for_update(), parameters).first()
    return None if row is None else _deployment(connection, row._mapping)


def versions_of_deployment(connection: Connection, stack_id: str, deployment_id: str) -> list[int]:
    """Return the versions of a stack that a deployment is the object of; at most one is alive."""
    statement = select(version.c.id).where(
        version.c.stack_id == stack_id, version.c.physical_id == deployment_id
    )
    return [int(row[0]) for row in connection.execute(statement)]


def list_deployments(
    connection: Connection, project: str, server_id: str | None, page: Page
) -> list[SoftwareDeployment]:
    """Return deployments of a project, of one server if it is named, oldest first."""
    table = software_deployment
    conditions = [table.c.project == project]
    if server_id is not None:
        conditions.append(table.c.server_id == server_id)
    after = _number_of(connection, table, conditions, page.marker)
    if after is not None:
        conditions.append(table.c.number > after)
    statement = select(*_DEPLOYMENT).where(*conditions).order_by(table.c.number)
    return [
        _deployment(connection, row._mapping)
        for row in connection.execute(_limited(statement, page))
    ]


def count_deployments(connection: Connection, project: str) -> int:
    """Return how many deployments a project has."""
    return _count(connection, software_deployment, project)


def configs_on_server(connection: Connection, project: str, server_id: str) -> list[SoftwareConfig]:
    """Return the config of each deployment of a server, those deployed earlier first."""
    parameters = {"project": project, "server": server_id}
    return [_config(connection, row._mapping) for row in connection.execute(_ON_SERVER, parameters)]


def save_deployment(connection: Connection, item: SoftwareDeployment) -> None:
    """Write what can change of a deployment that this transaction has locked."""
    connection.execute(
        update(software_deployment)
        .where(software_deployment.c.id == item.id)
        .values(**_changing(connection, item))
    )


def remove_deployment(connection: Connection, project: str, deployment_id: str) -> bool:
    """Remove a deployment; tell whether the project had it."""
    table = software_deployment
    statement = delete(table).where(table.c.id == deployment_id, table.c.project == project)
    return connection.execute(statement).rowcount == 1


_INPUT_VALUES = "software_deployment|input_values"
_OUTPUT_VALUES = "software_deployment|output_values"


def _changing(connection: Connection, item: SoftwareDeployment) -> dict[str, Any]:
    outputs, seal = item.output_values, seals_of(connection, item.project).seal
    return {
        "config_id": item.config_id,
        "input_values": seal(_INPUT_VALUES, item.id, json.dumps(item.input_values)),
        "output_values": None
        if outputs is None
        else seal(_OUTPUT_VALUES, item.id, json.dumps(outputs)),
        "action": item.action,
        "status": item.status,
        "reason": item.reason,
        "updated_at": item.updated_at,
        "stack_id": item.stack_id,
    }


def _number_of(
    connection: Connection, table: Table, conditions: list[ColumnElement[bool]], marker: str | None
) -> int | None:
    if marker is None:
        return None
    statement = select(table.c.number).where(table.c.id == marker, *conditions)
    number: int | None = connection.execute(statement).scalar()
    return number


def _limited(statement: Select[Any], page: Page) -> Select[Any]:
    return statement if page.limit is None else statement.limit(page.limit)


def _count(connection: Connection, table: Table, project: str) -> int:
    statement = select(func.count()).select_from(table).where(table.c.project == project)
    return int(connection.execute(statement).scalar_one())


def _config(connection: Connection, row: Mapping[Any, Any]) -> SoftwareConfig:
    fields = dict(row)
    seals = seals_of(connection, fields["project"])
    for name in ("config", "inputs", "outputs", "options"):
        opened = seals.open(f"software_config|{name}", fields["id"], fields[name])
        fields[name] = json.loads(opened)
    fields["inputs"] = tuple(map(_input, fields["inputs"]))
    fields["outputs"] = tuple(map(_output, fields["outputs"]))
    return SoftwareConfig(**fields)


def _deployment(connection: Connection, row: Mapping[Any, Any]) -> SoftwareDeployment:
    fields = dict(row)
    seals, at, outputs = seals_of(connection, fields["project"]), fields["id"], row["output_values"]
    fields["input_values"] = json.loads(seals.open(_INPUT_VALUES, at, fields["input_values"]))
    if outputs is not None:
        fields["output_values"] = json.loads(seals.open(_OUTPUT_VALUES, at, outputs))
    return SoftwareDeployment(**fields)


def _input(document: Mapping[str, Any]) -> Input:
    return Input(
        name=document["name"],
        type=ValueType(document["type"]),
        description=document.get("description"),
        default=document.get("default"),
        replace_on_change=document.get("replace_on_change", False),
        value=document.get("value"),
        has_value="value" in document,
    )


def _output(document: Mapping[str, Any]) -> Output:
    return Output(
        name=document["name"],
        type=ValueType(document["type"]),
        description=document.get("description"),
        is_error=document["error_output"],
    )
