"""The rows of one run in memory, and what a step has changed of them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hotplate.secret import Secrets
from hotplate.workflow.machine.effects import (
    CancelAction,
    CancelChild,
    Effect,
    PauseChild,
    Perform,
    ResumeChild,
    StartChild,
    Step,
    WakeAt,
)
from hotplate.workflow.machine.tools import RunLimits, Tools
from hotplate.workflow.model import ActionRun, State, TaskKind, TaskRun, WorkflowRun

ROW_BYTES: Final = 500
"""What a task or a call weighs beside its data: tries times items must not be free."""

_REASONS: Final = ("state_info", "end_info")
"""What people read of runs and tasks."""


@dataclass(slots=True)
class Tally:
    """How the calls of one task stand, so that they need not be counted."""

    accepted: int = 0
    running: int = 0
    failed: int = 0
    cancelled: int = 0
    attempts: dict[int, int] = field(default_factory=dict)
    """Calls made for each item."""
    settled: set[int] = field(default_factory=set)
    """Items that are under way or done."""
    cursor: int = 0
    """All items before this one are settled."""

    def count(self, action: ActionRun, by: int) -> None:
        """Count a call in (1) or out (-1)."""
        if action.accepted:
            self.accepted += by
            self.failed += by * (action.state is State.ERROR)
            self.cancelled += by * (action.state is State.CANCELLED)
        running = not action.state.is_final
        self.running += by * running
        if action.accepted or running:
            if by > 0:
                self.settled.add(action.index)
            else:
                self.settled.discard(action.index)
                self.cursor = min(self.cursor, action.index)

    def unsettled(self, of: int, most: int) -> list[int]:
        """Return the first items that no call stands for."""
        found: list[int] = []
        for index in range(self.cursor, of):
            if len(found) == most:
                break
            if index not in self.settled:
                found.append(index)
            elif not found:
                self.cursor = index + 1
        return found


class Ledger:
    """Finds rows quickly, and remembers which are new or changed since the last step."""

    def __init__(
        self, run: WorkflowRun, tasks: list[TaskRun], actions: list[ActionRun], tools: Tools
    ) -> None:
        self.run = run
        self.tasks: dict[str, TaskRun] = {}
        self.by_name: dict[str, list[TaskRun]] = {}
        self.actions: dict[str, ActionRun] = {}
        self.open: dict[str, TaskRun] = {}
        """Tasks that have not ended, in the order of creation."""
        self._by_task: dict[str, list[ActionRun]] = {}
        self._tallies: dict[str, Tally] = {}
        self._tools = tools
        self._wake_times: dict[str, float | None] = {}
        self._run_changed = False
        self._changed_tasks: dict[str, TaskRun] = {}
        self._changed_actions: dict[str, ActionRun] = {}
        self._effects: list[Effect] = []
        for task in sorted(tasks, key=lambda t: t.number):
            self._index(task)
            self._wake_times[task.id] = task.wake_at
        for action in sorted(actions, key=lambda a: a.number):
            self.actions[action.id] = action
            self._by_task.setdefault(action.task_id, []).append(action)
            tally = self.tally(action.task_id)
            tally.attempts[action.index] = tally.attempts.get(action.index, 0) + 1
            tally.count(action, 1)

    def _index(self, task: TaskRun) -> None:
        self.tasks[task.id] = task
        self.by_name.setdefault(task.name, []).append(task)
        if not task.state.is_final:
            self.open[task.id] = task

    def actions_of(self, task: TaskRun) -> list[ActionRun]:
        """Return all calls and children of a task, those of earlier attempts included."""
        return self._by_task.get(task.id, [])

    def tally(self, task_id: str) -> Tally:
        """Return how the calls of a task stand. To be read only."""
        found = self._tallies.get(task_id)
        if found is None:
            found = self._tallies[task_id] = Tally()
        return found

    @property
    def limits(self) -> RunLimits:
        """The bounds of the run."""
        return self._tools.limits

    def now(self) -> float:
        """Return the time of this step."""
        return self._tools.now()

    def change_run(self, **values: Any) -> None:
        """Put new values into the run's row. Reasons are written without secrets."""
        for name, value in self._masked(values):
            setattr(self.run, name, value)
        self.run.updated_at = self.now()
        self._run_changed = True

    def _masked(self, values: dict[str, Any]) -> Iterable[tuple[str, Any]]:
        if not self.run.secrets:
            return values.items()
        mask = Secrets(self.run.secrets).text
        return [
            (name, mask(value) if name in _REASONS and value else value)
            for name, value in values.items()
        ]

    def change(self, task: TaskRun, **values: Any) -> None:
        """Put new values into a task's row, but not its state. Reasons as above."""
        for name, value in self._masked(values):
            setattr(task, name, value)
        task.updated_at = self.now()
        self._changed_tasks[task.id] = task

    def enter(self, task: TaskRun, state: State, info: str | None = None) -> None:
        """Bring a task into a state."""
        now = self.now()
        if state is State.RUNNING and task.state in (State.IDLE, State.WAITING):
            task.started_at = now
        task.state = state
        if state.is_final:
            task.due_at = task.waiting_for = None
            task.finished_at = now
            self.open.pop(task.id, None)
        else:
            task.finished_at = None
            self.open[task.id] = task
        self.change(task, state_info=info)

    def add_task(self, name: str, kind: TaskKind, **values: Any) -> TaskRun:
        """Create a task's row; it is IDLE unless the values say otherwise."""
        now = self.now()
        number = self.run.task_runs + 1
        task = TaskRun(self._tools.new_id(), self.run.id, number, name, kind, **values)
        task.created_at = task.updated_at = now
        self._index(task)
        self.change_run(task_runs=number, weight=self.run.weight + ROW_BYTES)
        self._changed_tasks[task.id] = task
        return task

    def add_action(self, task: TaskRun, name: str, **values: Any) -> ActionRun:
        """Create the row of a call or of a child, and ask for it to be done."""
        now = self.now()
        action = ActionRun(
            self._tools.new_id(), self.run.id, task.id, len(self.actions) + 1, name, **values
        )
        tally = self.tally(task.id)
        action.attempt = tally.attempts.get(action.index, 0)
        tally.attempts[action.index] = action.attempt + 1
        tally.count(action, 1)
        action.created_at = action.updated_at = now
        self._by_task.setdefault(task.id, []).append(action)
        self.actions[action.id] = action
        self._changed_actions[action.id] = action
        self.change_run(weight=self.run.weight + ROW_BYTES)
        self.effect(begin_action(action))
        return action

    def change_action(self, action: ActionRun, **values: Any) -> None:
        """Put new values into an action's row."""
        tally = self.tally(action.task_id)
        tally.count(action, -1)
        for name, value in values.items():
            setattr(action, name, value)
        tally.count(action, 1)
        action.updated_at = self.now()
        if action.state.is_final and action.finished_at is None:
            action.finished_at = action.updated_at
        self._changed_actions[action.id] = action

    def abandon(self, action: ActionRun, reason: str) -> None:
        """Cancel a call or child whose end does not matter any more."""
        if action.state.is_final:
            return
        self.change_action(action, state=State.CANCELLED, output={"result": reason})
        if action.child_id is None:
            self.effect(CancelAction(action.id))
        else:
            self.effect(CancelChild(action.child_id, reason))

    def timer_fired(self, task: TaskRun) -> None:
        """A task was woken: the next time it asks for is a new one, even if it is the same."""
        self._wake_times.pop(task.id, None)

    def effect(self, effect: Effect) -> None:
        """Ask the world for something when this step is over."""
        self._effects.append(effect)

    def take(self) -> Step:
        """Return what has changed since the last time, and forget it."""
        step = Step(
            run=replace(self.run) if self._run_changed else None,
            tasks=tuple(replace(task) for task in self._changed_tasks.values()),
            actions=tuple(replace(action) for action in self._changed_actions.values()),
            effects=(*self._needed_effects(), *self._wakes()),
        )
        self._run_changed = False
        self._changed_tasks = {}
        self._changed_actions = {}
        self._effects = []
        return step

    def _needed_effects(self) -> list[Effect]:
        """The effects, without those that came to nothing within the step.

        What began and was given up at once need neither begin nor be cancelled.
        """
        cancelled = {
            identity
            for effect in self._effects
            if isinstance(effect, Perform | StartChild)
            for action in (self._action_of(effect),)
            if action.state.is_final
            for identity in (action.id, action.child_id)
        }

        def needless(effect: Effect) -> bool:
            match effect:
                case Perform(action):
                    return action.id in cancelled
                case StartChild(action_id=identity) | CancelAction(action_id=identity):
                    return identity in cancelled
                case CancelChild(child_id=identity):
                    return identity in cancelled
                case PauseChild(child_id=identity) | ResumeChild(child_id=identity):
                    return identity in cancelled
                case _:
                    return False

        return [effect for effect in self._effects if not needless(effect)]

    def _action_of(self, effect: Perform | StartChild) -> ActionRun:
        return self.actions[effect.action.id if isinstance(effect, Perform) else effect.action_id]

    def _wakes(self) -> list[Effect]:
        wakes: list[Effect] = []
        for task in self._changed_tasks.values():
            due = task.wake_at
            if self._wake_times.get(task.id) != due:
                wakes.append(WakeAt(task.id, due))
                self._wake_times[task.id] = due
        return wakes


def begin_action(action: ActionRun) -> Effect:
    """Return the effect that brings an action or a child under way."""
    if action.child_id is None:
        return Perform(replace(action))
    return StartChild(action.id, action.child_id, action.name, action.input, action.index)
