"""Stacks, versions, nodes and events as plain facts."""

from dataclasses import dataclass, field
from typing import Any

from hotplate.model.definition import NOT_APPLIED, Definition
from hotplate.model.states import (
    COORDINATING,
    OURS,
    Action,
    NodeState,
    ReasonCode,
    Relation,
    Status,
    Task,
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that an object has and that was not applied to it.

    ``path`` is the property, with dots where the value is inside another one. Both values are as
    they are shown: stars for secrets, and not at any length.
    """

    path: str
    applied: Any
    live: Any

    @property
    def name(self) -> str:
        """The property that the value is in."""
        return self.path.partition(".")[0]


@dataclass(slots=True)
class Stack:
    """One stack."""

    number: int
    id: str
    name: str
    project: str
    root_id: str
    parent_id: str | None
    parent_version: int | None
    depth: int
    recipe: str
    completed_recipe: str | None
    traversal: str | None
    sequence: int
    counter: int
    need: int
    update_need: int
    action: Action
    status: Status
    reason: str
    rollback: bool
    timeout: int | None
    deadline: float | None
    tags: tuple[str, ...]
    created_at: float
    updated_at: float | None
    deleted_at: float | None
    username: str = ""
    reason_code: ReasonCode = ReasonCode.NONE
    converges: bool = False
    """Whether its present traversal compares objects with what is wanted, not only definitions."""

    authority_id: str | None = None
    """The authority with which its objects are made, changed and deleted; None if there is none."""

    visitor_id: str | None = None
    """The authority of whoever asked for the last check, suspend, resume or snapshot."""

    carrier: int = 0
    """The last traversal that carried versions, see `hotplate.store.carried`; 0 for none."""

    carried_recipe: str | None = None
    """What these were confirmed for."""

    @property
    def timeout_seconds(self) -> float | None:
        """How long an action of the stack may take; None for any time."""
        return None if self.timeout is None else 60.0 * self.timeout


@dataclass(slots=True)
class Version:
    """One version of a resource."""

    id: int
    uuid: str
    stack_id: str
    root_id: str
    name: str
    type: str
    action: Action
    status: Status
    owner: int
    recipe: str
    created_at: float
    physical_id: str | None = None
    reason: str = ""
    fingerprint: str = ""
    definition: Definition = field(default_factory=lambda: NOT_APPLIED)
    requires: list[int] = field(default_factory=list)
    needed: list[int] = field(default_factory=list)
    before: dict[str, Any] = field(default_factory=dict, repr=False)
    replaces: int | None = None
    replaced_by: int | None = None
    reference: str | None = field(default=None, repr=False)
    attributes: dict[str, Any] = field(default_factory=dict, repr=False)
    data: dict[str, Any] = field(default_factory=dict, repr=False)
    cookie: Any = field(default=None, repr=False)
    intent: Action | None = None
    attempt: int = 0
    intent_at: float | None = None
    updated_at: float | None = None
    relation: Relation = Relation.MANAGED
    always_visited: bool = False
    """Whether something in the stack that it is asks to be looked at by every update."""

    reason_code: ReasonCode = ReasonCode.NONE
    differences: tuple[Difference, ...] = ()
    """What the last check found; nothing once an action has changed the object."""

    project: str = ""
    """That of its stack."""

    @property
    def type_name(self) -> str:
        """The type that the registry made of the template's when it was last applied."""
        return self.definition.type_name or self.type

    @property
    def is_nested_stack(self) -> bool:
        """Whether its object is a stack of this engine."""
        return bool(self.definition.child_digest)

    @property
    def is_external(self) -> bool:
        """Whether the object must not be touched; while it returns, only its return may."""
        return self.relation not in OURS

    @property
    def is_prepared(self) -> bool:
        """Whether it may lack what its replacement needed: it is restored before it is used."""
        return self.relation in (Relation.PREPARED, Relation.RESTORING)

    @property
    def has_given_up(self) -> bool:
        """Whether it may lack what its replacement needed, worth restoring or not."""
        return self.is_prepared or self.relation is Relation.SPENT

    @property
    def is_giving_up(self) -> bool:
        """Whether it gives up just now what its replacement needs."""
        is_begun = self.relation in (Relation.PREPARED, Relation.SPENT)
        return is_begun and self.intent is Action.UPDATE

    @property
    def may_have_unknown_object(self) -> bool:
        """Whether an object may have been made, first or again, whose id is unknown."""
        is_making = self.intent is Action.CREATE or self.relation is Relation.RESTORING
        return self.physical_id is None and is_making


@dataclass(slots=True)
class Node:
    """One sync point: what is to be done to a version, and when it may be."""

    id: int
    stack_id: str
    sequence: int
    version_id: int
    name: str
    task: Task
    need: int
    state: NodeState
    generation: int = 0
    worker: int | None = None
    due: float | None = None
    successors: tuple[int, ...] = ()
    releases: tuple[int, ...] = ()
    spare: int | None = None
    hook: str | None = None
    """The hook that it waits at, in whatever state; set to None when it is cleared."""

    passed: str | None = None
    """The last hook that was cleared for it."""

    @property
    def is_coordinator(self) -> bool:
        """Whether it is for the traversal as a whole. Its name is the recipe that was before."""
        return self.task in COORDINATING

    @property
    def is_paused(self) -> bool:
        """Whether it only waits for a hook to be cleared: nothing is under way."""
        return self.hook is not None and self.state is NodeState.PARKED


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. ``number`` orders the events of a stack."""

    number: int
    id: str
    stack_id: str
    root_id: str
    at: float
    name: str
    type: str
    physical_id: str | None
    action: Action
    status: Status
    reason: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of a stack at one time: its recipe, and what its types kept of each resource."""

    id: str
    stack_id: str
    name: str | None
    status: Status
    reason: str
    recipe: str
    data: dict[str, Any] = field(repr=False)
    created_at: float
