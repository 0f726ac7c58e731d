"""Actions that were performed: shown, ended by a report, or requested one by one."""

from typing import Any

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, empty_answer, json_answer
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fields import Body, Field, Kind, Query, QueryKind
from hotplate.api.workflows.documents import action_execution_document
from hotplate.api.workflows.listing import FIELDS, List, chosen_answer, list_answer
from hotplate.api.workflows.reading import json_field, map_of, value_of
from hotplate.api.workflows.shapes import ACTION_EXECUTION, page_of
from hotplate.store.workflows.listing import Comparison, Filter
from hotplate.store.workflows.runs import dumped
from hotplate.workflow.engine import written_time
from hotplate.workflow.machine import Result
from hotplate.workflow.model import ActionRun, State

_TAG = "action executions"
_ALL = "/action_executions"
_ONE = "/action_executions/{action_execution_id}"

_LIST = List(
    "action_executions",
    {
        "id": "id",
        "name": "name",
        "workflow_name": "workflow_name",
        "task_name": "task_name",
        "task_execution_id": "task_id",
        "state": "state",
        "accepted": "accepted",
        "input": "input",
        "output": "output",
        "created_at": "created_at",
        "updated_at": "updated_at",
    },
    action_execution_document,
    frozenset(("output",)),
)
_OUTPUT = Query("include_output", QueryKind.FLAG, "Show what they gave, too.")


def _shown(call: Call) -> frozenset[str]:
    return frozenset(("output",)) if call.query.get("include_output") else frozenset()


async def _list(call: Call) -> Response:
    return await list_answer(call, _LIST, shown=_shown(call))


async def _list_of_task(call: Call) -> Response:
    task_id = call.path["task_id"]
    await call.workflows.task(call.project, task_id)
    fixed = (Filter("task_id", Comparison.EQ, task_id),)
    return await list_answer(call, _LIST, fixed, _shown(call))


async def _show(call: Call) -> Response:
    row = await call.workflows.action(call.project, call.path["action_execution_id"])
    return chosen_answer(call, action_execution_document(row))


async def _run(call: Call) -> Response:
    body = call.body
    name = body.get("name")
    if not name:
        raise bad_request("Please provide at least action name to run action.")
    is_kept = bool(map_of(body, "params").get("save_result"))
    values = map_of(body, "input")
    action = await call.workflows.run_action(call.project, name, values, is_kept)
    return json_answer(_single(action, call.project), 201)


def _single(action: ActionRun, project: str) -> dict[str, Any]:
    is_kept = not action.state.is_final
    return {
        "id": action.id if is_kept else None,
        "workflow_name": None,
        "workflow_namespace": "",
        "task_execution_id": None,
        "state": action.state.value,
        "state_info": None,
        "tags": None,
        "name": action.name,
        "description": "" if is_kept else None,
        "project_id": project if is_kept else None,
        "accepted": False if is_kept else None,
        "input": dumped(action.input),
        "output": None if is_kept else dumped(action.output),
        "created_at": written_time(action.created_at) if is_kept else None,
        "updated_at": None,
    }


async def _finish(call: Call) -> Response:
    body = call.body
    output, state = value_of(body, "output"), body.get("state")
    if state == State.SUCCESS:
        result = Result(value=output)
    elif state == State.ERROR:
        result = Result(failed=True, error=output or "Unknown error")
    elif state == State.CANCELLED:
        result = Result(cancelled=True, error=output)
    else:
        raise bad_request(
            "Invalid state. Expected: (SUCCESS, ERROR, CANCELLED), but it is "
            f"{'not given' if state is None else state}"
        )
    row = await call.workflows.finish_action(call.project, call.path["action_execution_id"], result)
    return json_answer(action_execution_document(row))


async def _delete(call: Call) -> Response:
    await call.workflows.delete_action(call.project, call.path["action_execution_id"])
    return empty_answer(204)


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "GET", _ALL, _list, "List performed actions", _TAG,
        query=(*_LIST.query, _OUTPUT),
        answers={200: page_of("action_executions", ACTION_EXECUTION)}, strict=True,
        rule="action_executions:list",
    ),
    Endpoint(
        "GET", "/tasks/{task_id}/action_executions", _list_of_task,
        "List the actions of a task", _TAG,
        query=(*_LIST.query, _OUTPUT),
        answers={200: page_of("action_executions", ACTION_EXECUTION)}, strict=True,
        rule="action_executions:list",
    ),
    Endpoint(
        "POST", _ALL, _run, "Perform one action", _TAG,
        body=Body(
            (
                Field("name", description="Of the action.", required=True, longest=255),
                json_field("input", "What the action is given."),
                json_field("params", "save_result: keep it, and answer at once."),
                Field("workflow_namespace", description="Where ad-hoc actions are looked up."),
            )
        ),
        answers={201: ACTION_EXECUTION}, rule="action_executions:create",
    ),
    Endpoint(
        "GET", _ONE, _show, "Show a performed action", _TAG,
        query=FIELDS, answers={200: ACTION_EXECUTION}, rule="action_executions:get",
    ),
    Endpoint(
        "PUT", _ONE, _finish, "Report how an asynchronous action ended", _TAG,
        body=Body(
            (
                Field("state", description="SUCCESS, ERROR or CANCELLED."),
                Field(
                    "output",
                    (Kind.TEXT, Kind.MAP, Kind.LIST, Kind.FLAG, Kind.COUNT),
                    "The result; a text is read as JSON.",
                ),
            )
        ),
        answers={200: ACTION_EXECUTION}, rule="action_executions:update",
    ),
    Endpoint(
        "DELETE", _ONE, _delete, "Remove an action that no workflow ran", _TAG,
        answers={204: None}, rule="action_executions:delete",
    ),
)  # fmt: skip
