"""Previews: what a create or an update would do, decided as the real thing decides."""

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import Any

from starlette.responses import Response

from hotplate.api.http.addressed_stack import addressed_stack
from hotplate.api.http.endpoint import Call, Endpoint, json_bytes, written_in_pieces
from hotplate.api.http.fields import Body, Query, QueryKind
from hotplate.api.http.leaving import unless_left
from hotplate.api.http.links import link
from hotplate.api.http.packed import Packed, PackedAnswer
from hotplate.api.http.shapes import listed, record
from hotplate.api.http.times import shown_time
from hotplate.api.stacks.documents import FULL, NO_DESCRIPTION, OUTPUT, output, output_heads
from hotplate.api.stacks.planned_documents import CATEGORIES, changes_of_plan, tree_of_plan
from hotplate.api.stacks.recipe_body import OPTION_FIELDS, RECIPE_FIELDS, options_of, patch_of
from hotplate.api.stacks.requested_recipe import requested_recipe
from hotplate.api.stacks.shapes import PLANNED, PREVIEWED
from hotplate.api.stacks.showing import PATH
from hotplate.api.stacks.stacks import NAME_FIELD, PATCH_BODY, UPDATE_BODY, check_name
from hotplate.api.stacks.used_types import check_patched_types, check_types
from hotplate.engine.preview.planned_change import NOT_YET
from hotplate.engine.refusals import AlreadyExists, NotFound
from hotplate.engine.requests.acceptance import Options
from hotplate.engine.requests.previews import Preview, Show
from hotplate.secret import shown

_NESTED = (Query("show_nested", QueryKind.FLAG, "Resources of nested stacks as well."),)


async def _create(call: Call) -> Response:
    body, settings = call.body, call.engine.settings
    name = body["stack_name"]
    check_name(name)
    options = options_of(body, settings)
    try:
        await call.operations.find(call.project, name)
    except NotFound:
        pass
    else:
        raise AlreadyExists(name)
    recipe = await requested_recipe(call)
    await check_types(call, recipe)
    show = partial(tree_of_plan, hides_secrets=not call.sees_secrets)
    preview = await unless_left(
        call.request, call.operations.preview_create(call.project, name, recipe, show)
    )
    head = await asyncio.to_thread(_head, call, name, options, preview)
    return PackedAnswer(b'{"stack":' + head[:-1] + b",", preview.shown, b"}}")


def _head(call: Call, name: str, options: Options, preview: Preview) -> bytes:
    """Return what is said of the whole stack. It may be as large as the template."""
    bound = preview.bound
    description = bound.template.template.description or NO_DESCRIPTION
    heads = output_heads(bound)
    document = {
        "id": NOT_YET,
        "links": [link(call.links.stack(call.project, name, NOT_YET))],
        "stack_name": name,
        "description": description,
        "template_description": description,
        "creation_time": shown_time(call.engine.tools.world.now()),
        "updated_time": None,
        "deletion_time": None,
        "stack_owner": call.caller.user,
        "parent": None,
        "stack_user_project_id": None,
        "tags": list(options.tags or ()),
        "parameters": bound.values.shown(),
        "capabilities": [],
        "notification_topics": [],
        "disable_rollback": not options.rollback,
        "timeout_mins": options.timeout,
        "outputs": [output(head, preview.outputs.get(head["output_key"])) for head in heads],
    }
    return written_in_pieces(document if call.sees_secrets else shown(document))


async def _update(call: Call) -> Response:
    stack = await addressed_stack(call)
    recipe = await requested_recipe(call)
    await check_types(call, recipe, stack)
    converges = options_of(call.body, call.engine.settings).converges
    nested = bool(call.query.get("show_nested"))
    return await _changes(
        call,
        call.operations.preview_update(
            stack.id, recipe, converges, nested, show=_show_changes(call)
        ),
    )


async def _patch(call: Call) -> Response:
    stack = await addressed_stack(call)
    patch = await patch_of(call.body, call.engine.settings, call.evaluate)
    await check_patched_types(call, stack, patch)
    converges = options_of(call.body, call.engine.settings).converges
    nested = bool(call.query.get("show_nested"))
    return await _changes(
        call,
        call.operations.preview_patch(stack.id, patch, converges, nested, show=_show_changes(call)),
    )


async def _rollback(call: Call) -> Response:
    stack = await addressed_stack(call)
    nested = bool(call.query.get("show_nested"))
    return await _changes(
        call, call.operations.preview_rollback(stack.id, nested, show=_show_changes(call))
    )


def _show_changes(call: Call) -> Show:
    return partial(changes_of_plan, hides_secrets=not call.sees_secrets)


async def _changes(call: Call, asked: Coroutine[Any, Any, Preview]) -> Response:
    preview = await unless_left(call.request, asked)
    parts: list[bytes | Packed] = []
    for category, members in preview.shown.items():
        before = b"," if parts else b'{"resource_changes":{'
        parts += before + json_bytes(category) + b":[", members, b"]"
    return PackedAnswer(*parts, b"}}")


_CHANGES = record(
    {"resource_changes": record({category: listed(PLANNED) for category in CATEGORIES})}
)
_STACK = record(
    {
        **{
            name: schema
            for name, schema in FULL["properties"].items()
            if name in FULL["required"] and not name.startswith("stack_status")
        },
        "outputs": listed(OUTPUT),
        "resources": PREVIEWED,
        "nested_stacks": listed(PLANNED),
    }
)

ENDPOINTS = (
    Endpoint(
        "POST",
        "/stacks/preview",
        _create,
        "Preview a new stack",
        "stacks",
        body=Body((NAME_FIELD, *RECIPE_FIELDS, *OPTION_FIELDS)),
        answers={200: record({"stack": _STACK})},
        rule="stacks:preview",
    ),
    Endpoint(
        "PUT",
        f"{PATH}/preview",
        _update,
        "Preview an update",
        "stacks",
        _NESTED,
        UPDATE_BODY,
        {200: _CHANGES},
        rule="stacks:preview_update",
    ),
    Endpoint(
        "PATCH",
        f"{PATH}/preview",
        _patch,
        "Preview an update of parts",
        "stacks",
        _NESTED,
        PATCH_BODY,
        {200: _CHANGES},
        rule="stacks:preview_update_patch",
    ),
    Endpoint(
        "GET",
        f"{PATH}/rollback",
        _rollback,
        "Preview a rollback",
        "stacks",
        _NESTED,
        answers={200: _CHANGES},
        rule="stacks:preview_rollback",
    ),
)
