"""Claims of nodes: how a worker gets them, and what became of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from sqlalchemy import Connection

from hotplate.engine.check.listening import ReceivedSignals
from hotplate.engine.nested_stacks import ChildRequest
from hotplate.engine.object_ownership import ObjectUse
from hotplate.engine.traversal.claimed_coordinator import Coordinator
from hotplate.model import Action, Node, NodeState, ReasonCode, Stack, Status, Task, Version
from hotplate.store.nodes import claim, lock_due, lock_nodes, tasks_of, wake
from hotplate.store.stacks import read_stacks
from hotplate.store.versions import read_versions, types_of_versions

_BACK: Final = frozenset((Action.ROLLBACK, Action.RESTORE))
_STOPPED: Final = frozenset((ReasonCode.TIMED_OUT, ReasonCode.CANCELLED))


@dataclass(slots=True)
class Claim:
    """A node that this worker has claimed. Every later write names its generation.

    ``stack`` is as it was when the claim was made; ``is_current`` tells whether the node belonged
    to the stack's newest traversal then.
    """

    node: Node
    version: Version
    stack: Stack
    is_going_back: bool = False
    """Whether the stack, or the tree it is in, goes back to what it was; known where it matters:
    of versions whose objects are external."""

    is_undone: bool = False
    """Whether that is going on right now; known of versions with work under way."""

    is_only_removed: bool = False
    """Whether the newer traversal that waits for the version does nothing but remove it."""

    @property
    def is_current(self) -> bool:
        """Whether the node still belonged to the newest traversal."""
        return self.node.sequence == self.stack.sequence

    @property
    def is_wanted(self) -> bool:
        """Whether the work on the version is wanted and shall go on.

        Not if its stack was stopped or is undone, nor what an older traversal began on something
        that is only removed. A deletion is wanted by whoever comes next as well.
        """
        version, stack = self.version, self.stack
        is_stopped = stack.status is Status.FAILED and stack.reason_code in _STOPPED
        if version.intent is Action.DELETE:
            return self.is_current or not is_stopped
        if self.is_current:
            return self._is_own or not (self.node.task is Task.CLEANUP or self.is_undone)
        if stack.action in (Action.DELETE, Action.ROLLBACK) or self.is_undone:
            return False
        return not is_stopped and not self.is_only_removed

    @property
    def _is_own(self) -> bool:
        """Whether the work was begun for this very traversal; what is at rest is woken for it."""
        version = self.version
        return version.owner == self.node.sequence or version.intent in (None, Action.RESUME)


def claim_nodes(
    connection: Connection, ids: Sequence[int], worker_id: int
) -> list[Claim | Coordinator]:
    """Claim those of the nodes that are ready; the others are claimed, removed or stale."""
    found = [node for node in lock_nodes(connection, ids).values() if _is_ready(node)]
    return _claimed(connection, found, worker_id)


@dataclass(frozen=True, slots=True)
class Due:
    """What became of parked nodes whose time has come."""

    claims: list[Claim]
    """Those that the worker has claimed itself."""

    woken: list[int]
    """Those that are ready for whoever is told of them."""


def claim_due(
    connection: Connection,
    now: float,
    most: int,
    worker_id: int,
    is_taken: Callable[[str], bool],
    taking: Callable[[Sequence[int]], None],
) -> Due:
    """Claim parked nodes whose time has come, so many at a time, and make others of them ready.

    Claimed are those of types, as templates name them, of which ``is_taken`` says so; ``taking`` is
    told of them while nobody else can see the claims yet.
    """
    found = lock_due(connection, now, most)
    types = types_of_versions(connection, {node.version_id for node in found}) if found else {}
    taken = [node for node in found if is_taken(types.get(node.version_id, ""))]
    taking([node.id for node in taken])
    claims = [each for each in _claimed(connection, taken, worker_id) if isinstance(each, Claim)]
    mine = {each.node.id for each in claims}
    woken = [node.id for node in found if node.id not in mine]
    wake(connection, woken)
    return Due(claims, woken)


def _claimed(
    connection: Connection, found: Sequence[Node], worker_id: int
) -> list[Claim | Coordinator]:
    """Claim locked nodes, unless they are stale."""
    if not found:
        return []
    stacks = read_stacks(connection, {node.stack_id for node in found})
    ready = [node for node in found if not _is_stale(node, stacks[node.stack_id])]
    claim(connection, [node.id for node in ready], worker_id)
    for node in ready:
        node.state = NodeState.CLAIMED
        node.generation += 1
        node.worker = worker_id
    claims: list[Claim | Coordinator] = [
        Coordinator(node, stacks[node.stack_id]) for node in ready if node.is_coordinator
    ]
    ready = [node for node in ready if not node.is_coordinator]
    versions = read_versions(connection, {node.version_id for node in ready})
    roots = _roots(connection, stacks, versions)
    tasks = _awaiting(connection, ready, versions)
    for node in ready:
        stack, version = stacks[node.stack_id], versions[node.version_id]
        root = roots.get(stack.root_id, stack)
        is_going_back = version.is_external and not _BACK.isdisjoint((stack.action, root.action))
        is_undone = root.action is Action.ROLLBACK and root.status is Status.IN_PROGRESS
        waiting = {tasks[each] for each in node.releases if each in tasks}
        claims.append(Claim(node, version, stack, is_going_back, is_undone, _is_removal(waiting)))
    return claims


def _is_ready(node: Node) -> bool:
    return node.state is NodeState.READY


def _is_stale(node: Node, stack: Stack) -> bool:
    """Tell whether a node was overtaken before anything was begun; it is removed sooner or later.

    A large traversal leaves such nodes behind for a while.
    """
    if stack.deleted_at is not None and not node.is_coordinator:
        return True  # it was abandoned
    return node.generation == 0 and node.sequence < stack.sequence


def _is_removal(tasks: set[Task]) -> bool:
    """Tell whether what is to be done next only removes a version, prepared for that or not."""
    return Task.CLEANUP in tasks and tasks <= {Task.CLEANUP, Task.PREPARE}


def _roots(
    connection: Connection, stacks: Mapping[str, Stack], versions: Mapping[int, Version]
) -> dict[str, Stack]:
    """Return the outermost stacks of those versions for which it matters where these go.

    A nested stack does not know that it goes back: for it that is an update.
    """
    nested = {
        stacks[version.stack_id].root_id
        for version in versions.values()
        if (version.is_external or version.intent is not None) and stacks[version.stack_id].depth
    }
    return read_stacks(connection, nested) if nested else {}


def _awaiting(
    connection: Connection, nodes: Sequence[Node], versions: Mapping[int, Version]
) -> dict[int, Task]:
    """Return what shall be done next to versions with work under way, by the nodes that wait."""
    waiting = {
        each
        for node in nodes
        if node.releases and versions[node.version_id].intent is not None
        for each in node.releases
    }
    return tasks_of(connection, waiting) if waiting else {}


StateChange = tuple[Action, Status, str]
"""A state of a version that is reported as an event."""


class OutcomeKind(Enum):
    """What is recorded of a node."""

    BEGUN = "begun"
    """The provider is about to be called; the claim is kept."""

    PARKED = "parked"
    """It goes on later."""

    PAUSED = "paused"
    """It has come to a hook, and goes on when that is cleared."""

    DELEGATED = "delegated"
    """The nested stack goes on with it; its end wakes the node."""

    FINISHED = "finished"
    FAILED = "failed"
    DROPPED = "dropped"
    """It ends without a result: whoever needs the version next finds out where it stands."""


@dataclass(slots=True)
class Outcome:
    """One node's news. ``changes`` are the states of its version to be reported as events."""

    claim: Claim
    kind: OutcomeKind
    changes: list[StateChange] = field(default_factory=list)
    due: float | None = None
    replaced: Version | None = None
    """The version that the claim's version replaces, until that has been recorded."""

    removed: bool = False
    """The version never came to anything and its row goes."""

    reason: str = ""
    """Why the stack fails; set with FAILED only."""

    reason_code: ReasonCode = ReasonCode.NONE
    is_fresh: bool = False
    """Nothing has been begun yet: once a newer traversal exists, nothing of it is recorded."""

    is_open: bool = False
    """Work that an earlier claim began has not come to its end."""

    request: ChildRequest | None = None
    """What the nested stack is asked to do; set with DELEGATED only."""

    received: ReceivedSignals | None = None
    """The signals that it has taken notice of, if it listens."""

    hook: str | None = None
    """The hook that it has come to; set with PAUSED only."""

    taking: ObjectUse | None = None
    """The object that the version takes with this; if it may not, that is recorded instead."""


@dataclass(slots=True)
class Recorded:
    """What came of it: nodes that are ready now, and outcomes that were refused."""

    ready: list[int] = field(default_factory=list)
    lost: set[int] = field(default_factory=set)
    """Nodes that were taken from this worker, or may not begin any more. Stop, call no provider."""

    further: list[Outcome] = field(default_factory=list)
    """Outcomes of nodes that became ready and came to their end in the same transaction."""
