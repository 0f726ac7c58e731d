"""Queries on actions under way: which worker performs which, what is due, what lost its worker."""

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, or_, select, update

from hotplate.store.prepared import Prepared
from hotplate.store.schema import worker
from hotplate.store.sealing import seals_of
from hotplate.store.workflows.runs import (
    ACTION_COLUMNS,
    ACTION_OUTPUT,
    ACTION_REST,
    HELD,
    INSERT_ACTION,
    READY,
    Placed,
    action_row,
    dumped,
)
from hotplate.store.workflows.schema import workflow_action, workflow_task
from hotplate.workflow.model import State

_DUE_TASKS = Prepared(
    select(workflow_task.c.tree, workflow_task.c.execution_id, workflow_task.c.id)
    .where(workflow_task.c.wake_at <= bindparam("now"))
    .order_by(workflow_task.c.wake_at)
    .limit(500),
    ("now",),
)


_NEXT_TASK = Prepared(
    select(func.min(workflow_task.c.wake_at)).where(workflow_task.c.wake_at > bindparam("now")),
    ("now",),
)


_NEXT_ACTION = Prepared(
    select(func.min(workflow_action.c.due)).where(workflow_action.c.due > bindparam("now")),
    ("now",),
)


_FOUND = select(
    workflow_action.c.id,
    workflow_action.c.name,
    workflow_action.c.tree,
    workflow_action.c.execution_id,
    workflow_task.c.name.label("task_name"),
    workflow_action.c.project,
    workflow_action.c.details,
    workflow_action.c.worker,
).outerjoin(workflow_task, workflow_task.c.id == workflow_action.c.task_id)


_DUE_ACTIONS = Prepared(
    _FOUND.where(workflow_action.c.due <= bindparam("now"))
    .order_by(workflow_action.c.due)
    .limit(500),
    ("now",),
)


_TURN = (
    func.row_number()
    .over(partition_by=workflow_action.c.project, order_by=workflow_action.c.created_at)
    .label("turn")
)
_READY_ACTIONS = Prepared(
    _FOUND.where(workflow_action.c.hand == READY)
    .order_by(_TURN, workflow_action.c.created_at)
    .limit(200),
)


_ABANDONED = Prepared(
    _FOUND.outerjoin(worker, worker.c.id == workflow_action.c.worker)
    .where(
        workflow_action.c.hand == HELD,
        or_(worker.c.id.is_(None), worker.c.heartbeat < bindparam("expired")),
    )
    .order_by(workflow_action.c.id)
    .limit(500),
    ("expired",),
)


_HELD_BY = Prepared(
    _FOUND.where(workflow_action.c.hand == HELD, workflow_action.c.worker == bindparam("worker")),
    ("worker",),
)
_STILL_HELD = Prepared(
    select(workflow_action.c.id).where(
        workflow_action.c.id == bindparam("id"),
        workflow_action.c.hand == HELD,
        workflow_action.c.worker == bindparam("worker"),
    ),
    ("id", "worker"),
)
_TAKE = Prepared(
    update(workflow_action)
    .where(workflow_action.c.id == bindparam("at_id"), workflow_action.c.hand == READY)
    .values(hand=HELD, worker=bindparam("to_worker")),
    ("at_id", "to_worker"),
)


_OFFER = Prepared(
    update(workflow_action)
    .where(
        workflow_action.c.id == bindparam("at_id"),
        workflow_action.c.hand == HELD,
        workflow_action.c.worker == bindparam("at_worker"),
    )
    .values(hand=READY, worker=None),
    ("at_id", "at_worker"),
)


_LAY_ASIDE = Prepared(
    update(workflow_action)
    .where(workflow_action.c.id == bindparam("at_id"), workflow_action.c.hand == HELD)
    .values(hand=None, worker=None, due=bindparam("to_due")),
    ("at_id", "to_due"),
)


_END_ALONE = Prepared(
    update(workflow_action)
    .where(
        workflow_action.c.id == bindparam("at_id"),
        workflow_action.c.tree.is_(None),
        workflow_action.c.state == State.RUNNING.value,
    )
    .values(
        hand=None,
        worker=None,
        due=None,
        state=bindparam("to_state"),
        output=bindparam("to_output"),
        accepted=True,
        updated_at=bindparam("to_now"),
        finished_at=bindparam("to_now"),
    ),
    ("to_state", "to_output", "to_now", "at_id"),
)


_COUNT_ALONE = Prepared(
    select(func.count()).where(
        workflow_action.c.tree.is_(None), workflow_action.c.project == bindparam("project")
    ),
    ("project",),
)


@dataclass(frozen=True, slots=True)
class FoundAction:
    """An action that a sweep found, and where it belongs; no tree if no workflow runs it."""

    id: str
    name: str
    tree: str | None
    run_id: str | None
    task_name: str | None
    project: str
    safe_rerun: bool
    worker: int | None = None


def due_tasks(connection: Connection, now: float) -> list[tuple[str, str, str]]:
    """Return tree, run and id of tasks whose time has come."""
    return [(row[0], row[1], row[2]) for row in _DUE_TASKS.rows(connection, now)]


def due_actions(connection: Connection, now: float) -> list[FoundAction]:
    """Return actions that only waited and whose time has come."""
    return [_found(connection, row) for row in _DUE_ACTIONS.rows(connection, now)]


def next_due_of_workflows(connection: Connection, now: float) -> float | None:
    """Return the earliest time after this one that a task or action waits for."""
    found = (_NEXT_TASK.rows(connection, now), _NEXT_ACTION.rows(connection, now))
    times = [rows[0][0] for rows in found]
    return min((at for at in times if at is not None), default=None)


def ready_actions(connection: Connection) -> list[FoundAction]:
    """Return actions that no worker performs yet: the oldest of each project, then the second."""
    return [_found(connection, row) for row in _READY_ACTIONS.rows(connection)]


def abandoned_actions(connection: Connection, expired: float) -> list[FoundAction]:
    """Return actions whose worker has had no heartbeat since ``expired``, or has ended."""
    return [_found(connection, row) for row in _ABANDONED.rows(connection, expired)]


def held_actions(connection: Connection, worker_id: int) -> list[FoundAction]:
    """Return the actions that a worker holds."""
    return [_found(connection, row) for row in _HELD_BY.rows(connection, worker_id)]


def is_performed_by(connection: Connection, action_id: str, worker_id: int) -> bool:
    """Tell whether a worker still holds an action."""
    return bool(_STILL_HELD.rows(connection, action_id, worker_id))


def take_action(connection: Connection, action_id: str, worker_id: int) -> bool:
    """Assign a ready action to a worker; False if another was faster."""
    return _TAKE.run(connection, action_id, worker_id) == 1


def offer_action(connection: Connection, action_id: str, worker_id: int) -> bool:
    """Make an action that a worker held ready for others."""
    return _OFFER.run(connection, action_id, worker_id) == 1


def detach_action(connection: Connection, action_id: str, due: float | None) -> None:
    """Note that an action goes on without a worker: until it is due, or its end is reported."""
    _LAY_ASIDE.run(connection, action_id, due)


def insert_lone_action(connection: Connection, placed: Placed, project: str) -> None:
    """Insert an action that no workflow runs."""
    row = action_row(placed, None, project, seals_of(connection, project))
    named = dict(zip(ACTION_COLUMNS, row, strict=True)) | {"execution_id": None, "task_id": None}
    INSERT_ACTION.run(connection, *(named[name] for name in ACTION_COLUMNS))


def end_lone_action(
    connection: Connection, project: str, action_id: str, state: State, output: Any, now: float
) -> bool:
    """Write how an action ended that no workflow runs; False if it had ended already."""
    text = seals_of(connection, project).seal(ACTION_OUTPUT, action_id, dumped(output))
    return _END_ALONE.run(connection, state.value, text, now, action_id) == 1


def count_lone_actions(connection: Connection, project: str) -> int:
    """Return how many actions that no workflow runs are kept for a project."""
    return int(_COUNT_ALONE.rows(connection, project)[0][0])


def remove_lone_action(connection: Connection, action_id: str) -> None:
    """Remove an action that no workflow runs."""
    connection.execute(
        delete(workflow_action).where(
            workflow_action.c.id == action_id, workflow_action.c.tree.is_(None)
        )
    )


def _found(connection: Connection, row: Any) -> FoundAction:
    details = json.loads(seals_of(connection, row[5]).open(ACTION_REST, row[0], row[6]))
    return FoundAction(
        row[0], row[1], row[2], row[3], row[4], row[5], bool(details.get("safe_rerun")), row[7]
    )
