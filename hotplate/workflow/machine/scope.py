"""What the expressions of a run can see, and evaluating them within bounds."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from hotplate.workflow.language import Workflow
from hotplate.workflow.machine.ledger import Ledger
from hotplate.workflow.machine.tools import Relatives, Tools
from hotplate.workflow.model import State, TaskRun, WorkflowRun

_ENCODER = json.JSONEncoder(ensure_ascii=False)


class Broken(Exception):
    """A task or the run itself is at fault: nothing can handle that, the run fails."""


def size_of(value: Any, what: str) -> int:
    """Return the length of the value as JSON. Raises Broken if it is no plain data."""
    try:
        return len(_ENCODER.encode(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise Broken(f"{what} is not plain data: {error}") from None


class RunScope:
    """The moment of a run in which an expression is evaluated.

    Implements the protocol of `hotplate.workflow.expressions`.
    """

    def __init__(
        self, evaluation: "Evaluation", data: Mapping[str, Any], task: TaskRun | None
    ) -> None:
        self._evaluation = evaluation
        self._data = data
        self._task = task

    @property
    def data(self) -> Mapping[str, Any]:
        """The context: ``$`` in YAQL, ``_`` in Jinja."""
        return self._data

    def env(self) -> Any:
        """Return the environment of the root run."""
        return self._evaluation.ledger.run.env

    def execution(self) -> Any:
        """Return the run itself."""
        return self._evaluation.execution()

    def task(self, name: str | None) -> Any:
        """Return the current task, or the latest of a name."""
        if self._task is not None and name in (None, "", self._task.name):
            return self._evaluation.task(self._task)
        found = self._evaluation.ledger.by_name.get(name or "")
        return self._evaluation.task(found[-1]) if found else None

    def tasks(
        self, execution_id: str | None, recursive: bool, state: str | None, flat: bool
    ) -> list[Any]:
        """Return tasks of this run, of another, or of all of the project."""
        return self._evaluation.tasks(execution_id, recursive, state, flat)

    def executions(
        self,
        execution_id: str | None,
        root_execution_id: str | None,
        state: str | None,
        from_time: str | None,
        to_time: str | None,
    ) -> list[Any]:
        """Return executions of the project that fit all that is given."""
        filters = {
            "id": execution_id,
            "root_execution_id": root_execution_id,
            "state": state,
            "from_time": from_time,
            "to_time": to_time,
        }
        given = {name: value for name, value in filters.items() if value is not None}
        relatives = self._evaluation.tools.relatives
        return relatives.executions(given) if relatives is not None else []

    def global_value(self, name: str) -> Any:
        """Return a variable of the whole run."""
        return self._evaluation.ledger.run.globals.get(name)

    def uuid(self) -> str:
        """Return a new id."""
        return self._evaluation.tools.new_id()


class Evaluation:
    """Evaluates the expressions of one run; what they give is plain data of bounded size."""

    def __init__(self, definition: Workflow, ledger: Ledger, tools: Tools) -> None:
        self.definition = definition
        self.ledger = ledger
        self.tools = tools

    def of_task(self, value: Any, task: TaskRun, more: dict[str, Any] | None = None) -> Any:
        """Evaluate in the context of a task; ``more`` goes before all it knows."""
        run = self.ledger.run
        data = {**run.input, **run.globals, **task.in_context, **(more or {})}
        return self._evaluate(value, RunScope(self, data, task))

    def of_run(self, value: Any, context: dict[str, Any]) -> Any:
        """Evaluate where no task is the current one."""
        run = self.ledger.run
        return self._evaluate(value, RunScope(self, {**run.input, **run.globals, **context}, None))

    def of_value(self, value: Any, data: Any, task: TaskRun) -> Any:
        """Evaluate with any value as the context."""
        return self._evaluate(value, RunScope(self, data, task))

    def _evaluate(self, value: Any, scope: RunScope) -> Any:
        try:
            return self.tools.expressions.evaluate(value, scope)
        except ValueError as error:
            raise Broken(str(error)) from None

    def weigh(self, value: Any, what: str) -> None:
        """Count data that a row will hold. Raises Broken if a value or the run grows too large."""
        limits = self.tools.limits
        size = size_of(value, what)
        if size > limits.value_bytes:
            raise Broken(f"{what} has {size} bytes; {limits.value_bytes} are allowed")
        weight = self.ledger.run.weight + size
        self.ledger.change_run(weight=weight)
        if weight > limits.total_bytes:
            raise Broken(f"the data of the run is larger than {limits.total_bytes} bytes")

    def result(self, task: TaskRun) -> Any:
        """Return the result of a task: one value, or with items the list of them."""
        counted = [action for action in self.ledger.actions_of(task) if action.accepted]
        counted.sort(key=lambda action: action.index)
        results = [
            action.output if action.child_id is not None else action.output.get("result")
            for action in counted
        ]
        if self.definition.tasks[task.name].with_items:
            return results
        return results[0] if len(results) == 1 else results

    def task(self, task: TaskRun) -> dict[str, Any]:
        """Return a task as expressions see it."""
        return {
            "id": task.id,
            "name": task.name,
            "spec": self.definition.tasks[task.name].data,
            "state": task.state.value,
            "state_info": task.state_info,
            "result": self.result(task),
            "published": task.published,
            "type": task.kind.value,
            "workflow_execution_id": task.run_id,
            "created_at": written(task.created_at),
            "updated_at": written(task.updated_at),
        }

    def tasks(
        self, execution_id: str | None, recursive: bool, state: str | None, flat: bool
    ) -> list[dict[str, Any]]:
        """Return tasks as `tasks()` gives them."""
        own = self.ledger.run.id
        relatives = self.tools.relatives
        found = [self.task(t) for t in self.ledger.tasks.values()]
        if relatives is not None and execution_id != own:
            others = relatives.tasks(execution_id)
            mine = found if execution_id is None else []
            found = mine + [t for t in others if t.get("workflow_execution_id") != own]
        elif execution_id not in (None, own):
            found = []
        if recursive and relatives is not None and execution_id is not None:
            found += self._below(found, relatives)
        if flat:
            found = [t for t in found if not self._is_shell(t)]
        return [t for t in found if state is None or t["state"] == state]

    def _below(self, tasks: list[dict[str, Any]], relatives: Relatives) -> list[dict[str, Any]]:
        below: list[dict[str, Any]] = []
        todo = list(tasks)
        while todo and len(below) < self.tools.limits.task_runs:
            task = todo.pop(0)
            if task["type"] != "WORKFLOW":
                continue
            for child in relatives.executions({"task_execution_id": task["id"]}):
                inner = relatives.tasks(child["id"])
                below += inner
                todo += inner
        return below

    def _is_shell(self, task: dict[str, Any]) -> bool:
        """Whether a task only has the state of its sub-workflow."""
        if task["type"] != "WORKFLOW" or self.tools.relatives is None:
            return False
        children = self.tools.relatives.executions({"task_execution_id": task["id"]})
        return any(child.get("state") == task["state"] for child in children)

    def execution(self) -> dict[str, Any]:
        """Return the run as expressions see it."""
        return execution_view(self.ledger.run, self.definition)


def execution_view(run: WorkflowRun, definition: Workflow) -> dict[str, Any]:
    """Return a run as `execution()` gives it."""
    return {
        "id": run.id,
        "name": run.workflow_name,
        "spec": definition.data,
        "input": run.input,
        "params": {**run.params, "env": run.env},
        "state": run.state.value,
        "created_at": written(run.created_at),
        "updated_at": written(run.updated_at),
        "root_execution_id": run.root_id,
    }


def written(at: float) -> str:
    """Return a time as expressions see it: UTC, to the second."""
    return datetime.fromtimestamp(int(at), UTC).strftime("%Y-%m-%d %H:%M:%S")


def is_settled(state: State) -> bool:
    """Whether a run starts nothing in this state."""
    return state.is_final or state is State.PAUSED
