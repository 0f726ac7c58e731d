"""The check of a node: decide, act, record."""

from collections.abc import Awaitable, Callable, Mapping

from hotplate.document import InvalidDocument
from hotplate.engine import words
from hotplate.engine.claims import Claim
from hotplate.engine.known import Known
from hotplate.engine.nested import (
    DEEPEST,
    ChildNews,
    ChildRequest,
    child_name,
    kind_for,
    wanted_definition,
)
from hotplate.engine.outcomes import Change, Kind, Outcome
from hotplate.engine.recipes import Bound, Recipe
from hotplate.engine.traversal import Tools
from hotplate.engine.world import ServiceMissing
from hotplate.model import Action, Status, Task, Version
from hotplate.plan.decide import Step, decide
from hotplate.plan.definition import Definition
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import (
    Creation,
    Done,
    Resource,
    ResourceFailed,
    ResourceType,
    Result,
    Wait,
)
from hotplate.template import ResolveError

Record = Callable[[Outcome], Awaitable[bool]]
"""Writes an outcome; False if the claim is lost, after which nothing more may be done."""

Holds = Callable[[Claim], Awaitable[bool]]
"""Tells whether a claim is certain to be held for as long as a call to a provider may take."""

Look = Callable[[str], Awaitable[ChildNews]]
"""Tells how the stack inside a version stands."""

_RETAINED = ("Retain", "Snapshot")
_LOOKING = "hotplate is looking for the object"
_METHODS: Mapping[Action, str] = {
    Action.CREATE: "create",
    Action.ADOPT: "adopt",
    Action.UPDATE: "update",
    Action.DELETE: "delete",
    Action.CHECK: "check",
    Action.SUSPEND: "suspend",
    Action.RESUME: "resume",
    Action.SNAPSHOT: "snapshot",
}


WALKED = frozenset((Action.CHECK, Action.SUSPEND, Action.RESUME, Action.SNAPSHOT))
"""Actions that leave a version's definition as it is, also when they fail."""


class _NotAtOnce(Exception):
    """The work cannot be done in line. Raised before anything has been changed."""


class _Lost(Exception):
    """The claim is somebody else's now."""


class _InDoubt(ResourceFailed):
    """A call ended in a way that does not tell whether it had an effect."""


_FAULTS = (ResourceFailed, ResolveError, BadProperty, UnknownType, ServiceMissing)


class Checker:
    """Brings claimed nodes to their next resting point. Holds no state between calls."""

    def __init__(self, tools: Tools, record: Record, holds: Holds, look: Look) -> None:
        self.tools = tools
        self.record = record
        self.holds = holds
        self.look = look

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
        except (_NotAtOnce, _Lost):
            return None
        except _FAULTS as error:
            return run.failed(error)


class _Run:
    """One node from its claim to its next resting point."""

    def __init__(
        self, checker: Checker, claim: Claim, bound: Bound, known: Known, inline: bool
    ) -> None:
        self._checker = checker
        self._claim = claim
        self._bound = bound
        self._known = known
        self._inline = inline
        self._world = checker.tools.world
        self._changes: list[Change] = []
        self._replaced: Version | None = None
        self._due: float | None = None
        self._has_acted = False
        self._has_looked = claim.version.cookie == _LOOKING
        self._was_open = claim.version.intent is not None and not self._is_stack

    @property
    def _version(self) -> Version:
        return self._claim.version

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
        if not self._claim.is_current or task not in (Task.UPDATE, Task.CLEANUP):
            return True
        version = self._version
        begun_here = version.owner == self._claim.node.sequence
        return task is Task.UPDATE and begun_here and version.status is Status.COMPLETE

    async def _end_overtaken(self) -> Outcome:
        """End a node that nobody needs any more; work that was begun comes to its end all the same.

        Where a newer traversal waits for the version, its node finds out how the work stands.
        """
        version = self._version
        if self._claim.node.releases or self._is_stack:
            return Outcome(self._claim, Kind.DROPPED, is_open=self._was_open)
        if version.intent is None or version.status is not Status.IN_PROGRESS:
            version.cookie = None
            return Outcome(self._claim, Kind.FINISHED)
        intent, kind = version.intent, self._present_kind()
        await self._settle_intent()
        if version.action is Action.INIT:
            await self._begin(intent, kind, resumed=True)
            await self._call(intent, kind)
        elif version.intent is Action.DELETE and version.cookie is None:
            await self._call(intent, kind)
        return self._resting()

    def failed(self, error: Exception) -> Outcome:
        """Return the outcome of a node whose version cannot be brought along."""
        self._note_failure(error)
        action, _, text = self._changes[-1]
        outcome = self._ended(Kind.FAILED)
        outcome.reason = words.resource_failed(action, self._version.name, text)
        return outcome

    def _note_failure(self, error: Exception) -> None:
        version = self._version
        text = str(error)
        action = version.intent or version.action
        if action is Action.INIT:
            action = Action.CREATE
        version.action = action
        version.status = Status.FAILED
        version.cookie = None
        version.updated_at = self._world.now()
        if version.intent is Action.CREATE and version.physical_id is None:
            # The intent stays open: there may be an object, and whoever cleans up looks for it.
            if isinstance(error, _InDoubt) and self._creation() is Creation.NEITHER:
                text = f"{text}; {words.orphan(version.uuid)}"
                version.intent = None
        else:
            version.intent = None
        version.reason = text
        self._changes.append((action, Status.FAILED, text))

    def _creation(self) -> Creation:
        version = self._version
        kind_name = version.definition.get("kind", version.type)
        return kind_for(self._checker.tools.catalogue, kind_name).creation

    def _ended(self, kind: Kind) -> Outcome:
        fresh = not self._has_acted or kind in (Kind.BEGUN, Kind.DELEGATED)
        # A replacement that is not recorded yet is unknown to the plan of a newer traversal.
        fresh = fresh or self._replaced is not None
        return Outcome(
            self._claim,
            kind,
            self._changes,
            self._due,
            self._replaced,
            is_fresh=fresh,
            is_open=self._was_open,
        )

    def _resting(self) -> Outcome:
        asleep = self._version.cookie is not None
        return self._ended(Kind.PARKED if asleep else Kind.FINISHED)

    def _kind(self, kind_name: str) -> ResourceType:
        """Return the code of a kind; in line only what never waits may run."""
        kind = kind_for(self._checker.tools.catalogue, kind_name)
        if self._inline and not kind.instant and not kind.nested:
            raise _NotAtOnce
        return kind

    def _present_kind(self) -> ResourceType:
        """Return the code of the version as it was last applied."""
        version = self._version
        return self._kind(version.definition.get("kind", version.type))

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
            return self._update_child(wanted, recipe, needed)
        kind = kind_for(self._checker.tools.catalogue, wanted.kind)
        if self._is_unsettled(kind):
            await self._settle_intent()
            if self._version.cookie is not None:
                return self._resting()
        decision = decide(self._version, wanted, kind)
        if decision.step is Step.REFUSE:
            raise ResourceFailed(decision.reason)
        if decision.step is Step.LEAVE:
            self._confirm(wanted, needed)
            return self._ended(Kind.FINISHED)
        self._kind(wanted.kind)
        timeout = self._claim.stack.timeout_seconds
        fault = kind.validate(kind.convert(wanted.properties), timeout)
        if fault:
            raise ResourceFailed(fault)
        if decision.step is Step.REPLACE:
            self._replace(wanted)
        if recipe is not None:
            return self._update_child(wanted, recipe, needed)
        action = Action.UPDATE if decision.step is Step.UPDATE else Action.CREATE
        if action is Action.CREATE and self._claim.stack.action is Action.ADOPT:
            if self._version.physical_id is None:
                raise ResourceFailed("no physical id was given for it")
            action = Action.ADOPT
        self._want(wanted, needed)
        await self._begin(action, kind)
        await self._call(action, kind)
        return self._resting()

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

    async def _begin(self, action: Action, kind: ResourceType, resumed: bool = False) -> None:
        """Write down what is about to be done, before anybody outside is asked.

        ``resumed``: it was begun before, and is brought to its end even in an old traversal.
        """
        self._start(action, resumed)
        if kind.instant:
            return  # nobody outside is asked: the end is recorded together with the beginning
        outcome = self._ended(Kind.BEGUN)
        outcome.is_fresh = not resumed
        if not await self._checker.record(outcome):
            raise _Lost
        self._has_acted = True
        self._was_open = False
        self._changes = []
        self._replaced = None

    def _start(self, action: Action, resumed: bool = False) -> None:
        version = self._version
        version.cookie = None
        version.action = action
        version.status = Status.IN_PROGRESS
        version.reason = words.STATE_CHANGED
        version.intent = action
        version.intent_at = self._world.now()
        version.attempt += 1
        version.updated_at = version.intent_at
        if not resumed:
            self._changes.append((action, Status.IN_PROGRESS, words.STATE_CHANGED))

    async def _call(self, action: Action, kind: ResourceType) -> None:
        """Call the type's method and take in what it says."""
        resource = self._resource(kind)
        if not kind.instant and not await self._checker.holds(self._claim):
            raise _Lost
        self._has_acted = True
        try:
            result: Result = await getattr(kind, _METHODS[action])(resource)
        except (ResourceFailed, BadProperty, ServiceMissing):
            raise
        except Exception as error:  # whatever a type raises is a failure of its resource
            raise _InDoubt(f"{type(error).__name__}: {error}") from error
        self._take_in(action, result)

    def _take_in(self, action: Action, result: Result, reason: str = words.STATE_CHANGED) -> None:
        version = self._version
        if result.physical_id is not None:
            version.physical_id = result.physical_id
        if isinstance(result, Wait):
            version.cookie = result.cookie if result.cookie is not None else {}
            if result.seconds is not None:
                self._due = self._world.now() + result.seconds
            return
        version.cookie = None
        version.intent = None
        version.status = Status.COMPLETE
        version.reason = reason
        version.updated_at = self._world.now()
        version.requires = version.needed
        version.before = {}
        if result.reference is not None:
            version.reference = result.reference
        if result.attributes is not None:
            version.attributes = dict(result.attributes)
        if result.data is not None:
            version.data = result.data
        self._changes.append((action, Status.COMPLETE, reason))

    def _resource(self, kind: ResourceType) -> Resource:
        version, stack = self._version, self._claim.stack
        definition = version.definition
        return Resource(
            stack_name=stack.name,
            stack_id=stack.id,
            project=stack.project,
            name=version.name,
            mark=version.uuid,
            physical_id=version.physical_id,
            properties=kind.convert(definition.get("properties", {})),
            data=dict(version.data),
            world=self._world,
            metadata=definition.get("metadata", {}),
            old_properties=kind.convert(version.before) if version.before else {},
            cookie=version.cookie,
        )

    async def _go_on(self) -> None:
        """Go on with what the version was waiting for."""
        version = self._version
        if self._is_stack:
            await self._hear_of_child()
            return
        await self._do_old_work(version.intent or version.action, self._present_kind())

    async def _do_old_work(self, action: Action, kind: ResourceType) -> None:
        """Go on with what was begun earlier.

        If an older traversal began it, its failure is a state of the version and not a failure of
        this node, which decides what comes next.
        """
        version, node = self._version, self._claim.node
        if node.task is Task.CLEANUP:
            is_own = action is Action.DELETE
        else:
            is_own = version.owner == node.sequence
        try:
            await self._call(action, kind)
        except _FAULTS as error:
            if is_own or not self._claim.is_current:
                raise
            self._note_failure(error)

    async def _settle_intent(self) -> None:
        """Find out what became of work whose worker died; nothing is created blindly twice."""
        version = self._version
        kind = self._present_kind()
        if version.intent is Action.CREATE and version.physical_id is None:
            if kind.creation is Creation.NEITHER:
                raise _InDoubt("a worker died while creating it")
            if kind.creation is Creation.FINDABLE:
                await self._look(kind)
                if version.cookie is None and version.physical_id is None:
                    version.action = Action.INIT
                    version.status = Status.COMPLETE
                    version.intent = None
                if version.physical_id is None:
                    return
        if version.intent is not None and version.intent is not Action.DELETE:
            await self._do_old_work(version.intent, kind)

    async def _look(self, kind: ResourceType) -> None:
        """Look for the object of a creation in doubt; too early to tell, sleep and look again.

        The time in which a listing may not show the object yet counts from the first look: the
        worker that died may have made the call at any time before.
        """
        version = self._version
        version.cookie = None
        try:
            version.physical_id = await kind.find(self._resource(kind))
        except Exception as error:
            raise ResourceFailed(f"{type(error).__name__}: {error}") from error
        if version.physical_id is None and kind.grace_seconds and not self._has_looked:
            self._has_acted = True
            version.cookie = _LOOKING
            self._due = self._world.now() + kind.grace_seconds

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
        retained = version.definition.get("deletion_policy") in _RETAINED
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
        await self._begin(action, kind)
        await self._call(action, kind)
        return self._resting()

    def _is_walkable(self) -> bool:
        """Tell whether there is an object in order; what failed before stays failed."""
        version = self._version
        if version.action in (Action.INIT, Action.DELETE):
            return False
        return version.status is Status.COMPLETE or version.action in WALKED

    @property
    def _is_stack(self) -> bool:
        return bool(self._version.definition.get("child"))

    def _is_overtaken_delegation(self) -> bool:
        """Tell whether an older node told the stack inside what to do; this one does so anew."""
        cookie = self._version.cookie
        told = self._is_stack and isinstance(cookie, dict) and "node" in cookie
        return told and cookie["node"] != self._claim.node.id and self._claim.is_current

    def _must_replace(self, wanted: Definition) -> bool:
        kind = kind_for(self._checker.tools.catalogue, wanted.kind)
        version = self._version
        if version.action is Action.INIT or (self._is_stack and version.intent is not None):
            return version.intent is Action.DELETE
        return decide(version, wanted, kind).step in (Step.REPLACE, Step.REFUSE)

    def _update_child(self, wanted: Definition, recipe: Recipe, needed: list[int]) -> Outcome:
        """Let the stack inside become what is wanted, unless it is that already."""
        version, stack = self._version, self._claim.stack
        kind = self._kind(wanted.kind)
        unfinished = version.action is Action.INIT or version.intent is not None
        if not unfinished and decide(version, wanted, kind).step is Step.LEAVE:
            self._confirm(wanted, needed)
            return self._ended(Kind.FINISHED)
        if stack.depth >= DEEPEST:
            raise ResourceFailed(f"stacks are nested deeper than {DEEPEST}")
        is_new = version.physical_id is None
        version.physical_id = version.physical_id or version.uuid
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
        action = Action.CREATE if is_new else Action.UPDATE
        return self._delegate(action, ChildRequest(action, recipe))

    def _delegate(self, action: Action, request: ChildRequest) -> Outcome:
        """Lay the node aside and let the stack inside act; both in one transaction."""
        self._start(action)
        self._version.cookie = {"node": self._claim.node.id}
        outcome = self._ended(Kind.DELEGATED)
        outcome.request = request
        return outcome

    async def _hear_of_child(self) -> None:
        """Take in how the stack inside stands."""
        if self._inline:
            raise _NotAtOnce
        version = self._version
        news = await self._checker.look(version.physical_id or "")
        if news.is_running:
            return
        if news.failure:
            raise ResourceFailed(news.failure)
        action = version.intent or version.action
        if news.child is None or action is Action.DELETE:
            self._take_in(action, Done())
            return
        kind = self._present_kind()
        definition = version.definition
        properties = kind.convert(definition["properties"]) if kind.properties else {}
        wanted = self._bound.needed.get(version.name, frozenset())
        attributes = kind.child_attributes(properties, news.child, wanted)
        reference = news.child.outputs.get("OS::stack_id") or news.child.arn
        self._take_in(action, Done(reference=str(reference), attributes=attributes))
