"""What a tree asks of the store while it steps: definitions, rows, and what other runs did."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection

from hotplate.engine.store import Store
from hotplate.store.workflows.definitions import Definition, DefinitionKind, find_definition
from hotplate.store.workflows.listing import Comparison, Filter, ListQuery, listed_rows
from hotplate.store.workflows.runs import StoredRun, read_run
from hotplate.workflow.language import (
    STORED_LIMITS,
    AdhocAction,
    Remembered,
    Workflow,
    read_actions,
    unchecked,
    workflow_of,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Flow:
    """A workflow that was found by its name, and the definition that holds it."""

    stored: Definition
    workflow: Workflow


class Library(Protocol):
    """Answers at once, in the thread of whoever asks, with what has been committed."""

    def flow(self, project: str, name: str, namespace: str, workbook: str) -> Flow | None:
        """Return a workflow by name; one of the same workbook comes first."""
        ...

    def adhoc(self, project: str, name: str, namespace: str, workbook: str) -> AdhocAction | None:
        """Return an ad-hoc action by name; one of the same workbook comes first."""
        ...

    def stored(self, run_id: str) -> StoredRun | None:
        """Return all rows of a run."""
        ...

    def parent_of(self, task_id: str) -> str | None:
        """Return the run that a task belongs to."""
        ...

    def relatives(self, project: str) -> "Relatives":
        """Return what expressions may learn of other runs of a project."""
        ...


class StoreLibrary:
    """Asks the database from a thread that is not the event loop's."""

    def __init__(self, store: Store, loop: asyncio.AbstractEventLoop) -> None:
        self._store = store
        self._loop = loop

    def ask(self, work: Callable[[Connection], T]) -> T:
        """Return what reading work returns."""
        return asyncio.run_coroutine_threadsafe(self._store.read(work), self._loop).result()

    def flow(self, project: str, name: str, namespace: str, workbook: str) -> Flow | None:
        """Return a workflow by name; one of the same workbook comes first."""
        found = self._find(DefinitionKind.WORKFLOW, project, name, namespace, workbook)
        return None if found is None else flow_of(found)

    def adhoc(self, project: str, name: str, namespace: str, workbook: str) -> AdhocAction | None:
        """Return an ad-hoc action by name; one of the same workbook comes first."""
        found = self._find(DefinitionKind.ACTION, project, name, namespace, workbook)
        return None if found is None else adhoc_of(found)

    def stored(self, run_id: str) -> StoredRun | None:
        """Return all rows of a run."""
        return self.ask(partial(read_run, run_id=run_id))

    def parent_of(self, task_id: str) -> str | None:
        """Return the run that a task belongs to."""
        only = (Filter("id", Comparison.EQ, task_id),)
        query = ListQuery(None, only, limit=1, names=("execution_id",))
        rows = self.ask(partial(listed_rows, source="tasks", query=query))
        return rows[0]["execution_id"] if rows else None

    def relatives(self, project: str) -> "Relatives":
        """Return what expressions may learn of other runs of a project."""
        return Relatives(self, project)

    def _find(
        self, kind: DefinitionKind, project: str, name: str, namespace: str, workbook: str
    ) -> Definition | None:
        names = [f"{workbook}.{name}", name] if workbook else [name]

        def find(connection: Connection) -> Definition | None:
            for each in names:
                found = find_definition(connection, project, kind, each, namespace)
                if found is not None:
                    return found
            return None

        return self.ask(find)


def flow_of(stored: Definition) -> Flow:
    """Return a stored workflow as the language reads it."""
    return Flow(stored, workflow_of(stored.definition, stored.name, stored.workbook))


def adhoc_of(stored: Definition) -> AdhocAction:
    """Return a stored ad-hoc action as the language reads it."""
    text, name = stored.definition, stored.name
    return _ADHOC.get((text, name), lambda: _adhoc(text, name))


_ADHOC = Remembered[AdhocAction]()


def _adhoc(text: str, name: str) -> AdhocAction:
    found = {action.name: action for action in read_actions(text, unchecked, STORED_LIMITS)}
    short = name.rpartition(".")[2]
    return found[name if name in found else short]


class Relatives:
    """What expressions may learn of other executions: those of their own project."""

    _MOST = 1000
    _LARGEST = 8_000_000

    def __init__(self, library: StoreLibrary, project: str) -> None:
        self._library = library
        self._project = project

    def executions(self, filters: dict[str, Any]) -> list[dict[str, Any]]:
        """Return executions as `executions()` shows them."""
        wanted = []
        for name, value in filters.items():
            if value is None:
                continue
            if name in ("from_time", "to_time"):
                at = read_time(value)
                comparison = Comparison.GTE if name == "from_time" else Comparison.LT
                wanted.append(Filter("created_at", comparison, at))
            elif name == "root_execution_id":
                wanted.append(Filter("tree", Comparison.EQ, value))
            elif name == "task_execution_id":
                wanted.append(Filter("task_id", Comparison.EQ, value))
            elif name in ("id", "state"):
                wanted.append(Filter(name, Comparison.EQ, value))
        rows = self._rows("executions", wanted, _OF_EXECUTION)
        return [_execution(row) for row in rows]

    def tasks(self, execution_id: str | None) -> list[dict[str, Any]]:
        """Return the tasks of another execution (None: of all) as `tasks()` shows them."""
        wanted = []
        if execution_id is not None:
            wanted.append(Filter("execution_id", Comparison.EQ, execution_id))
        return [_task(row) for row in self._rows("tasks", wanted, _OF_TASK)]

    def _rows(
        self, source: str, filters: Sequence[Filter], names: Sequence[str]
    ) -> list[dict[str, Any]]:
        query = ListQuery(
            self._project, filters, limit=self._MOST, names=names, largest=self._LARGEST
        )
        return self._library.ask(partial(listed_rows, source=source, query=query))


_OF_EXECUTION = (
    "id", "workflow_name", "workflow_id", "description", "state", "state_info", "input", "output",
    "params", "tree", "task_id", "created_at", "updated_at",
)  # fmt: skip
_OF_TASK = (
    "id", "name", "kind", "state", "state_info", "published", "processed", "execution_id",
    "workflow_name", "created_at", "updated_at",
)  # fmt: skip


def _execution(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": row["id"],
        "name": row["workflow_name"],
        "workflow_name": row["workflow_name"],
        "workflow_id": row["workflow_id"],
        "description": row["description"],
        "state": row["state"],
        "state_info": row["state_info"],
        "input": json.loads(row["input"]),
        "output": json.loads(row["output"]),
        "params": json.loads(row["params"]),
        "root_execution_id": None if row["tree"] == row["id"] else row["tree"],
        "task_execution_id": row["task_id"],
        "created_at": written_time(row["created_at"]),
        "updated_at": written_time(row["updated_at"]),
    }


def _task(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": row["id"],
        "name": row["name"],
        "type": row["kind"],
        "state": row["state"],
        "state_info": row["state_info"],
        "published": json.loads(row["published"]),
        "processed": bool(row["processed"]),
        "workflow_execution_id": row["execution_id"],
        "workflow_name": row["workflow_name"],
        "created_at": written_time(row["created_at"]),
        "updated_at": written_time(row["updated_at"]),
    }


def written_time(seconds: float | None) -> str | None:
    """Return a time as Mistral writes it: in UTC, without a zone and without a fraction."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%d %H:%M:%S")


def read_time(text: Any) -> float:
    """Return the seconds of a time in UTC, written with T or a blank. Raises ValueError."""
    found = datetime.fromisoformat(str(text).replace(" ", "T", 1))
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
