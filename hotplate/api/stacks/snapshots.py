"""Snapshots of stacks."""

from dataclasses import replace
from typing import Any

from starlette.responses import Response

from hotplate.api.http.addressed_stack import addressed_stack
from hotplate.api.http.endpoint import Call, Endpoint, empty_answer, json_answer
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fields import Body, Field
from hotplate.api.http.shapes import FREE, TIME, choice, listed, maybe, record, text
from hotplate.api.http.times import shown_time
from hotplate.api.stacks.used_types import check_types
from hotplate.engine.recipes.hidden_parameters import secrets_of
from hotplate.model import Snapshot, Stack, Status

_PATH = "/stacks/{stack_name}/{stack_id}/snapshots"
_ONE = f"{_PATH}/{{snapshot_id}}"
_SNAPSHOT = record(
    {
        "id": text(),
        "name": maybe(text()),
        "action": text(),
        "status": choice(*(status.value for status in Status)),
        "status_reason": text(),
        "data": maybe(FREE),
        "creation_time": TIME,
    }
)


async def _document(call: Call, stack: Stack, snapshot: Snapshot) -> dict[str, Any]:
    kept = None
    if snapshot.status is not Status.IN_PROGRESS:
        kept = await call.operations.snapshot_document(stack, snapshot)
        then = await call.operations.bound(replace(stack, recipe=snapshot.recipe))
        kept = secrets_of(then, await call.operations.bound(stack)).masked(kept)
    return {
        "id": snapshot.id,
        "name": snapshot.name,
        "action": "CREATE",
        "status": snapshot.status.value,
        "status_reason": snapshot.reason,
        "data": kept,
        "creation_time": shown_time(snapshot.created_at),
    }


async def _create(call: Call) -> Response:
    stack = await addressed_stack(call)
    most = call.engine.settings.most_snapshots
    if len(await call.operations.snapshots(stack.id)) >= most:
        raise bad_request(
            f"You have reached the maximum snapshots per stack, {most}. "
            "Please delete some snapshots.",
            "RequestLimitExceeded",
        )
    snapshot_id = await call.operations_as_caller.take_snapshot(stack.id, call.body.get("name"))
    snapshot = await call.operations.snapshot(stack.id, snapshot_id)
    return json_answer(await _document(call, stack, snapshot))


async def _list(call: Call) -> Response:
    stack = await addressed_stack(call)
    snapshots = await call.operations.snapshots(stack.id)
    documents = [await _document(call, stack, snapshot) for snapshot in snapshots]
    return json_answer({"snapshots": documents})


async def _show(call: Call) -> Response:
    stack = await addressed_stack(call)
    snapshot = await call.operations.snapshot(stack.id, call.path["snapshot_id"])
    return json_answer({"snapshot": await _document(call, stack, snapshot)})


async def _delete(call: Call) -> Response:
    stack = await addressed_stack(call)
    await call.operations.delete_snapshot(stack.id, call.path["snapshot_id"])
    return empty_answer(204)


async def _restore(call: Call) -> Response:
    stack = await addressed_stack(call)
    await check_types(call, None, stack)
    await call.operations_as_caller.restore(stack.id, call.path["snapshot_id"])
    return empty_answer(202)


def _endpoint(
    method: str, path: str, handler: Any, summary: str, answers: Any, rule: str
) -> Endpoint:
    return Endpoint(method, path, handler, summary, "snapshots", answers=answers, rule=rule)


ENDPOINTS = (
    Endpoint(
        "POST",
        _PATH,
        _create,
        "Take a snapshot of a stack",
        "snapshots",
        body=Body(
            (Field("name", description="A name for the snapshot.", longest=255),), required=False
        ),
        answers={200: _SNAPSHOT},
        rule="stacks:snapshot",
    ),
    _endpoint(
        "GET",
        _PATH,
        _list,
        "List snapshots",
        {200: record({"snapshots": listed(_SNAPSHOT)})},
        rule="stacks:list_snapshots",
    ),
    _endpoint(
        "GET",
        _ONE,
        _show,
        "Show a snapshot",
        {200: record({"snapshot": _SNAPSHOT})},
        rule="stacks:show_snapshot",
    ),
    _endpoint(
        "DELETE", _ONE, _delete, "Delete a snapshot", {204: None}, rule="stacks:delete_snapshot"
    ),
    _endpoint(
        "POST",
        f"{_ONE}/restore",
        _restore,
        "Go back to a snapshot",
        {202: None},
        rule="stacks:restore_snapshot",
    ),
)
