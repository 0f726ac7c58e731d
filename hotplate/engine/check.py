"""The check of a node: decide, act, record."""

from hotplate.document import Data, InvalidDocument
from hotplate.engine import words
from hotplate.engine.acting import (
    FAULTS,
    RETAINED,
    WALKED,
    Acting,
    FailedInside,
    Hear,
    Holds,
    Look,
    Lost,
    NotAtOnce,
    Record,
)
from hotplate.engine.claims import Claim
from hotplate.engine.known import Known
from hotplate.engine.nested import (
    DEEPEST,
    ChildRequest,
    child_name,
    kind_for,
    lacks,
    wanted_definition,
)
from hotplate.engine.outcomes import Kind, Outcome
from hotplate.engine.recipes import Bound, Recipe
from hotplate.engine.traversal import ADOPTED, Tools
from hotplate.model import Action, Status, Task, Version
from hotplate.plan.decide import Step, decide, is_suspended
from hotplate.plan.definition import Definition
from hotplate.resources.resource_type import (
    Child,
    Creation,
    Done,
    ResourceFailed,
    ResourceType,
)


class Checker:
    """Brings claimed nodes to their next resting point. Holds no state between calls."""

    def __init__(self, tools: Tools, record: Record, holds: Holds, look: Look, hear: Hear) -> None:
        self.tools = tools
        self.record = record
        self.holds = holds
        self.look = look
        self.hear = hear

    def at_once(self, claim: Claim, bound: Bound, known: Known) -> Outcome | None:
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

    async def check(self, claim: Claim, bound: Bound, known: Known) -> Outcome | None:
        """Decide, act and record; return what was recorded last."""
        outcome = await self._outcome(claim, bound, known, inline=False)
        if outcome is not None and await self.record(outcome):
            return outcome
        return None

    async def _outcome(
        self, claim: Claim, bound: Bound, known: Known, inline: bool
    ) -> Outcome | None:
        run = _Run(self, claim, bound, known, inline)
        try:
            return await run.outcome()
        except (NotAtOnce, Lost):
            return None
        except FAULTS as error:
            return run.failed(error)


class _Run(Acting):
    """One node from its claim to its next resting point."""

    async def outcome(self) -> Outcome:
        """Return what became of the node."""
        version, task = self._version, self._claim.node.task
        if self._is_overtaken_delegation():
            version.cookie = None
        if version.cookie is not None and not self._has_looked:
            await self._go_on()
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
                return Outcome(self._claim, Kind.DROPPED)
            version.cookie = self._delegation()
            await self._hear_of_child()
            return self._resting()
        if version.intent is None or version.status is not Status.IN_PROGRESS:
            version.cookie = None
            return Outcome(self._claim, Kind.FINISHED)
        if self._claim.node.releases:
            return Outcome(self._claim, Kind.DROPPED, is_open=self._was_open)
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
            return Outcome(self._claim, Kind.DROPPED)
        wanted, recipe = wanted_definition(
            self._checker.tools.catalogue, self._bound, name, self._known.data
        )
        needed = [self._known.ids[other] for other in requires]
        if recipe is not None and not self._must_replace(wanted):
            return await self._update_child(wanted, recipe, needed)
        kind = kind_for(self._checker.tools.catalogue, wanted.kind)
        if self._is_unsettled(kind):
            await self._settle_intent()
            if self._version.cookie is not None:
                return self._resting()
        decision = decide(self._version, wanted, kind)
        if decision.step in (Step.LEAVE, Step.UPDATE) and is_suspended(self._version):
            return await self._update_suspended(kind)
        if decision.step is Step.REFUSE:
            raise ResourceFailed(decision.reason)
        if decision.step is Step.LEAVE:
            self._confirm(wanted, needed)
            return self._ended(Kind.FINISHED)
        self._kind(wanted.kind)
        timeout = self._claim.stack.timeout_seconds
        fault = kind.validate(self._converted(kind, wanted.properties), timeout)
        if fault:
            raise ResourceFailed(fault)
        if decision.step is Step.REPLACE:
            self._replace(wanted)
        if recipe is not None:
            return await self._update_child(wanted, recipe, needed)
        action = Action.UPDATE if decision.step is Step.UPDATE else Action.CREATE
        if action is Action.CREATE and self._claim.stack.action is Action.ADOPT:
            action = Action.ADOPT
        self._want(wanted, needed)
        await self._begin(action, kind)
        if action is Action.ADOPT and self._version.physical_id is None:
            raise ResourceFailed("Resource ID was not provided.")
        await self._call(action, kind)
        return self._resting()

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

    def _confirm(self, wanted: Definition, needed: list[int]) -> None:
        """Take the version over as it is; what it requires may have changed all the same."""
        version = self._version
        self._want(wanted, needed)
        version.requires = needed
        if version.status is Status.FAILED:
            version.status = Status.COMPLETE
            version.reason = ""

    def _want(self, wanted: Definition, needed: list[int]) -> None:
        """Note what the version shall be and for whom."""
        version = self._version
        version.before = version.definition.get("properties", {})
        version.owner = self._claim.node.sequence
        version.recipe = self._claim.stack.recipe
        version.type = wanted.type
        version.requires = sorted({*version.requires, *needed})
        version.needed = needed
        version.definition = wanted.as_data()
        version.fingerprint = wanted.fingerprint()
        version.replaced_by = None

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
        self._claim.version = new
        self._replaced = old

    async def _go_on(self) -> None:
        """Go on with what the version was waiting for."""
        version = self._version
        if not self._is_stack:
            await self._do_old_work(version.intent or version.action, self._present_kind())
            return
        is_own = version.owner == self._claim.node.sequence or not self._claim.is_current
        try:
            await self._hear_of_child()
        except FAULTS as error:
            if is_own or self._claim.node.task is Task.CLEANUP:
                raise
            self._note_failure(error)

    async def _clean_up(self) -> Outcome:
        version = self._version
        deleted = version.action is Action.DELETE and version.status is Status.COMPLETE
        if version.owner == self._claim.node.sequence or deleted:
            return self._ended(Kind.FINISHED)
        if version.action is Action.INIT:
            return Outcome(self._claim, Kind.FINISHED, removed=True, is_fresh=True)
        kind = self._present_kind()
        in_doubt = version.physical_id is None and version.intent is Action.CREATE
        if in_doubt and kind.creation is not Creation.NEITHER:
            await self._look(kind)
            if version.cookie is not None:
                return self._resting()
            in_doubt = False
        nothing = version.physical_id is None
        retained = version.definition.get("deletion_policy") in RETAINED
        if self._is_stack and not nothing and not retained:
            return self._delegate(Action.DELETE, ChildRequest(Action.DELETE, None))
        await self._begin(Action.DELETE, kind)
        if nothing or retained:
            reason = words.orphan(version.uuid) if in_doubt else words.STATE_CHANGED
            self._take_in(Action.DELETE, Done(), reason)
        else:
            await self._call(Action.DELETE, kind)
        return self._resting()

    async def _walk(self) -> Outcome:
        """Suspend, resume, check or snapshot the version."""
        action = Action[self._claim.node.task.name]
        kind = self._present_kind()
        if self._is_unsettled(kind):
            await self._settle_intent()
            if self._version.cookie is not None:
                return self._resting()
        if not self._is_walkable():
            return self._ended(Kind.FINISHED)
        self._version.needed = self._version.requires
        self._version.owner = self._claim.node.sequence
        if self._is_stack:
            return self._delegate(action, ChildRequest(action, None))
        if action is Action.CHECK and not kind.can_check:
            self._version.action = action
            self._take_in(action, Done(), words.not_checked(self._version.type))
            return self._ended(Kind.FINISHED)
        await self._begin(action, kind)
        await self._call(action, kind)
        return self._resting()

    def _is_walkable(self) -> bool:
        """Tell whether there is an object in order; what failed before stays failed."""
        version = self._version
        if version.action in (Action.INIT, Action.DELETE):
            return False
        if self._claim.node.task is Task.RESUME and not self._is_stack and _is_awake(version):
            return False
        return version.status is Status.COMPLETE or version.action in WALKED

    def _is_overtaken_delegation(self) -> bool:
        """Tell whether an older node told the stack inside what to do; this one does so anew.

        A walk does not: what is going on inside comes to its end first.
        """
        if self._claim.node.task not in (Task.UPDATE, Task.CLEANUP):
            return False
        cookie = self._version.cookie
        told = self._is_stack and isinstance(cookie, dict) and "node" in cookie
        return told and cookie != self._delegation() and self._claim.is_current

    def _delegation(self) -> dict[str, int]:
        """Return the cookie of a version whose stack inside was told something by this node."""
        return {"node": self._claim.node.id}

    def _must_replace(self, wanted: Definition) -> bool:
        kind = kind_for(self._checker.tools.catalogue, wanted.kind)
        version = self._version
        if version.action is Action.INIT or (self._is_stack and version.intent is not None):
            return version.intent is Action.DELETE
        return decide(version, wanted, kind).step in (Step.REPLACE, Step.REFUSE)

    async def _update_child(self, wanted: Definition, recipe: Recipe, needed: list[int]) -> Outcome:
        """Let the stack inside become what is wanted, unless it is that already."""
        version, stack = self._version, self._claim.stack
        kind = self._kind(wanted.kind)
        unfinished = version.action is Action.INIT or version.intent is not None
        is_left = decide(version, wanted, kind).step is Step.LEAVE and not is_suspended(version)
        if not unfinished and is_left:
            self._confirm(wanted, needed)
            if lacks(version, self._bound.needed.get(version.name, ())):
                await self._take_over_attributes()
            return self._ended(Kind.FINISHED)
        if stack.depth >= DEEPEST:
            raise ResourceFailed(f"stacks are nested deeper than {DEEPEST}")
        is_new = version.action is Action.INIT or version.physical_id is None
        if is_new:
            version.physical_id = version.uuid
        self._want(wanted, needed)
        try:
            self._checker.tools.book.bind(
                version.physical_id,
                child_name(stack, version),
                stack.project,
                recipe,
                wanted.child,
            )
        except InvalidDocument as fault:
            raise ResourceFailed(str(fault)) from None
        if is_new and stack.action is Action.ADOPT:
            adopted, version.data = version.data.get(ADOPTED, {}), {}
            return self._delegate(Action.ADOPT, ChildRequest(Action.ADOPT, recipe, adopted))
        action = Action.CREATE if is_new else Action.UPDATE
        return self._delegate(action, ChildRequest(action, recipe))

    def _delegate(self, action: Action, request: ChildRequest) -> Outcome:
        """Lay the node aside and let the stack inside act; both in one transaction."""
        self._start(action)
        self._version.cookie = self._delegation()
        outcome = self._ended(Kind.DELEGATED)
        outcome.request = request
        return outcome

    async def _hear_of_child(self) -> None:
        """Take in how the stack inside stands."""
        if self._inline:
            raise NotAtOnce
        version = self._version
        news = await self._checker.look(version.physical_id or "")
        if news.is_running:
            return
        self._has_acted = True  # how it ended is recorded, also for an old traversal
        if news.failures:
            raise FailedInside(news.failures)
        action = version.intent or version.action
        if news.child is None or action is Action.DELETE or action in WALKED:
            self._take_in(action, Done())  # what it offers stays as it was
            return
        reference = news.child.outputs.get("OS::stack_id") or news.child.arn
        attributes = self._attributes_of(news.child)
        self._take_in(action, Done(reference=str(reference), attributes=attributes))

    async def _take_over_attributes(self) -> None:
        """Take in what a stack inside offers that nobody asked for until now."""
        if self._inline:
            raise NotAtOnce
        news = await self._checker.look(self._version.physical_id or "")
        if news.child is not None:
            self._version.attributes = self._attributes_of(news.child)

    def _attributes_of(self, child: Child) -> dict[str, Data]:
        version, kind = self._version, self._present_kind()
        properties = kind.convert(version.definition["properties"]) if kind.properties else {}
        asked = self._bound.needed.get(version.name, frozenset())
        return kind.child_attributes(properties, child, asked)


def _is_awake(version: Version) -> bool:
    """Tell whether it is known that nothing has put the object to rest."""
    return version.status is Status.COMPLETE and (
        version.action not in WALKED or version.action is Action.RESUME
    )
