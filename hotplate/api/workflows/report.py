"""The report on an execution: its tree of tasks and calls, and figures."""

from collections import Counter
from typing import Any

from hotplate.store.workflows.listing import Comparison, Filter, ListQuery
from hotplate.workflow.engine import Depth, Workflows, written_time

_MOST = 5_000
_OF_ACTION = ("id", "name", "created_at", "updated_at", "state")
_OF_TASK = (*_OF_ACTION, "state_info", "kind")
_OF_EXECUTION = ("id", "workflow_name", "created_at", "updated_at", "state", "state_info")


async def report_of(
    flows: Workflows, project: str, execution_id: str, depth: Depth, is_brief: bool
) -> dict[str, Any]:
    """Return the report on an execution, of at most some thousand tasks."""
    top = await flows.execution(project, execution_id)
    counts: Counter[str] = Counter()
    tree = await _execution(flows, project, top, depth, counts)
    figures = {
        f"{name}_tasks_count": counts[name.upper()]
        for name in ("running", "idle", "paused", "error", "success")
    }
    statistics = {**figures, "total_tasks_count": counts.total(), "estimated_time": 0}
    if is_brief:
        return {"statistics": statistics}
    return {"root_workflow_execution": tree, "statistics": statistics}


async def _execution(
    flows: Workflows, project: str, row: dict[str, Any], depth: Depth, counts: Counter[str]
) -> dict[str, Any]:
    tasks: list[dict[str, Any]] = []
    if depth.most != 0 and counts.total() < _MOST:
        inner = Depth(None if depth.most is None else depth.most - 1, depth.errors_only)
        query = ListQuery(
            project,
            (Filter("execution_id", Comparison.EQ, row["id"]),),
            limit=_MOST,
            names=_OF_TASK,
        )
        for task in await flows.entries("tasks", query):
            if depth.errors_only and task["state"] != "ERROR":
                continue
            counts[task["state"]] += 1
            tasks.append(await _task(flows, project, task, inner, counts))
    return {**_named(row, row["workflow_name"]), "task_executions": tasks}


async def _task(
    flows: Workflows, project: str, row: dict[str, Any], depth: Depth, counts: Counter[str]
) -> dict[str, Any]:
    document = _named(row, row["name"])
    mine = (Filter("task_id", Comparison.EQ, row["id"]),)
    if row["kind"] == "WORKFLOW":
        query = ListQuery(project, mine, limit=_MOST, names=_OF_EXECUTION)
        children = await flows.entries("executions", query)
        document["workflow_executions"] = [
            await _execution(flows, project, child, depth, counts) for child in children
        ]
    else:
        query = ListQuery(project, mine, limit=_MOST, names=_OF_ACTION)
        actions = await flows.entries("action_executions", query)
        document["action_executions"] = [_named(each, each["name"]) for each in actions]
    return document


def _named(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {
        "id": row["id"],
        "name": name,
        "created_at": written_time(row["created_at"]),
        "updated_at": written_time(row["updated_at"]),
        "state": row["state"],
        "state_info": row.get("state_info"),
    }
