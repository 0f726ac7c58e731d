"""One machine whose clock, ids and news are in the hands of a test."""

from typing import Any

from hotplate.workflow.expressions import Expressions
from hotplate.workflow.language import read_workflows
from hotplate.workflow.machine import (
    Machine,
    Order,
    Perform,
    Result,
    Rows,
    RunLimits,
    Step,
    Tools,
    new_run,
)
from hotplate.workflow.model import ActionRun, State, TaskRun

FAILED = Result(error="no", failed=True)


class Bench:
    """One machine on a bench: its clock stands still unless it is moved."""

    def __init__(self, tasks: str, limits: RunLimits | None = None, **values: Any) -> None:
        self.now = 100.0
        self._ids = 0
        body = "\n".join("    " + line for line in tasks.strip("\n").splitlines())
        text = f"version: '2.0'\nw:\n  input: [{', '.join(values)}]\n  tasks:\n{body}\n"
        expressions = Expressions()
        (self.definition,) = read_workflows(text, expressions.check)
        self.tools = Tools(
            expressions, lambda: self.now, self._new_id, limits=limits or RunLimits()
        )
        run = new_run(self.definition, Order("run", values), self.tools)
        self.machine = Machine(self.definition, Rows(run), self.tools)

    def _new_id(self) -> str:
        self._ids += 1
        return f"id-{self._ids}"

    def task(self, name: str) -> TaskRun:
        return [task for task in self.machine.tasks.values() if task.name == name][-1]

    def actions(self, name: str) -> list[ActionRun]:
        task = self.task(name)
        return [action for action in self.machine.actions.values() if action.task_id == task.id]

    def finish(self, name: str, result: Result = Result(), index: int = -1) -> Step:  # noqa: B008
        return self.machine.action_finished(self.actions(name)[index].id, result)

    def wake(self, name: str, after: float) -> Step:
        self.now += after
        return self.machine.timer(self.task(name).id, self.now)

    @property
    def state(self) -> State:
        return self.machine.run.state


def performed(step: Step) -> list[str]:
    return [effect.action.name for effect in step.effects if isinstance(effect, Perform)]
