"""How the status of a stack changes: every transition by its name, and no others.

Each function returns the state after a transition. Whoever holds the stack's lock writes it.
"""

from dataclasses import dataclass
from typing import Any, Final

from hotplate.engine import status_texts
from hotplate.model import Action, ReasonCode, Stack, Status

_NEVER_BEGUN: Final = frozenset((Action.INIT, Action.SIGNAL))
"""Actions of resources only."""


class ImpossibleTransition(Exception):
    """A stack cannot go there from where it is: a fault in the engine. Nothing has been written."""

    def __init__(self, stack: Stack, transition: str) -> None:
        state = "DELETED" if stack.deleted_at is not None else stack.status.value
        super().__init__(f"the stack {stack.id} is {stack.action.value}_{state}: {transition}")


@dataclass(frozen=True, slots=True)
class StackState:
    """What a stack does, how far it has come, and why."""

    action: Action
    status: Status
    reason: str
    reason_code: ReasonCode = ReasonCode.NONE

    def columns(self) -> dict[str, Any]:
        """Return what is written into the stack's row."""
        return {
            "action": self.action,
            "status": self.status,
            "reason": self.reason,
            "reason_code": self.reason_code,
        }


def begun(stack: Stack, action: Action) -> StackState:
    """Begin an action. It may overtake another that is in progress."""
    if stack.deleted_at is not None or action in _NEVER_BEGUN:
        raise ImpossibleTransition(stack, f"{action.value} cannot begin")
    return StackState(action, Status.IN_PROGRESS, status_texts.started(action))


def completed(stack: Stack, is_partly_checked: bool = False) -> StackState:
    """Complete the action that is in progress; ``is_partly_checked``: not all can be checked."""
    _must_be_in_progress(stack, "it cannot complete")
    reason = status_texts.completed(stack.action)
    if is_partly_checked:
        reason, code = reason + status_texts.NOT_FULLY_CHECKED, ReasonCode.PARTLY_CHECKED
        return StackState(stack.action, Status.COMPLETE, reason, code)
    return StackState(stack.action, Status.COMPLETE, reason)


def failed(stack: Stack, reason: str, code: ReasonCode = ReasonCode.NONE) -> StackState:
    """Fail the action that is in progress, because a resource failed."""
    _must_be_in_progress(stack, "it cannot fail")
    return StackState(stack.action, Status.FAILED, reason, code)


def checked_and_failed(
    stack: Stack, failures: list[str], is_partly_checked: bool = False
) -> StackState:
    """Fail a check that has looked at everything, with all that it found."""
    reason = status_texts.resource_failed(stack.action, failures)
    if is_partly_checked:
        return failed(stack, reason + status_texts.NOT_FULLY_CHECKED, ReasonCode.PARTLY_CHECKED)
    return failed(stack, reason)


def timed_out(stack: Stack) -> StackState:
    """Fail the action that is in progress, because its time is up."""
    return failed(stack, status_texts.TIMED_OUT, ReasonCode.TIMED_OUT)


def cancelled(stack: Stack) -> StackState:
    """Fail the action that is in progress, because it was cancelled or its parent failed."""
    return failed(stack, status_texts.cancelled(stack.action), ReasonCode.CANCELLED)


def _must_be_in_progress(stack: Stack, otherwise: str) -> None:
    if stack.status is not Status.IN_PROGRESS or stack.deleted_at is not None:
        raise ImpossibleTransition(stack, otherwise)
