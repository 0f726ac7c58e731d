"""The check of one node: what it has to do to its version, from its claim to its next rest."""

import logging

from sqlalchemy.exc import DBAPIError

from hotplate.bounded import Heavy, TooHeavy
from hotplate.engine import status_texts
from hotplate.engine.authority import actor_of
from hotplate.engine.check import ownership
from hotplate.engine.check.actions import Actions
from hotplate.engine.check.checked_node import CheckedNode, Ports
from hotplate.engine.check.claims import Claim, Outcome, OutcomeKind
from hotplate.engine.check.drift import read_live_object
from hotplate.engine.check.external_object import ExternalObjectCheck
from hotplate.engine.check.failures import Failures
from hotplate.engine.check.faults import FAULTS, ClaimLost, NotAtOnce, Restricted, Stopped, refusal
from hotplate.engine.check.hooks import AtHook, has_passed_last, paused_after
from hotplate.engine.check.nested_stack import NestedStackCheck
from hotplate.engine.check.open_intent import OpenIntent
from hotplate.engine.check.preparation import Preparation
from hotplate.engine.check.replacement import Replacement
from hotplate.engine.check.visit import Visit
from hotplate.engine.check.wanted import confirm, want, wanted_by_template
from hotplate.engine.context import Tools
from hotplate.engine.nested_stacks import ChildRequest
from hotplate.engine.published_values import PublishedValues
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound
from hotplate.engine.restrictions import restricted_steps
from hotplate.engine.version_transitions import is_deleted, keep_object, stay_external
from hotplate.identity import authority_lost
from hotplate.model import Action, Definition, Relation, Status, Task
from hotplate.plan.decide import (
    RETAINED,
    SNAPSHOT,
    Decision,
    Step,
    Transfer,
    is_suspended,
    replace_instead,
)
from hotplate.plan.drift import converges
from hotplate.resources.capabilities import SnapshotsAtDeletion
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.resource_type import Creation, Done, ResourceFailed, ResourceType
from hotplate.secret import note_secrets, noting_secrets

_log = logging.getLogger("hotplate.worker")


class Run:
    """One node from its claim to its next resting point."""

    __slots__ = (
        "_actions",
        "_external",
        "_intent",
        "_nested",
        "_node",
        "_preparation",
        "_replacement",
    )

    def __init__(self, node: CheckedNode) -> None:
        self._node = node
        self._actions = Actions(node)
        self._intent = OpenIntent(node, self._actions)
        self._preparation = Preparation(node, self._actions, self._intent.search)
        self._replacement = Replacement(node)
        self._nested = NestedStackCheck(node, self._actions)
        self._external = ExternalObjectCheck(node, self._actions, self._replacement)

    async def outcome(self) -> Outcome:
        """Return what became of the node."""
        node, claim = self._node, self._node.claim
        if claim.is_current and claim.node.hook is not None:
            raise AtHook(claim.node.hook)  # woken, but not because the hook was cleared
        if claim.is_current and has_passed_last(claim):
            return node.finished()
        if self._preparation.is_overtaken():
            self._preparation.abandon()
            if not claim.is_current:
                return node.finished()
        if self._external.may_be_wanted():
            return await self._update()
        if (outcome := await self._earlier_work()) is not None:
            return outcome
        match claim.node.task:
            case Task.UPDATE:
                return await self._update()
            case Task.CLEANUP:
                return await self._clean_up()
            case Task.PREPARE:
                return await self._give_way()
        return await self._visit()

    async def _earlier_work(self) -> Outcome | None:
        """Go on with what an earlier claim began; None if the node can do what it is for."""
        node, version = self._node, self._node.version
        if self._nested.is_overtaken():
            version.cookie = None
        if version.cookie is not None and not node.has_searched and not version.is_giving_up:
            if (outcome := await self._go_on()) is not None:
                return outcome
            is_over = version.cookie is not None or self._is_done(node.claim.node.task)
            return node.finished_or_parked() if is_over else None
        return None if node.claim.is_current else await self._end_overtaken()

    async def _update(self) -> Outcome:
        """Let the version become what the template wants."""
        node, name = self._node, self._node.claim.node.name
        template = node.bound.template
        if node.published.missing(template.explicit_graph.requires(name)):
            # They were finished when this node was claimed, so a newer traversal owns them now.
            return node.dropped()
        wanted, recipe = await wanted_by_template(node)
        node.wanted = wanted
        # A traversal may have begun when the types did not know of an implicit dependency yet.
        ids = node.published.ids
        needed = [ids[other] for other in template.graph.requires(name) if other in ids]
        if wanted.external_id:
            return await self._external.use(wanted, needed)
        if recipe is not None and not self._replacement.rules_out_nested_update(wanted):
            return await self._nested.update(wanted, recipe, needed)
        resource_type = resource_type_for(node.tools.catalogue, wanted.type_name)
        if self._intent.must_be_followed_up():
            await self._intent.follow_up()
            if node.version.cookie is not None:
                return node.finished_or_parked()
        await self._compare(wanted, resource_type)
        decision = await self._replacement.decide_by_objects(
            wanted, resource_type, self._actions.asking
        )
        if decision.step in (Step.LEAVE, Step.UPDATE) and is_suspended(node.version):
            return await self._update_suspended(resource_type)
        if decision.step is Step.REFUSE and not _is_return(decision):
            if decision.restricted is None:
                keep_object(node.version)
            raise refusal(decision)
        if decision.step is Step.LEAVE:
            confirm(node, wanted, needed)
            return node.finished()
        node.resource_type(wanted.type_name)
        timeout = node.claim.stack.timeout_seconds
        fault = resource_type.validate(node.converted(resource_type, wanted.properties), timeout)
        if fault:
            raise ResourceFailed(fault)
        return await self._change(decision, wanted, needed, recipe)

    async def _compare(self, wanted: Definition, resource_type: ResourceType) -> None:
        """Read what the object is like, if the update converges."""
        node = self._node
        if not node.claim.stack.converges or not converges(node.version, wanted, resource_type):
            return
        node.must_wait()
        resource = self._actions.resource(resource_type)
        async with self._actions.leased(resource_type):
            properties = node.converted(resource_type, wanted.properties)
            node.live = await read_live_object(resource_type, resource, properties)
        if not node.live.fault:
            node.version.differences = ()

    async def _change(
        self, decision: Decision, wanted: Definition, needed: list[int], recipe: Recipe | None
    ) -> Outcome:
        """Create, update or replace the object."""
        node = self._node
        resource_type = resource_type_for(node.tools.catalogue, wanted.type_name)
        if _is_return(decision):
            found = await self._external.give_back(wanted, needed, resource_type)
            if isinstance(found, Outcome):
                return found
            decision = found
            node.reason = decision.reason
        decision = await self._agreed(decision, wanted, resource_type)
        if decision.step is Step.REPLACE:
            if not await self._preparation.is_complete(wanted):
                return node.finished_or_parked()
            self._replacement.replace(wanted)
        if recipe is not None:
            return await self._nested.update(wanted, recipe, needed)
        action = Action.UPDATE if decision.step is Step.UPDATE else Action.CREATE
        if action is Action.CREATE and node.claim.stack.action is Action.ADOPT:
            action = Action.ADOPT
        node.wait_at_hook(action)
        object_id = node.version.physical_id
        if action is Action.ADOPT and object_id is not None:
            node.taking = ownership.to_adopt(node, wanted, object_id)
        want(node, wanted, needed)
        if decision.restores:
            node.version.relation = Relation.RESTORING
            node.reason = decision.reason
        await self._actions.record_begin(action, resource_type)
        if action is Action.ADOPT and object_id is None:
            raise ResourceFailed("Resource ID was not provided.")
        await self._actions.call(action, resource_type)
        return node.finished_or_parked()

    async def _clean_up(self) -> Outcome:
        """Delete the version unless the traversal owns it."""
        node, version = self._node, self._node.version
        if version.owner == node.claim.node.sequence or is_deleted(version):
            return node.finished()
        if version.action is Action.INIT:
            return Outcome(node.claim, OutcomeKind.FINISHED, removed=True, is_fresh=True)
        if version.intent is not Action.DELETE:
            node.wait_at_hook(Action.DELETE)
        if version.is_external:
            if version.relation is Relation.RETURNING:
                stay_external(version)
            return self._delete_nothing(status_texts.untouched(version.physical_id))
        retained = self._is_retained()
        in_doubt = version.may_have_unknown_object
        known = self._known_type() if in_doubt else None
        if known is not None and known.creation is not Creation.NEITHER:
            await self._intent.search(known)
            if version.cookie is not None:
                return node.finished_or_parked()
            in_doubt = False
        nothing = version.physical_id is None
        if version.is_nested_stack and not nothing and not retained:
            return self._nested.delegate(Action.DELETE, ChildRequest(Action.DELETE, None))
        if nothing or retained:
            reason = status_texts.orphan(version.uuid) if in_doubt else status_texts.STATE_CHANGED
            return self._delete_nothing(reason)
        resource_type = node.present_type()
        await self._actions.record_begin(Action.DELETE, resource_type)
        await self._actions.call(Action.DELETE, resource_type)
        return node.finished_or_parked()

    def _is_retained(self) -> bool:
        """Tell whether the object stays: by its policy, or because no snapshot can be taken."""
        policy = self._node.version.definition.deletion_policy
        if policy == SNAPSHOT:
            return not isinstance(self._known_type(), SnapshotsAtDeletion)
        return policy in RETAINED

    async def _give_way(self) -> Outcome:
        """Let the version give up what the one needs that the traversal goes on with.

        If it cannot be said what that shall be, its own node fails for it.
        """
        node, name = self._node, self._node.claim.node.name
        if node.published.missing(node.bound.template.explicit_graph.requires(name)):
            return node.dropped()
        try:
            wanted, _ = await wanted_by_template(node)
        except FAULTS:
            return node.finished()
        if not wanted.external_id and not await self._preparation.is_complete(wanted):
            return node.finished_or_parked()
        return node.finished()

    async def _visit(self) -> Outcome:
        """Suspend, resume, check or snapshot the version."""
        node, version = self._node, self._node.version
        action = Action[node.claim.node.task.name]
        if version.is_external and version.intent is None:
            is_there = version.action not in (Action.INIT, Action.DELETE)
            return await self._external.visit(action) if is_there else node.finished()
        resource_type = node.present_type()
        if self._intent.must_be_followed_up():
            await self._intent.follow_up()
            if version.cookie is not None:
                return node.finished_or_parked()
        visit = Visit(node, self._actions)
        if not visit.is_possible(action, resource_type):
            return node.finished()
        if version.is_nested_stack:
            return self._nested.delegate(action, ChildRequest(action, None))
        return await visit.outcome(action, resource_type)

    async def _end_overtaken(self) -> Outcome:
        """End a node of an older traversal; work that was begun comes to its end all the same.

        Where a newer traversal waits for the version, its node finds out how the work stands.
        """
        node, version = self._node, self._node.version
        if version.is_nested_stack:
            return await self._nested.end_overtaken()
        if version.intent is None or version.status is not Status.IN_PROGRESS:
            version.cookie = None
            return Outcome(node.claim, OutcomeKind.FINISHED)
        if node.claim.node.releases:
            return node.dropped()
        if version.relation is Relation.RETURNING:
            # No traversal asks for it any more, so it is not taken any further.
            node.has_acted = True
            Failures(node).note(Stopped(status_texts.cancelled(version.intent)))
            return node.finished()
        intent, resource_type = version.intent, node.present_type()
        await self._intent.follow_up()
        if version.action is Action.INIT:
            await self._actions.record_begin(intent, resource_type, resumed=True)
            await self._actions.call(intent, resource_type)
        elif version.intent is Action.DELETE and version.cookie is None:
            await self._actions.call(intent, resource_type)
        return node.finished_or_parked()

    async def _go_on(self) -> Outcome | None:
        """Go on with what the version was waiting for; return an outcome if it waits anew."""
        node, version = self._node, self._node.version
        if not version.is_nested_stack:
            await self._intent.go_on(version.intent or version.action, node.present_type())
            return None
        is_own = version.owner == node.claim.node.sequence or not node.claim.is_current
        try:
            return await self._nested.take_report()
        except FAULTS as error:
            if is_own or node.claim.node.task is Task.CLEANUP:
                raise
            Failures(node).note(error)
            return None

    def _is_done(self, task: Task) -> bool:
        """Tell whether what has just ended is all that was to be done."""
        version, claim = self._node.version, self._node.claim
        if not claim.is_current:
            return True
        begun_here = version.owner == claim.node.sequence
        if task in (Task.UPDATE, Task.CLEANUP):
            return task is Task.UPDATE and begun_here and version.status is Status.COMPLETE
        return begun_here

    async def _agreed(
        self, decision: Decision, wanted: Definition, resource_type: ResourceType
    ) -> Decision:
        """Return a decision to which the type has agreed, and whoever has set a hook."""
        node = self._node
        if decision.step is Step.UPDATE:
            reason = await self._actions.reason_to_replace(wanted, resource_type)
            if reason:
                steps = restricted_steps(node.bound, node.version.name)
                decision = replace_instead(decision, reason, steps)
        if decision.step is Step.REFUSE:
            raise refusal(decision)
        if decision.step is Step.REPLACE:
            node.wait_at_hook(Action.UPDATE)
        return decision

    async def _update_suspended(self, resource_type: ResourceType) -> Outcome:
        """Resume an object that a failed resume of the stack left suspended, then update it.

        What cannot be resumed has failed, and may have to be replaced.
        """
        self._node.resource_type(resource_type.name)
        await self._actions.record_begin(Action.RESUME, resource_type)
        if resource_type.replace_when_failed:
            await self._intent.go_on(Action.RESUME, resource_type)
        else:
            await self._actions.call(Action.RESUME, resource_type)
        if self._node.version.cookie is not None:
            return self._node.finished_or_parked()
        return await self._update()

    def _delete_nothing(self, reason: str) -> Outcome:
        """Delete a version whose object stays or never was: no provider is called.

        Whatever the type, the end is recorded with the beginning.
        """
        self._actions.mark_begun(Action.DELETE)
        self._actions.apply(Action.DELETE, Done(), reason)
        return self._node.finished()

    def _known_type(self) -> ResourceType | None:
        """Return the type of the version, None if it is unknown: it may never have been known."""
        try:
            return self._node.present_type()
        except UnknownType:
            return None


def _is_return(decision: Decision) -> bool:
    """Tell whether the object must be read before it is certain what happens."""
    return decision.transfer is Transfer.RETURN and decision.restricted is None


class Checker:
    """Checks nodes, any number at the same time. Holds no state between calls."""

    def __init__(self, tools: Tools, ports: Ports) -> None:
        self._tools = tools
        self._ports = ports

    def at_once(self, claim: Claim, bound: Bound, published: PublishedValues) -> Outcome | None:
        """Return the outcome of a node that calls no provider, None if it does.

        Runs without waiting, so that many such nodes can be recorded in one transaction.
        """
        coroutine = self._outcome(claim, bound, published, is_inline=True)
        try:
            coroutine.send(None)
        except StopIteration as end:
            outcome: Outcome | None = end.value
            return outcome
        coroutine.close()
        raise AssertionError(f"{claim.version.type} calls itself instant and waits")

    async def check(self, claim: Claim, bound: Bound, published: PublishedValues) -> Outcome | None:
        """Decide, act and record; return what was recorded last."""
        outcome = await self._outcome(claim, bound, published, is_inline=False)
        if outcome is not None and await self._ports.record(outcome):
            return outcome
        return None

    async def _outcome(
        self, claim: Claim, bound: Bound, published: PublishedValues, is_inline: bool
    ) -> Outcome | None:
        tools = self._tools.acting_for(actor_of(claim.stack, claim.node.task))
        node = CheckedNode(tools, self._ports, claim, bound, published, is_inline)
        try:
            return paused_after(bound, await Run(node).outcome())
        except (NotAtOnce, ClaimLost):
            return None
        except (TooHeavy, Heavy):
            if is_inline:
                return None  # not in a transaction, for which others wait
            raise
        except AtHook as met:
            outcome = node.outcome(OutcomeKind.PAUSED)
            outcome.hook = met.hook
            return outcome
        except DBAPIError:
            raise
        except Exception as error:
            return self._end(node, error)

    def _end(self, node: CheckedNode, error: Exception) -> Outcome:
        """Return the outcome of a node whose check was ended by an error."""
        if (lost := authority_lost(error)) is not None:
            return Failures(node).waiting(lost)
        if isinstance(error, Restricted):
            return Failures(node).refused(error)
        if isinstance(error, FAULTS):
            return Failures(node).outcome(error)
        # A fault in a type or here: tried again it would be the same, again and again.
        claim = node.claim
        with noting_secrets():
            note_secrets(lambda: node.secrets)
            _log.error(
                "unexpected error in the check of a node",
                exc_info=error,
                extra={
                    "stack": claim.stack.id,
                    "traversal": claim.stack.traversal,
                    "resource": claim.version.name,
                },
            )
        return Failures(node).outcome(error)
