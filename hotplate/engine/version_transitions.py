"""How the state of a version changes: every transition by its name, and no others.

A state is an action and its status, with a reason for people and a code for the engine. Each
function changes a version in memory; whoever has its node, or the lock of its stack, writes it.
"""

from dataclasses import replace
from typing import Final

from hotplate.engine import status_texts
from hotplate.model import Action, ReasonCode, Relation, Status, Version
from hotplate.secret import secret_at

SEARCHING: Final = "hotplate is looking for the object"
"""The cookie of a version whose creation is in doubt, between two searches."""

_NEVER_BEGUN: Final = frozenset((Action.INIT, Action.SIGNAL))
"""What is no action on a version: the state of a new row, and what only events have."""


class ImpossibleTransition(Exception):
    """A version cannot go there from where it is: a fault in the engine."""

    def __init__(self, version: Version, transition: str) -> None:
        state = f"{version.action.value}_{version.status.value}"
        super().__init__(f"the version {version.uuid} is {state}: {transition}")


def begin(version: Version, action: Action, reason: str, now: float) -> None:
    """Begin an action. It is open from now on, until it ends or its end is found out."""
    _enter(version, action, Status.IN_PROGRESS, reason)
    version.cookie = None
    version.intent = action
    version.intent_at = version.updated_at = now


def complete(version: Version, action: Action, reason: str, code: ReasonCode, now: float) -> None:
    """Complete an action: the version is in order."""
    _enter(version, action, Status.COMPLETE, reason, code)
    version.cookie = version.intent = None
    version.updated_at = now


def fail(version: Version, action: Action, reason: str, code: ReasonCode, now: float) -> None:
    """Let an action fail. What it may have made is not forgotten: see `close`."""
    _enter(version, action, Status.FAILED, reason, code)
    version.cookie = None
    version.updated_at = now


def abort(version: Version, cause: str = "") -> None:
    """End the action that waits. It stays open: the clean-up finds what it may have made."""
    reason = status_texts.aborted(version.action, cause)
    _enter(version, version.action, Status.FAILED, reason, ReasonCode.ABORTED)
    version.cookie = None


def close(version: Version) -> None:
    """Note that nothing is open any more: whatever the last action did is known."""
    version.intent = None


def undo_creation(version: Version) -> None:
    """Go back to before the creation, which has made nothing."""
    version.action, version.status = Action.INIT, Status.COMPLETE
    version.intent = None


def recover(version: Version) -> None:
    """Let what had failed be in order, for it is as it is wanted."""
    _enter(version, version.action, Status.COMPLETE, "")


def observe(
    version: Version,
    action: Action,
    status: Status,
    reason: str,
    code: ReasonCode = ReasonCode.NONE,
) -> None:
    """Take the state that follows from what was seen of the object; no action was begun on it."""
    _enter(version, action, status, reason, code)


def keep(version: Version) -> None:
    """Note that the failed update has not touched the object: it is what it was before."""
    # What was stored of the old properties does not say which of them are secret.
    paths = [path[1:] for path in version.definition.secret_paths() if path[0] == "properties"]
    version.definition = replace(
        version.definition, properties=secret_at(version.before, paths) if paths else version.before
    )
    version.fingerprint = version.definition.fingerprint()
    version.relation = Relation.KEPT
    version.before = {}


def keep_object(version: Version) -> None:
    """Note that an update will fail before it begins, and is no reason to replace the object."""
    if version.relation is Relation.MANAGED and version.status is Status.COMPLETE:
        version.relation = Relation.KEPT


def stay_external(version: Version) -> None:
    """Give up managing an object that was external: it stays that."""
    version.relation = Relation.LENT
    version.definition = replace(
        version.definition, properties={}, update_policy={}, external_id=version.physical_id or ""
    )
    version.fingerprint = ""
    version.before = {}


def _enter(
    version: Version,
    action: Action,
    status: Status,
    reason: str,
    code: ReasonCode = ReasonCode.NONE,
) -> None:
    if action in _NEVER_BEGUN:
        raise ImpossibleTransition(version, f"{action.value} is no action on a version")
    if is_deleted(version) and action is not Action.DELETE:
        raise ImpossibleTransition(version, f"{action.value} cannot begin any more")
    version.action, version.status = action, status
    version.reason, version.reason_code = reason, code


def is_deleted(version: Version) -> bool:
    """Tell whether the deletion of a version has completed; nothing but that can come again."""
    return version.action is Action.DELETE and version.status is Status.COMPLETE
