"""What a stack must be like before something is done to it. All raise a refusal."""

from sqlalchemy import Connection

from hotplate.engine.refusals import ActionInProgress, Moved, NotSupported
from hotplate.model import Action, Stack, Status
from hotplate.store.large.clearing import is_partly_suspended


def must_be_changeable(stack: Stack, feature: str) -> None:
    """Refuse what a stack that is being deleted or is suspended cannot do."""
    if stack.action is Action.DELETE:
        hint = "delete it again"
        if stack.status is Status.FAILED:
            hint += "; forget what cannot be deleted, or abandon the stack"
        raise NotSupported(f"{feature} when it is deleting", hint)
    if stack.action is Action.SUSPEND:
        raise NotSupported(f"{feature} when it is suspended", "resume it first")


def must_be_at(stack: Stack, expected: int | None) -> None:
    """Refuse if a stack has begun another operation than the caller has seen. Raises Moved."""
    if expected is not None and stack.sequence != expected:
        raise Moved(stack)


def must_be_awake(connection: Connection, stack: Stack, feature: str) -> None:
    """Refuse what would hide that objects are suspended: later none could say which to resume."""
    if is_partly_suspended(connection, stack.id):
        raise NotSupported(f"{feature} when it is suspended", "resume it first")


def must_be_sound(stack: Stack, feature: str) -> None:
    """Refuse what would hide that something in the stack has failed and is still to be mended."""
    visits = (Action.SUSPEND, Action.RESUME, Action.SNAPSHOT)
    if stack.status is Status.FAILED and stack.action not in visits:
        raise NotSupported(f"{feature} when it has failed", "update it, or try again what failed")


def must_be_idle(stack: Stack) -> None:
    """Refuse what cannot be done beside another operation. Raises ActionInProgress."""
    if stack.status is Status.IN_PROGRESS:
        raise ActionInProgress(stack)
