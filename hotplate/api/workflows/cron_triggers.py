"""Cron triggers: workflows that are started at times."""

from typing import Any

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, empty_answer, json_answer
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fields import Body, Field, Kind
from hotplate.api.workflows.documents import trigger_document
from hotplate.api.workflows.listing import ALL_PROJECTS, FIELDS, List, chosen_answer, list_answer
from hotplate.api.workflows.reading import LONGEST, json_field, map_of
from hotplate.api.workflows.shapes import TRIGGER, page_of
from hotplate.store.workflows.definitions import Trigger, trigger_from
from hotplate.workflow.engine import read_time

_TAG = "cron triggers"
_ALL = "/cron_triggers"
_ONE = "/cron_triggers/{identifier}"

_LIST = List(
    "cron_triggers",
    {
        "id": "id",
        "name": "name",
        "workflow_name": "workflow_name",
        "workflow_id": "workflow_id",
        "workflow_input": "workflow_input",
        "workflow_params": "workflow_params",
        "scope": "scope",
        "pattern": "pattern",
        "remaining_executions": "remaining",
        "first_execution_time": "first_at",
        "next_execution_time": "next_at",
        "created_at": "created_at",
        "updated_at": "updated_at",
    },
    lambda row: trigger_document(trigger_from(row)),
)


async def _list(call: Call) -> Response:
    return await list_answer(call, _LIST)


async def _create(call: Call) -> Response:
    made = await call.workflows.create_trigger(_wanted(call.project, call.body))
    return json_answer(trigger_document(made), 201)


def _wanted(project: str, body: dict[str, Any]) -> Trigger:
    name = body.get("name")
    if not name:
        raise bad_request('the field "name" is missing')
    workflow_id, workflow_name = body.get("workflow_id") or "", body.get("workflow_name") or ""
    if not workflow_id and not workflow_name:
        raise bad_request("Workflow name or id is missing.")
    remaining = body.get("remaining_executions")
    if remaining == 0:
        raise bad_request("remaining_executions must be 1 or more")
    return Trigger(
        id="",
        project=project,
        name=name,
        pattern=body.get("pattern") or None,
        workflow_name=workflow_name,
        workflow_id=workflow_id,
        workflow_input=map_of(body, "workflow_input"),
        workflow_params=map_of(body, "workflow_params"),
        first_at=_first(body.get("first_execution_time")),
        next_at=0.0,
        remaining=remaining,
        scope="private",
        created_at=0.0,
    )


def _first(text: str | None) -> float | None:
    if not text:
        return None
    try:
        return read_time(text)
    except (ValueError, OverflowError):
        raise bad_request(
            f'first_execution_time "{text}" is not a time; write it like 2030-01-31 10:00'
        ) from None


async def _show(call: Call) -> Response:
    found = await call.workflows.trigger(call.project, call.path["identifier"])
    return chosen_answer(call, trigger_document(found))


async def _delete(call: Call) -> Response:
    await call.workflows.delete_trigger(call.project, call.path["identifier"])
    return empty_answer(204)


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "GET", _ALL, _list, "List cron triggers", _TAG,
        query=(*_LIST.query, *ALL_PROJECTS),
        answers={200: page_of("cron_triggers", TRIGGER)}, strict=True, rule="cron_triggers:list",
    ),
    Endpoint(
        "POST", _ALL, _create, "Start a workflow at times", _TAG,
        body=Body(
            (
                Field("name", description="Unique in the project.", longest=LONGEST),
                Field("workflow_name", description="The workflow, by its name."),
                Field("workflow_id", description="The workflow, by its id."),
                json_field("workflow_input", "Values of the workflow's inputs."),
                json_field("workflow_params", "env, task_name and others."),
                Field("pattern", description="Minute, hour, day, month, weekday, in UTC.",
                      longest=LONGEST),
                Field("first_execution_time", description="In UTC, like 2030-01-31 10:00."),
                Field("remaining_executions", (Kind.COUNT,), "How often; any number without it."),
            )
        ),
        answers={201: TRIGGER}, rule="cron_triggers:create",
    ),
    Endpoint(
        "GET", _ONE, _show, "Show a cron trigger", _TAG, query=FIELDS, answers={200: TRIGGER},
        rule="cron_triggers:get",
    ),
    Endpoint(
        "DELETE", _ONE, _delete, "Delete a cron trigger", _TAG, answers={204: None},
        rule="cron_triggers:delete",
    ),
)  # fmt: skip
