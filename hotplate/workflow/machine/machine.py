"""One run and all that can happen to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hotplate.workflow.language import Workflow
from hotplate.workflow.machine.effects import Effect, Result, Step
from hotplate.workflow.machine.tools import Tools
from hotplate.workflow.model import ActionRun, State, TaskRun, WorkflowRun


class NotAllowed(Exception):
    """The run or task is in a state that does not permit this."""


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of one run, as read from the store."""

    run: WorkflowRun
    tasks: Sequence[TaskRun] = ()
    actions: Sequence[ActionRun] = ()


class Machine:
    """The state machine of one run. Nobody else may change its rows while it lives.

    Every method does all that follows from its news at once and returns what changed. News that
    comes twice or too late changes nothing and gives an empty Step. Costs grow with what changes,
    not with the size of the run.
    """

    def __init__(self, definition: Workflow, rows: Rows, tools: Tools) -> None:
        raise NotImplementedError

    @property
    def run(self) -> WorkflowRun:
        """The run's row as it stands. Not to be changed."""
        raise NotImplementedError

    def begin(self) -> Step:
        """Start a run that is IDLE."""
        raise NotImplementedError

    def action_finished(self, action_id: str, result: Result) -> Step:
        """An action has ended."""
        raise NotImplementedError

    def child_finished(
        self, action_id: str, state: State, state_info: str | None, output: dict[str, Any]
    ) -> Step:
        """A child run has ended, or could not begin (ERROR with the reason)."""
        raise NotImplementedError

    def child_changed(self, action_id: str, state: State) -> Step:
        """A child run was PAUSED by itself, or is RUNNING again."""
        raise NotImplementedError

    def timer(self, task_id: str, now: float) -> Step:
        """The time that a WakeAt named has come."""
        raise NotImplementedError

    def pause(self, reason: str | None = None) -> Step:
        """Start nothing new. What is under way goes on."""
        raise NotImplementedError

    def resume(self, env: dict[str, Any] | None = None) -> Step:
        """Go on after a pause; ``env`` is merged into the environment. Raises NotAllowed."""
        raise NotImplementedError

    def stop(self, state: State, reason: str | None = None) -> Step:
        """End the run now as SUCCESS, ERROR or CANCELLED; what is under way is cancelled."""
        raise NotImplementedError

    def cancel(self, reason: str | None = None) -> Step:
        """End the run as CANCELLED."""
        return self.stop(State.CANCELLED, reason)

    def rerun(self, task_id: str, reset: bool = True, env: dict[str, Any] | None = None) -> Step:
        """Run a failed task again, and the run with it.

        Without ``reset`` only those items of a with-items task are done again that failed. Raises
        NotAllowed.
        """
        raise NotImplementedError

    def skip(self, task_id: str) -> Step:
        """Take a failed task as done, and go on by its on-skip or on-success. Raises NotAllowed."""
        raise NotImplementedError

    def outstanding(self) -> tuple[Effect, ...]:
        """Return what a run that was just loaded still has under way.

        Actions and children in flight, due times, and the end if it is over.
        """
        raise NotImplementedError

    def task_result(self, task_id: str) -> Any:
        """Return what ``task(name).result`` gives for this task."""
        raise NotImplementedError
