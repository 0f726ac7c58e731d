"""What became of a claimed node."""

from dataclasses import dataclass, field
from enum import Enum

from hotplate.engine.check.claims import Claim
from hotplate.engine.check.listening import ReceivedSignals
from hotplate.engine.nested_stacks import ChildRequest
from hotplate.engine.object_ownership import ObjectUse
from hotplate.model import Action, ReasonCode, Status, Version

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
