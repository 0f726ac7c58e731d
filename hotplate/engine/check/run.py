"""The check of a node: decide, act, record."""

import logging

from sqlalchemy.exc import DBAPIError

from hotplate.engine import status_texts
from hotplate.engine.check.actions import (
    FAULTS,
    WALKED,
    Hear,
    Held,
    Inspect,
    Look,
    Lost,
    NotAtOnce,
    Record,
    Restricted,
    stay_external,
)
from hotplate.engine.check.claims import Claim
from hotplate.engine.check.external_object import Outside
from hotplate.engine.check.hooks import AtHook, has_passed_last
from hotplate.engine.check.lease import LeaseOf
from hotplate.engine.check.outcome import Outcome, OutcomeKind, Stopped
from hotplate.engine.context import Tools
from hotplate.engine.nested_stacks import ChildRequest
from hotplate.engine.published_values import PublishedValues
from hotplate.engine.recipes import Bound, Recipe
from hotplate.engine.restrictions import restricted_steps
from hotplate.engine.wanted_definition import wanted_definition
from hotplate.model import Action, Definition, ReasonCode, Relation, Status, Task, Version
from hotplate.plan.decide import (
    RETAINED,
    Decision,
    Step,
    Transfer,
    is_suspended,
    restrict,
)
from hotplate.plan.definition import UNAPPLIED
from hotplate.resources.capabilities import Checkable, ChecksReplacement
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import kind_for
from hotplate.resources.resource_type import Creation, Done, ResourceFailed, ResourceType

_log = logging.getLogger("hotplate.worker")


class Checker:
    """Brings claimed nodes to their next resting point. Holds no state between calls."""

    def __init__(
        self,
        tools: Tools,
        record: Record,
        lease: LeaseOf,
        look: Look,
        hear: Hear,
        inspect: Inspect,
        held: Held,
    ) -> None:
        self.tools = tools
        self.record = record
        self.lease = lease
        self.look = look
        self.hear = hear
        self.inspect = inspect
        self.held = held

    def at_once(self, claim: Claim, bound: Bound, known: PublishedValues) -> Outcome | None:
        """Return the outcome of a node that needs nobody outside, None if it does.

        Runs without waiting, so that many such nodes can be recorded in one transaction.
        """
        coroutine = self._outcome(claim, bound, known, inline=True)
        try:
            coroutine.send(None)
        except StopIteration as end:
            outcome: Outcome | None = end.value
            return outcome
        coroutine.close()
        raise AssertionError(f"{claim.version.type} calls itself instant and waits")

    async def check(self, claim: Claim, bound: Bound, known: PublishedValues) -> Outcome | None:
        """Decide, act and record; return what was recorded last."""
        outcome = await self._outcome(claim, bound, known, inline=False)
        if outcome is not None and await self.record(outcome):
            return outcome
        return None

    async def _outcome(
        self, claim: Claim, bound: Bound, known: PublishedValues, inline: bool
    ) -> Outcome | None:
        run = _Run(self, claim, bound, known, inline)
        try:
            return run.held(await run.outcome())
        except (NotAtOnce, Lost):
            return None
        except AtHook as met:
            return run.paused(met.hook)
        except Restricted as error:
            return run.refused(error)
        except FAULTS as error:
            return run.failed(error)
        except DBAPIError:
            raise
        except Exception as error:
            # A fault in a type or here: tried again it would be the same, again and again.
            _log.exception("nobody foresaw this", extra={"resource": claim.version.name})
            return run.failed(error)


class _Run(Outside):
    """One node from its claim to its next resting point."""

    async def outcome(self) -> Outcome:
        """Return what became of the node."""
        version, task = self._version, self._claim.node.task
        if self._claim.is_current and self._claim.node.hook is not None:
            raise AtHook(self._claim.node.hook)  # woken, but not because the hook was cleared
        if self._claim.is_current and has_passed_last(self._claim):
            return self._ended(OutcomeKind.FINISHED)
        if self._may_become_external():
            return await self._update()
        if self._is_overtaken_delegation():
            version.cookie = None
        if version.cookie is not None and not self._has_looked:
            if (outcome := await self._go_on()) is not None:
                return outcome
            if version.cookie is not None or self._is_this_nodes_work(task):
                return self._resting()
        elif not self._claim.is_current:
            return await self._end_overtaken()
        if task is Task.UPDATE:
            return await self._update()
        if task is Task.CLEANUP:
            return await self._clean_up()
        return await self._walk()

    def _is_this_nodes_work(self, task: Task) -> bool:
        """Tell whether what has just ended is all that was to be done."""
        if not self._claim.is_current:
            return True
        version = self._version
        begun_here = version.owner == self._claim.node.sequence
        if task in (Task.UPDATE, Task.CLEANUP):
            return task is Task.UPDATE and begun_here and version.status is Status.COMPLETE
        return begun_here

    async def _end_overtaken(self) -> Outcome:
        """End a node that nobody needs any more; work that was begun comes to its end all the same.

        Where a newer traversal waits for the version, its node finds out how the work stands.
        """
        version = self._version
        if self._is_stack:
            if self._claim.node.releases or version.status is not Status.IN_PROGRESS:
                return Outcome(self._claim, OutcomeKind.DROPPED)
            version.cookie = self._delegation()
            if self._has_stages():
                version.cookie["policy"] = "unknown"
            await self._hear_of_child()
            return self._resting()
        if version.intent is None or version.status is not Status.IN_PROGRESS:
            version.cookie = None
            return Outcome(self._claim, OutcomeKind.FINISHED)
        if self._claim.node.releases:
            return Outcome(self._claim, OutcomeKind.DROPPED, is_open=self._was_open)
        if version.relation is Relation.RETURNING:
            # Nobody asks for it any more, so it is not taken any further.
            self._has_acted = True
            self._note_failure(Stopped(status_texts.cancelled(version.intent)))
            return self._ended(OutcomeKind.FINISHED)
        intent, kind = version.intent, self._present_kind()
        await self._settle_intent()
        if version.action is Action.INIT:
            await self._begin(intent, kind, resumed=True)
            await self._call(intent, kind)
        elif version.intent is Action.DELETE and version.cookie is None:
            await self._call(intent, kind)
        return self._resting()

    async def _update(self) -> Outcome:
        name = self._claim.node.name
        requires = self._bound.template.graph.requires(name)
        if self._known.missing(requires):
            # They were finished when this node was claimed, so a newer traversal owns them now.
            return Outcome(self._claim, OutcomeKind.DROPPED, is_open=self._was_open)
        wanted, recipe = wanted_definition(
            self._checker.tools.catalogue, self._bound, name, self._known.data
        )
        needed = [self._known.ids[other] for other in requires]
        if wanted.external_id:
            return await self._use(wanted, needed)
        if recipe is not None and not self._must_replace(wanted):
            return await self._update_child(wanted, recipe, needed)
        kind = kind_for(self._checker.tools.catalogue, wanted.kind)
        if self._is_unsettled(kind):
            await self._settle_intent()
            if self._version.cookie is not None:
                return self._resting()
        decision = self._decide(wanted, kind)
        if decision.step in (Step.LEAVE, Step.UPDATE) and is_suspended(self._version):
            return await self._update_suspended(kind)
        if decision.step is Step.REFUSE and not _is_return(decision):
            raise _refusal(decision)
        if decision.step is Step.LEAVE:
            self._confirm(wanted, needed)
            return self._ended(OutcomeKind.FINISHED)
        self._kind(wanted.kind)
        timeout = self._claim.stack.timeout_seconds
        fault = kind.validate(self._converted(kind, wanted.properties), timeout)
        if fault:
            raise ResourceFailed(fault)
        return await self._change(decision, wanted, needed, recipe)

    async def _change(
        self, decision: Decision, wanted: Definition, needed: list[int], recipe: Recipe | None
    ) -> Outcome:
        """Make, update or replace the object."""
        kind = kind_for(self._checker.tools.catalogue, wanted.kind)
        if _is_return(decision):
            found = await self._return(wanted, needed, kind)
            if isinstance(found, Outcome):
                return found
            decision = found
            self._because = decision.reason
        decision = await self._final(decision, wanted, kind)
        if decision.step is Step.REPLACE:
            self._replace(wanted)
        if recipe is not None:
            return await self._update_child(wanted, recipe, needed)
        action = Action.UPDATE if decision.step is Step.UPDATE else Action.CREATE
        if action is Action.CREATE and self._claim.stack.action is Action.ADOPT:
            action = Action.ADOPT
        self._wait_at_hook(action)
        if action is Action.ADOPT and self._version.physical_id is not None:
            self._taking = self._managing(wanted, self._version.physical_id)
        self._want(wanted, needed)
        await self._begin(action, kind)
        if action is Action.ADOPT and self._version.physical_id is None:
            raise ResourceFailed("Resource ID was not provided.")
        await self._call(action, kind)
        return self._resting()

    async def _final(self, decision: Decision, wanted: Definition, kind: ResourceType) -> Decision:
        """Return a decision to which the type and whoever has set a hook have agreed."""
        if decision.step is Step.UPDATE and await self._gives_way(wanted, kind):
            steps = restricted_steps(self._bound, self._version.name)
            decision = restrict(Decision(Step.REPLACE), steps)
        if decision.step is Step.REFUSE:
            raise _refusal(decision)
        if decision.step is Step.REPLACE:
            self._wait_at_hook(Action.UPDATE)
        return decision

    async def _gives_way(self, wanted: Definition, kind: ResourceType) -> bool:
        """Tell whether the type wants a new object instead of the change. Nothing has begun."""
        if not isinstance(kind, ChecksReplacement):
            return False  # most types: their resources need not be put together for it
        resource = self._resource(kind)
        resource.old_properties = resource.properties
        resource.properties = self._converted(kind, wanted.properties)
        try:
            async with self._leased(kind):
                return bool(await kind.must_replace(resource))
        except (Lost, ResourceFailed):
            raise
        except Exception as error:
            raise ResourceFailed(str(error), type(error).__name__) from error

    async def _update_suspended(self, kind: ResourceType) -> Outcome:
        """Resume an object that a failed resume of the stack left at rest, then update it.

        What cannot be resumed has failed, and may have to be replaced.
        """
        self._kind(kind.name)
        await self._begin(Action.RESUME, kind)
        if kind.replace_when_failed:
            await self._do_old_work(Action.RESUME, kind)
        else:
            await self._call(Action.RESUME, kind)
        return self._resting() if self._version.cookie is not None else await self._update()

    def _is_unsettled(self, kind: ResourceType) -> bool:
        """Tell whether it must be found out how earlier work on the version stands."""
        version = self._version
        if version.intent is None or self._is_stack:
            return False
        return version.status is not Status.FAILED or not kind.replace_when_failed

    async def _go_on(self) -> Outcome | None:
        """Go on with what the version was waiting for; return an outcome if it waits anew."""
        version = self._version
        if not self._is_stack:
            await self._do_old_work(version.intent or version.action, self._present_kind())
            return None
        is_own = version.owner == self._claim.node.sequence or not self._claim.is_current
        try:
            return await self._hear_of_child()
        except FAULTS as error:
            if is_own or self._claim.node.task is Task.CLEANUP:
                raise
            self._note_failure(error)
            return None

    async def _clean_up(self) -> Outcome:
        version = self._version
        deleted = version.action is Action.DELETE and version.status is Status.COMPLETE
        if version.owner == self._claim.node.sequence or deleted:
            return self._ended(OutcomeKind.FINISHED)
        if version.action is Action.INIT:
            return Outcome(self._claim, OutcomeKind.FINISHED, removed=True, is_fresh=True)
        if version.intent is not Action.DELETE:
            self._wait_at_hook(Action.DELETE)
        if version.is_external:
            if version.relation is Relation.RETURNING:
                stay_external(version)
            self._start(Action.DELETE)
            self._take_in(Action.DELETE, Done(), status_texts.untouched(version.physical_id))
            return self._ended(OutcomeKind.FINISHED)
        retained = version.definition.deletion_policy in RETAINED
        in_doubt = version.physical_id is None and version.intent is Action.CREATE
        known = self._known_kind() if in_doubt else None
        if known is not None and known.creation is not Creation.NEITHER:
            await self._look(known)
            if version.cookie is not None:
                return self._resting()
            in_doubt = False
        nothing = version.physical_id is None
        if self._is_stack and not nothing and not retained:
            return self._delegate(Action.DELETE, ChildRequest(Action.DELETE, None))
        if nothing or retained:
            # Nobody is asked, whatever the kind: the end is recorded with the beginning.
            self._start(Action.DELETE)
            reason = status_texts.orphan(version.uuid) if in_doubt else status_texts.STATE_CHANGED
            self._take_in(Action.DELETE, Done(), reason)
            return self._ended(OutcomeKind.FINISHED)
        kind = self._present_kind()
        await self._begin(Action.DELETE, kind)
        await self._call(Action.DELETE, kind)
        return self._resting()

    def _known_kind(self) -> ResourceType | None:
        """Return the type of the version, None if nobody knows it: it may never have been known."""
        try:
            return self._present_kind()
        except UnknownType:
            return None

    async def _walk(self) -> Outcome:
        """Suspend, resume, check or snapshot the version."""
        action = Action[self._claim.node.task.name]
        if self._version.is_external and self._version.intent is None:
            is_there = self._version.action not in (Action.INIT, Action.DELETE)
            return await self._walk_past(action) if is_there else self._ended(OutcomeKind.FINISHED)
        kind = self._present_kind()
        if self._is_unsettled(kind):
            await self._settle_intent()
            if self._version.cookie is not None:
                return self._resting()
        if action is Action.CHECK and self._has_failed():
            if self._version.physical_id is None:
                return self._without_object()
            if self._version.relation is not Relation.KEPT and (
                self._is_stack or isinstance(kind, Checkable)
            ):
                self._version.fingerprint = UNAPPLIED
        if not self._is_walkable(kind):
            return self._ended(OutcomeKind.FINISHED)
        self._version.needed = self._version.requires
        self._version.owner = self._claim.node.sequence
        if self._is_stack:
            return self._delegate(action, ChildRequest(action, None))
        if action is Action.CHECK and not isinstance(kind, Checkable):
            self._version.action = action
            reason = status_texts.not_checked(self._version.type)
            self._take_in(action, Done(), reason, ReasonCode.NOT_CHECKED)
            return self._ended(OutcomeKind.FINISHED)
        await self._begin(action, kind)
        await self._call(action, kind)
        return self._resting()

    def _has_failed(self) -> bool:
        """Tell whether there shall be an object, and its creation or its last update failed."""
        version = self._version
        is_wanted = version.action not in (Action.INIT, Action.DELETE)
        return is_wanted and version.status is Status.FAILED and version.action not in WALKED

    def _without_object(self) -> Outcome:
        """Note that a check found no object. Work that may have made one stays open."""
        version = self._version
        version.action = Action.CHECK
        version.owner = self._claim.node.sequence
        version.updated_at = self._world.now()
        self._changes.append((Action.CHECK, Status.FAILED, version.reason))
        return self._ended(OutcomeKind.FINISHED)

    def _is_walkable(self, kind: ResourceType) -> bool:
        """Tell whether there is an object in order; a check looks at what failed before as well."""
        version = self._version
        if version.action in (Action.INIT, Action.DELETE):
            return False
        if self._claim.node.task is Task.RESUME and not self._is_stack and _is_awake(version):
            return False
        if self._claim.node.task is Task.CHECK and (self._is_stack or isinstance(kind, Checkable)):
            return version.physical_id is not None or version.status is Status.COMPLETE
        return version.status is Status.COMPLETE or version.action in WALKED

    def _must_replace(self, wanted: Definition) -> bool:
        kind = kind_for(self._checker.tools.catalogue, wanted.kind)
        version = self._version
        if version.action is Action.INIT or (self._is_stack and version.intent is not None):
            return version.intent is Action.DELETE
        return self._decide(wanted, kind).step in (Step.REPLACE, Step.REFUSE)


def _is_return(decision: Decision) -> bool:
    """Tell whether the object must be looked at before it is certain what happens."""
    return decision.transfer is Transfer.RETURN and decision.restricted is None


def _refusal(decision: Decision) -> ResourceFailed:
    """Return why a resource cannot become what is wanted."""
    if decision.restricted is not None:
        return Restricted(decision.reason)
    return ResourceFailed(decision.reason)


def _is_awake(version: Version) -> bool:
    """Tell whether it is known that nothing has put the object to rest."""
    return version.status is Status.COMPLETE and (
        version.action not in WALKED or version.action is Action.RESUME
    )
