"""What becomes of a node, and of its version, when something fails."""

from hotplate.engine import status_texts
from hotplate.engine import version_transitions as transitions
from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.check.claims import Outcome, OutcomeKind
from hotplate.engine.check.faults import InDoubt, Restricted, code_of, reason_of
from hotplate.identity import AuthorityLost
from hotplate.model import Action, ReasonCode, Relation, Status, Task, Version
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.resource_type import Creation, ResourceFailed, UpdateRefused


class Failures:
    """Notes on the version of a node that something has failed."""

    __slots__ = ("_node",)

    def __init__(self, node: CheckedNode) -> None:
        self._node = node

    def outcome(self, error: Exception) -> Outcome:
        """Return the outcome of a node whose version cannot be brought along.

        A check goes on all the same: what failed is reported when everything has been visited.
        """
        node = self._node
        self.note(error)
        if node.claim.node.task is Task.CHECK:
            return node.finished()
        outcome = node.outcome(OutcomeKind.FAILED)
        action, _, text = outcome.changes[-1]
        outcome.reason = status_texts.resource_failed(action, [text])
        outcome.reason_code = node.version.reason_code
        return outcome

    def refused(self, error: Restricted) -> Outcome:
        """Return the outcome of a node that must not do what is wanted.

        The version stays as it is: the next update finds it in order. Its event has the sentence
        alone, as in Heat; the stack's reason has the way to it as well.
        """
        node = self._node
        text = node.masked(reason_of(node.version.name, error))
        node.note_event(Action.UPDATE, Status.FAILED, str(error))
        outcome = node.outcome(OutcomeKind.FAILED)
        outcome.reason = status_texts.resource_failed(Action.UPDATE, [text])
        return outcome

    def waiting(self, lost: AuthorityLost) -> Outcome:
        """Return the outcome of a node that is laid aside until an authority is accepted.

        That is no failure: the version stays where it is. When the node is claimed again it goes on
        as after a crash: what was begun is found out, and nothing is created blindly a second time.
        It is reported once.
        """
        node, version = self._node, self._node.version
        if version.reason != lost.reason:
            action = version.intent or node.claim.stack.action
            node.note_event(action, Status.IN_PROGRESS, lost.reason)
        version.reason, version.reason_code = lost.reason, ReasonCode.NO_AUTHORITY
        node.due, node.waits_for_authority = lost.due, True
        return node.outcome(OutcomeKind.PARKED)

    def note(self, error: Exception) -> None:
        """Note that the action under way, or the one that was to begin, has failed."""
        node, version = self._node, self._node.version
        text = reason_of(version.name, error)
        action = version.intent or version.action
        if action is Action.INIT:
            action = Action.CREATE
        if node.claim.node.task is Task.UPDATE and _is_at_rest(version):
            action = Action.UPDATE  # it failed before it began
        if version.relation is Relation.RETURNING:
            transitions.stay_external(version)
        may_exist = version.intent is Action.CREATE and version.physical_id is None
        if may_exist and isinstance(error, InDoubt) and self._creation() is Creation.NEITHER:
            text = f"{text}; {status_texts.orphan(version.uuid)}"
            may_exist = False
        transitions.fail(version, action, text, code_of(error), node.world.now())
        if not may_exist:  # else the clean-up searches for it
            transitions.close(version)
        is_update = action is Action.UPDATE and not version.has_given_up
        if isinstance(error, UpdateRefused) and is_update and not version.is_external:
            transitions.keep(version)
        if isinstance(error, ResourceFailed) and error.attributes is not None:
            node.offer(error.attributes)
        node.note_event(action, Status.FAILED, text)

    def _creation(self) -> Creation:
        node = self._node
        return resource_type_for(node.tools.catalogue, node.version.type_name).creation


def _is_at_rest(version: Version) -> bool:
    """Tell whether there is an object on which no action has been begun."""
    is_in_order = version.intent is None and version.status is Status.COMPLETE
    is_made = version.action not in (Action.INIT, Action.DELETE)
    return version.is_external or (is_in_order and is_made)
