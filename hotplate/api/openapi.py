"""The OpenAPI document, made from the same definitions that the server reads requests with."""

import re
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

from hotplate.api.endpoint import Endpoint
from hotplate.api.fields import Query, QueryKind, Schema
from hotplate.api.shapes import FAULT

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
}


def openapi_document(
    endpoints: Iterable[Endpoint], open_endpoints: Iterable[Endpoint] = ()
) -> dict[str, Any]:
    """Return the description of the whole API."""
    paths: dict[str, Any] = {}
    for prefix, group in (("/v1/{project}", endpoints), ("/v1", open_endpoints)):
        for endpoint in group:
            path = prefix + _VARIABLE.sub(r"{\1}", endpoint.path)
            paths.setdefault(path, {})[endpoint.method.lower()] = _operation(endpoint, path)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Hotplate",
            "version": version("hotplate"),
            "description": "Heat's v1 orchestration API, and what Hotplate has beyond it.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": {"Fault": FAULT},
            "securitySchemes": {
                "token": {"type": "apiKey", "in": "header", "name": "X-Auth-Token"}
            },
        },
        "security": [{"token": []}],
    }


def _operation(endpoint: Endpoint, path: str) -> dict[str, Any]:
    variables = re.findall(r"{(\w+)}", path)
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
                str(status): _answer(_STATUS.get(status, "Done."), schema)
                for status, schema in endpoint.answers.items()
            },
            **{
                str(status): _answer(text, {"$ref": "#/components/schemas/Fault"})
                for status, text in _REFUSALS.items()
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
    return operation


def _operation_id(endpoint: Endpoint, path: str) -> str:
    words = re.findall(r"[A-Za-z0-9]+", path.removeprefix("/v1/{project}"))
    return "_".join([endpoint.method.lower(), *words])


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


def _answer(text: str, schema: Schema | None) -> dict[str, Any]:
    answer: dict[str, Any] = {"description": text}
    if schema is not None:
        answer["content"] = {"application/json": {"schema": schema}}
    return answer
