"""One run and all that can happen to it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hotplate.workflow.language import Workflow
from hotplate.workflow.machine.adhoc import Call, Find, converted, unfold
from hotplate.workflow.machine.context import merged
from hotplate.workflow.machine.course import Course
from hotplate.workflow.machine.effects import (
    Effect,
    Ended,
    Result,
    ResumeChild,
    Resumed,
    Step,
    WakeAt,
)
from hotplate.workflow.machine.ledger import Ledger, begin_action
from hotplate.workflow.machine.scope import Broken, size_of
from hotplate.workflow.machine.tools import Tools
from hotplate.workflow.model import ActionRun, State, TaskKind, TaskRun, Wait, WorkflowRun


class NotAllowed(Exception):
    """The run or task is in a state that does not permit this."""


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of one run, as read from the store."""

    run: WorkflowRun
    tasks: Sequence[TaskRun] = ()
    actions: Sequence[ActionRun] = ()


class Machine:
    """The state machine of one run. Nothing else may change its rows while it lives.

    Every method is an event: it does all that follows at once and returns what changed. One that
    comes twice or too late changes nothing and gives an empty Step. Costs grow with what changes,
    not with the size of the run.
    """

    def __init__(self, definition: Workflow, rows: Rows, tools: Tools) -> None:
        self._ledger = Ledger(rows.run, list(rows.tasks), list(rows.actions), tools)
        self._course = Course(definition, self._ledger, tools)

    @property
    def run(self) -> WorkflowRun:
        """The run's row as it stands. Not to be changed."""
        return self._ledger.run

    @property
    def tasks(self) -> Mapping[str, TaskRun]:
        """All tasks by id, in the order of creation. Not to be changed."""
        return self._ledger.tasks

    @property
    def actions(self) -> Mapping[str, ActionRun]:
        """All calls and children by id, in the order of creation. Not to be changed."""
        return self._ledger.actions

    def begin(self) -> Step:
        """Start a run that is IDLE."""
        if self.run.state is not State.IDLE:
            return Step()
        self._ledger.change_run(state=State.RUNNING)
        return self._settled(self._course.first)

    def action_finished(self, action_id: str, result: Result) -> Step:
        """An action has ended."""
        action = self._ledger.actions.get(action_id)
        if action is None or action.state.is_final or action.child_id is not None:
            return Step()
        task = self._ledger.tasks[action.task_id]

        def handle(task: TaskRun) -> None:
            self._course.work.record(action, result)
            if result.broken:
                raise Broken(str(result.error))
            self._course.judge(task)

        return self._settled(lambda: self._course.guarded(task, handle))

    def child_finished(
        self, action_id: str, state: State, state_info: str | None, output: dict[str, Any]
    ) -> Step:
        """A child run has ended, or could not begin (ERROR with the reason)."""
        action = self._ledger.actions.get(action_id)
        if action is None or action.state.is_final or action.child_id is None:
            return Step()
        task = self._ledger.tasks[action.task_id]

        def handle(task: TaskRun) -> None:
            known = output if state is State.SUCCESS else {"result": state_info, **output}
            self._ledger.change_action(action, state=state, output=known, accepted=True)
            self._course.evaluation.weigh(output, f"the output of {action.name}")
            self._course.judge(task)

        return self._settled(lambda: self._course.guarded(task, handle))

    def child_refused(self, action_id: str, reason: str) -> Step:
        """A child must not begin, because the limit of `take_in` is reached: the run fails."""
        action = self._ledger.actions.get(action_id)
        if action is None or action.state.is_final:
            return Step()
        task = self._ledger.tasks[action.task_id]
        return self._settled(lambda: self._course.break_off(task, reason))

    def is_wanted(self, action_id: str) -> bool:
        """Whether a call or child that a step asked for is still to be made."""
        return not self._ledger.actions[action_id].state.is_final

    def child_changed(self, action_id: str, state: State) -> Step:
        """A child run was PAUSED by itself, or is RUNNING again, perhaps by a rerun."""
        action = self._ledger.actions.get(action_id)
        if action is None or action.child_id is None or action.state is state:
            return Step()
        task = self._ledger.tasks[action.task_id]
        if action.state.is_final:
            if state is not State.RUNNING:
                return Step()
            self._revive()
            self._reopen(task)
            self._ledger.enter(task, State.RUNNING)
            self._ledger.change_action(action, state=state, accepted=False, finished_at=None)
        else:
            self._ledger.change_action(action, state=state)
            paused = any(a.state is State.PAUSED for a in self._course.work.under_way(task))
            self._ledger.enter(task, State.PAUSED if paused else State.RUNNING)
        if state is State.PAUSED and self.run.state is State.RUNNING:
            self._course.pause(None)
        halted = any(t.state is State.PAUSED for t in self._ledger.open.values())
        if self.run.state is State.PAUSED and not halted:
            return self.resume()
        return self._ledger.take()

    def take_in(self) -> Step:
        """Count one more run below this one, which must be a root. Raises NotAllowed at the limit.

        To be called before a child begins, whichever its parent: items times depth would be too
        many runs to keep.
        """
        most = self._ledger.limits.family
        if self.run.family >= most:
            raise NotAllowed(f"the run has had {most} sub-workflows, more are not allowed")
        self._ledger.change_run(family=self.run.family + 1)
        return self._ledger.take()

    def timer(self, task_id: str, now: float) -> Step:
        """The time that a WakeAt named has come."""
        task = self._ledger.tasks.get(task_id)
        if task is None or task.wake_at is None or self.run.state.is_final:
            return Step()
        if now < task.wake_at:
            return Step(effects=(WakeAt(task.id, task.wake_at),))
        self._ledger.timer_fired(task)
        return self._settled(lambda: self._course.guarded(task, lambda t: self._wake(t, now)))

    def _wake(self, task: TaskRun, now: float) -> None:
        if task.timeout_at is not None and now >= task.timeout_at:
            for action in list(self._course.work.under_way(task)):
                self._ledger.abandon(action, "its task timed out")
            self._ledger.change(task, due_at=None, waiting_for=None, timeout_at=None)
            self._course.attempt_over(task, State.ERROR, "the task timed out")
        elif task.due_at is not None and now >= task.due_at:
            if self.run.state is State.RUNNING:
                self._due(task)
            else:
                # The wait is over, and what it is for waits for the run: the clock is done with it.
                self._ledger.change(task, due_at=None)

    def _due(self, task: TaskRun) -> None:
        match task.waiting_for:
            case Wait.TURN if task.state is State.IDLE:
                self._course.enqueue(task)
            case Wait.TURN:
                self._course.work.continue_items(task)
            case Wait.AFTER:
                self._course.attempt_over(task, task.end_state or State.SUCCESS, task.end_info)
            case _:
                self._course.call(task)

    def pause(self, reason: str | None = None) -> Step:
        """Start nothing new. What is under way goes on. Raises NotAllowed."""
        if self.run.state is State.PAUSED:
            return Step()
        if self.run.state is not State.RUNNING:
            raise NotAllowed(f"a run in state {self.run.state} cannot be paused")
        self._course.pause(reason)
        return self._ledger.take()

    def resume(self, env: dict[str, Any] | None = None) -> Step:
        """Go on after a pause; ``env`` is merged into the environment. Raises NotAllowed."""
        ledger, course = self._ledger, self._course
        if self.run.state is not State.PAUSED:
            raise NotAllowed(f"a run in state {self.run.state} cannot be resumed")
        self._take_env(env)
        ledger.change_run(state=State.RUNNING, state_info=None)
        ledger.effect(Resumed())

        before = list(ledger.open.values())

        def go_on() -> None:
            course.joins.reconsider()
            course.take_backlog()
            for task in [t for t in ledger.tasks.values() if t.state.is_final and not t.processed]:
                course.guarded(task, lambda t: course.follow(t, ignore_pause=True))
            now = ledger.now()
            for task in before:
                if task.state is State.IDLE:
                    course.enqueue(task)
                elif task.waiting_for is not None and (task.due_at is None or task.due_at <= now):
                    course.guarded(task, self._due)
                elif task.kind is TaskKind.WORKFLOW:
                    self._resume_children(task)

        return self._settled(go_on)

    def _resume_children(self, task: TaskRun) -> None:
        for child in self._course.work.under_way(task):
            if child.child_id is not None:
                self._ledger.effect(ResumeChild(child.child_id))

    def change_env(self, env: dict[str, Any]) -> Step:
        """Merge variables into the environment of a run that is at rest. Raises NotAllowed."""
        if self.run.state not in (State.IDLE, State.PAUSED, State.ERROR):
            raise NotAllowed(
                f"the environment of a run in state {self.run.state} cannot be changed; it can in "
                "IDLE, PAUSED and ERROR"
            )
        self._take_env(env)
        return self._ledger.take()

    def describe(self, description: str) -> Step:
        """Give the run another description."""
        self._ledger.change_run(description=description)
        return self._ledger.take()

    def _take_env(self, env: dict[str, Any] | None) -> None:
        """Merge variables into the environment. Raises NotAllowed, and then nothing has changed."""
        if not env:
            return
        run, most = self.run, self._ledger.limits.value_bytes
        known = merged(run.env, env)
        try:
            size = size_of(known, "the environment")
        except Broken as broken:
            raise NotAllowed(str(broken)) from None
        if size > most:
            raise NotAllowed(f"the environment would have {size} bytes; {most} are allowed")
        given = run.params.get("env")
        params = {**run.params, "env": merged(given if isinstance(given, dict) else {}, env)}
        self._ledger.change_run(env=known, params=params, weight=run.weight + size)

    def stop(self, state: State, reason: str | None = None) -> Step:
        """End the run now as SUCCESS, ERROR or CANCELLED; what is under way is cancelled."""
        if self.run.state.is_final:
            return Step()
        self._course.ending.stop(state, reason)
        return self._ledger.take()

    def cancel(self, reason: str | None = None) -> Step:
        """End the run as CANCELLED."""
        return self.stop(State.CANCELLED, reason)

    def rerun(self, task_id: str, reset: bool = True, env: dict[str, Any] | None = None) -> Step:
        """Run a failed task again, and the run with it.

        Without ``reset`` only those items of a with-items task are done again that failed. Raises
        NotAllowed.
        """
        task = self._failed_task(task_id)
        self._take_env(env)
        self._revive()
        self._reopen(task)
        self._course.work.forget(task, all_of_them=reset)
        if task.unique_key is not None and not task.satisfied:
            self._ledger.enter(task, State.WAITING)
            self._course.joins.reconsider()
        else:
            self._ledger.enter(task, State.IDLE)
            self._course.enqueue(task)
        return self._settled(lambda: None)

    def skip(self, task_id: str) -> Step:
        """Take a failed task as done, and go on by its on-skip or on-success. Raises NotAllowed."""
        task = self._failed_task(task_id)
        self._revive()
        self._reopen(task)
        return self._settled(lambda: self._course.guarded(task, self._course.skip))

    def _failed_task(self, task_id: str) -> TaskRun:
        task = self._ledger.tasks.get(task_id)
        if task is None:
            raise NotAllowed(f"the run has no task {task_id}")
        if task.state not in (State.ERROR, State.CANCELLED):
            raise NotAllowed(f"the task {task.name} is in state {task.state}, not ERROR")
        if self.run.state not in (State.RUNNING, State.ERROR, State.CANCELLED):
            raise NotAllowed(f"the run is in state {self.run.state}")
        return task

    def _revive(self) -> None:
        """Bring a run that is over back; its parent is notified."""
        if self.run.state.is_final:
            self._ledger.change_run(
                state=State.RUNNING, state_info=None, output={}, finished_at=None
            )
            self._ledger.effect(Resumed())

    def _reopen(self, task: TaskRun) -> None:
        self._ledger.change(
            task,
            retries=0,
            items=None,
            waited_after=False,
            next_tasks=[],
            published={},
            error_handled=False,
            processed=False,
        )

    def outstanding(self) -> tuple[Effect, ...]:
        """Return what a run that was just loaded still has under way.

        Actions and children in flight, due times, and the end if it is over.
        """
        run = self.run
        if run.state.is_final:
            return (Ended(run.state, run.state_info, run.output),)
        return (
            *(begin_action(a) for a in self._ledger.actions.values() if not a.state.is_final),
            *(WakeAt(t.id, t.wake_at) for t in self._ledger.open.values() if t.wake_at is not None),
        )

    def unfold(self, action_id: str, find: Find) -> Call:
        """Return what an action really calls, the ad-hoc actions resolved. Raises InvalidCall."""
        action = self._ledger.actions[action_id]
        task = self._ledger.tasks[action.task_id]
        return unfold(action.name, action.input, find, self._course.evaluation, task)

    def converted(self, action_id: str, call: Call, result: Result) -> Result:
        """Return the result of a call as the ad-hoc actions it came from give it."""
        task = self._ledger.tasks[self._ledger.actions[action_id].task_id]
        return converted(call, result, self._course.evaluation, task)

    def task_result(self, task_id: str) -> Any:
        """Return what ``task(name).result`` gives for this task."""
        return self._course.evaluation.result(self._ledger.tasks[task_id])

    def _settled(self, act: Callable[[], None]) -> Step:
        """Do something and all that follows from it."""
        try:
            act()
        except Broken as broken:
            self._course.ending.stop(State.ERROR, str(broken))
        self._course.settle()
        return self._ledger.take()
