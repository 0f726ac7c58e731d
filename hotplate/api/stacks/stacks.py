"""Stacks: make, show, change, delete, take along."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from hotplate.api.http.addressed_stack import addressed_stack
from hotplate.api.http.body import parsed_json
from hotplate.api.http.endpoint import Call, Endpoint, RuleByBody, empty_answer, json_answer
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fields import Body, Field, Kind
from hotplate.api.http.links import link
from hotplate.api.http.preconditions import expected_sequence
from hotplate.api.http.shapes import LINKS, record, text
from hotplate.api.stacks.documents import etag
from hotplate.api.stacks.recipe_body import (
    CLEAR_FIELDS,
    OPTION_FIELDS,
    RECIPE_FIELDS,
    options_of,
    patch_of,
)
from hotplate.api.stacks.requested_recipe import requested_recipe, with_fetched
from hotplate.api.stacks.shapes import EXPORT
from hotplate.api.stacks.showing import PARTS, PATH, SHOW
from hotplate.api.stacks.used_types import check_patched_types, check_types
from hotplate.engine.refusals import NotSupported
from hotplate.engine.requests.acceptance import Options
from hotplate.engine.requests.adoption import adopted_recipe, adopted_resources

_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_.-]{0,254}", re.ASCII)

NAME_FIELD = Field("stack_name", description="The name of the stack.", required=True)
_CONVERGE = Field("converge", (Kind.FLAG, Kind.TEXT), "Compare with the live state.")
_UPDATE_NAME = Field("stack_name", description="Ignored.")
_CREATE_BODY = Body(
    (
        NAME_FIELD,
        *RECIPE_FIELDS,
        *OPTION_FIELDS,
        Field("adopt_stack_data", description="What abandon wrote, as a JSON text."),
    )
)
UPDATE_BODY = Body((_UPDATE_NAME, *RECIPE_FIELDS, *OPTION_FIELDS, _CONVERGE))
PATCH_BODY = Body(
    (_UPDATE_NAME, *RECIPE_FIELDS, *OPTION_FIELDS, _CONVERGE, *CLEAR_FIELDS), required=False
)


_PATCH_RULE = RuleByBody(
    ("stacks:update_patch", "stacks:update_no_change"),
    lambda body: f"stacks:update_{'patch' if _changes(body) else 'no_change'}",
)


def _changes(body: Mapping[str, Any]) -> bool:
    """Return whether a body says what is to become different: else the stack is tried again."""
    return any(value for name, value in body.items() if name != _UPDATE_NAME.name)


def check_name(name: str) -> None:
    """Refuse what cannot be the name of a stack. Raises Fault 400."""
    if not _NAME.fullmatch(name):
        raise bad_request(
            f"Invalid stack name {name} must contain only alphanumeric or "
            '"_-." characters, must start with alpha and must be 255 characters or less.',
            "StackValidationFailed",
        )


async def _create(call: Call) -> Response:
    body, settings = call.body, call.engine.settings
    name = body["stack_name"]
    check_name(name)
    if body.get("converge") is not None:
        raise bad_request('the field "converge" is possible in an update only')
    await _refuse_too_many(call)
    options = replace(options_of(body, settings), username=call.caller.user)
    if body.get("timeout_mins") is None:
        options = replace(options, timeout=settings.default_timeout or None)
    if body.get("adopt_stack_data"):
        stack_id = await _adopt(call, name, options)
    else:
        recipe = await requested_recipe(call)
        await check_types(call, recipe)
        stack_id = await call.operations_as_caller.create(call.project, name, recipe, options)
    address = call.links.stack(call.project, name, stack_id)
    document = {"stack": {"id": stack_id, "links": [link(address)]}}
    return json_answer(document, 201, {"location": address})


async def _refuse_too_many(call: Call) -> None:
    most = call.engine.settings.most_stacks
    if await call.operations.count(call.project) >= most:
        raise bad_request(
            f"You have reached the maximum stacks per tenant, {most}. Please delete some stacks.",
            "RequestLimitExceeded",
        )


async def _adopt(call: Call, name: str, options: Options) -> str:
    if not call.engine.settings.can_adopt:
        raise NotSupported("Stack Adopt")
    text = call.body["adopt_stack_data"].encode()
    document = parsed_json(text, 'the field "adopt_stack_data"')
    if not isinstance(document, dict):
        raise bad_request('the field "adopt_stack_data" is not what abandon writes')
    explicit = call.body.get("parameters") or {}
    given = adopted_recipe(document, explicit, call.body.get("files") or {})
    recipe = await with_fetched(call, given)
    await check_types(call, recipe)
    resources = adopted_resources(document, call.engine.settings.deepest_nesting)
    return await call.operations_as_caller.adopt(call.project, name, recipe, resources, options)


async def _update(call: Call) -> Response:
    stack = await addressed_stack(call)
    recipe = await requested_recipe(call)
    await check_types(call, recipe, stack)
    options = options_of(call.body, call.engine.settings, tags_stay=False)
    expected = expected_sequence(call)
    sequence = await call.operations_as_caller.update(stack.id, recipe, options, expected)
    return empty_answer(202, {"etag": etag(sequence)})


async def _patch(call: Call) -> Response:
    stack = await addressed_stack(call)
    patch = await patch_of(call.body, call.engine.settings, call.evaluate)
    await check_patched_types(call, stack, patch)
    options = options_of(call.body, call.engine.settings)
    expected = expected_sequence(call)
    sequence = await call.operations_as_caller.patch(stack.id, patch, options, expected)
    return empty_answer(202, {"etag": etag(sequence)})


async def _delete(call: Call) -> Response:
    stack = await addressed_stack(call)
    await check_types(call, None, stack)
    await call.operations_as_caller.delete(stack.id, expected_sequence(call))
    return empty_answer(204)


async def _abandon(call: Call) -> Response:
    if not call.engine.settings.can_abandon:
        raise NotSupported("Stack Abandon")
    stack = await addressed_stack(call)
    return json_answer(await call.operations.abandon(stack.id))


async def _export(call: Call) -> Response:
    if not call.engine.settings.can_abandon:
        raise NotSupported("Stack Abandon")
    stack = await addressed_stack(call)
    return json_answer(await call.operations.export(stack.id))


def _endpoint(
    method: str, path: str, handler: Any, summary: str, answers: dict[int, Any], **more: Any
) -> Endpoint:
    return Endpoint(method, path, handler, summary, "stacks", answers=answers, **more)


_DONE: dict[int, Any] = {202: None}  # a body of `null` would break openstacksdk

ENDPOINTS = (
    _endpoint(
        "POST",
        "/stacks",
        _create,
        "Create a stack, or adopt one",
        {201: record({"stack": record({"id": text(), "links": LINKS})})},
        body=_CREATE_BODY,
        rule="stacks:create",
    ),
    SHOW,
    _endpoint(
        "PUT",
        PATH,
        _update,
        "Update a stack to a new recipe",
        _DONE,
        body=UPDATE_BODY,
        rule="stacks:update",
    ),
    _endpoint(
        "PATCH",
        PATH,
        _patch,
        "Update parts of a stack's recipe",
        _DONE,
        body=PATCH_BODY,
        rule=_PATCH_RULE,
    ),
    _endpoint("DELETE", PATH, _delete, "Delete a stack", {204: None}, rule="stacks:delete"),
    _endpoint(
        "DELETE",
        f"{PATH}/abandon",
        _abandon,
        "Forget a stack and leave its objects alone",
        {200: EXPORT},
        rule="stacks:abandon",
    ),
    _endpoint(
        "GET", f"{PATH}/export", _export, "Write a stack down", {200: EXPORT}, rule="stacks:export"
    ),
    *PARTS,
)
