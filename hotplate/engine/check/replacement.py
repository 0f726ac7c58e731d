"""Whether a version becomes what is wanted in place, and the version that takes its place."""

from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.restrictions import restricted_steps
from hotplate.model import Action, Definition, Status, Version
from hotplate.plan.decide import Decision, Step, decide, decide_anew, restrict
from hotplate.plan.drift import with_live_values
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.resource_type import ResourceType


class Replacement:
    """Decides what an update does to the version of a node, and replaces it."""

    __slots__ = ("_node",)

    def __init__(self, node: CheckedNode) -> None:
        self._node = node

    def decide(self, wanted: Definition, resource_type: ResourceType) -> Decision:
        """Return what is to be done so that the version becomes what is wanted."""
        node, version = self._node, self._node.version
        steps = restricted_steps(node.bound, version.name)
        if node.live.is_gone:
            return restrict(decide_anew(version), steps)
        version = with_live_values(version, node.live.drifted)
        return decide(version, wanted, resource_type, steps, node.claim.is_going_back)

    def is_needed(self, wanted: Definition) -> bool:
        """Tell whether what shall be a nested stack cannot become that in place."""
        version = self._node.version
        is_open_stack = version.is_nested_stack and version.intent is not None
        if version.action is Action.INIT or is_open_stack:
            return version.intent is Action.DELETE
        resource_type = resource_type_for(self._node.tools.catalogue, wanted.type_name)
        return self.decide(wanted, resource_type).step in (Step.REPLACE, Step.REFUSE)

    def replace(self, wanted: Definition) -> None:
        """Go on with a new version in place of the present one."""
        node, old = self._node, self._node.version
        new = Version(
            id=node.claim.node.spare or old.id,
            uuid=node.world.uuid(),
            stack_id=old.stack_id,
            root_id=old.root_id,
            name=old.name,
            type=wanted.type,
            action=Action.INIT,
            status=Status.COMPLETE,
            owner=node.claim.node.sequence,
            recipe=node.claim.stack.recipe,
            created_at=node.world.now(),
            replaces=old.id,
            project=old.project,
        )
        old.replaced_by = new.id
        # Whoever was searching for its object was overtaken; the clean-up searches anew.
        old.cookie = None
        node.claim.version = new
        node.replaced = old
