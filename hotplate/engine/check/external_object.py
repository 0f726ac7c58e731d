"""Nodes whose version is, or becomes, an external object.

Whatever is done here is one read from the provider and one transaction: the object is used from
then on, or nothing has changed. So there is nothing that a crash could leave in the middle. Only a
return to management acts, and it goes the way of every update.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hotplate.bounded import TooHeavy, light
from hotplate.engine import status_texts
from hotplate.engine import version_transitions as transitions
from hotplate.engine.check import ownership
from hotplate.engine.check.actions import Actions
from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.check.claims import Outcome
from hotplate.engine.check.faults import FAULTS, Restricted, reason_of, refusal
from hotplate.engine.check.replacement import Replacement
from hotplate.engine.check.wanted import confirm, want
from hotplate.engine.external_objects import (
    is_verifiable,
    live_properties,
    read_object,
    read_only_resource,
)
from hotplate.engine.named_objects import look_up
from hotplate.engine.restrictions import restricted_steps
from hotplate.model import Action, Definition, ReasonCode, Relation, Status, Task
from hotplate.plan.decide import Decision, Step, Transfer, decide_anew, decide_return, restrict
from hotplate.plan.spelling import respelled, spellings
from hotplate.resources.capabilities import TakesNames
from hotplate.resources.resource_type import Done, ObjectMissing, ResourceFailed, ResourceType
from hotplate.template.alike import repeats_another


class ExternalObjectCheck:
    """Uses external objects, and lets them go."""

    __slots__ = ("_actions", "_node", "_replacement")

    def __init__(self, node: CheckedNode, actions: Actions, replacement: Replacement) -> None:
        self._node = node
        self._actions = actions
        self._replacement = replacement

    def may_be_wanted(self) -> bool:
        """Tell whether the node may have to hand the version over: then no old work goes on."""
        claim, bound = self._node.claim, self._node.bound
        if claim.node.task is not Task.UPDATE or not claim.is_current:
            return False
        if repeats_another(bound.template.resources, claim.node.name):
            return False
        definition = bound.template.resources.get(claim.node.name)
        if definition is None or definition.external_id is None:
            return False
        published = self._node.published
        if published.missing(bound.template.explicit_graph.requires(claim.node.name)):
            return True  # it cannot be known yet; the node is dropped
        try:
            with light():
                found = bound.template.external_id(claim.node.name, published.data)
        except TooHeavy:
            return True  # the update evaluates it elsewhere
        return found is not None

    async def use(self, wanted: Definition, needed: list[int]) -> Outcome:
        """Let the version be the object that is wanted, once it is known that this exists."""
        node, version = self._node, self._node.version
        resource_type = node.resource_type(wanted.type_name)
        decision = self._replacement.decide(wanted, resource_type)
        if decision.step is Step.REFUSE:
            raise Restricted(decision.reason)
        if decision.step is Step.LEAVE:
            return await self._refresh(wanted, needed, resource_type)
        node.must_wait()
        is_new = version.action is Action.INIT
        node.wait_at_hook(Action.CREATE if is_new else Action.UPDATE)
        failure = ownership.failed_transfer(node, wanted, needed)
        taking = ownership.to_use(node, wanted, failure)
        # Also before it is read: what is being deleted just now may still be seen.
        fault = await node.ports.refusal_of(taking, version, node.claim.stack)
        if fault:
            refused: Outcome = taking.otherwise(fault)
            return refused
        try:
            found = await self._read(resource_type, wanted.external_id)
        except FAULTS as error:
            return failure(reason_of(version.name, error))
        node.taking = taking
        is_kept = decision.transfer is Transfer.HAND_OVER
        if decision.step is Step.REPLACE:
            self._replacement.replace(wanted)
        want(node, wanted, needed)
        self._take(wanted.external_id, found, is_kept)
        verified = status_texts.taken(wanted.external_id, is_verifiable(resource_type))
        is_made = is_new or decision.step is Step.REPLACE
        node.changes = (
            ownership.events_of_adoption(verified)
            if is_made
            else ownership.events_of_transfer(decision.reason, verified)
        )
        transitions.observe(node.version, *node.changes[-1])
        return node.finished()

    async def give_back(
        self, wanted: Definition, needed: list[int], resource_type: ResourceType
    ) -> Outcome | Decision:
        """Manage the object from now on; or decide to make a new one, for it is missing or unfit.

        Whatever fails, the object stays external.
        """
        node, version = self._node, self._node.version
        object_id = version.physical_id or ""
        try:
            await self._read(resource_type, object_id)
            resource = read_only_resource(
                node.world, node.claim.stack, version, resource_type, object_id
            )
            async with self._actions.leased(resource_type):
                live = await live_properties(resource_type, resource)
            live = await self._respelled(wanted, resource_type, live)
            decision = decide_return(version, wanted, resource_type, live)
        except ObjectMissing:
            decision = decide_anew(version)
        decision = restrict(decision, restricted_steps(node.bound, version.name))
        if decision.step is Step.REFUSE:
            raise refusal(decision)
        if decision.step is Step.REPLACE:
            return decision
        node.wait_at_hook(Action.UPDATE)
        failure = ownership.failed_transfer(node, wanted, needed)
        want(node, wanted, needed)
        version.relation = Relation.RETURNING
        version.before = {}
        node.taking = ownership.to_manage(node, wanted, object_id, failure)
        await self._actions.record_begin(Action.UPDATE, resource_type)
        await self._actions.call(Action.UPDATE, resource_type)
        return node.finished_or_parked()

    async def _respelled(
        self, wanted: Definition, resource_type: ResourceType, live: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return what a provider tells of an object, with names where the template has them."""
        if not isinstance(resource_type, TakesNames):
            return live
        properties = resource_type.convert(wanted.properties)
        changes = decide_return(self._node.version, wanted, resource_type, live).changes
        asked = spellings(resource_type, properties, changes)
        async with self._actions.asking(resource_type):
            found = await look_up(resource_type, self._node.world, asked.all)
        return {**live, **respelled(resource_type, properties, changes, found)}

    async def visit(self, action: Action) -> Outcome:
        """Leave an external object alone; a check reads whether it is still there."""
        node, version = self._node, self._node.version
        version.needed = version.requires
        version.owner = node.claim.node.sequence
        if action is not Action.CHECK:
            node.note_event(action, Status.COMPLETE, status_texts.untouched(version.physical_id))
            return node.finished()
        resource_type = node.present_type()
        if version.physical_id is None:
            transitions.observe(version, action, version.status, version.reason)
            raise ResourceFailed("what was to be adopted was never found")
        if not is_verifiable(resource_type):
            reason = status_texts.not_checked(version.type)
            self._actions.apply(action, Done(), reason, ReasonCode.NOT_CHECKED)
            return node.finished()
        self._actions.mark_begun(action)
        found = await self._read(resource_type, version.physical_id)
        self._actions.apply(action, replace(found, physical_id=None, data=None))
        return node.finished()

    async def _refresh(
        self, wanted: Definition, needed: list[int], resource_type: ResourceType
    ) -> Outcome:
        """Note what the object offers now. That it is missing is no concern of an update."""
        node, version = self._node, self._node.version
        relation, was_failed = version.relation, version.status is Status.FAILED
        was_failed = was_failed and version.action is Action.CHECK
        reason = ""
        try:
            found = await self._read(resource_type, wanted.external_id)
        except FAULTS as error:
            found = Done()
            reason = status_texts.unseen(wanted.external_id, str(error))
        confirm(node, wanted, needed)
        self._take(wanted.external_id, found, is_kept=True)
        version.relation = relation
        if reason:
            status = Status.FAILED if was_failed else version.status
            transitions.observe(version, version.action, status, reason)
        return node.finished()

    async def _read(self, resource_type: ResourceType, object_id: str) -> Done:
        node = self._node
        resource = read_only_resource(
            node.world, node.claim.stack, node.version, resource_type, object_id
        )
        async with self._actions.leased(resource_type):
            return await read_object(resource_type, resource, node.tools.allows_unverified)

    def _take(self, object_id: str, found: Done, is_kept: bool) -> None:
        """Note that the version is an external object; ``is_kept``: it was managed before."""
        version = self._node.version
        version.relation = Relation.LENT if is_kept else Relation.EXTERNAL
        if not is_kept:
            version.data, version.attributes, version.reference = {}, {}, None
        version.physical_id = object_id
        version.requires = version.needed
        transitions.close(version)
        version.cookie = None
        version.before = {}
        version.differences = ()
        version.updated_at = self._node.world.now()
        if found.attributes is not None:
            self._node.offer(found.attributes)
        if found.reference is not None:
            version.reference = found.reference
