"""What a step of the machine asks the world to do. Rows are the truth; effects repeat them."""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from hotplate.workflow.model import ActionRun, State, TaskRun, WorkflowRun


@dataclass(frozen=True, slots=True)
class Perform:
    """Call the action, and report its outcome by `Machine.action_finished`.

    Who performs it looks the name up: in the workbook of the run first, then as it stands, unfolds
    ad-hoc actions, and checks the input. A name or an input that does not fit is reported as a
    result, too, one that is ``broken``.
    """

    action: ActionRun


@dataclass(frozen=True, slots=True)
class StartChild:
    """Create and begin a run of another workflow, and report its end by `child_finished`.

    ``values`` become the child's input; those which it does not declare become its params. The
    name is looked up in the workbook of the run first. If the child cannot begin, that is its end:
    report ERROR with the reason.
    """

    action_id: str
    child_id: str
    workflow: str
    values: dict[str, Any]
    index: int


@dataclass(frozen=True, slots=True)
class WakeAt:
    """Call `Machine.timer` for the task at this time. Replaces an earlier time; None is never."""

    task_id: str
    due: float | None


@dataclass(frozen=True, slots=True)
class CancelAction:
    """The outcome of this action is not wanted any more; stop it if that is possible."""

    action_id: str


@dataclass(frozen=True, slots=True)
class CancelChild:
    """Cancel the child run; its end is not waited for."""

    child_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class PauseChild:
    """Pause the child run, because its parent was paused."""

    child_id: str


@dataclass(frozen=True, slots=True)
class ResumeChild:
    """Let the child run go on, because its parent does."""

    child_id: str


@dataclass(frozen=True, slots=True)
class Paused:
    """The run came to a halt; a parent is notified by `Machine.child_changed`."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """The run goes on; a parent is notified by `Machine.child_changed`."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The run is over; a parent is notified by `Machine.child_finished`."""

    state: State
    state_info: str | None
    output: dict[str, Any]


Effect: TypeAlias = (
    Perform
    | StartChild
    | WakeAt
    | CancelAction
    | CancelChild
    | PauseChild
    | ResumeChild
    | Paused
    | Resumed
    | Ended
)


@dataclass(frozen=True, slots=True)
class Step:
    """What one call of the machine changed: rows to write in one transaction, then effects.

    Rows are pictures of the moment after the call. ``run`` is None if it did not change.
    """

    run: WorkflowRun | None = None
    tasks: tuple[TaskRun, ...] = ()
    actions: tuple[ActionRun, ...] = ()
    effects: tuple[Effect, ...] = ()


UNKNOWN: Final[dict[str, Any]] = {"outcome": "unknown"}
"""Beside the result of a call whose outcome is unknown."""


@dataclass(frozen=True, slots=True)
class Result:
    """How an action ended: with a value, with an error, or cancelled.

    ``broken`` says that the task itself is at fault: there is no action of this name, or it does
    not take such an input. The whole run fails, and no on-error is asked, as with Mistral.
    ``unknown`` says that it is not known what an action that failed has done: it is not tried
    again, whatever the task's policy says.
    """

    value: Any = None
    error: Any = None
    cancelled: bool = False
    failed: bool = False
    broken: bool = False
    unknown: bool = False

    @property
    def state(self) -> State:
        if self.cancelled:
            return State.CANCELLED
        return State.ERROR if self.failed or self.broken else State.SUCCESS
