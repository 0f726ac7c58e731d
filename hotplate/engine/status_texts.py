"""The literal texts of statuses and events that existing clients read."""

from collections.abc import Iterable

from hotplate.document import Cause, Problem
from hotplate.model import Action, Difference

STATE_CHANGED = "state changed"
MADE_ANEW = "it has failed and is created anew"
MARKED = "state changed by resource_mark_unhealthy api"
ABANDONED = "Stack DELETE ended: the stack was abandoned, and what was left of it stays"


def acts_no_later(fault: str) -> str:
    """Return what the event of a stack says whose authority ends with the token of its user."""
    return (
        f"What acts by itself later, such as a scaling group, will wait for a member's update once "
        f"the token has expired: there is no trust, because {fault}"
    )


def lacks_authority(reason: str, name: str, why: str) -> str:
    """Return the reason of a stack in which a resource waits for an authority."""
    return f"{reason}; {place(name)} {why}"


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


def place(name: str) -> str:
    """Return how the path to a resource begins; a member of a group stands in brackets."""
    return f"resources[{name}]" if name.isdecimal() else f"resources.{name}"


def failure(name: str, error: str, text: str) -> str:
    """Return the reason of a resource that failed: kind of error, path, words."""
    return f"{error}: {place(name)}: {text}"


def output_failed(resource: str, output: str, error: str) -> str:
    """Return why an output of the stack that a resource is has no value."""
    return f"Error in {resource} output {output}: {error}"


def output_error(problem: Problem) -> str:
    """Return why an output has no value, in the words that people know."""
    if problem.cause is Cause.PARAMETER_REFERENCE:
        return f"The Parameter ({problem.subject}) was not provided."
    return problem.message


def failure_inside(name: str, failures: Iterable[str]) -> str:
    """Return the reason of a resource that is a stack, given why things in it failed.

    The words of what failed stay whole; only the path before them grows.
    """
    return "; ".join(_deeper(name, each) for each in failures)


def _deeper(name: str, inner: str) -> str:
    error, found, rest = inner.partition(": ")
    if found and rest.startswith(("resources.", "resources[")):
        return f"{error}: {place(name)}.{rest}"
    return failure(name, "ResourceFailed", inner)


def resource_failed(action: Action, failures: Iterable[str]) -> str:
    """Return the reason of a stack that resources made fail."""
    return f"Resource {action.value} failed: {'; '.join(failures)}"


def leaf_of(reason: str) -> str:
    """Return what made a stack fail, without the stack's own words."""
    head, found, leaf = reason.partition(" failed: ")
    return leaf if found and head.startswith("Resource ") else reason


def paused(hook: str) -> str:
    """Return the reason of the event with which a resource begins to wait at a hook."""
    return f"{hook.partition('-')[2].upper()} paused until Hook {hook} is cleared"


def cleared(hook: str) -> str:
    """Return the reason of the event with which it goes on."""
    return f"Hook {hook} is cleared"


PREPARED = "prepared for its replacement"


def preparing(what: str) -> str:
    """Return the reason of an old object that gives something up for its replacement."""
    return f"being prepared for its replacement: gives up {what}"


def not_checked(type_name: str) -> str:
    """Return the reason of a resource whose type cannot check it."""
    return f"CHECK not supported for {type_name}"


def differs(differences: Iterable[Difference]) -> str:
    """Return the reason of a resource whose object is not what was applied to it."""
    return f"differs in: {', '.join(dict.fromkeys(each.name for each in differences))}"


def not_compared(text: str) -> str:
    """Return the reason of a resource of which nobody could tell whether it differs."""
    return f"could not be compared with what was applied: {text}"


WAITS = "the stack waits with its "
"""How the note begins that an operation waits for work of an earlier one."""


def waits(action: Action, work: Action) -> str:
    """Return the note on work that an operation of the stack waits for."""
    return f"{WAITS}{action.value} until the {work.value} that is under way has ended"


def orphan(creation_token: str) -> str:
    """Return the note on an object that may exist and cannot be found."""
    return (
        "it is not known whether it exists; "
        f"look for an orphan with the creation token {creation_token}"
    )


def forgotten(object_id: str | None, creation_token: str) -> str:
    """Return the reason of a resource that was not deleted and is no longer managed."""
    if object_id is None:
        return f"forgotten: {orphan(creation_token)}"
    return f"forgotten: {object_id} was not deleted and belongs to nobody now"


def untouched(object_id: str | None) -> str:
    """Return the reason of an action that was not carried out: the object is external."""
    return f"{object_id or 'the object'} is external and was left as it is"


def unseen(object_id: str, text: str) -> str:
    """Return the reason of a resource whose external object an update could not read."""
    return f"external: {object_id} was not found, what is known of it is old: {text}"


def taken(object_id: str, is_verified: bool) -> str:
    """Return the reason of a resource that uses an external object."""
    return f"external: {object_id} " + ("exists" if is_verified else "was not verified")


TIMED_OUT = "Timed out"
ABORTED = "aborted"


def aborted(action: Action, cause: str = "") -> str:
    """Return the reason of a resource on which work was ended for a cause that is not its own."""
    return f"{action.value} {ABORTED}{f' ({cause})' if cause else ''}"


NOT_FULLY_CHECKED = ". 'CHECK' not fully supported (see resources)"
"""What the reason of a checked stack ends with if some types cannot be checked."""


def scaling(what: str) -> str:
    """Return the reason of a group that changes its size by itself."""
    return f"Scaling: {what}"
