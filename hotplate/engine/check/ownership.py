"""Objects that a version takes with a record, and what is recorded if it may not have them.

Whether it may is decided by the transaction that records it, so the outcome for the other case is
made before: `ObjectUse.otherwise`.
"""

from collections.abc import Callable
from dataclasses import replace

from hotplate.engine import status_texts
from hotplate.engine import version_transitions as transitions
from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.check.claims import Outcome, OutcomeKind, StateChange
from hotplate.engine.object_ownership import ObjectUse
from hotplate.model import Action, Definition, Relation, Status, Version

FailedTransfer = Callable[[str], Outcome]
"""Makes the outcome for when a version cannot have an object, given the reason: all stays."""


def to_adopt(node: CheckedNode, wanted: Definition, object_id: str) -> ObjectUse:
    """Return what an adoption takes into management; if it may not, the resource fails."""
    claim, version = node.claim, replace(node.version)

    def otherwise(text: str) -> Outcome:
        reason = status_texts.failure(version.name, "ResourceFailed", text)
        # Without the id nothing deletes what another resource manages.
        failed = replace(version, physical_id=None, type=wanted.type, definition=wanted)
        transitions.observe(failed, Action.ADOPT, Status.FAILED, reason)
        return Outcome(
            replace(claim, version=failed),
            OutcomeKind.FAILED,
            [(Action.ADOPT, Status.FAILED, reason)],
            reason=status_texts.resource_failed(Action.ADOPT, [reason]),
            is_fresh=True,
        )

    return ObjectUse(wanted.type_name, object_id, False, otherwise)


def to_use(node: CheckedNode, wanted: Definition, failure: FailedTransfer) -> ObjectUse:
    """Return the taking of an external object."""
    otherwise = _with_place(node.version.name, failure)
    resources = node.bound.template.resources
    return ObjectUse(wanted.type_name, wanted.external_id, True, otherwise, resources)


def to_manage(
    node: CheckedNode, wanted: Definition, object_id: str, failure: FailedTransfer
) -> ObjectUse:
    """Return the taking of an object that was external and is managed from now on."""
    return ObjectUse(wanted.type_name, object_id, False, _with_place(node.version.name, failure))


def _with_place(name: str, failure: FailedTransfer) -> FailedTransfer:
    return lambda text: failure(status_texts.failure(name, "ResourceFailed", text))


def failed_transfer(node: CheckedNode, wanted: Definition, needed: list[int]) -> FailedTransfer:
    """Return what makes the outcome for when the object cannot be used: all stays as it was."""
    claim, before, now = node.claim, replace(node.version), node.world.now()
    was_open = node.was_open

    def outcome(text: str) -> Outcome:
        version = replace(before, updated_at=now)
        if before.action is Action.INIT:
            transitions.observe(version, Action.CHECK, Status.FAILED, text)
            version.relation = Relation.EXTERNAL
            version.type, version.definition = wanted.type, wanted
            version.requires = version.needed = needed
            changes: list[StateChange] = [
                *events_of_adoption("")[:3],
                (Action.CHECK, Status.FAILED, text),
            ]
        else:
            changes = [
                (Action.UPDATE, Status.IN_PROGRESS, status_texts.STATE_CHANGED),
                (Action.UPDATE, Status.FAILED, text),
            ]
            version = _unchanged(version, before, text)
        reason = status_texts.resource_failed(changes[-1][0], [text])
        return Outcome(
            replace(claim, version=version),
            OutcomeKind.FAILED,
            changes,
            reason=reason,
            is_fresh=True,
            is_open=was_open,
        )

    return outcome


def events_of_adoption(verified: str) -> list[StateChange]:
    """Return how the adoption of an object that exists is reported."""
    return [
        (Action.ADOPT, Status.IN_PROGRESS, status_texts.STATE_CHANGED),
        (Action.ADOPT, Status.COMPLETE, status_texts.STATE_CHANGED),
        (Action.CHECK, Status.IN_PROGRESS, status_texts.STATE_CHANGED),
        (Action.CHECK, Status.COMPLETE, verified),
    ]


def events_of_transfer(reason: str, verified: str) -> list[StateChange]:
    """Return how it is reported that a resource is an external object from now on."""
    return [
        (Action.UPDATE, Status.IN_PROGRESS, reason),
        (Action.CHECK, Status.COMPLETE, verified),
        (Action.UPDATE, Status.COMPLETE, reason),
    ]


def _unchanged(failed: Version, before: Version, reason: str) -> Version:
    """Return a version that is as it was, but for the update that failed."""
    is_open = before.intent is not None and not before.is_external
    action = before.intent if is_open else Action.UPDATE
    transitions.observe(failed, action or Action.UPDATE, Status.FAILED, reason)
    failed.cookie = None
    if before.is_external:
        transitions.close(failed)
        if before.relation is Relation.RETURNING:
            transitions.stay_external(failed)
        return failed
    if before.intent is not None:
        # It was in the middle of something, and it is not known how that went.
        if before.intent is not Action.CREATE or before.physical_id is not None:
            transitions.close(failed)
        return failed
    if before.status is Status.FAILED and before.relation is not Relation.KEPT:
        return before
    if before.relation not in (Relation.MANAGED, Relation.KEPT):
        return failed  # what it has given up must not be forgotten
    return replace(failed, relation=Relation.KEPT)
