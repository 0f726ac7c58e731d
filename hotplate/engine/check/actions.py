"""Acting on a version: an action begins, its type is called, and the result is applied."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from hotplate.document import same
from hotplate.engine import status_texts
from hotplate.engine import version_transitions as transitions
from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.check.claims import OutcomeKind
from hotplate.engine.check.drift import note_differences
from hotplate.engine.check.faults import ClaimLost, InDoubt, Stopped
from hotplate.engine.storable import unstorable
from hotplate.engine.wanted_definition import surroundings
from hotplate.engine.world import ServiceMissing
from hotplate.identity import AuthorityLost, authority_lost
from hotplate.model import Action, Definition, ReasonCode, Relation, Status
from hotplate.plan.decide import keeps_snapshot
from hotplate.resources.acting import act, restore, take_back
from hotplate.resources.capabilities import ChecksReplacement, Listens, SendsFiles
from hotplate.resources.lease import under
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import (
    Done,
    Gone,
    Resource,
    ResourceFailed,
    ResourceType,
    Result,
    Wait,
)
from hotplate.secret import plain

_Answer = TypeVar("_Answer", bound=Result | Gone)

VISIT_ACTIONS: Final = frozenset((Action.CHECK, Action.SUSPEND, Action.RESUME, Action.SNAPSHOT))
"""Actions that leave a version's definition as it is, also when they fail."""

_ON_THE_WAY: Final = (Relation.RETURNING, Relation.RESTORING)
"""Relations of objects that are managed as soon as their update is complete."""


class Actions:
    """Brings the version of a node through one action: begin, call, apply the result."""

    __slots__ = ("_node",)

    def __init__(self, node: CheckedNode) -> None:
        self._node = node

    async def record_begin(
        self, action: Action, resource_type: ResourceType, resumed: bool = False
    ) -> None:
        """Write down what is about to be done, before a provider is called. Raises ClaimLost.

        Of an instant type nothing is written yet: no provider is called, so the end is recorded
        together with the beginning. ``resumed``: it was begun before, and is brought to its end
        even in an old traversal.
        """
        self.mark_begun(action, resumed)
        if resource_type.instant:
            return
        outcome = self._node.outcome(OutcomeKind.BEGUN)
        outcome.is_fresh = not resumed
        if not await self._node.ports.record(outcome):
            raise ClaimLost
        self._node.note_recorded()

    def mark_begun(self, action: Action, resumed: bool = False) -> None:
        """Let an action begin; its beginning is recorded with whatever is recorded next."""
        node, version = self._node, self._node.version
        transitions.begin(version, action, node.reason, node.world.now())
        version.attempt += 1
        if not resumed:
            node.note_event(action, Status.IN_PROGRESS, node.reason)

    async def call(self, action: Action, resource_type: ResourceType) -> None:
        """Call the type's method and apply its result. What is external is never touched."""
        node, version = self._node, self._node.version
        is_return = version.relation is Relation.RETURNING and action is Action.UPDATE
        if version.is_external and not is_return:
            self.apply(action, Done(), status_texts.untouched(version.physical_id))
            return
        resource = self.resource(resource_type)
        listens_to = (
            resource_type.listens_to(resource.properties)
            if isinstance(resource_type, Listens)
            else ""
        )
        if listens_to:
            node.received = await node.ports.signals_to(version, listens_to)
            resource.signals, resource.source = node.received.signals, node.received.source
            resource.source_name = node.received.source_name
        if version.relation is Relation.RESTORING and action is Action.UPDATE:
            if not await self._restore(resource_type, resource):
                return
            resource = self.resource(resource_type)
        reason = status_texts.STATE_CHANGED

        async def acted() -> Result:
            nonlocal reason
            if is_return:
                return await take_back(resource_type, resource)
            result = await act(resource_type, action, resource)
            if action is Action.CHECK and isinstance(result, Done):
                reason = await note_differences(version, node.bound, resource_type, resource)
            return result

        result = await self.answer(resource_type, acted)
        self.apply(action, result, reason)

    async def answer(
        self, resource_type: ResourceType, call: Callable[[], Awaitable[_Answer]]
    ) -> _Answer:
        """Call a type under the lease; return what it says. What it raises is a failure."""
        self._node.has_acted = True
        try:
            if resource_type.instant:
                result = await call()  # no provider is called
            else:
                async with self.leased(resource_type):
                    result = await call()
        except (ClaimLost, AuthorityLost, ResourceFailed, BadProperty, ServiceMissing):
            raise
        except Exception as error:  # whatever a type raises is a failure of its resource
            raise InDoubt(str(error), type(error).__name__) from error
        if fault := unstorable(result):
            raise InDoubt(fault)
        return result

    async def _restore(self, resource_type: ResourceType, resource: Resource) -> bool:
        """Bring back what was prepared for its replacement; tell whether an update must follow."""
        version = self._node.version
        result = await self.answer(resource_type, lambda: restore(resource_type, resource))
        if isinstance(result, Gone):
            # That is recorded first: from now on there may be an object whose id is unknown.
            version.physical_id = None
            result = Wait(None, 0, data=result.data)
        is_as_wanted = same(version.before, version.definition.properties)
        if isinstance(result, Wait) or is_as_wanted:
            self.apply(Action.UPDATE, result)
            return False
        self._keep(result)
        version.relation = Relation.MANAGED
        version.cookie = None
        return True

    def apply(
        self,
        action: Action,
        result: Result,
        reason: str = status_texts.STATE_CHANGED,
        code: ReasonCode = ReasonCode.NONE,
    ) -> None:
        """Apply to the version what its type has answered: the action has ended, or waits."""
        node, version = self._node, self._node.version
        self._keep(result)
        if isinstance(result, Wait):
            self._wait(action, result)
            if result.is_gone:
                self._forget_object(action, result)
            return
        if version.relation in _ON_THE_WAY and action is Action.UPDATE:
            version.relation = Relation.MANAGED
        transitions.complete(version, action, reason, code, node.world.now())
        version.requires = version.needed
        version.before = {}
        if action not in VISIT_ACTIONS:
            version.differences = ()
        node.note_event(action, Status.COMPLETE, reason)

    def _keep(self, result: Result) -> None:
        """Note on the version what its type has told of the object."""
        version = self._node.version
        if result.physical_id is not None:
            version.physical_id = result.physical_id
        if result.data is not None:
            version.data = result.data
        if isinstance(result, Wait):
            return
        if result.reference is not None:
            version.reference = plain(result.reference)
        if result.attributes is not None:
            self._node.offer(result.attributes)

    def _wait(self, action: Action, result: Wait) -> None:
        node, version = self._node, self._node.version
        version.cookie = result.cookie if result.cookie is not None else {}
        version.reason = result.reason or version.reason
        is_woken = result.seconds is None or node.received is not None
        if is_woken and action is not Action.DELETE and not node.claim.is_wanted:
            # It waits until something from outside wakes it, and nothing needs its result.
            raise Stopped(status_texts.aborted(action))
        if result.seconds is not None:
            node.due = node.world.now() + result.seconds

    def _forget_object(self, action: Action, result: Wait) -> None:
        """Note that the object has failed and is deleted.

        That is recorded before another one is made. A creation is then one in doubt: a search
        comes before it, as before any that may have been begun.
        """
        node, version = self._node, self._node.version
        version.physical_id = None
        if action is Action.CREATE:
            version.cookie = transitions.SEARCHING
        node.note_event(action, Status.IN_PROGRESS, result.reason or status_texts.MADE_ANEW)

    async def reason_to_replace(self, wanted: Definition, resource_type: ResourceType) -> str:
        """Return why the type wants a new object instead of an update. Nothing has begun."""
        if not isinstance(resource_type, ChecksReplacement):
            return ""  # most types: their resources need not be put together for it
        resource = self.resource(resource_type)
        resource.old_properties = {**resource.properties, **self._node.live.drifted}
        resource.properties = self._node.converted(resource_type, wanted.properties)
        async with self.asking(resource_type):
            return await resource_type.must_replace(resource)

    @asynccontextmanager
    async def asking(self, resource_type: ResourceType) -> AsyncIterator[None]:
        """Ask a type something in here that changes nothing. Raises ResourceFailed, ClaimLost."""
        try:
            async with self.leased(resource_type):
                yield
        except (ClaimLost, AuthorityLost, ResourceFailed):
            raise
        except Exception as error:
            raise ResourceFailed(str(error), type(error).__name__) from error

    @asynccontextmanager
    async def leased(self, resource_type: ResourceType) -> AsyncIterator[None]:
        """Call a type in here: no other worker can have taken the node. Raises ClaimLost.

        The lease is read now, and again by whatever makes the calls to the provider: they may
        wait for a thread or a connection, and the process may be stopped meanwhile. Whatever a
        type makes of a lost authority, that is what is raised: AuthorityLost.
        """
        if resource_type.instant:
            yield  # no provider is called
            return
        lease = self._node.ports.lease_of(self._node.claim)
        try:
            await lease.hold()
            with under(lease):
                yield
        except Exception as error:
            if lease.is_lost:
                raise ClaimLost from None
            if (lost := authority_lost(error)) is not None:
                raise lost from None
            raise
        if lease.is_lost:
            raise ClaimLost

    def resource(self, resource_type: ResourceType) -> Resource:
        """Return what the type is given of the version."""
        node, version, stack = self._node, self._node.version, self._node.claim.stack
        definition = version.definition
        files: Mapping[str, str] = {}
        environment: Mapping[str, Any] = {}
        if isinstance(resource_type, SendsFiles) and version.name in node.bound.template.resources:
            files, environment = surroundings(node.bound, version.name, version.type)
        return Resource(
            stack_name=stack.name,
            stack_id=stack.id,
            project=stack.project,
            name=version.name,
            creation_token=version.uuid,
            physical_id=version.physical_id,
            properties=node.converted(resource_type, definition.properties),
            data=dict(version.data),
            world=node.world,
            metadata=plain(definition.metadata),
            old_properties=resource_type.convert(version.before) if version.before else {},
            cookie=version.cookie,
            secrets=tuple(sorted(definition.secrets().texts)) if definition.secret_paths() else (),
            files=files,
            environment=environment,
            is_wanted=node.claim.is_wanted,
            keeps_snapshot=keeps_snapshot(version),
        )
