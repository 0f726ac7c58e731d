"""Tasks of executions: shown, run again, skipped."""

import json

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, json_answer
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fields import Body, Field, Kind
from hotplate.api.http.shapes import listed, record
from hotplate.api.workflows.documents import task_document
from hotplate.api.workflows.executions import DEPTH, EXECUTIONS, sub_document, wanted_depth
from hotplate.api.workflows.listing import FIELDS, List, chosen_answer, list_answer
from hotplate.api.workflows.reading import json_field, map_of
from hotplate.api.workflows.shapes import EXECUTION, TASK, page_of
from hotplate.store.workflows.listing import Comparison, Filter
from hotplate.workflow.engine import below_task
from hotplate.workflow.model import State

_TAG = "tasks"
_ONE = "/tasks/{task_id}"

TASKS = List(
    "tasks",
    {
        "id": "id",
        "name": "name",
        "type": "kind",
        "workflow_name": "workflow_name",
        "workflow_id": "workflow_id",
        "workflow_execution_id": "execution_id",
        "state": "state",
        "state_info": "state_info",
        "published": "published",
        "processed": "processed",
        "created_at": "created_at",
        "updated_at": "updated_at",
        "started_at": "started_at",
        "finished_at": "finished_at",
    },
    task_document,
)


async def _list(call: Call) -> Response:
    return await list_answer(call, TASKS)


async def _list_of_execution(call: Call) -> Response:
    execution_id = call.path["execution_id"]
    await call.workflows.execution(call.project, execution_id)
    return await list_answer(call, TASKS, (Filter("execution_id", Comparison.EQ, execution_id),))


async def _show(call: Call) -> Response:
    row = await call.workflows.task(call.project, call.path["task_id"])
    result = json.dumps(await call.workflows.task_result(row))
    return chosen_answer(call, {**task_document(row), "result": result})


async def _change(call: Call) -> Response:
    task_id, body = call.path["task_id"], call.body
    row = await call.workflows.task(call.project, task_id)
    state, reset = body.get("state"), body.get("reset")
    if body.get("name") not in (None, "", row["name"]):
        raise bad_request("Task name does not match.")
    if body.get("workflow_name") not in (None, "", row["workflow_name"]):
        raise bad_request("Workflow name does not match.")
    if state not in (State.RUNNING, State.SKIPPED):
        raise bad_request(
            "Invalid task state. Only updating task to RUNNING or SKIPPED is supported."
        )
    if row["state"] != State.ERROR:
        raise bad_request(
            "The current task execution must be in ERROR for rerun. Only updating task to rerun "
            "is supported."
        )
    if state == State.SKIPPED:
        row = await call.workflows.skip(call.project, task_id)
    else:
        if reset is None:
            raise bad_request("Reset field is mandatory to rerun task.")
        if not reset and json.loads(row["details"]).get("items") is None:
            raise bad_request("Only with-items task has the option to not reset.")
        env = map_of(body, "env")
        row = await call.workflows.rerun(call.project, task_id, reset, env)
    result = json.dumps(await call.workflows.task_result(row))
    return json_answer({**task_document(row), "result": result})


async def _children(call: Call) -> Response:
    task_id = call.path["task_id"]
    await call.workflows.task(call.project, task_id)
    return await list_answer(call, EXECUTIONS, (Filter("task_id", Comparison.EQ, task_id),))


async def _below(call: Call) -> Response:
    rows = await below_task(call.workflows, call.project, call.path["task_id"], wanted_depth(call))
    return json_answer({"executions": [sub_document(row) for row in rows]})


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "GET", "/tasks", _list, "List tasks of all executions", _TAG,
        query=TASKS.query, answers={200: page_of("tasks", TASK)}, strict=True, rule="tasks:list",
    ),
    Endpoint(
        "GET", "/executions/{execution_id}/tasks", _list_of_execution,
        "List the tasks of an execution", _TAG,
        query=TASKS.query, answers={200: page_of("tasks", TASK)}, strict=True, rule="tasks:list",
    ),
    Endpoint(
        "GET", _ONE, _show, "Show a task and its result", _TAG, query=FIELDS, answers={200: TASK},
        rule="tasks:get",
    ),
    Endpoint(
        "PUT", _ONE, _change, "Run a failed task again, or take it as done", _TAG,
        body=Body(
            (
                Field("id", description="Of the task; the address counts."),
                Field("name", description="Of the task, to be sure."),
                Field("workflow_name", description="Of the workflow, to be sure."),
                Field("state", description="RUNNING to run it again, SKIPPED to go on without."),
                Field("reset", (Kind.FLAG,), "false: only the items that failed."),
                json_field("env", "Changes of the environment."),
            )
        ),
        answers={200: TASK}, rule="tasks:update",
    ),
    Endpoint(
        "GET", f"{_ONE}/workflow_executions", _children, "List what a task started", _TAG,
        query=EXECUTIONS.query, answers={200: page_of("executions", EXECUTION)}, strict=True,
        rule="tasks:get",
    ),
    Endpoint(
        "GET", f"{_ONE}/executions", _below, "Show what a task started, and what is below", _TAG,
        query=DEPTH, answers={200: record({"executions": listed(EXECUTION)})}, rule="tasks:get",
    ),
)  # fmt: skip
