"""Changing the members of a group a few at a time."""

import math
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from hotplate.document import same
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import ResourceFailed
from hotplate.template.constraint import Range


@dataclass(frozen=True, slots=True)
class Pace:
    """How a group is changed: at most so many members at once, so many left in service.

    ``pause`` is how many seconds pass between two batches.
    """

    size: int
    least: int = 0
    pause: float = 0


@dataclass(frozen=True, slots=True)
class Goal:
    """What a group shall be: so many members.

    ``names`` gives the first so many names that members may have, ``definition`` what the member
    of a name shall be; ``common`` is what all of them shall be, if they do not differ.
    """

    size: int
    names: Callable[[int], list[str]]
    definition: Callable[[str], Any]
    common: Any = None

    def members(self) -> dict[str, Any]:
        """Return all members with their definitions."""
        names = self.names(self.size)
        if self.common is not None:
            return dict.fromkeys(names, self.common)
        return dict(zip(names, map(self.definition, names), strict=True))


def policy_schema(has_least: bool) -> Property:
    """Return what an update policy that works in batches may say."""
    least = {
        "min_in_service": Property(
            PropertyKind.INTEGER,
            default=0,
            constraints=(Range(0, None),),
            description="members that are left in service while others change",
        )
    }
    schema = {
        "max_batch_size": Property(
            PropertyKind.INTEGER,
            default=1,
            constraints=(Range(1, None),),
            description="members that change at the same time, at most",
        ),
        "pause_time": Property(
            PropertyKind.NUMBER,
            default=0,
            constraints=(Range(0, None),),
            description="seconds between two batches",
        ),
    }
    return Property(PropertyKind.MAP, schema={**least, **schema} if has_least else schema)


def pace_of(policy: Mapping[str, Any]) -> Pace:
    """Return the pace that a policy of `policy_schema` asks for."""
    return Pace(policy["max_batch_size"], policy.get("min_in_service", 0), policy["pause_time"])


def next_batch(
    goal: Goal, present: Mapping[str, Any], unsettled: AbstractSet[str], pace: Pace
) -> tuple[dict[str, Any], bool]:
    """Return the members that a group goes to next on its way, and whether that is the goal.

    Depends on nothing but what is there now, so that it can be asked anew after a crash, and for
    a goal that has changed on the way. What is unsettled counts for the batch, and changes first;
    then what has the highest index. If too few would be left in service, there are more members
    than the goal has for a while.
    """
    final = goal.members()
    finished = {name for name in final if name in present and same(present[name], final[name])}
    room = pace.size - len(finished & unsettled)
    change = max(0, min(room, goal.size - len(finished)))
    waiting = [name for name in final if name in unsettled and name in present]
    again = min(change, len(waiting) - len(finished & unsettled))
    serving = len(present) - again
    least = min(pace.least, goal.size, serving)
    capacity = change + max(min(serving, goal.size - change), least)
    chosen = goal.names(capacity)
    kept = [name for name in chosen if name in present]
    missing = [name for name in chosen if name not in present]
    made = missing[: min(change - again, capacity - len(kept))]
    strays = [name for name in present if name not in set(chosen)]
    strays = strays[: capacity - len(kept) - len(made)]
    old = [name for name in kept if name in final and name not in finished]
    # The last are the highest. Sorting keeps the order among equals.
    old.sort(key=lambda name: name in unsettled)
    changed = {*made, *old[len(old) - (change - len(made)) :]}
    members = {
        name: goal.definition(name) if name in changed else present[name]
        for name in (*(name for name in chosen if name in present or name in changed), *strays)
    }
    return (final, True) if same(members, final) else (members, False)


def check_pauses(goal: Goal, present: Mapping[str, Any], pace: Pace, timeout: float | None) -> None:
    """Raise ResourceFailed if the pauses alone take longer than an action of the stack may."""
    if not pace.pause or timeout is None:
        return
    final = goal.members()
    left = sum(name not in present or not same(present[name], final[name]) for name in final)
    if pace.pause * max(0, math.ceil(left / pace.size) - 1) >= timeout:
        text = "The current update policy will result in stack update timeout."
        raise ResourceFailed(text, "ValueError")
