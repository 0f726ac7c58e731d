"""Previews: what a create or an update would do, decided as the real thing decides."""

import asyncio
from collections.abc import Iterable
from typing import Any

from starlette.responses import Response

from hotplate.api.http.addressed_stack import addressed_stack
from hotplate.api.http.differences import difference_documents
from hotplate.api.http.endpoint import Call, Endpoint, json_answer
from hotplate.api.http.fields import Body, Query, QueryKind
from hotplate.api.http.links import link
from hotplate.api.http.shapes import listed, record
from hotplate.api.http.times import shown_time
from hotplate.api.stacks.documents import FULL, NO_DESCRIPTION, OUTPUT, output, output_heads
from hotplate.api.stacks.recipe_body import OPTION_FIELDS, RECIPE_FIELDS, options_of, patch_of
from hotplate.api.stacks.requested_recipe import requested_recipe
from hotplate.api.stacks.shapes import PLANNED, PREVIEWED
from hotplate.api.stacks.showing import PATH
from hotplate.api.stacks.stacks import NAME_FIELD, PATCH_BODY, UPDATE_BODY, check_name
from hotplate.api.stacks.used_types import check_patched_types, check_types
from hotplate.engine.hidden_parameters import secrets_of
from hotplate.engine.preview.origins import Source
from hotplate.engine.preview.planned_change import NOT_YET, Planned
from hotplate.engine.recipes import Bound
from hotplate.engine.refusals import AlreadyExists, NotFound
from hotplate.engine.requests.acceptance import Options
from hotplate.engine.requests.previews import Preview
from hotplate.model import Stack
from hotplate.plan.decide import Change, Step
from hotplate.secret import Secrets

_CATEGORIES = ("unchanged", "updated", "replaced", "added", "deleted")
_BY_STEP = {
    Step.LEAVE: "unchanged",
    Step.UPDATE: "updated",
    Step.REPLACE: "replaced",
    Step.CREATE: "added",
    None: "deleted",
}
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
    preview = await call.operations.preview_create(call.project, name, recipe)
    # As large as the template, like all that is made of it.
    return await asyncio.to_thread(_imagined, call, name, options, preview)


def _imagined(call: Call, name: str, options: Options, preview: Preview) -> Response:
    bound, planned = preview.bound, preview.planned
    description = bound.template.template.description or NO_DESCRIPTION
    secrets = secrets_of(bound)
    items = [_masked_item(call.project, each, secrets) for each in planned]
    owners = {each.path for each in planned if each.is_stack}
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
        "resources": _tree(items, owners),
        # Not Heat's: what `resources` shows only by what the nested stack has.
        "nested_stacks": [item for item in items if tuple(item["path"]) in owners],
    }
    return json_answer({"stack": document})


def _masked_item(project: str, planned: Planned, secrets: Secrets) -> dict[str, Any]:
    """Return what would become of a resource, with stars where a secret stands."""
    item = _item(project, planned)
    values = [value for change in planned.changes for value in (change.old, change.new)]
    own = secrets | Secrets.inside(planned.properties, planned.metadata, values)
    item["reason"] = own.text(planned.reason)
    shown = {
        "metadata": dict(planned.metadata),
        "properties": dict(planned.properties),
        "changes": item["changes"],
        "differences": item["differences"],
    }
    # Of a resource that is left alone there is nothing to be masked.
    item |= {key: own.masked(value) if value else value for key, value in shown.items()}
    return item


async def _update(call: Call) -> Response:
    stack = await addressed_stack(call)
    recipe = await requested_recipe(call)
    await check_types(call, recipe, stack)
    converges = options_of(call.body, call.engine.settings).converges
    nested = bool(call.query.get("show_nested"))
    preview = await call.operations.preview_update(stack.id, recipe, converges, nested)
    return await _changes(call, stack, preview)


async def _patch(call: Call) -> Response:
    stack = await addressed_stack(call)
    patch = await patch_of(call.body, call.engine.settings, call.evaluate)
    await check_patched_types(call, stack, patch)
    converges = options_of(call.body, call.engine.settings).converges
    nested = bool(call.query.get("show_nested"))
    preview = await call.operations.preview_patch(stack.id, patch, converges, nested)
    return await _changes(call, stack, preview)


async def _rollback(call: Call) -> Response:
    stack = await addressed_stack(call)
    nested = bool(call.query.get("show_nested"))
    return await _changes(call, stack, await call.operations.preview_rollback(stack.id, nested))


async def _changes(call: Call, stack: Stack, preview: Preview) -> Response:
    old = await call.operations.bound(stack)
    return await asyncio.to_thread(_sorted, call, stack, preview, old)


def _sorted(call: Call, stack: Stack, preview: Preview, old: Bound) -> Response:
    # The old values are shown beside the new ones.
    secrets = secrets_of(preview.bound, old)
    changes: dict[str, list[dict[str, Any]]] = {category: [] for category in _CATEGORIES}
    for item in preview.planned:
        document = _masked_item(stack.project, item, secrets)
        document.pop("properties")
        changes[_category(item)].append(document)
    return json_answer({"resource_changes": changes})


def _category(planned: Planned) -> str:
    """Return where what would become of a resource is listed; what is refused has its reason.

    A resource that takes another external object is updated; the old one is listed beside.
    """
    if planned.transfer is not None and planned.step is not Step.CREATE:
        return "updated"
    if planned.step is Step.REFUSE:
        return _BY_STEP[planned.restricted or Step.UPDATE]
    return _BY_STEP[planned.step]


def _item(project: str, planned: Planned) -> dict[str, Any]:
    """Return what would become of a resource; the keys from ``path`` on are not Heat's."""
    name = planned.path[-1]
    identity = {
        "tenant": project,
        "stack_name": planned.stack_name,
        "stack_id": planned.stack_id,
        "path": "",
    }
    item: dict[str, Any] = {
        "resource_name": name,
        "resource_type": planned.type,
        "physical_resource_id": planned.physical_id or "",
        "resource_action": "INIT",
        "resource_status": "COMPLETE",
        "resource_status_reason": "",
        "resource_identity": {**identity, "path": f"/resources/{name}"},
        "stack_identity": identity,
        "stack_name": planned.stack_name,
        "required_by": list(planned.required_by),
        "creation_time": None,
        "updated_time": None,
        "description": planned.description,
        "metadata": {},
        "attributes": dict.fromkeys(planned.attributes),
        "path": list(planned.path),
        "reason": planned.reason,
        "changes": [
            _change(change, planned.sources.get(change.name, ())) for change in planned.changes
        ],
        "differences": difference_documents(planned.differences),
        "is_certain": planned.certain,
        "is_kept": planned.is_kept,
        "is_refused": planned.step is Step.REFUSE,
        "written": None if planned.written is None else source_document(planned.written),
    }
    if len(planned.path) > 1:
        item["parent_resource"] = planned.path[-2]
    return item


def _change(change: Change, sources: Iterable[Source]) -> dict[str, Any]:
    return {
        "property": change.name,
        "old": change.old,
        "new": change.new,
        "is_in_place": change.in_place,
        "sources": [source_document(source) for source in sources],
    }


def source_document(source: Source) -> dict[str, Any]:
    """Return a place that a value comes from."""
    return {
        "kind": source.kind.value,
        "name": source.name,
        "file": source.file,
        "line": source.line,
        "path": source.path,
    }


def _tree(items: list[dict[str, Any]], owners: set[tuple[str, ...]]) -> list[Any]:
    """Return the items with each one that is a stack replaced by the list of its own resources."""
    lists: dict[tuple[str, ...], list[Any]] = {(): []}
    for item in items:
        path = tuple(item["path"])
        target = lists.setdefault(path[:-1], [])
        if path in owners:
            nested = lists.setdefault(path, [])
            target.append(nested)
        else:
            target.append(item)
    return lists[()]


_CHANGES = record(
    {"resource_changes": record({category: listed(PLANNED) for category in _CATEGORIES})}
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
