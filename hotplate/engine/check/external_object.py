"""Nodes whose version is, or becomes, an object of somebody else.

Whatever is done here is one look at the provider and one transaction: the object is used from then
on, or nothing has changed. So there is nothing that a crash could leave in the middle. Only a
return to management acts, and it goes the way of every update.
"""

from collections.abc import Callable
from dataclasses import replace

from hotplate.engine import status_texts
from hotplate.engine.check.actions import FAULTS, NotAtOnce, Restricted, in_words, stay_external
from hotplate.engine.check.nested_stack import Inside
from hotplate.engine.check.outcome import Change, Outcome, OutcomeKind
from hotplate.engine.external_objects import (
    is_verifiable,
    live_properties,
    read_object,
    read_only_resource,
)
from hotplate.engine.object_ownership import ObjectUse
from hotplate.engine.restrictions import restricted_steps
from hotplate.model import Action, Definition, ReasonCode, Relation, Status, Task, Version
from hotplate.plan.decide import (
    Decision,
    Step,
    Transfer,
    decide,
    decide_anew,
    decide_return,
    restrict,
)
from hotplate.resources.resource_type import Done, ObjectMissing, ResourceFailed, ResourceType


class Outside(Inside):
    """Uses objects of somebody else, and lets them go."""

    def _decide(self, wanted: Definition, kind: ResourceType) -> Decision:
        version = self._version
        steps = restricted_steps(self._bound, version.name)
        return decide(version, wanted, kind, steps, self._claim.is_going_back)

    def _may_become_external(self) -> bool:
        """Tell whether the node may have to hand the version over: then no old work goes on."""
        claim = self._claim
        if claim.node.task is not Task.UPDATE or not claim.is_current:
            return False
        definition = self._bound.template.resources.get(claim.node.name)
        if definition is None or definition.external_id is None:
            return False
        if self._known.missing(self._bound.template.graph.requires(claim.node.name)):
            return True  # nobody knows yet; the node is dropped
        return self._bound.template.external_id(claim.node.name, self._known.data) is not None

    def _replace(self, wanted: Definition) -> None:
        """Go on with a new version in place of the present one."""
        old = self._version
        new = Version(
            id=self._claim.node.spare or old.id,
            uuid=self._world.uuid(),
            stack_id=old.stack_id,
            root_id=old.root_id,
            name=old.name,
            type=wanted.type,
            action=Action.INIT,
            status=Status.COMPLETE,
            owner=self._claim.node.sequence,
            recipe=self._claim.stack.recipe,
            created_at=self._world.now(),
            replaces=old.id,
        )
        old.replaced_by = new.id
        # Whoever was looking for its object was overtaken; the clean-up looks anew.
        old.cookie = None
        self._claim.version = new
        self._replaced = old

    def _managing(self, wanted: Definition, object_id: str) -> ObjectUse:
        """Return what an adoption takes into management; if it may not, the resource fails."""
        claim, version = self._claim, replace(self._version)

        def otherwise(text: str) -> Outcome:
            reason = status_texts.failure(version.name, "ResourceFailed", text)
            # Without the id nobody deletes what is somebody else's.
            failed = replace(
                version,
                physical_id=None,
                action=Action.ADOPT,
                status=Status.FAILED,
                reason=reason,
                reason_code=ReasonCode.NONE,
                type=wanted.type,
                definition=wanted,
            )
            return Outcome(
                replace(claim, version=failed),
                OutcomeKind.FAILED,
                [(Action.ADOPT, Status.FAILED, reason)],
                reason=status_texts.resource_failed(Action.ADOPT, [reason]),
                is_fresh=True,
            )

        return ObjectUse(wanted.kind, object_id, False, otherwise)

    async def _use(self, wanted: Definition, needed: list[int]) -> Outcome:
        """Let the version be the object that is wanted, after a look whether that exists."""
        version, kind = self._version, self._kind(wanted.kind)
        decision = self._decide(wanted, kind)
        if decision.step is Step.REFUSE:
            raise Restricted(decision.reason)
        if decision.step is Step.LEAVE:
            return await self._look_again(wanted, needed, kind)
        if self._inline:
            raise NotAtOnce
        is_new = version.action is Action.INIT
        self._wait_at_hook(Action.CREATE if is_new else Action.UPDATE)
        otherwise = self._failure(wanted, needed)
        taking = ObjectUse(
            wanted.kind,
            wanted.external_id,
            True,
            lambda text: otherwise(status_texts.failure(version.name, "ResourceFailed", text)),
            self._bound.template.resources,
        )
        # Also before the look: what we are deleting just now may still be seen.
        fault = await self._checker.held(taking, version, self._claim.stack)
        if fault:
            failure: Outcome = taking.otherwise(fault)
            return failure
        try:
            found = await self._look_at(kind, wanted.external_id)
        except FAULTS as error:
            return otherwise(in_words(version.name, error))
        self._taking = taking
        is_kept = decision.transfer is Transfer.HAND_OVER
        if decision.step is Step.REPLACE:
            self._replace(wanted)
        self._want(wanted, needed)
        self._take(wanted.external_id, found, is_kept)
        verified = status_texts.taken(wanted.external_id, is_verifiable(kind))
        is_made = is_new or decision.step is Step.REPLACE
        self._changes = _adopted(verified) if is_made else _moved(decision.reason, verified)
        self._version.action, self._version.status, self._version.reason = self._changes[-1]
        self._version.reason_code = ReasonCode.NONE
        return self._ended(OutcomeKind.FINISHED)

    def _take(self, object_id: str, found: Done, is_kept: bool) -> None:
        """Note that the version is an object of somebody else; ``is_kept``: as it was ours."""
        version = self._version
        version.relation = Relation.LENT if is_kept else Relation.EXTERNAL
        if not is_kept:
            version.data, version.attributes, version.reference = {}, {}, None
        version.physical_id = object_id
        version.requires = version.needed
        version.cookie = version.intent = None
        version.before = {}
        version.updated_at = self._world.now()
        if found.attributes is not None:
            version.attributes = dict(found.attributes)
        if found.reference is not None:
            version.reference = found.reference

    def _failure(self, wanted: Definition, needed: list[int]) -> Callable[[str], Outcome]:
        """Return what makes the outcome for when the object cannot be used: all stays as it was."""
        claim, before, now = self._claim, replace(self._version), self._world.now()
        was_open = self._was_open

        def outcome(text: str) -> Outcome:
            version = replace(before, updated_at=now, reason=text, status=Status.FAILED)
            version.reason_code = ReasonCode.NONE
            if before.action is Action.INIT:
                version.action, version.relation = Action.CHECK, Relation.EXTERNAL
                version.type, version.definition = wanted.type, wanted
                version.requires = version.needed = needed
                changes: list[Change] = [
                    *_adopted("")[:3],
                    (Action.CHECK, Status.FAILED, text),
                ]
            else:
                changes = [
                    (Action.UPDATE, Status.IN_PROGRESS, status_texts.STATE_CHANGED),
                    (Action.UPDATE, Status.FAILED, text),
                ]
                version = _unchanged(version, before)
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

    async def _look_at(self, kind: ResourceType, object_id: str) -> Done:
        tools, version = self._checker.tools, self._version
        resource = read_only_resource(self._world, self._claim.stack, version, kind, object_id)
        async with self._leased(kind):
            return await read_object(kind, resource, tools.allows_unverified)

    async def _look_again(
        self, wanted: Definition, needed: list[int], kind: ResourceType
    ) -> Outcome:
        """Take in what the object offers now. That it is missing is no concern of an update."""
        version = self._version
        relation, was_failed = version.relation, version.status is Status.FAILED
        was_failed = was_failed and version.action is Action.CHECK
        reason = ""
        try:
            found = await self._look_at(kind, wanted.external_id)
        except FAULTS as error:
            found = Done()
            reason = status_texts.unseen(wanted.external_id, str(error))
        self._confirm(wanted, needed)
        self._take(wanted.external_id, found, is_kept=True)
        version.relation = relation
        if reason:
            version.reason, version.reason_code = reason, ReasonCode.NONE
        if reason and was_failed:
            version.status = Status.FAILED
        return self._ended(OutcomeKind.FINISHED)

    async def _return(
        self, wanted: Definition, needed: list[int], kind: ResourceType
    ) -> Outcome | Decision:
        """Manage the object from now on; or decide to make a new one, for it is gone or unfit.

        Whatever fails, the object stays somebody else's.
        """
        version = self._version
        object_id = version.physical_id or ""
        try:
            await self._look_at(kind, object_id)
            resource = read_only_resource(self._world, self._claim.stack, version, kind, object_id)
            async with self._leased(kind):
                live = await live_properties(kind, resource)
            decision = decide_return(version, wanted, kind, live)
        except ObjectMissing:
            decision = decide_anew(version)
        decision = restrict(decision, restricted_steps(self._bound, version.name))
        if decision.restricted is not None:
            raise Restricted(decision.reason)
        if decision.step is Step.REFUSE:
            raise ResourceFailed(decision.reason)
        if decision.step is Step.REPLACE:
            return decision
        self._wait_at_hook(Action.UPDATE)
        otherwise = self._failure(wanted, needed)
        self._want(wanted, needed)
        version.relation = Relation.RETURNING
        version.before = {}
        self._taking = ObjectUse(
            wanted.kind,
            object_id,
            False,
            lambda text: otherwise(status_texts.failure(version.name, "ResourceFailed", text)),
        )
        await self._begin(Action.UPDATE, kind)
        await self._call(Action.UPDATE, kind)
        return self._resting()

    async def _walk_past(self, action: Action) -> Outcome:
        """Leave an object of somebody else alone; a check looks whether it is still there."""
        version = self._version
        version.needed = version.requires
        version.owner = self._claim.node.sequence
        if action is not Action.CHECK:
            reason = status_texts.untouched(version.physical_id)
            self._changes.append((action, Status.COMPLETE, reason))
            return self._ended(OutcomeKind.FINISHED)
        kind = self._present_kind()
        version.action = action
        if version.physical_id is None:
            raise ResourceFailed("what was to be adopted was never found")
        if not is_verifiable(kind):
            reason = status_texts.not_checked(version.type)
            self._take_in(action, Done(), reason, ReasonCode.NOT_CHECKED)
            return self._ended(OutcomeKind.FINISHED)
        self._start(action)
        found = await self._look_at(kind, version.physical_id)
        self._take_in(action, replace(found, physical_id=None, data=None))
        return self._ended(OutcomeKind.FINISHED)


def _adopted(verified: str) -> list[Change]:
    """Return how the adoption of an object that exists is told."""
    return [
        (Action.ADOPT, Status.IN_PROGRESS, status_texts.STATE_CHANGED),
        (Action.ADOPT, Status.COMPLETE, status_texts.STATE_CHANGED),
        (Action.CHECK, Status.IN_PROGRESS, status_texts.STATE_CHANGED),
        (Action.CHECK, Status.COMPLETE, verified),
    ]


def _moved(reason: str, verified: str) -> list[Change]:
    """Return how it is told that a resource is somebody else's object from now on."""
    return [
        (Action.UPDATE, Status.IN_PROGRESS, reason),
        (Action.CHECK, Status.COMPLETE, verified),
        (Action.UPDATE, Status.COMPLETE, reason),
    ]


def _unchanged(failed: Version, before: Version) -> Version:
    """Return a version that is as it was, but for the update that failed."""
    failed = replace(failed, action=Action.UPDATE, cookie=None)
    if before.is_external:
        failed.intent = None
        if before.relation is Relation.RETURNING:
            stay_external(failed)
        return failed
    if before.intent is not None:
        # It was in the middle of something, of which nobody knows how it went.
        failed.action = before.intent
        if before.intent is not Action.CREATE or before.physical_id is not None:
            failed.intent = None
        return failed
    if before.status is Status.FAILED and before.relation is not Relation.KEPT:
        return before
    return replace(failed, relation=Relation.KEPT)
