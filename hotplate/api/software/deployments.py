"""Software deployments: which config goes to which server, and what came of it."""

from typing import Any

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, empty_answer, json_answer
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fields import Body, Field, Kind, Query
from hotplate.api.http.shapes import listed, record
from hotplate.api.http.times import shown_time
from hotplate.api.software.configs import PAGING, config_document, wanted_page
from hotplate.api.software.shapes import CONFIG, DEPLOYMENT
from hotplate.model import SoftwareDeployment
from hotplate.software import Changes, DeploymentDraft, Unfit, check_depth

_TAG = "software deployments"
_ALL = "/software_deployments"
_ONE = "/software_deployments/{deployment_id}"


def _document(deployment: SoftwareDeployment) -> dict[str, Any]:
    document = {
        "id": deployment.id,
        "server_id": deployment.server_id,
        "config_id": deployment.config_id,
        "input_values": deployment.input_values,
        "output_values": deployment.output_values,
        "action": deployment.action,
        "status": deployment.status,
        "status_reason": deployment.reason,
        "creation_time": shown_time(deployment.created_at),
    }
    if deployment.updated_at is not None:
        document["updated_time"] = shown_time(deployment.updated_at)
    return document


async def _list(call: Call) -> Response:
    deployments = await call.operations.software.deployments(
        call.project, call.query.get("server_id"), wanted_page(call)
    )
    return json_answer({"software_deployments": [_document(each) for each in deployments]})


async def _metadata(call: Call) -> Response:
    configs = await call.operations.software.on_server(call.project, call.path["server_id"])
    return json_answer({"metadata": [config_document(config) for config in configs]})


async def _create(call: Call) -> Response:
    body = call.body
    if not body["server_id"]:
        raise bad_request('the field "server_id" must not be empty')
    _check_values(body)
    draft = DeploymentDraft(
        config_id=body["config_id"],
        server_id=body["server_id"],
        input_values=body.get("input_values") or {},
        action=body.get("action"),
        status=body.get("status"),
        reason=body.get("status_reason") or "",
        stack_user_project_id=body.get("stack_user_project_id"),
    )
    most = call.engine.settings.most_software_deployments
    deployment = await call.operations.software.create_deployment(call.project, draft, most)
    return json_answer({"software_deployment": _document(deployment)})


async def _show(call: Call) -> Response:
    deployment = await call.operations.software.deployment(call.project, call.path["deployment_id"])
    return json_answer({"software_deployment": _document(deployment)})


async def _update(call: Call) -> Response:
    body = call.body
    _check_values(body)
    changes = Changes(
        config_id=body.get("config_id"),
        input_values=body.get("input_values"),
        output_values=body.get("output_values"),
        action=body.get("action"),
        status=body.get("status"),
        reason=body.get("status_reason"),
    )
    deployment = await call.operations.software.change_deployment(
        call.project, call.path["deployment_id"], changes
    )
    return json_answer({"software_deployment": _document(deployment)})


async def _delete(call: Call) -> Response:
    await call.operations.software.delete_deployment(call.project, call.path["deployment_id"])
    return empty_answer(204)


def _check_values(body: dict[str, Any]) -> None:
    try:
        for name in ("input_values", "output_values"):
            check_depth(name, body.get(name))
    except Unfit as error:
        raise bad_request(str(error)) from None


_CONFIG_ID = "The config to deploy."
_CHANGING = (
    Field("input_values", (Kind.MAP,), "Values for inputs of the config, for the record."),
    Field("action", description="What is being done, such as CREATE or UPDATE.", longest=255),
    Field("status", description="IN_PROGRESS, COMPLETE or FAILED.", longest=255),
    Field("status_reason", description="Why it has that status."),
)
_ONE_DEPLOYMENT = {200: record({"software_deployment": DEPLOYMENT})}

ENDPOINTS = (
    Endpoint(
        "GET",
        _ALL,
        _list,
        "List software deployments, oldest first",
        _TAG,
        query=(Query("server_id", description="Of this server only."), *PAGING),
        answers={200: record({"software_deployments": listed(DEPLOYMENT)})},
        rule="software_deployments:index",
    ),
    Endpoint(
        "GET",
        "/software_deployments/metadata/{server_id}",
        _metadata,
        "Show the configs that a server is to apply, in the order of their names",
        _TAG,
        answers={200: record({"metadata": listed(CONFIG)})},
        rule="software_deployments:metadata",
    ),
    Endpoint(
        "POST",
        _ALL,
        _create,
        "Deploy a software config to a server",
        _TAG,
        body=Body(
            (
                Field("config_id", description=_CONFIG_ID, required=True, longest=255),
                Field("server_id", description="The server.", required=True, longest=255),
                *_CHANGING,
                Field(
                    "stack_user_project_id",
                    description="The project of the user that the server acts as.",
                    longest=64,
                ),
            )
        ),
        answers=_ONE_DEPLOYMENT,
        rule="software_deployments:create",
    ),
    Endpoint(
        "GET",
        _ONE,
        _show,
        "Show a software deployment",
        _TAG,
        answers=_ONE_DEPLOYMENT,
        rule="software_deployments:show",
    ),
    Endpoint(
        "PUT",
        _ONE,
        _update,
        "Change a software deployment, or report what came of it",
        _TAG,
        body=Body(
            (
                Field("config_id", description=_CONFIG_ID, longest=255),
                *_CHANGING,
                Field("output_values", (Kind.MAP,), "What the server reported."),
            )
        ),
        answers=_ONE_DEPLOYMENT,
        description="What is null or left out stays as it is. The server cannot be changed.",
        rule="software_deployments:update",
    ),
    Endpoint(
        "DELETE",
        _ONE,
        _delete,
        "Delete a software deployment",
        _TAG,
        answers={204: None},
        rule="software_deployments:delete",
    ),
)
