"""Executions below executions and tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hotplate.store.workflows.listing import Comparison, Filter, ListQuery
from hotplate.workflow.engine.operations import Workflows
from hotplate.workflow.model import State

MOST = 10_000
"""Executions that are shown at once."""


@dataclass(frozen=True, slots=True)
class Depth:
    """How many levels, None for all, and whether for failures only."""

    most: int | None = None
    errors_only: bool = False


async def below_execution(
    flows: Workflows, project: str, execution_id: str, depth: Depth
) -> list[dict[str, Any]]:
    """Return an execution and what is below it, level by level."""
    top = await flows.execution(project, execution_id)
    return _fitting([top, *await _below(flows, project, [execution_id], depth)], depth)


async def below_task(
    flows: Workflows, project: str, task_id: str, depth: Depth
) -> list[dict[str, Any]]:
    """Return the executions that a task started, and what is below them."""
    await flows.task(project, task_id)
    first = await _of_tasks(flows, project, [task_id])
    found = [row["id"] for row in first]
    return _fitting([*first, *await _below(flows, project, found, depth)], depth)


def _fitting(rows: list[dict[str, Any]], depth: Depth) -> list[dict[str, Any]]:
    if not depth.errors_only:
        return rows
    return [row for row in rows if row["state"] == State.ERROR.value]


async def _below(
    flows: Workflows, project: str, ids: Sequence[str], depth: Depth
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    level = list(ids)
    left = depth.most
    while level and left != 0 and len(found) < MOST:
        tasks = await flows.entries(
            "tasks",
            ListQuery(
                project,
                (
                    Filter("execution_id", Comparison.IN, level),
                    Filter("kind", Comparison.EQ, "WORKFLOW"),
                ),
                limit=MOST,
                names=("id",),
            ),
        )
        rows = await _of_tasks(flows, project, [task["id"] for task in tasks])
        found.extend(rows)
        level = [row["id"] for row in rows]
        left = None if left is None else left - 1
    return found


async def _of_tasks(flows: Workflows, project: str, tasks: Sequence[str]) -> list[dict[str, Any]]:
    if not tasks:
        return []
    wanted = (Filter("task_id", Comparison.IN, list(tasks)),)
    return await flows.entries("executions", ListQuery(project, wanted, limit=MOST))
