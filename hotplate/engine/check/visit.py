"""A visit: suspend, resume, check or snapshot what is there, and change no definition."""

from hotplate.engine import status_texts
from hotplate.engine.check.actions import VISIT_ACTIONS, Actions
from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.check.claims import Outcome
from hotplate.engine.check.drift import note_differences
from hotplate.engine.version_transitions import observe
from hotplate.model import Action, ReasonCode, Relation, Status, Version
from hotplate.plan.definition import UNAPPLIED
from hotplate.plan.drift import can_be_compared
from hotplate.resources.capabilities import Checkable
from hotplate.resources.resource_type import Done, ObjectMissing, ResourceType


class Visit:
    """Visits the version of a node."""

    __slots__ = ("_actions", "_node")

    def __init__(self, node: CheckedNode, actions: Actions) -> None:
        self._node = node
        self._actions = actions

    def is_possible(self, action: Action, resource_type: ResourceType) -> bool:
        """Tell whether there is an object to visit; what a check learns without one is noted.

        A check also visits what has failed. An object that is well then is kept, and the next
        update applies to it what is wanted.
        """
        version = self._node.version
        if version.has_given_up:
            return False  # it is not in use, and the next update restores or removes it
        if action is Action.CHECK and _has_failed(version):
            if version.physical_id is None:
                self._note_missing()
                return False
            if version.relation is not Relation.KEPT and _is_checkable(version, resource_type):
                version.fingerprint = UNAPPLIED
        if not _is_in_order(version, action, resource_type):
            return False
        version.needed = version.requires
        version.owner = self._node.claim.node.sequence
        return True

    async def outcome(self, action: Action, resource_type: ResourceType) -> Outcome:
        """Let the type do it to the object."""
        node, version = self._node, self._node.version
        if action is Action.CHECK and not isinstance(resource_type, Checkable):
            await self._compare(resource_type)
            reason = status_texts.not_checked(version.type)
            if version.differences:
                reason = f"{reason}; {status_texts.differs(version.differences)}"
            self._actions.apply(action, Done(), reason, ReasonCode.NOT_CHECKED)
            return node.finished()
        await self._actions.record_begin(action, resource_type)
        await self._actions.call(action, resource_type)
        return node.finished_or_parked()

    async def _compare(self, resource_type: ResourceType) -> None:
        """Note where an object differs whose type cannot check it. Raises ObjectMissing."""
        if self._node.version.physical_id is None or not can_be_compared(resource_type):
            return
        node, resource = self._node, self._actions.resource(resource_type)
        try:
            async with self._actions.leased(resource_type):
                await note_differences(node.version, node.bound, resource_type, resource)
        except ObjectMissing:
            self._actions.mark_begun(Action.CHECK)
            raise

    def _note_missing(self) -> None:
        """Note that a check found no object. Work that may have made one stays open."""
        node, version = self._node, self._node.version
        observe(version, Action.CHECK, version.status, version.reason, version.reason_code)
        version.owner = node.claim.node.sequence
        version.updated_at = node.world.now()
        node.note_event(Action.CHECK, Status.FAILED, version.reason)


def _is_in_order(version: Version, action: Action, resource_type: ResourceType) -> bool:
    """Tell whether there is an object in order; for a check it may have failed before."""
    if version.action in (Action.INIT, Action.DELETE):
        return False
    if action is Action.RESUME and not version.is_nested_stack and _is_awake(version):
        return False
    if action is Action.CHECK and _is_checkable(version, resource_type):
        return version.physical_id is not None or version.status is Status.COMPLETE
    return version.status is Status.COMPLETE or version.action in VISIT_ACTIONS


def _is_checkable(version: Version, resource_type: ResourceType) -> bool:
    return version.is_nested_stack or isinstance(resource_type, Checkable)


def _has_failed(version: Version) -> bool:
    """Tell whether there shall be an object, and its creation or its last update failed."""
    is_wanted = version.action not in (Action.INIT, Action.DELETE)
    return is_wanted and version.status is Status.FAILED and version.action not in VISIT_ACTIONS


def _is_awake(version: Version) -> bool:
    """Tell whether it is known that nothing has suspended the object."""
    return version.status is Status.COMPLETE and (
        version.action not in VISIT_ACTIONS or version.action is Action.RESUME
    )
