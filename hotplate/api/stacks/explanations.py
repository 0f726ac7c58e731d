"""What helps to decide: deletions previewed, causes of a state, who asked, how long it takes."""

from collections.abc import Iterable
from statistics import median
from typing import Any

from starlette.responses import Response

from hotplate.api.http.addressed_stack import addressed_stack
from hotplate.api.http.endpoint import Call, Endpoint, json_answer
from hotplate.api.http.fields import Query, QueryKind
from hotplate.api.http.shapes import TIME, listed, maybe, record, text
from hotplate.api.http.times import shown_time
from hotplate.api.stacks.planned_documents import source_document
from hotplate.api.stacks.shapes import SOURCE
from hotplate.engine.explain.causes import Cause
from hotplate.engine.preview.deletion import DeletionStep, PlannedDeletion
from hotplate.engine.recipes.hidden_parameters import secrets_of
from hotplate.store.events import Took
from hotplate.store.requests import Request

_PATH = "/stacks/{stack_name}/{stack_id}"


async def _deletion(call: Call) -> Response:
    stack = await addressed_stack(call)
    going = await call.operations.preview_deletion(stack)
    return json_answer({"deletion": [_planned(each) for each in going]})


def _planned(each: PlannedDeletion) -> dict[str, Any]:
    return {
        "path": list(each.path),
        "resource_type": each.type,
        "physical_resource_id": each.physical_id,
        "step": each.step.value,
        "reason": each.reason,
        "after": list(each.after),
    }


async def _explain(call: Call) -> Response:
    stack = await addressed_stack(call)
    name = call.path["resource_name"]
    causes = await call.operations.explain(stack, name)
    secrets = secrets_of(await call.operations.bound(stack))
    documents = [secrets.masked(_cause(each)) for each in causes]
    return json_answer({"why": {"resource_name": name, "causes": documents}})


def _cause(each: Cause) -> dict[str, Any]:
    return {
        "level": each.level,
        "text": each.text,
        "path": list(each.path),
        "source": None if each.source is None else source_document(each.source),
    }


async def _requests(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    after = call.query.get("after", 0)
    found = await call.listings.requests(stack.id, after)
    return json_answer({"requests": [_request(each) for each in found]})


def _request(each: Request) -> dict[str, Any]:
    return {
        "sequence": each.sequence,
        "action": each.action,
        "user": each.username,
        "time": shown_time(each.at),
    }


async def _durations(call: Call) -> Response:
    return json_answer({"durations": _usual(await call.listings.durations(call.project))})


def _usual(found: Iterable[Took]) -> list[dict[str, Any]]:
    seen: dict[tuple[str, str], list[float]] = {}
    for took in found:
        seen.setdefault((took.type, took.action), []).append(took.seconds)
    return [
        {"resource_type": type_name, "action": action, "count": len(all_), "seconds": median(all_)}
        for (type_name, action), all_ in sorted(seen.items())
    ]


_PLANNED_DELETION = record(
    {
        "path": listed(text()),
        "resource_type": text(),
        "physical_resource_id": maybe(text()),
        "step": {"type": "string", "enum": [step.value for step in DeletionStep]},
        "reason": text(),
        "after": listed(text()),
    }
)
_CAUSE = record(
    {
        "level": {"type": "integer"},
        "text": text(),
        "path": listed(text()),
        "source": maybe(SOURCE),
    }
)
_REQUEST = record({"sequence": {"type": "integer"}, "action": text(), "user": text(), "time": TIME})
_DURATION = record(
    {
        "resource_type": text(),
        "action": text(),
        "count": {"type": "integer"},
        "seconds": {"type": "number"},
    }
)

ENDPOINTS = (
    Endpoint(
        "GET",
        f"{_PATH}/deletion",
        _deletion,
        "Preview the deletion of a stack",
        "stacks",
        answers={200: record({"deletion": listed(_PLANNED_DELETION)})},
        rule="stacks:preview_delete",
    ),
    Endpoint(
        "GET",
        f"{_PATH}/requests",
        _requests,
        "List who asked when for what",
        "stacks",
        query=(Query("after", QueryKind.COUNT, "Only those after the operation with this ETag."),),
        answers={200: record({"requests": listed(_REQUEST)})},
        rule="stacks:requests",
    ),
    Endpoint(
        "GET",
        f"{_PATH}/resources/{{resource_name}}/why",
        _explain,
        "Explain why a resource is as it is",
        "resources",
        answers={200: record({"why": record({"resource_name": text(), "causes": listed(_CAUSE)})})},
        rule="resource:explain",
    ),
    Endpoint(
        "GET",
        "/durations",
        _durations,
        "Show how long actions usually take",
        "stacks",
        answers={200: record({"durations": listed(_DURATION)})},
        rule="stacks:durations",
    ),
)
