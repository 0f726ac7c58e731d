"""Removing executions that ended long ago, in small transactions beside those that run.

A tree is removed from its leaves to its root, so that a purge that was interrupted finds the rest
of it again. Every transaction first raises the revision of the root, if it is still as old: a run
that was brought back is left alone, and steps that know of removed rows come too late.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, Connection, Table, and_, bindparam, delete, select, update

from hotplate.store.workflows.schema import workflow_action, workflow_execution, workflow_task

Steps: TypeAlias = Generator[Callable[[Connection], Any], Any, "PurgedWorkflows"]
"""Yields work for one transaction after the other and is sent what each returned."""

_E, _A = workflow_execution.c, workflow_action.c
_OLD = (
    select(_E.id)
    .where(_E.finished_at < bindparam("before"), _E.id == _E.tree)
    .order_by(_E.finished_at, _E.number)
)
_TOUCH = (
    update(workflow_execution)
    .where(_E.id == bindparam("root"), _E.finished_at < bindparam("before"))
    .values(revision=_E.revision + 1)
)


@dataclass(slots=True)
class PurgedWorkflows:
    """How much was removed."""

    executions: int = 0
    """Sub-workflows not counted."""

    actions: int = 0
    """Such that no workflow ran."""


def purge_steps(before: float, batch: int) -> Steps:
    """Remove executions, and actions that no workflow ran, that ended before that time.

    Each transaction touches about a batch of rows. Others may purge, and run workflows, meanwhile.
    """
    purged = PurgedWorkflows()
    while trees := (yield partial(_old_trees, before=before, most=batch)):
        for tree in trees:
            is_gone = False
            while not is_gone:
                is_gone, number = yield partial(_remove, tree=tree, before=before, most=batch)
                purged.executions += number
    while number := (yield partial(_remove_alone, before=before, most=batch)):
        purged.actions += number
    return purged


def _old_trees(connection: Connection, before: float, most: int) -> list[str]:
    return list(connection.execute(_OLD.limit(most), {"before": before}).scalars())


def _remove(connection: Connection, tree: str, before: float, most: int) -> tuple[bool, int]:
    """Remove rows of a tree; tell whether there is nothing more to do, and how many roots went."""
    if not connection.execute(_TOUCH, {"root": tree, "before": before}).rowcount:
        return True, 0
    for table in (workflow_action, workflow_task):
        most -= _remove_some(connection, table, table.c.tree == tree, most)
        if most <= 0:
            return False, 0
    connection.execute(delete(workflow_execution).where(_E.tree == tree))
    return True, 1


def _remove_alone(connection: Connection, before: float, most: int) -> int:
    condition = and_(_A.tree.is_(None), _A.finished_at < before)
    return _remove_some(connection, workflow_action, condition, most)


def _remove_some(
    connection: Connection, table: Table, condition: ColumnElement[bool], most: int
) -> int:
    ids = connection.execute(select(table.c.id).where(condition).limit(most)).scalars().all()
    if ids:
        connection.execute(delete(table).where(table.c.id.in_(ids)))
    return len(ids)
