"""Executions: started, watched, paused, ended and removed."""

from typing import Any

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, empty_answer, json_answer
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fields import Body, Field, Kind, Query, QueryKind
from hotplate.api.http.shapes import FLAG, listed, maybe, record, text
from hotplate.api.workflows.documents import execution_document
from hotplate.api.workflows.listing import (
    ALL_PROJECTS,
    FIELDS,
    List,
    chosen_answer,
    list_answer,
)
from hotplate.api.workflows.reading import json_field, map_of
from hotplate.api.workflows.report import report_of
from hotplate.api.workflows.shapes import EXECUTION, page_of
from hotplate.workflow.engine import Depth, Wanted, below_execution
from hotplate.workflow.language import Task

_TAG = "executions"
_ALL = "/executions"
_ONE = "/executions/{execution_id}"
_LONGEST_ID = 36

EXECUTIONS = List(
    "executions",
    {
        "id": "id",
        "workflow_name": "workflow_name",
        "workflow_id": "workflow_id",
        "description": "description",
        "tags": "tags",
        "params": "params",
        "task_execution_id": "task_id",
        "root_execution_id": "tree",
        "state": "state",
        "state_info": "state_info",
        "input": "input",
        "output": "output",
        "created_at": "created_at",
        "updated_at": "updated_at",
    },
    execution_document,
    frozenset(("output", "published_global")),
)
DEPTH = (
    Query("errors_only", description="true: only executions in ERROR."),
    Query("max_depth", description="How many levels; a number below 0 for all."),
)


def wanted_depth(call: Call) -> Depth:
    """Return which sub-workflows a request asks for. Raises Fault."""
    text = call.query.get("max_depth", "-1")
    try:
        depth = int(text[:9])
    except ValueError:
        raise bad_request(f'max_depth must be a number, and is "{text}"') from None
    flag = call.query.get("errors_only", "")
    return Depth(None if depth < 0 else depth, flag.lower() in ("true", "1", "yes"))


async def _list(call: Call) -> Response:
    is_whole = call.query.get("include_output", False)
    return await list_answer(
        call, EXECUTIONS, shown=frozenset(("output",)) if is_whole else frozenset()
    )


async def _start(call: Call) -> Response:
    row = await call.workflows.start(call.project, await _wanted(call))
    document = execution_document(row)
    del document["published_global"]
    return json_answer(document, 201)


async def _wanted(call: Call) -> Wanted:
    body = call.body
    execution_id = body.get("id") or ""
    if len(execution_id) > _LONGEST_ID:
        raise bad_request(f"the id of an execution has up to {_LONGEST_ID} characters")
    wanted = Wanted(
        body.get("workflow_id") or body.get("workflow_name") or "",
        execution_id,
        body.get("workflow_namespace") or "",
        map_of(body, "input"),
        map_of(body, "params"),
        body.get("description") or "",
    )
    source = body.get("source_execution_id")
    if source:
        return await call.workflows.like(call.project, source, wanted)
    if not wanted.workflow:
        raise bad_request(
            "Workflow ID or workflow name must be provided. Workflow ID is recommended."
        )
    return wanted


async def _show(call: Call) -> Response:
    row = await call.workflows.execution(call.project, call.path["execution_id"])
    return chosen_answer(call, execution_document(row))


async def _change(call: Call) -> Response:
    execution_id, body = call.path["execution_id"], call.body
    state, description = body.get("state"), body.get("description")
    env = map_of({"env": map_of(body, "params").get("env")}, "env")
    flows = call.workflows
    if not (state or description or env):
        raise bad_request("The property state, description, or env is not provided for update.")
    if state and description:
        raise bad_request("The property description must be updated separately from state.")
    if state and env and state != "RUNNING":
        raise bad_request(
            "The property env can only be updated when workflow execution is not running or on "
            "resume from pause."
        )
    if state:
        reason = body.get("state_info")
        row = await flows.set_state(call.project, execution_id, state, reason, env)
    else:
        row = await flows.execution(call.project, execution_id)
        if description:
            row = await flows.describe(call.project, execution_id, description)
        if env:
            row = await flows.set_env(call.project, execution_id, env)
    document = execution_document(row)
    del document["published_global"]
    return json_answer(document)


async def _delete(call: Call) -> Response:
    is_forced = call.query.get("force", False)
    await call.workflows.delete_execution(call.project, call.path["execution_id"], is_forced)
    return empty_answer(204)


async def _below(call: Call) -> Response:
    rows = await below_execution(
        call.workflows, call.project, call.path["execution_id"], wanted_depth(call)
    )
    return json_answer({"executions": [sub_document(row) for row in rows]})


def sub_document(row: Any) -> dict[str, Any]:
    """Return an execution as a list shows it."""
    document = execution_document(row)
    return {name: value for name, value in document.items() if name not in EXECUTIONS.hidden}


async def _report(call: Call) -> Response:
    depth = wanted_depth(call)
    report = await report_of(
        call.workflows,
        call.project,
        call.path["execution_id"],
        depth,
        call.query.get("statistics_only", "").lower() == "true",
    )
    return json_answer(report)


async def _graph(call: Call) -> Response:
    workflow = await call.workflows.workflow_of(call.project, call.path["execution_id"])
    return json_answer(
        {"is_reverse": workflow.reverse, "tasks": list(map(_task, workflow.tasks.values()))}
    )


def _task(task: Task) -> dict[str, Any]:
    return {
        "name": task.name,
        "type": task.kind.value,
        "call": task.call,
        "join": task.join,
        "requires": list(task.requires),
        "next": [
            {"name": target.name, "event": event.value, "guard": target.guard}
            for event, clause in task.clauses.items()
            for target in clause.targets
        ],
    }


_NEXT = record({"name": text(), "event": text(), "guard": text()})
_GRAPH = record(
    {
        "is_reverse": FLAG,
        "tasks": listed(
            record(
                {
                    "name": text(),
                    "type": text(),
                    "call": text(),
                    "join": maybe({"type": ["string", "integer"]}),
                    "requires": listed(text()),
                    "next": listed(_NEXT),
                }
            )
        ),
    }
)

_BODY = (
    Field("id", description="Chosen by the client: the same id twice is one execution."),
    Field("workflow_id", description="The workflow, by its id."),
    Field("workflow_name", description="The workflow, by its name."),
    Field("workflow_namespace", description="Where the name is looked up first.", longest=255),
    Field("description", description="For people."),
    Field("source_execution_id", description="An execution to take all that is not given from."),
    Field("state", description="PAUSED, RUNNING, SUCCESS, ERROR or CANCELLED, to change it."),
    Field("state_info", description="Why it is ended."),
    json_field("input", "Values of the workflow's inputs."),
    json_field("params", "env, task_name and others."),
    Field("tags", (Kind.LIST,), "Taken from the workflow; what is sent is ignored."),
)

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "GET", _ALL, _list, "List executions", _TAG,
        query=(
            *EXECUTIONS.query,
            *ALL_PROJECTS,
            Query("include_output", QueryKind.FLAG, "Show what they gave, too."),
            Query("nulls", QueryKind.LISTED, "Only entries without a value for these fields."),
        ),
        answers={200: page_of("executions", EXECUTION)},
        strict=True, rule="executions:list",
    ),
    Endpoint(
        "POST", _ALL, _start, "Run a workflow", _TAG,
        body=Body(_BODY), answers={201: EXECUTION},
        description="With an id of the client's own the request may be sent again: the execution "
        "that is there is answered.", rule="executions:create",
    ),
    Endpoint(
        "GET", _ONE, _show, "Show an execution", _TAG, query=FIELDS, answers={200: EXECUTION},
        rule="executions:get",
    ),
    Endpoint(
        "PUT", _ONE, _change, "Pause, resume, end or describe an execution", _TAG,
        body=Body(_BODY), answers={200: EXECUTION}, rule="executions:update",
    ),
    Endpoint(
        "DELETE", _ONE, _delete, "Remove an execution with all below it", _TAG,
        query=(Query("force", QueryKind.FLAG, "Also one that has not ended; it is cancelled."),),
        answers={204: None}, rule="executions:delete",
    ),
    Endpoint(
        "GET", f"{_ONE}/executions", _below, "Show an execution and its sub-workflows", _TAG,
        query=DEPTH, answers={200: record({"executions": listed(EXECUTION)})},
        rule="executions:get",
    ),
    Endpoint(
        "GET", f"{_ONE}/report", _report, "Show the tree of an execution and its figures", _TAG,
        query=(*DEPTH, Query("statistics_only", description="true: only the figures.")),
        answers={200: {"type": "object"}}, rule="executions:get",
    ),
    Endpoint(
        "GET", f"{_ONE}/graph", _graph, "Show which task of an execution leads to which", _TAG,
        answers={200: _GRAPH}, rule="executions:get",
        description="Not Mistral's: the tasks of the workflow as it was when the execution began, "
        "also those that have not run, and what follows them.",
    ),
)  # fmt: skip
