"""Acting on a version: what every check of a node is made of."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Protocol

from hotplate.engine import status_texts
from hotplate.engine.check.claims import Claim
from hotplate.engine.check.hooks import AtHook, hook_after, hook_before
from hotplate.engine.check.lease import LeaseOf
from hotplate.engine.check.listening import Heard
from hotplate.engine.check.outcome import LOOKING, Change, Outcome, OutcomeKind, Stopped
from hotplate.engine.context import Tools
from hotplate.engine.nested_stacks import ChildReport
from hotplate.engine.object_ownership import ObjectUse
from hotplate.engine.published_values import PublishedValues
from hotplate.engine.recipes import Bound
from hotplate.engine.storable import storable_text, unstorable
from hotplate.engine.traversal.overtaken import awaited
from hotplate.engine.wanted_definition import surroundings
from hotplate.engine.world import ServiceMissing
from hotplate.model import Action, ReasonCode, Relation, Stack, Status, Task, Version
from hotplate.resources.acting import act, take_back
from hotplate.resources.capabilities import Findable, Listens, NestedStack, SendsFiles
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import kind_for
from hotplate.resources.lease import under
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
from hotplate.resources.stages import Contents
from hotplate.template import ResolveError

Record = Callable[[Outcome], Awaitable[bool]]
"""Writes an outcome; False if the claim is lost, after which nothing more may be done."""

Look = Callable[[str], Awaitable[ChildReport]]
"""Tells how the stack inside a version stands."""

Hear = Callable[[Version, str], Awaitable[Heard]]
"""Tells what the resource with a reference, which a version listens to, has been told."""

Inspect = Callable[[str], Awaitable[Contents]]
"""Tells what is in the stack inside a version."""

Held = Callable[[ObjectUse, Version, Stack], Awaitable[str]]
"""Tells why a version may not take an object; empty if nobody else holds it."""

WALKED = frozenset((Action.CHECK, Action.SUSPEND, Action.RESUME, Action.SNAPSHOT))
"""Actions that leave a version's definition as it is, also when they fail."""


class NotAtOnce(Exception):
    """The work cannot be done in line. Raised before anything has been changed."""


class Lost(Exception):
    """The claim is somebody else's now."""


class InDoubt(ResourceFailed):
    """A call ended in a way that does not tell whether it had an effect."""


class Restricted(ResourceFailed):
    """The environment forbids what would have to be done. Nothing has been touched."""

    def __init__(self, text: str) -> None:
        super().__init__(text, "ResourceActionRestricted")


class FailedInside(ResourceFailed):
    """Something in the stack that the resource is has failed, or its work was only stopped."""

    def __init__(self, failures: Sequence[str], is_stopped: bool) -> None:
        super().__init__("; ".join(failures))
        self.failures = failures
        self.is_stopped = is_stopped


FAULTS = (ResourceFailed, ResolveError, BadProperty, UnknownType, ServiceMissing)


class Hands(Protocol):
    """What acting needs of whoever checks nodes."""

    tools: Tools
    record: Record
    lease: LeaseOf
    look: Look
    hear: Hear
    inspect: Inspect
    held: Held


class Acting:
    """One claimed node: begins actions on its version, calls its type, takes in what it says."""

    def __init__(
        self, checker: Hands, claim: Claim, bound: Bound, known: PublishedValues, inline: bool
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
        self._properties: tuple[dict[str, Any], dict[str, Any]] | None = None
        self._heard: Heard | None = None
        self._taking: ObjectUse | None = None
        self._because = status_texts.STATE_CHANGED
        self._has_acted = False
        self._has_looked = claim.version.cookie == LOOKING
        self._was_open = claim.version.intent is not None

    @property
    def _version(self) -> Version:
        return self._claim.version

    def failed(self, error: Exception) -> Outcome:
        """Return the outcome of a node whose version cannot be brought along.

        A check goes on all the same: what failed is told when everything has been looked at.
        """
        self._note_failure(error)
        if self._claim.node.task is Task.CHECK:
            return self._ended(OutcomeKind.FINISHED)
        action, _, text = self._changes[-1]
        outcome = self._ended(OutcomeKind.FAILED)
        outcome.reason = status_texts.resource_failed(action, [text])
        outcome.reason_code = self._version.reason_code
        return outcome

    def refused(self, error: Restricted) -> Outcome:
        """Return the outcome of a node that must not do what is wanted.

        The version stays as it is: the next update finds it in order. Its event has the sentence
        alone, as in Heat; the stack's reason has the way to it as well.
        """
        text = in_words(self._version.name, error)
        self._changes.append((Action.UPDATE, Status.FAILED, str(error)))
        outcome = self._ended(OutcomeKind.FAILED)
        outcome.reason = status_texts.resource_failed(Action.UPDATE, [text])
        return outcome

    def paused(self, hook: str) -> Outcome:
        """Return the outcome of a node that waits at a hook."""
        outcome = self._ended(OutcomeKind.PAUSED)
        outcome.hook = hook
        return outcome

    def held(self, outcome: Outcome) -> Outcome:
        """Return the outcome of a node, which may have come to a hook after its last action."""
        claim = outcome.claim
        is_over = (
            outcome.kind is OutcomeKind.FINISHED and claim.is_current and bool(outcome.changes)
        )
        if not is_over or claim.node.task not in (Task.UPDATE, Task.CLEANUP):
            return outcome
        action, status, _ = outcome.changes[-1]
        if action is Action.CHECK:
            action = Action.CREATE  # an adoption ends with a look at the object
        hook = hook_after(self._bound, claim, action) if status is Status.COMPLETE else None
        return outcome if hook is None else replace(outcome, kind=OutcomeKind.PAUSED, hook=hook)

    def _wait_at_hook(self, action: Action) -> None:
        """Raise AtHook if somebody must say first that an action may begin."""
        hook = hook_before(self._bound, self._claim, action)
        if hook is not None:
            raise AtHook(hook)

    def _note_failure(self, error: Exception) -> None:
        version = self._version
        text = in_words(version.name, error)
        action = version.intent or version.action
        if action is Action.INIT:
            action = Action.CREATE
        if self._claim.node.task is Task.UPDATE and self._is_there():
            action = Action.UPDATE  # it failed before it began
        if version.relation is Relation.RETURNING:
            stay_external(version)
        version.action = action
        version.status = Status.FAILED
        version.cookie = None
        version.updated_at = self._world.now()
        if version.intent is Action.CREATE and version.physical_id is None:
            # The intent stays open: there may be an object, and whoever cleans up looks for it.
            if isinstance(error, InDoubt) and self._creation() is Creation.NEITHER:
                text = f"{text}; {status_texts.orphan(version.uuid)}"
                version.intent = None
        else:
            version.intent = None
        version.reason, version.reason_code = text, code_of(error)
        if isinstance(error, ResourceFailed) and error.attributes is not None:
            version.attributes = dict(error.attributes)
        self._changes.append((action, Status.FAILED, text))

    def _is_there(self) -> bool:
        """Tell whether there is an object on which no action has been begun."""
        version = self._version
        is_in_order = version.intent is None and version.status is Status.COMPLETE
        is_made = version.action not in (Action.INIT, Action.DELETE)
        return version.is_external or (is_in_order and is_made)

    def _creation(self) -> Creation:
        version = self._version
        kind_name = version.type_name
        return kind_for(self._checker.tools.catalogue, kind_name).creation

    def _ended(self, kind: OutcomeKind) -> Outcome:
        fresh = not self._has_acted or kind in (OutcomeKind.BEGUN, OutcomeKind.DELEGATED)
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
            heard=self._heard,
            taking=self._taking,
        )

    def _resting(self) -> Outcome:
        asleep = self._version.cookie is not None
        return self._ended(OutcomeKind.PARKED if asleep else OutcomeKind.FINISHED)

    def _kind(self, kind_name: str) -> ResourceType:
        """Return the code of a kind; in line only what never waits may run."""
        kind = kind_for(self._checker.tools.catalogue, kind_name)
        if self._inline and not kind.instant and not isinstance(kind, NestedStack):
            raise NotAtOnce
        return kind

    def _present_kind(self) -> ResourceType:
        """Return the code of the version as it was last applied."""
        version = self._version
        return self._kind(version.type_name)

    async def _begin(self, action: Action, kind: ResourceType, resumed: bool = False) -> None:
        """Write down what is about to be done, before anybody outside is asked.

        ``resumed``: it was begun before, and is brought to its end even in an old traversal.
        """
        self._start(action, resumed)
        if kind.instant:
            return  # nobody outside is asked: the end is recorded together with the beginning
        outcome = self._ended(OutcomeKind.BEGUN)
        outcome.is_fresh = not resumed
        if not await self._checker.record(outcome):
            raise Lost
        self._has_acted = True
        self._was_open = False
        self._changes = []
        self._replaced = None
        self._taking = None

    def _start(self, action: Action, resumed: bool = False) -> None:
        version = self._version
        version.cookie = None
        version.action = action
        version.status = Status.IN_PROGRESS
        version.reason, version.reason_code = self._because, ReasonCode.NONE
        version.intent = action
        version.intent_at = self._world.now()
        version.attempt += 1
        version.updated_at = version.intent_at
        if not resumed:
            self._changes.append((action, Status.IN_PROGRESS, self._because))

    async def _call(self, action: Action, kind: ResourceType) -> None:
        """Call the type's method and take in what it says. What is external is never touched."""
        is_return = self._version.relation is Relation.RETURNING and action is Action.UPDATE
        if self._version.is_external and not is_return:
            self._take_in(action, Done(), status_texts.untouched(self._version.physical_id))
            return
        resource = self._resource(kind)
        listens_to = kind.listens_to(resource.properties) if isinstance(kind, Listens) else ""
        if listens_to:
            self._heard = await self._checker.hear(self._version, listens_to)
            resource.signals, resource.source = self._heard.signals, self._heard.source
            resource.source_name = self._heard.source_name
        self._has_acted = True
        try:
            async with self._leased(kind):
                result = await (
                    take_back(kind, resource) if is_return else act(kind, action, resource)
                )
        except (Lost, ResourceFailed, BadProperty, ServiceMissing):
            raise
        except Exception as error:  # whatever a type raises is a failure of its resource
            raise InDoubt(str(error), type(error).__name__) from error
        if fault := unstorable(result):
            raise InDoubt(fault)
        self._take_in(action, result)

    @asynccontextmanager
    async def _leased(self, kind: ResourceType) -> AsyncIterator[None]:
        """Call a type in here: nobody else can have taken the node. Raises Lost.

        The lease is looked at now, and again by whatever makes the calls to the provider: they may
        wait for a thread or a connection, and the process may be stopped meanwhile.
        """
        if kind.instant:
            yield  # nobody outside is asked
            return
        lease = self._checker.lease(self._claim)
        try:
            await lease.hold()
            with under(lease):
                yield
        except Exception:
            if lease.is_lost:
                raise Lost from None
            raise
        if lease.is_lost:
            raise Lost

    def _take_in(
        self,
        action: Action,
        result: Result,
        reason: str = status_texts.STATE_CHANGED,
        code: ReasonCode = ReasonCode.NONE,
    ) -> None:
        version = self._version
        if result.physical_id is not None:
            version.physical_id = result.physical_id
        if result.data is not None:
            version.data = result.data
        if isinstance(result, Wait):
            version.cookie = result.cookie if result.cookie is not None else {}
            version.reason = result.reason or version.reason
            is_told = result.seconds is None or self._heard is not None
            if is_told and action is not Action.DELETE and not self._claim.is_wanted:
                # It waits for a word from outside, and nobody waits for it.
                raise Stopped(status_texts.aborted(action))
            if result.seconds is not None:
                self._due = self._world.now() + result.seconds
            return
        if version.relation is Relation.RETURNING and action is Action.UPDATE:
            version.relation = Relation.MANAGED
        version.cookie = None
        version.intent = None
        version.status = Status.COMPLETE
        version.reason, version.reason_code = reason, code
        version.updated_at = self._world.now()
        version.requires = version.needed
        version.before = {}
        if result.reference is not None:
            version.reference = result.reference
        if result.attributes is not None:
            version.attributes = dict(result.attributes)
        self._changes.append((action, Status.COMPLETE, reason))

    def _resource(self, kind: ResourceType) -> Resource:
        version, stack = self._version, self._claim.stack
        definition = version.definition
        files: Mapping[str, str] = {}
        environment: Mapping[str, Any] = {}
        if isinstance(kind, SendsFiles) and version.name in self._bound.template.resources:
            files, environment = surroundings(self._bound, version.name, version.type)
        return Resource(
            stack_name=stack.name,
            stack_id=stack.id,
            project=stack.project,
            name=version.name,
            creation_token=version.uuid,
            physical_id=version.physical_id,
            properties=self._converted(kind, definition.properties),
            data=dict(version.data),
            world=self._world,
            metadata=definition.metadata,
            old_properties=kind.convert(version.before) if version.before else {},
            cookie=version.cookie,
            files=files,
            environment=environment,
            is_wanted=self._claim.is_wanted,
        )

    def _converted(self, kind: ResourceType, given: dict[str, Any]) -> dict[str, Any]:
        """Return the values of all properties, for the same ones only once in a row."""
        if self._properties is None or self._properties[0] is not given:
            self._properties = (given, kind.convert(given))
        return self._properties[1]

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
        except FAULTS as error:
            if is_own or not self._claim.is_current:
                raise
            self._note_failure(error)
        if version.cookie is not None and not is_own and self._claim.is_current:
            version.reason = awaited(version, self._claim.stack.action)

    async def _settle_intent(self) -> None:
        """Find out what became of work whose worker died; nothing is created blindly twice."""
        version = self._version
        kind = self._present_kind()
        self._has_acted = True  # whatever is found out is recorded, also for an old traversal
        if version.intent is Action.CREATE and version.physical_id is None:
            if kind.creation is Creation.NEITHER:
                raise InDoubt("a worker died while creating it")
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
        resource = self._resource(kind)
        if not isinstance(kind, Findable) or not kind.may_exist(resource):
            return
        try:
            async with self._leased(kind):
                version.physical_id = await kind.find(resource)
        except Lost:
            raise
        except Exception as error:
            raise ResourceFailed(str(error), type(error).__name__) from error
        if version.physical_id is None and kind.grace_seconds and not self._has_looked:
            self._has_acted = True
            version.cookie = LOOKING
            self._due = self._world.now() + kind.grace_seconds

    @property
    def _is_stack(self) -> bool:
        return self._version.is_nested_stack


def stay_external(version: Version) -> None:
    """Give up managing an object that was somebody else's: it stays that."""
    version.relation = Relation.LENT
    version.definition = replace(
        version.definition, properties={}, update_policy={}, external_id=version.physical_id or ""
    )
    version.fingerprint = ""
    version.before = {}


def code_of(error: Exception) -> ReasonCode:
    """Return the code of the reason of a resource that an error made fail."""
    is_stopped = error.is_stopped if isinstance(error, FailedInside) else isinstance(error, Stopped)
    return ReasonCode.ABORTED if is_stopped else ReasonCode.NONE


def in_words(name: str, error: Exception) -> str:
    """Return the reason of a resource that an error made fail, so that it can be kept."""
    return storable_text(_in_words(name, error))


def _in_words(name: str, error: Exception) -> str:
    if isinstance(error, FailedInside):
        return status_texts.failure_inside(name, error.failures)
    if isinstance(error, BadProperty) and error.path:
        place = ".".join(["Properties", *map(str, error.path)])
        return status_texts.failure(
            name, "StackValidationFailed", f"Property error: {place}: {error}"
        )
    kind = error.error if isinstance(error, ResourceFailed) else type(error).__name__
    return status_texts.failure(name, kind, str(error))
