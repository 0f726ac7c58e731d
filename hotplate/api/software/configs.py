"""Software configs: made once, never changed, deployed to any number of servers."""

from typing import Any

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, empty_answer, json_answer
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fields import Body, Field, Kind, Query, QueryKind
from hotplate.api.http.shapes import listed, record
from hotplate.api.http.times import shown_time
from hotplate.api.software.shapes import CONFIG, LISTED_CONFIG
from hotplate.model import SoftwareConfig
from hotplate.software import ConfigDraft, Unfit, check_depth, read_inputs, read_outputs
from hotplate.store.software import ListedConfig, Page

_TAG = "software configs"
_ALL = "/software_configs"
_ONE = "/software_configs/{config_id}"

PAGING = (
    Query("limit", QueryKind.COUNT, "The most entries to answer."),
    Query("marker", description="The id of the last entry of the page before."),
)


def config_document(config: SoftwareConfig) -> dict[str, Any]:
    """Return a config as clients, and agents on servers, know it."""
    return {
        "id": config.id,
        "name": config.name,
        "group": config.group,
        "creation_time": shown_time(config.created_at),
        "config": config.config,
        "inputs": [each.document() for each in config.inputs],
        "outputs": [each.document() for each in config.outputs],
        "options": config.options,
    }


def wanted_page(call: Call) -> Page:
    """Return the part of a list that a request asks for."""
    return Page(call.query.get("limit"), call.query.get("marker"))


def _listed(config: ListedConfig, show_project: bool) -> dict[str, Any]:
    document = {
        "id": config.id,
        "name": config.name,
        "group": config.group,
        "creation_time": shown_time(config.created_at),
    }
    if show_project:
        document["project"] = config.project
    return document


async def _list(call: Call) -> Response:
    is_global = call.query.get("global_tenant", False)
    if is_global:
        call.require("software_configs:global_index")
    project = None if is_global else call.project
    configs = await call.operations.software.configs(project, wanted_page(call))
    documents = [_listed(config, call.caller.is_admin) for config in configs]
    return json_answer({"software_configs": documents})


async def _create(call: Call) -> Response:
    most = call.engine.settings.most_software_configs
    config = await call.operations.software.create_config(call.project, _draft(call.body), most)
    return json_answer({"software_config": config_document(config)})


def _draft(body: dict[str, Any]) -> ConfigDraft:
    try:
        for name in ("config", "inputs", "options"):
            check_depth(name, body.get(name))
        return ConfigDraft(
            name=body.get("name"),
            group=body.get("group"),
            config=body.get("config"),
            inputs=read_inputs(body.get("inputs") or []),
            outputs=read_outputs(body.get("outputs") or []),
            options=body.get("options") or {},
        )
    except Unfit as error:
        raise bad_request(str(error)) from None


async def _show(call: Call) -> Response:
    config = await call.operations.software.config(call.project, call.path["config_id"])
    return json_answer({"software_config": config_document(config)})


async def _delete(call: Call) -> Response:
    await call.operations.software.delete_config(call.project, call.path["config_id"])
    return empty_answer(204)


_ONE_CONFIG = {200: record({"software_config": CONFIG})}

ENDPOINTS = (
    Endpoint(
        "GET",
        _ALL,
        _list,
        "List software configs, newest first",
        _TAG,
        query=(
            *PAGING,
            Query("global_tenant", QueryKind.FLAG, "Of all projects; for administrators."),
        ),
        answers={200: record({"software_configs": listed(LISTED_CONFIG)})},
        rule="software_configs:index",
    ),
    Endpoint(
        "POST",
        _ALL,
        _create,
        "Make a software config",
        _TAG,
        body=Body(
            (
                Field("name", description="Configs of a server are sorted by it.", longest=255),
                Field("group", description="The tool on the server that applies it.", longest=255),
                Field("config", (Kind.TEXT, Kind.MAP), "What the tool is given."),
                Field(
                    "inputs",
                    (Kind.LIST,),
                    "Maps of name, type, description, default, replace_on_change and value.",
                    items=(Kind.MAP,),
                ),
                Field(
                    "outputs",
                    (Kind.LIST,),
                    "Maps of name, type, description and error_output.",
                    items=(Kind.MAP,),
                ),
                Field("options", (Kind.MAP,), "Settings for the tool."),
            )
        ),
        answers=_ONE_CONFIG,
        rule="software_configs:create",
    ),
    Endpoint(
        "GET",
        _ONE,
        _show,
        "Show a software config",
        _TAG,
        answers=_ONE_CONFIG,
        rule="software_configs:show",
    ),
    Endpoint(
        "DELETE",
        _ONE,
        _delete,
        "Delete a software config that no deployment refers to",
        _TAG,
        answers={204: None},
        rule="software_configs:delete",
    ),
)
