"""What is done to stacks, resources and nodes, and how far it has come."""

from enum import Enum
from typing import Final


class _Word(Enum):
    """One of a few words. Each is one object, so it is found by that and not by its name."""

    __hash__ = object.__hash__


class Action(_Word):
    """What is done to a stack or a resource, as the API names it."""

    INIT = "INIT"
    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    ROLLBACK = "ROLLBACK"
    SUSPEND = "SUSPEND"
    RESUME = "RESUME"
    CHECK = "CHECK"
    SNAPSHOT = "SNAPSHOT"
    RESTORE = "RESTORE"
    ADOPT = "ADOPT"
    SIGNAL = "SIGNAL"
    """Of events only: a resource got a signal that had an effect."""


class Status(_Word):
    """How far it has come."""

    IN_PROGRESS = "IN_PROGRESS"
    COMPLETE = "COMPLETE"
    FAILED = "FAILED"


class ReasonCode(_Word):
    """What the engine decides by of a reason, whose text is for people."""

    NONE = ""
    TIMED_OUT = "timed_out"
    """Of a stack: the time for its action was up."""

    CANCELLED = "cancelled"
    """Of a stack: its action was cancelled, or its parent failed."""

    ABORTED = "aborted"
    """The work was ended, or a nested stack was cancelled, for a cause that is not its own."""

    NOT_CHECKED = "not_checked"
    """Of a version: its type cannot check it."""

    PARTLY_CHECKED = "partly_checked"
    """Of a stack: something in it cannot be checked."""

    NO_AUTHORITY = "no_authority"
    """Of a version: its node waits until somebody's authority is accepted by the cloud."""


class Task(_Word):
    """What a node does to its version."""

    UPDATE = "update"
    CLEANUP = "cleanup"
    PREPARE = "prepare"
    """Let an older version give up what the one needs that the traversal goes on with."""

    SUSPEND = "suspend"
    RESUME = "resume"
    CHECK = "check"
    SNAPSHOT = "snapshot"
    SCALE = "scale"
    """Wait for a nested stack that changes its size between two traversals."""

    PLAN = "plan"
    """Of a coordinator, which has no version: write the graph of a large traversal."""

    OPEN = "open"
    """Of a coordinator: the graph is there, and the nodes that wait for nothing become ready."""

    CLOSE = "close"
    """Of a coordinator: all other nodes are done, and what is not needed any more is removed."""

    STOP = "stop"
    """Of a coordinator, before it plans: end what is under way and waits, for its time is up."""

    INTERRUPT = "interrupt"
    """Of a coordinator, before it plans: end what may wait for ever."""

    CLEAR = "clear"
    """Of a coordinator: take away what a stack has left that has failed or was abandoned."""


STOPPING: Final = frozenset((Task.STOP, Task.INTERRUPT))
COORDINATING: Final = frozenset((*STOPPING, Task.PLAN, Task.OPEN, Task.CLOSE, Task.CLEAR))
"""What the coordinator of a large traversal does, one after the other."""


class NodeState(_Word):
    """Where a node stands: its counter above zero, ready, claimed by a worker, parked, done."""

    DRAFT = "draft"
    """It may wait for nothing, but the graph that it belongs to is not complete yet."""

    WAITING = "waiting"
    READY = "ready"
    CLAIMED = "claimed"
    PARKED = "parked"
    DONE = "done"


class Relation(_Word):
    """Whose the object of a version is."""

    MANAGED = "managed"
    """Ours: made, changed and deleted by the engine."""

    KEPT = "kept"
    """Ours; its last update failed before the object was touched, so that need not be replaced."""

    EXTERNAL = "external"
    """Managed by something else: read, and never touched."""

    LENT = "lent"
    """External for now; the same version managed it before it was handed over."""

    RETURNING = "returning"
    """On its way into management; if that fails or is not wanted any more, it stays external."""

    PREPARED = "prepared"
    """Ours; it has begun to give up what its replacement needs. Restored before it is used."""

    RESTORING = "restoring"
    """Ours; on its way back from there."""

    SPENT = "spent"
    """Ours; as prepared, but it had failed before: it is replaced and not restored."""


OURS: Final = frozenset(
    (
        Relation.MANAGED,
        Relation.KEPT,
        Relation.PREPARED,
        Relation.RESTORING,
        Relation.SPENT,
    )
)
"""Relations of objects that the engine makes, changes and deletes."""
