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
    """Its creation token; a nested stack gets it as its id."""

    stack_id: str
    root_id: str
    name: str
    """The name of its resource."""

    type: str
    """The type as the template names it; what the registry makes of that is `type_name`."""

    action: Action
    status: Status
    owner: int
    """The sequence of the traversal that last wanted it. What the newest does not own is deleted by
    its clean-up."""

    recipe: str
    """The one for which it was last created, updated or confirmed."""

    created_at: float
    physical_id: str | None = None
    """The id of its object; None as long as none is known."""

    reason: str = ""
    fingerprint: str = ""
    """That of its definition; a mark in its place, or nothing, if the next update must visit it."""

    definition: Definition = field(default_factory=lambda: NOT_APPLIED)
    """What was applied to its object last; from the beginning of an action on what is wanted."""

    requires: list[int] = field(default_factory=list)
    """Versions that it depends on; during an action those of before and of afterwards."""

    needed: list[int] = field(default_factory=list)
    """What ``requires`` becomes when the action has completed."""

    before: dict[str, Any] = field(default_factory=dict, repr=False)
    """Properties that its object counted as having when the action began; nothing once one has
    completed."""

    replaces: int | None = None
    """The version in whose place it was made."""

    replaced_by: int | None = None
    """The version that was made in its place; None again as soon as it is wanted again."""

    reference: str | None = field(default=None, repr=False)
    """What get_resource gives; None for the physical id, or the name if there is none."""

    attributes: dict[str, Any] = field(default_factory=dict, repr=False)
    """What it offers to others, as `hotplate.engine.published_values` stores it."""

    data: dict[str, Any] = field(default_factory=dict, repr=False)
    """What its type keeps for itself."""

    cookie: Any = field(default=None, repr=False)
    """Where an action stands that goes on later; None if none waits."""

    intent: Action | None = None
    """What is being done to its object, until it is known how that has ended."""

    attempt: int = 0
    """How often an action was begun, or begun again."""

    intent_at: float | None = None
    """When one last began."""

    updated_at: float | None = None
    """When an action last began or ended."""

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
    """Of the same sort as those of versions: its upper half is the number of the stack."""

    stack_id: str
    sequence: int
    """The traversal that it belongs to."""

    version_id: int
    """The version that it is about; after a replacement the new one. A coordinator has none: 0."""

    name: str
    """The name of the resource; of a coordinator the recipe that was before."""

    task: Task
    need: int
    """Predecessors still to finish, and older work on its version; ready with 0."""

    state: NodeState
    generation: int = 0
    """Raised by every claim, and when one is taken away: writes that name an older one change
    nothing. 0 as long as nothing has been begun for it."""

    worker: int | None = None
    """The worker that has claimed it."""

    due: float | None = None
    """When it goes on that is parked; None if something must wake it."""

    successors: tuple[int, ...] = ()
    """Nodes of its traversal that are counted down when it has finished."""

    releases: tuple[int, ...] = ()
    """Nodes of a newer traversal that wait for its end, and are counted down however it ends."""

    spare: int | None = None
    """The id for a replacement of its version, should one be needed."""

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
