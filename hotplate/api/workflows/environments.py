"""Environments: variables that executions may be given by a name."""

from typing import Any

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, empty_answer, json_answer
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fields import Body, Field
from hotplate.api.workflows.documents import environment_document
from hotplate.api.workflows.listing import FIELDS, List, chosen_answer, list_answer
from hotplate.api.workflows.reading import LONGEST, json_field, map_of, only_administrators_publish
from hotplate.api.workflows.shapes import ENVIRONMENT, page_of
from hotplate.store.workflows.definitions import StoredEnvironment, environment_from

_TAG = "environments"
_ALL = "/environments"
_ONE = "/environments/{name}"
_SCOPES = ("private", "public")

_LIST = List(
    "environments",
    {
        name: name
        for name in ("id", "name", "description", "variables", "scope", "created_at", "updated_at")
    },
    lambda row: environment_document(environment_from(row)),
)


async def _list(call: Call) -> Response:
    return await list_answer(call, _LIST)


def _scope(call: Call) -> str:
    scope = call.body.get("scope") or "private"
    if scope not in _SCOPES:
        raise bad_request(
            f"Scope must be one of the following: {', '.join(_SCOPES)}; actual: {scope}"
        )
    only_administrators_publish(call, str(scope))
    return str(scope)


async def _create(call: Call) -> Response:
    body = call.body
    if "variables" not in body:
        raise bad_request('the field "variables" is missing')
    item = StoredEnvironment(
        "",
        call.project,
        _name(body),
        body.get("description"),
        map_of(body, "variables"),
        _scope(call),
        0.0,
    )
    made = await call.workflows.create_environment(item)
    return json_answer(environment_document(made), 201)


def _name(body: dict[str, Any]) -> str:
    name = body.get("name")
    if not name:
        raise bad_request('the field "name" is missing')
    return str(name)


async def _update(call: Call) -> Response:
    body = call.body
    changes: dict[str, Any] = {}
    if body.get("description") is not None:
        changes["description"] = body["description"]
    if body.get("variables") is not None:
        changes["variables"] = map_of(body, "variables")
    if body.get("scope") is not None:
        changes["scope"] = _scope(call)
    changed = await call.workflows.update_environment(call.project, _name(body), changes)
    return json_answer(environment_document(changed))


async def _show(call: Call) -> Response:
    found = await call.workflows.environment(call.project, call.path["name"])
    return chosen_answer(call, environment_document(found))


async def _delete(call: Call) -> Response:
    await call.workflows.delete_environment(call.project, call.path["name"])
    return empty_answer(204)


_BODY = Body(
    (
        Field("name", description="Unique in the project.", longest=LONGEST),
        Field("description", description="For people."),
        json_field("variables", "The variables; `env()` gives them to expressions."),
        Field("scope", description="private or public."),
    )
)

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "GET", _ALL, _list, "List environments", _TAG,
        query=_LIST.query, answers={200: page_of("environments", ENVIRONMENT)}, strict=True,
        rule="environments:list",
    ),
    Endpoint(
        "POST", _ALL, _create, "Keep an environment", _TAG, body=_BODY, answers={201: ENVIRONMENT},
        rule="environments:create",
    ),
    Endpoint(
        "PUT", _ALL, _update, "Change an environment", _TAG, body=_BODY, answers={200: ENVIRONMENT},
        rule="environments:update",
    ),
    Endpoint(
        "GET", _ONE, _show, "Show an environment", _TAG, query=FIELDS, answers={200: ENVIRONMENT},
        rule="environments:get",
    ),
    Endpoint(
        "DELETE", _ONE, _delete, "Delete an environment", _TAG, answers={204: None},
        rule="environments:delete",
    ),
)  # fmt: skip
