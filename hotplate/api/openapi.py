"""The OpenAPI document, made from the same definitions that the server reads requests with."""

import json
import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Final

from hotplate import __version__
from hotplate.api.http.endpoint import Endpoint
from hotplate.api.http.fields import Query, QueryKind, Schema
from hotplate.api.http.shapes import FAULT, reference, text
from hotplate.api.resources import shapes as resources
from hotplate.api.stacks import shapes as stacks
from hotplate.api.templates import shapes as templates
from hotplate.api.workflows.shapes import FAULT as WORKFLOW_FAULT

COMPONENTS: Final[dict[str, Schema]] = dict(
    sorted({**stacks.COMPONENTS, **templates.COMPONENTS, **resources.COMPONENTS}.items())
)
"""Schemas that others refer to by name."""

_VARIABLE = re.compile(r"{(\w+)(?::\w+)?}")
_STATUS = {
    200: "Done.",
    201: "Accepted; the stack is being made.",
    202: "Accepted; the work goes on.",
    204: "Done; there is nothing to say.",
    300: "Choose one of these.",
    302: "The canonical address; ask again there with the same method and body.",
}
_REFUSALS = {
    400: "The request is wrong; the message names the field.",
    401: "The token is missing or not accepted.",
    403: "The caller may not do this.",
    404: "There is no such thing.",
    409: "The name is taken, or the stack is busy.",
    412: "The stack has moved since the state that the request names.",
    503: "The database is away. Try again later.",
}
_TOO_OFTEN = 429
_TOO_OFTEN_WORDS = "The address was used too often within the last minute."
_LOCATED = {201: "The canonical address of the stack.", 302: "The canonical address."}


def openapi_document(
    endpoints: Iterable[Endpoint],
    open_endpoints: Iterable[Endpoint] = (),
    workflow_endpoints: Iterable[Endpoint] = (),
) -> dict[str, Any]:
    """Return the description of the whole API."""
    paths: dict[str, Any] = {}
    groups = (("/v1/{project}", endpoints), ("/v1", open_endpoints), ("/v2", workflow_endpoints))
    for prefix, group in groups:
        for endpoint in group:
            path = prefix + _VARIABLE.sub(r"{\1}", endpoint.path)
            paths.setdefault(path, {})[endpoint.method.lower()] = _operation(endpoint, path)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Hotplate",
            "version": __version__,
            "description": "Heat's v1 orchestration API with what Hotplate has beyond it, and "
            "Mistral's v2 workflow API.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": {"Fault": FAULT, "WorkflowFault": WORKFLOW_FAULT, **COMPONENTS},
            "responses": {
                **{_name_of(status): _refusal(status) for status in _REFUSALS},
                _name_of(_TOO_OFTEN): _refusal(_TOO_OFTEN),
                **{
                    f"Workflow{_name_of(status)}": _refusal(status, "WorkflowFault")
                    for status in _REFUSALS
                },
            },
            "securitySchemes": {
                "token": {"type": "apiKey", "in": "header", "name": "X-Auth-Token"}
            },
        },
        "security": [{"token": []}],
    }


def openapi_text(document: dict[str, Any]) -> str:
    """Return the document for people and for the repository: the same text for the same API."""
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _operation(endpoint: Endpoint, path: str) -> dict[str, Any]:
    variables = re.findall(r"{(\w+)}", path)
    family = "Workflow" if path.startswith("/v2") else ""
    operation: dict[str, Any] = {
        "operationId": _operation_id(endpoint, path),
        "summary": endpoint.summary,
        "tags": [endpoint.tag],
        "parameters": [
            *(_path_parameter(name) for name in variables),
            *(_query_parameter(parameter) for parameter in endpoint.query),
        ],
        "responses": {
            **{
                str(status): _answer(status, schema, endpoint.media_type, bool(family))
                for status, schema in endpoint.answers.items()
            },
            **{
                str(status): {"$ref": f"#/components/responses/{family}{_name_of(status)}"}
                for status in (*_REFUSALS, *(() if endpoint.rule else (_TOO_OFTEN,)))
            },
        },
    }
    if endpoint.description:
        operation["description"] = endpoint.description
    if endpoint.body is not None:
        operation["requestBody"] = {
            "required": endpoint.body.required,
            "content": {"application/json": {"schema": endpoint.body.schema()}},
        }
    elif endpoint.takes_text:
        described = {"type": "string", "description": endpoint.takes_text}
        operation["requestBody"] = {
            "required": True,
            "content": {"text/plain": {"schema": described}},
        }
    return operation


def _operation_id(endpoint: Endpoint, path: str) -> str:
    parts = re.findall(r"[A-Za-z0-9]+", path.removeprefix("/v1/{project}"))
    return "_".join([endpoint.method.lower(), *parts])


def _path_parameter(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": {"type": "string", "minLength": 1},
    }


def _query_parameter(parameter: Query) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": parameter.name,
        "in": "query",
        "required": False,
        "description": parameter.description,
        "schema": parameter.schema(),
    }
    if parameter.kind is QueryKind.WORDS:
        described |= {"style": "form", "explode": True}
    return described


def _answer(
    status: int, schema: Schema | None, media_type: str, is_of_workflows: bool
) -> dict[str, Any]:
    parts = "Done." if is_of_workflows else _STATUS.get(status, "Done.")
    answer: dict[str, Any] = {"description": parts, "headers": _HEADERS}
    if status in _LOCATED and not is_of_workflows:
        answer["headers"] = {**_HEADERS, "Location": _header(_LOCATED[status])}
    if schema is not None:
        answer["content"] = {media_type: {"schema": schema}}
    return answer


def _name_of(status: int) -> str:
    return HTTPStatus(status).phrase.replace(" ", "")


def _refusal(status: int, shape: str = "Fault") -> dict[str, Any]:
    content = {"application/json": {"schema": reference(shape)}}
    if status == HTTPStatus.NOT_FOUND:
        # An address that no operation has is answered before anything is known of the caller.
        content["text/plain"] = {"schema": text()}
    return {
        "description": _REFUSALS.get(status, _TOO_OFTEN_WORDS),
        "headers": _HEADERS,
        "content": content,
    }


def _header(description: str) -> dict[str, Any]:
    return {"description": description, "required": True, "schema": text()}


_HEADERS = {"x-openstack-request-id": _header("What the server's log calls the request.")}
