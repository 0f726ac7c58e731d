"""Queries that tell whether something has happened to executions, at little cost.

A tree of executions counts what happens in it: the revision of its root is raised by every
transaction that writes to it.
"""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, bindparam, or_, select

from hotplate.store.prepared import Prepared, PreparedList
from hotplate.store.workflows.schema import workflow_execution
from hotplate.workflow.model import State

_NEWEST: Final = 200
_ROOTS = select(workflow_execution.c.id, workflow_execution.c.revision).where(
    workflow_execution.c.task_id.is_(None)
)
_NEWEST_ROOTS = Prepared(
    _ROOTS.where(workflow_execution.c.project == bindparam("project"))
    .order_by(workflow_execution.c.number.desc())
    .limit(_NEWEST),
    ("project",),
)
_ACTIVE_ROOTS = Prepared(
    _ROOTS.where(
        workflow_execution.c.project == bindparam("project"),
        or_(
            *(
                workflow_execution.c.state == state.value
                for state in (State.IDLE, State.RUNNING, State.PAUSED)
            )
        ),
    ),
    ("project",),
)
_REVISIONS = PreparedList(
    select(workflow_execution.c.id, workflow_execution.c.revision).where(
        workflow_execution.c.id.in_(bindparam("ids", expanding=True))
    ),
    "ids",
)


def mark_of_project(connection: Connection, project: str) -> int:
    """Return what is another number once an execution has begun, changed, ended or gone.

    Of the newest ones, and of all that have not ended. What ended long ago and is removed, or run
    again to its end between two looks, is not noticed.
    """
    newest = _NEWEST_ROOTS.rows(connection, project)
    active = _ACTIVE_ROOTS.rows(connection, project)
    return hash(frozenset((row[0], row[1]) for row in (*newest, *active)))


def marks_of_trees(connection: Connection, trees: Iterable[str]) -> dict[str, int]:
    """Return the revisions of trees by their ids; one that has gone is left out."""
    return {row[0]: row[1] for row in _REVISIONS.rows(connection, list(trees))}
