"""Whether a version becomes what is wanted in place, and the version that takes its place."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.named_objects import first_fault, look_up, spelled_anew
from hotplate.engine.restrictions import restricted_steps
from hotplate.engine.version_transitions import keep_object
from hotplate.model import Action, Definition, Status, Version
from hotplate.plan.decide import Decision, Step, decide, decide_anew, restrict
from hotplate.plan.drift import with_live_values
from hotplate.plan.spelling import respelled, spellings
from hotplate.resources.capabilities import TakesNames
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.resource_type import ResourceFailed, ResourceType

Asking = Callable[[ResourceType], AbstractAsyncContextManager[None]]
"""Lets a provider be asked inside: `Actions.asking`."""


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

    async def decide_by_objects(
        self, wanted: Definition, resource_type: ResourceType, asking: Asking
    ) -> Decision:
        """Do as `decide`: a name and the id of the same object are no change.

        The version gets the new spelling. Raises ResourceFailed if what is wanted names no
        object, or nobody tells.
        """
        node = self._node
        decision = self.decide(wanted, resource_type)
        if not decision.changes or not isinstance(resource_type, TakesNames):
            return decision
        properties = node.converted(resource_type, wanted.properties)
        asked = spellings(resource_type, properties, decision.changes)
        if not asked.all:
            return decision
        node.must_wait()
        try:
            async with asking(resource_type):
                found = await look_up(resource_type, node.world, asked.all)
            if fault := first_fault(asked.new, found):
                raise ResourceFailed(fault)
        except ResourceFailed:
            keep_object(node.version)
            raise
        spelled = respelled(resource_type, properties, decision.changes, found)
        live = node.live.drifted
        applied = {name: value for name, value in spelled.items() if name not in live}
        node.version.definition = spelled_anew(node.version, resource_type, applied).definition
        node.live = replace(
            node.live, drifted={name: spelled.get(name, value) for name, value in live.items()}
        )
        return self.decide(wanted, resource_type)

    def rules_out_nested_update(self, wanted: Definition) -> bool:
        """Tell whether the version cannot become the nested stack that is wanted.

        Asked of nested stacks only. It is replaced then, or that is refused.
        """
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
