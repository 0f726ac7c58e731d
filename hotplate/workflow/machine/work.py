"""The work of one task: its calls and children, with items or without, and what came of them."""

from collections.abc import Iterator
from typing import Any

from hotplate.workflow.language import LONGEST_NAME, Task, Workflow
from hotplate.workflow.machine.effects import UNKNOWN, Result
from hotplate.workflow.machine.ledger import Ledger
from hotplate.workflow.machine.scope import Broken, Evaluation
from hotplate.workflow.machine.tools import Tools
from hotplate.workflow.model import ActionRun, State, TaskKind, TaskRun, Wait


class Work:
    """Brings the calls of tasks under way and judges their outcomes."""

    def __init__(
        self, definition: Workflow, ledger: Ledger, evaluation: Evaluation, tools: Tools
    ) -> None:
        self._definition = definition
        self._ledger = ledger
        self._evaluation = evaluation
        self._tools = tools

    def call(self, task: TaskRun) -> State | None:
        """Begin the next calls of a task. Return SUCCESS if there is nothing to do at all."""
        defined = self._definition.tasks[task.name]
        if not defined.with_items:
            self._call_once(task, defined, 0, {})
            return None
        if task.items is None:
            items = self._items(task, defined)
            self._evaluation.weigh(items, "the items")
            self._ledger.change(task, items=items)
        if not task.items:
            return State.SUCCESS
        self.continue_items(task)
        return None

    def continue_items(self, task: TaskRun) -> None:
        """Begin as many further items as concurrency and this step permit."""
        items = task.items or []
        tally = self._ledger.tally(task.id)
        room = task.concurrency - tally.running if task.concurrency else len(items)
        most = self._tools.limits.work_per_step
        begin = tally.unsettled(len(items), min(room, most + 1))
        for index in begin[:most]:
            self._call_once(task, self._definition.tasks[task.name], index, items[index])
        if len(begin) > most:
            self._ledger.change(task, due_at=self._ledger.now(), waiting_for=Wait.TURN)
        elif task.waiting_for is Wait.TURN:
            self._ledger.change(task, due_at=None, waiting_for=None)

    def _items(self, task: TaskRun, defined: Task) -> list[dict[str, Any]]:
        """Return the variables of each item."""
        lists: dict[str, list[Any]] = {}
        for name, value in self._evaluation.of_task(defined.with_items, task).items():
            if not isinstance(value, list | tuple | dict | str):
                raise Broken(f"with-items needs a list for {name}, not {type(value).__name__}")
            lists[name] = list(value)
        lengths = {len(values) for values in lists.values()}
        if len(lengths) > 1:
            raise Broken(f"the lists of with-items differ in length: {sorted(lengths)}")
        most = self._tools.limits.items
        if lengths and max(lengths) > most:
            raise Broken(f"with-items has {max(lengths)} items; {most} are allowed")
        names = tuple(lists)
        return [
            dict(zip(names, values, strict=True)) for values in zip(*lists.values(), strict=True)
        ]

    def _call_once(
        self, task: TaskRun, defined: Task, index: int, variables: dict[str, Any]
    ) -> None:
        evaluate = self._evaluation.of_task
        values = evaluate(defined.input, task, variables)
        if not isinstance(values, dict):
            raise Broken(f"the input must be a map, not {type(values).__name__}")
        name = evaluate(defined.call, task, variables)
        if not isinstance(name, str) or not name:
            raise Broken(f"{defined.call} gives no name")
        if len(name) > LONGEST_NAME or not name.isprintable():
            raise Broken(
                f"{defined.call} gives {name[:80]!a}, which cannot be the name of an action or "
                f"workflow: up to {LONGEST_NAME} characters that can be printed"
            )
        if defined.kind is TaskKind.ACTION:
            presets = self._ledger.run.env.get("__actions")
            preset = presets.get(name) if isinstance(presets, dict) else None
            if isinstance(preset, dict):
                values = {**preset, **values}
        self._evaluation.weigh(values, "an input")
        child = self._tools.new_id() if defined.kind is TaskKind.WORKFLOW else None
        safe = defined.policies.safe_rerun
        target = evaluate(defined.target, task, {**variables, **values})
        self._ledger.add_action(
            task,
            name,
            input=values,
            index=index,
            child_id=child,
            safe_rerun=bool(evaluate(safe, task)) if isinstance(safe, str) else bool(safe),
            timeout=None if task.timeout_at is None else task.timeout_at - self._ledger.now(),
            target=target if isinstance(target, str) else None,
        )

    def record(self, action: ActionRun, result: Result) -> None:
        """Write the outcome of a call into its row."""
        value = result.value if result.state is State.SUCCESS else result.error
        output = {"result": value, **UNKNOWN} if result.unknown else {"result": value}
        self._ledger.change_action(action, state=result.state, output=output, accepted=True)
        self._evaluation.weigh(value, f"the result of {action.name}")

    def outcome(self, task: TaskRun) -> tuple[State, str | None] | None:
        """Return how the task's attempt ended, or nothing if it goes on."""
        tally = self._ledger.tally(task.id)
        if not self._definition.tasks[task.name].with_items:
            last = self._ledger.actions_of(task)[-1]
            if not last.state.is_final:
                return None
            said = last.output.get("result")
            return last.state, None if last.state is State.SUCCESS or not said else str(said)
        if tally.cancelled:
            return State.CANCELLED, "an item was cancelled"
        if tally.accepted < len(task.items or ()):
            return None
        if tally.failed:
            return State.ERROR, f"items that failed: {self._failed_items(task)}"
        return State.SUCCESS, None

    def _failed_items(self, task: TaskRun) -> str:
        failed = [
            str(action.index)
            for action in self._ledger.actions_of(task)
            if action.accepted and action.state is State.ERROR
        ]
        return ", ".join(failed[:10]) + (" and others" if len(failed) > 10 else "")

    def under_way(self, task: TaskRun) -> Iterator[ActionRun]:
        """Return the calls and children of a task that have not ended."""
        return (action for action in self._ledger.actions_of(task) if _under_way(action))

    def forget(self, task: TaskRun, all_of_them: bool = True) -> None:
        """Let the outcomes of a task not count any more: all, or those that failed."""
        for action in self._ledger.actions_of(task):
            if action.accepted and (all_of_them or action.state is not State.SUCCESS):
                self._ledger.change_action(action, accepted=False)


def _under_way(action: ActionRun) -> bool:
    return not action.state.is_final
