"""Work on a version that was begun earlier: how it stands is found out, and it goes on."""

from hotplate.engine.check.actions import Actions
from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.check.failures import Failures
from hotplate.engine.check.faults import FAULTS, ClaimLost, InDoubt
from hotplate.engine.traversal.overtaken import awaited
from hotplate.engine.version_transitions import SEARCHING, undo_creation
from hotplate.identity import AuthorityLost
from hotplate.model import Action, Status, Task
from hotplate.resources.capabilities import Findable
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.resource_type import Creation, ResourceFailed, ResourceType


class OpenIntent:
    """The intent that a version has when its node is claimed."""

    __slots__ = ("_actions", "_node")

    def __init__(self, node: CheckedNode, actions: Actions) -> None:
        self._node = node
        self._actions = actions

    def must_be_followed_up(self) -> bool:
        """Tell whether it must be found out how earlier work on the version stands.

        Not of what has failed and is replaced for it. That is for the type that the version has
        to say, not for the one that is wanted: the work is that of the former.
        """
        version = self._node.version
        if version.intent is None or version.is_nested_stack or version.is_giving_up:
            return False
        if version.status is not Status.FAILED:
            return True
        try:
            present = resource_type_for(self._node.tools.catalogue, version.type_name)
        except UnknownType:
            return False  # nothing can be found out, and what is wanted now takes its place
        return not present.replace_when_failed

    async def follow_up(self) -> None:
        """Find out what became of work whose worker died, and go on with it.

        Nothing is created blindly twice.
        """
        node, version = self._node, self._node.version
        resource_type = node.present_type()
        node.has_acted = True  # whatever is found out is recorded, also for an old traversal
        if version.intent is Action.CREATE and version.physical_id is None:
            if resource_type.creation is Creation.NEITHER:
                raise InDoubt("a worker died while creating it")
            if resource_type.creation is Creation.FINDABLE:
                await self.search(resource_type)
                if version.cookie is None and version.physical_id is None:
                    undo_creation(version)
                if version.physical_id is None:
                    return
        if version.intent is not None and version.intent is not Action.DELETE:
            await self.go_on(version.intent, resource_type)

    async def search(self, resource_type: ResourceType) -> None:
        """Search for the object of a creation in doubt; too early to tell, wait and search again.

        The grace time, in which a listing may not show the object yet, counts from the first
        search: the worker that died may have made the call at any time before.
        """
        node, version = self._node, self._node.version
        version.cookie = None
        resource = self._actions.resource(resource_type)
        if not isinstance(resource_type, Findable) or not resource_type.may_exist(resource):
            return
        try:
            async with self._actions.leased(resource_type):
                version.physical_id = await resource_type.find(resource)
        except (ClaimLost, AuthorityLost):
            raise
        except Exception as error:
            raise ResourceFailed(str(error), type(error).__name__) from error
        if version.physical_id is None and resource_type.grace_seconds and not node.has_searched:
            node.has_acted = True
            version.cookie = SEARCHING
            node.due = node.world.now() + resource_type.grace_seconds

    async def go_on(self, action: Action, resource_type: ResourceType) -> None:
        """Go on with what was begun earlier.

        If an older traversal began it, its failure is a state of the version and not a failure of
        this node, which decides what comes next.
        """
        version, claim = self._node.version, self._node.claim
        if claim.node.task is Task.CLEANUP:
            is_own = action is Action.DELETE
        else:
            is_own = version.owner == claim.node.sequence
        try:
            await self._actions.call(action, resource_type)
        except FAULTS as error:
            if is_own or not claim.is_current:
                raise
            Failures(self._node).note(error)
        if version.cookie is not None and not is_own and claim.is_current:
            version.reason = awaited(version, claim.stack.action)
