"""The literal texts of statuses and events that existing clients read."""

from hotplate.model import Action

STATE_CHANGED = "state changed"


def started(action: Action) -> str:
    """Return the reason of a stack whose action has just begun."""
    return f"Stack {action.value} started"


def completed(action: Action) -> str:
    """Return the reason of a stack whose action is complete."""
    return f"Stack {action.value} completed successfully"


def cancelled(action: Action) -> str:
    """Return the reason of a stack whose action was cancelled."""
    return f"Stack {action.value} cancelled"


def updated_cleaning(action: Action) -> str:
    """Return the reason of the event between the update portion and the end of clean-up."""
    return f"Stack {action.value}: all resources are up to date, old ones are being removed"


def resource_failed(action: Action, name: str, text: str) -> str:
    """Return the reason of a stack that a resource made fail.

    The words of what failed stay whole; through nesting only the path before them grows.
    """
    joint = "." if text.startswith("resources.") else ": "
    return f"Resource {action.value} failed: resources.{name}{joint}{text}"


def leaf_of(reason: str) -> str:
    """Return path and words of the resource that made a stack fail, without the stack's own."""
    head, found, leaf = reason.partition(" failed: ")
    return leaf if found and head.startswith("Resource ") else reason


def orphan(mark: str) -> str:
    """Return the note on an object that may exist and that nobody can find."""
    return f"nobody can tell whether it exists; look for an orphan with the mark {mark}"


TIMED_OUT = "Timed out"
ABORTED = "aborted"
