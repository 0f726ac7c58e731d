"""Whether a version becomes what is wanted in place, judged by the objects that values name."""

from dataclasses import replace

from hotplate.engine.check.actions import Actions
from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.check.replacement import Replacement
from hotplate.engine.named_objects import first_fault, look_up, spelled_anew
from hotplate.engine.version_transitions import keep_object
from hotplate.model import Definition
from hotplate.plan.decide import Decision
from hotplate.plan.spelling import respelled, spellings
from hotplate.resources.capabilities import TakesNames
from hotplate.resources.resource_type import ResourceFailed, ResourceType


async def decide_by_objects(
    node: CheckedNode,
    actions: Actions,
    replacement: Replacement,
    wanted: Definition,
    resource_type: ResourceType,
) -> Decision:
    """Do as `Replacement.decide`: a name and the id of the same object are no change.

    The version takes over the new spelling. Raises ResourceFailed if what is wanted names no
    object, or nobody tells.
    """
    decision = replacement.decide(wanted, resource_type)
    if not decision.changes or not isinstance(resource_type, TakesNames):
        return decision
    properties = node.converted(resource_type, wanted.properties)
    asked = spellings(resource_type, properties, decision.changes)
    if not asked.all:
        return decision
    node.must_wait()
    try:
        async with actions.asking(resource_type):
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
    return replacement.decide(wanted, resource_type)
