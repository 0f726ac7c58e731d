"""A claimed node while it is checked: what it may use and ask, and what has become of it so far."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from hotplate.bounded import Evaluation, TooHeavy, light
from hotplate.engine import status_texts
from hotplate.engine.check.claims import Claim, Outcome, OutcomeKind, StateChange
from hotplate.engine.check.faults import NotAtOnce
from hotplate.engine.check.hooks import AtHook, hook_before
from hotplate.engine.check.lease import ClaimLease
from hotplate.engine.check.listening import ReceivedSignals
from hotplate.engine.context import Tools
from hotplate.engine.nested_stacks import ChildReport
from hotplate.engine.object_ownership import ObjectUse
from hotplate.engine.published_values import PublishedValues, attributes_of, with_secrets_noted
from hotplate.engine.recipes.book import Bound
from hotplate.engine.recipes.hidden_parameters import secrets_of
from hotplate.engine.version_transitions import SEARCHING
from hotplate.engine.world import RealWorld
from hotplate.model import Action, Definition, ReasonCode, Stack, Status, Version
from hotplate.plan.drift import LiveObject
from hotplate.resources.capabilities import NestedStack
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.resource_type import ResourceType
from hotplate.resources.stages import Contents
from hotplate.secret import Secrets

T = TypeVar("T")


class Ports(Protocol):
    """The way from a check to the database. All methods may be called for many nodes at once."""

    async def record(self, outcome: Outcome) -> bool:
        """Write an outcome; False if the claim is lost, after which nothing more may be done."""

    def lease_of(self, claim: Claim) -> ClaimLease:
        """Return the lease under which providers are called for a claim."""

    async def report_of(self, stack_id: str) -> ChildReport:
        """Return how a nested stack stands and what it offers."""

    async def contents_of(self, stack_id: str) -> Contents:
        """Return what is in a nested stack, whatever it is doing."""

    async def signals_to(self, version: Version, reference: str) -> ReceivedSignals:
        """Return the signals to the resource that a version listens to, given its reference."""

    async def refusal_of(self, taking: ObjectUse, version: Version, stack: Stack) -> str:
        """Return why a version may not take an object; empty if it may."""


@dataclass(slots=True, eq=False)
class CheckedNode:
    """What the parts of a check share. Each fact below names the one part that changes it.

    Its version is changed by the parts as well: what it shall be by the confirmation, its state by
    the actions and the failures, whose its object is by the external object.
    """

    tools: Tools
    ports: Ports
    claim: Claim
    """The replacement puts another version into it."""

    bound: Bound
    published: PublishedValues
    is_inline: bool
    """Whether the check may wait for nothing; what would have to raises NotAtOnce."""

    was_open: bool = False
    """Whether work that an earlier claim began is open; until something is recorded."""

    has_searched: bool = False
    """Whether an object in doubt has been searched for once, and the grace time is over."""

    has_acted: bool = False
    """Whether something was done that is recorded, also for an old traversal."""

    reason: str = status_texts.STATE_CHANGED
    """Why the next action begins; the run knows."""

    changes: list[StateChange] = field(default_factory=list)
    """States of the version that have not been recorded yet; `note_event` adds one."""

    replaced: Version | None = None
    """The version that was replaced, until that is recorded; set by the replacement."""

    taking: ObjectUse | None = None
    """The object that is taken with the next record; set by whoever takes one."""

    received: ReceivedSignals | None = None
    """The signals that the type was given; set by the actions."""

    live: LiveObject = field(default_factory=LiveObject)
    """What was read of the object, where an update converges; set by the run."""

    wanted: Definition | None = None
    """What the version shall be; set by the run as soon as it is known."""

    due: float | None = None
    """When a version that waits goes on; set by whatever waits."""

    waits_for_authority: bool = False
    """Whether it is laid aside because no authority is accepted; set by the failures."""

    _properties: tuple[dict[str, Any], dict[str, Any]] | None = None

    def __post_init__(self) -> None:
        version = self.claim.version
        self.has_searched = version.cookie == SEARCHING
        self.was_open = version.intent is not None

    @property
    def version(self) -> Version:
        """The version that the node is about; another one after a replacement."""
        return self.claim.version

    @property
    def world(self) -> RealWorld:
        """Clock and chance."""
        return self.tools.world

    def resource_type(self, name: str) -> ResourceType:
        """Return a type that is about to act. In line only what never waits may."""
        resource_type = resource_type_for(self.tools.catalogue, name)
        if (
            self.is_inline
            and not resource_type.instant
            and not isinstance(resource_type, NestedStack)
        ):
            raise NotAtOnce
        return resource_type

    def present_type(self) -> ResourceType:
        """Return the type of the version as it was last applied."""
        return self.resource_type(self.claim.version.type_name)

    def converted(self, resource_type: ResourceType, given: dict[str, Any]) -> dict[str, Any]:
        """Return the values of all properties, for the same ones only once in a row."""
        if self._properties is None or self._properties[0] is not given:
            self._properties = (given, resource_type.convert(given))
        return self._properties[1]

    def wait_at_hook(self, action: Action) -> None:
        """Raise AtHook if the action may begin only when a hook is cleared."""
        hook = hook_before(self.bound, self.claim, action)
        if hook is not None:
            raise AtHook(hook)

    def offer(self, attributes: Mapping[str, Any]) -> None:
        """Let the version offer these attributes, with a note of what is secret in them."""
        version = self.version
        resource_type = resource_type_for(self.tools.catalogue, version.type_name)
        secrets = version.definition.secrets()
        version.attributes = with_secrets_noted(
            attributes, secrets, resource_type.secret_attributes
        )

    def masked(self, text: str) -> str:
        """Return a text that is about to be written, without the secrets that it may repeat."""
        return self.secrets.text(text)

    @property
    def secrets(self) -> Secrets:
        """The secrets that providers and types may repeat in what they say of the version."""
        version = self.version
        known = secrets_of(self.bound) | version.definition.secrets()
        known |= Secrets.inside(version.before, *attributes_of(version).values())
        return known if self.wanted is None else known | self.wanted.secrets()

    def note_event(self, action: Action, status: Status, reason: str) -> None:
        """Have a state of the version reported as an event, with what is recorded next."""
        self.changes.append((action, status, reason))

    async def evaluated(self, evaluation: Evaluation[T], work: Callable[[], T]) -> T:
        """Return what ``work`` does if it takes a moment, else what the evaluation gives.

        Both are the same. Raises NotAtOnce in line if it takes longer.
        """
        try:
            with light():
                return work()
        except TooHeavy:
            self.must_wait()
            return await self.tools.evaluate(evaluation)

    def must_wait(self) -> None:
        """Raise NotAtOnce in line: an answer must be waited for. Nothing has changed yet."""
        if self.is_inline:
            raise NotAtOnce

    def note_recorded(self) -> None:
        """Note that an outcome which keeps the claim is recorded, with all that led to it."""
        self.has_acted = True
        self.was_open = False
        self.changes = []
        self.replaced = None
        self.taking = None

    def outcome(self, kind: OutcomeKind) -> Outcome:
        """Return what is recorded of the node now, in words that tell no secret.

        All that is written of a version's state goes through here.
        """
        version, usual = self.version, status_texts.STATE_CHANGED
        if version.reason_code is ReasonCode.NO_AUTHORITY and not self.waits_for_authority:
            version.reason, version.reason_code = usual, ReasonCode.NONE
        if version.reason and version.reason != usual:
            version.reason = self.masked(version.reason)
        self.changes = [
            (action, status, text if text == usual else self.masked(text))
            for action, status, text in self.changes
        ]
        is_fresh = not self.has_acted or kind in (OutcomeKind.BEGUN, OutcomeKind.DELEGATED)
        # A replacement that is not recorded yet is unknown to the plan of a newer traversal.
        is_fresh = is_fresh or self.replaced is not None
        return Outcome(
            self.claim,
            kind,
            self.changes,
            self.due,
            self.replaced,
            is_fresh=is_fresh,
            is_open=self.was_open,
            received=self.received,
            taking=self.taking,
        )

    def finished(self) -> Outcome:
        """Return the outcome of a node that has nothing more to do."""
        return self.outcome(OutcomeKind.FINISHED)

    def finished_or_parked(self) -> Outcome:
        """Return the outcome of a node that has come to its end, or waits."""
        waits = self.claim.version.cookie is not None
        return self.outcome(OutcomeKind.PARKED if waits else OutcomeKind.FINISHED)

    def dropped(self) -> Outcome:
        """Return the outcome of a node that leaves its version to a newer traversal."""
        return Outcome(self.claim, OutcomeKind.DROPPED, is_open=self.was_open)
