"""Executions of workflows below a project, for clients that show its stacks.

Mistral's API below `/v2` has more, where workflows are run; this only reads what is stored.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, json_answer
from hotplate.api.http.faults import Fault
from hotplate.api.http.fields import Query, QueryKind
from hotplate.api.http.shapes import listed, maybe, record, text
from hotplate.api.http.times import shown_time
from hotplate.store.workflows.listing import Comparison, Filter, ListQuery

_USUAL = 100
_MOST = 1000
HEAD = ("id", "workflow_name", "state", "state_info", "description", "created_at", "updated_at")
_FILTERS = ("workflow_name", "state")


async def _list(call: Call) -> Response:
    filters = [
        Filter(name, Comparison.EQ, call.query[name]) for name in _FILTERS if call.query.get(name)
    ]
    limit = min(call.query.get("limit", _USUAL), _MOST)
    found = await _rows(call, filters, limit, HEAD)
    return json_answer({"executions": [execution_head(row) for row in found]})


async def _show(call: Call) -> Response:
    wanted = [Filter("id", Comparison.EQ, call.path["execution_id"])]
    columns = (*HEAD, "input", "output")
    found = await _rows(call, wanted, 1, columns)
    if not found:
        raise no_such_execution(call)
    row = found[0]
    whole = {**execution_head(row), "input": _map(row["input"]), "output": _map(row["output"])}
    return json_answer({"execution": whole})


def no_such_execution(call: Call) -> Fault:
    """Return the refusal of an execution that the project does not have."""
    return Fault(
        404, f"The Execution ({call.path['execution_id']}) could not be found.", "NotFound"
    )


async def _rows(
    call: Call, filters: Sequence[Filter], limit: int, columns: Sequence[str]
) -> list[Mapping[str, Any]]:
    order = (("created_at", True),)
    return await call.listings.executions(
        ListQuery(call.project, filters, order, limit, names=columns)
    )


def execution_head(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an execution without what went in and came out."""
    return {
        "id": row["id"],
        "workflow_name": row["workflow_name"],
        "state": row["state"],
        "state_info": row["state_info"] or "",
        "description": row["description"] or "",
        "created_at": shown_time(row["created_at"]),
        "updated_at": shown_time(row["updated_at"]),
    }


def _map(written: str | None) -> Any:
    return json.loads(written) if written else {}


HEAD_FIELDS = {
    "id": text(),
    "workflow_name": text(),
    "state": text(),
    "state_info": text(),
    "description": text(),
    "created_at": maybe(text()),
    "updated_at": maybe(text()),
}

ENDPOINTS = (
    Endpoint(
        "GET",
        "/executions",
        _list,
        "List executions of workflows, the newest first",
        "stacks",
        query=(
            Query("workflow_name", QueryKind.TEXT, "Only those of this workflow."),
            Query("state", QueryKind.TEXT, "Only those in this state."),
            Query("limit", QueryKind.COUNT, f"How many; {_USUAL} by default, {_MOST} at most."),
        ),
        answers={200: record({"executions": listed(record(HEAD_FIELDS))})},
        rule="executions:list",
    ),
    Endpoint(
        "GET",
        "/executions/{execution_id}",
        _show,
        "Show an execution of a workflow",
        "stacks",
        answers={200: record({"execution": record({**HEAD_FIELDS, "input": {}, "output": {}})})},
        rule="executions:get",
    ),
)
