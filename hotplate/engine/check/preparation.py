"""An old object gives up what its replacement needs, before that is made.

That it begins is recorded on the old version, and so is its end, both before the new version is
begun. A crash between them lets it be done again. From its beginning on the version is not in use:
whoever wants it again restores it.
"""

from collections.abc import Awaitable, Callable

from hotplate.engine import status_texts
from hotplate.engine.check.actions import Actions
from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.check.claims import OutcomeKind
from hotplate.engine.check.failures import Failures
from hotplate.engine.check.faults import ClaimLost, Stopped
from hotplate.engine.version_transitions import close
from hotplate.model import Action, Definition, Status
from hotplate.plan.replacement_preparation import given_up, prepared_relation, preparing_type
from hotplate.resources.capabilities import PreparesReplacement
from hotplate.resources.resource_type import Creation, Done, Gone, ResourceType

Search = Callable[[ResourceType], Awaitable[None]]
"""Searches for an object that an interrupted call may have made; the version may have to wait."""


class Preparation:
    """Lets the version of a node give up what another one needs."""

    __slots__ = ("_actions", "_node", "_search")

    def __init__(self, node: CheckedNode, actions: Actions, search: Search) -> None:
        self._node = node
        self._actions = actions
        self._search = search

    def is_overtaken(self) -> bool:
        """Tell whether an older traversal began to prepare the version, or one that has ended."""
        version, claim = self._node.version, self._node.claim
        is_own = claim.is_current and version.owner == claim.node.sequence
        return version.is_giving_up and not is_own

    def abandon(self) -> None:
        """End a preparation that was overtaken: what it was for is not wanted any more, or anew.

        The version stays marked, so whoever wants it restores what was given up.
        """
        node, version = self._node, self._node.version
        node.must_wait()
        node.has_acted = True
        if version.status is Status.IN_PROGRESS:
            Failures(node).note(Stopped(status_texts.aborted(Action.UPDATE)))
        version.cookie = None
        close(version)

    async def is_complete(self, wanted: Definition) -> bool:
        """Prepare the version, as far as that is needed; tell whether it has come to its end.

        If not, the node waits. Raises what makes a resource fail: then nothing new is made.
        """
        node, version = self._node, self._node.version
        resource_type = preparing_type(version, node.tools.catalogue)
        what = "" if resource_type is None else given_up(version, wanted, resource_type)
        if resource_type is None or not what:
            return True
        node.must_wait()
        if version.may_have_unknown_object:
            if resource_type.creation is not Creation.NEITHER:
                await self._search(resource_type)
            if version.physical_id is None:
                return version.cookie is None
        if not version.is_giving_up:
            await self._begin(resource_type, what)
        await self._call(resource_type, wanted)
        if version.cookie is not None:
            return False
        # It was this traversal's only as long as it was worked on: now it is for the clean-up.
        version.owner = node.claim.node.sequence - 1
        await self._record_end()
        return True

    async def _begin(self, resource_type: PreparesReplacement, what: str) -> None:
        """Write down that the version is not in use any more, before anything is taken from it."""
        node, version = self._node, self._node.version
        version.relation = prepared_relation(version, resource_type)
        version.owner = node.claim.node.sequence
        version.needed = version.requires
        version.before = {}
        reason, node.reason = node.reason, status_texts.preparing(what)
        await self._actions.record_begin(Action.UPDATE, resource_type)
        node.reason = reason

    async def _call(self, resource_type: PreparesReplacement, wanted: Definition) -> None:
        version = self._node.version
        resource = self._actions.resource(resource_type)
        is_same = wanted.type_name == version.type_name
        new = resource_type.convert(wanted.properties) if is_same else None
        result = await self._actions.answer(
            resource_type, lambda: resource_type.prepare_replacement(resource, new)
        )
        if isinstance(result, Gone):
            version.physical_id = None
            result = Done(data=result.data)
        self._actions.apply(Action.UPDATE, result, status_texts.PREPARED)

    async def _record_end(self) -> None:
        """Record that it has come to its end, also for an old traversal. Raises ClaimLost."""
        outcome = self._node.outcome(OutcomeKind.BEGUN)
        outcome.is_fresh = False
        if not await self._node.ports.record(outcome):
            raise ClaimLost
        self._node.note_recorded()
