"""What groups have in common whose members have no numbers and whose size may be changed."""

import json
from abc import ABC, abstractmethod
from base64 import b32encode
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count, islice
from typing import Any, ClassVar

from hotplate.document import Data, same
from hotplate.resources.capabilities import Scalable, StagedStack
from hotplate.resources.heat.groups.batches import Goal, check_pauses, next_batch, pace_of
from hotplate.resources.resource_type import Child
from hotplate.resources.scaling import Adjustment, Scaled
from hotplate.resources.stages import Contents, Stage

CAPACITY = "capacity"
"""Key in the data: the size that was last asked of the group."""

_MADE = "made"
"""Key in the data: how many names have been given out. None is used twice."""

_APPLIED = "applied"
"""Key in the data: digest of the properties by which the capacity was last decided."""

ADJUSTMENT = "adjustment"
"""Key in the data: the adjustment that is being carried out, or has failed."""

_COOLDOWN = "cooldown"
"""Key in the data: until when, in seconds since 1970, the size is not adjusted again, and why."""

ROLLING = "rolling_updates"
"""Name of the policy by which members change. If it is there and null, only new ones differ."""

_JOINED = "joined_during"
"""Key in the metadata of a member that a rolling update has made, until that is over."""

_EXACTLY = "ExactCapacity"
_LONGEST_COOLDOWN = 100 * 365 * 86400
"""Seconds. Whoever asks for more means for ever; its end must be a date."""

_LAST_MOMENT = 200_000_000_000
"""Seconds since 1970; dates end not long after."""


class EqualMembers(StagedStack, ABC):
    """Equal members with random names, oldest first; the size lives on when the template does not.

    How many members there are is decided when the properties change, and by adjustments in
    between. Members that failed, then the oldest, are the first to change and to go.
    """

    updates_all: ClassVar[bool] = False
    """Whether a rolling update updates all members in the end, also those that it has made."""

    @abstractmethod
    def member(self, properties: Mapping[str, Any], creation_token: str) -> dict[str, Any]:
        """Return the definition of a member of the group with a creation token."""

    @abstractmethod
    def bounds(self, properties: Mapping[str, Any]) -> tuple[int, int]:
        """Return the least and the greatest number of members."""

    @abstractmethod
    def desired(self, properties: Mapping[str, Any]) -> int | None:
        """Return the number of members that the properties ask for, None if they ask for none."""

    def pause_after(self, properties: Mapping[str, Any]) -> float | None:
        """Return for how many seconds the size stays as it is after a change."""
        return None

    def members(self, properties: Mapping[str, Any]) -> int:
        lower, upper = self.bounds(properties)
        desired = self.desired(properties)
        return lower if desired is None else max(lower, min(desired, upper))

    def child_template(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        return self.child_stage(properties, {}, {}, Contents()).template

    def child_sample(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        _, upper = self.bounds(properties)
        names = _fresh("", 0, {})
        return _template(
            {name: self.member(properties, "") for name in islice(names, min(1, upper))}
        )

    def has_stages(
        self, properties: Mapping[str, Any], policies: Mapping[str, Any], data: Mapping[str, Any]
    ) -> bool:
        return True

    def child_stage(
        self,
        properties: Mapping[str, Any],
        policies: Mapping[str, Any],
        data: Mapping[str, Any],
        contents: Contents,
        timeout: float | None = None,
    ) -> Stage:
        data = _sound(data)
        definition = json.loads(json.dumps(self.member(properties, contents.creation_token)))
        # What is adopted has names already, and is what it shall be.
        present = {name: contents.definitions.get(name, definition) for name in _by_youth(contents)}
        joined = {name for name, each in present.items() if _has_joined(each)}
        present |= {name: _settled(present[name]) for name in joined}
        size = self._size(properties, data, contents)
        kept = {
            **{key: value for key, value in data.items() if key != ADJUSTMENT},
            CAPACITY: size,
            _APPLIED: _digest(properties),
        }
        policy = policies.get(ROLLING)
        if policy and any(not same(each, definition) for each in present.values()):
            goal = _goal(
                min(size, len(present)), definition, present, kept, contents.creation_token
            )
            pace = pace_of(policy)
            if not contents.policy:
                check_pauses(goal, present, pace, timeout)
            members, is_last = next_batch(goal, present, contents.unsettled, pace)
            more = "" if is_last and len(members) == size else ROLLING
            if more and self.updates_all:
                joined |= members.keys() - present.keys()
                members |= {name: _joining(members[name]) for name in joined & members.keys()}
            return Stage(_template(members), more, pace.pause, _counted(kept, members, present))
        members = _goal(size, definition, present, kept, contents.creation_token).members()
        if policy is None and ROLLING in policies:
            members |= {name: each for name, each in present.items() if name in members}
        return Stage(_template(members), data=_counted(kept, members, present))

    def _size(
        self, properties: Mapping[str, Any], data: Mapping[str, Any], contents: Contents
    ) -> int:
        """Return how many members there shall be: as the properties say once they change."""
        lower, upper = self.bounds(properties)
        desired = self.desired(properties)
        size = data.get(CAPACITY)
        if size is None:
            size = len(contents.order) or lower
        if desired is not None and data.get(_APPLIED) != _digest(properties):
            size = desired
        return max(lower, min(upper, size))

    def child_ended(
        self, properties: Mapping[str, Any], data: Mapping[str, Any], now: float
    ) -> dict[str, Any] | None:
        kept = _sound(data)
        adjustment = kept.pop(ADJUSTMENT, None) or {}
        words = adjustment.get("words") or f"{_EXACTLY} : {kept.get(CAPACITY)}"
        seconds = adjustment.get("cooldown")
        if seconds is None:
            seconds = self.pause_after(properties)
        pause = max(0, min(_LONGEST_COOLDOWN, seconds or 0))
        kept[_COOLDOWN] = {"end": now + pause, "words": words}
        return kept

    def child_reference(self, child: Child) -> str:
        return child.id


class ScalableGroup(EqualMembers, Scalable):
    """Such a group whose size policies change."""

    def scaled(
        self,
        properties: Mapping[str, Any],
        data: Mapping[str, Any],
        contents: Contents,
        adjustment: Adjustment,
        now: float,
    ) -> Scaled:
        data = _sound(data)
        lower, upper = self.bounds(properties)
        size = len(contents.definitions) - len(contents.failed)
        wanted = adjustment.applied(size, lower, upper)
        if wanted == size:
            return Scaled(None, f"it has {size} members already")
        end = float((data.get(_COOLDOWN) or {}).get("end", 0))
        if now < end:
            return Scaled(None, f"it cools down until {_moment(end)}")
        present = {name: contents.definitions[name] for name in _by_youth(contents)}
        members = dict(islice(present.items(), wanted))
        made = int(data.get(_MADE, 0))
        definition = json.loads(json.dumps(self.member(properties, contents.creation_token)))
        for name in islice(_fresh(contents.creation_token, made, present), wanted - len(members)):
            members[name] = definition
        kept = {
            **data,
            CAPACITY: wanted,
            ADJUSTMENT: {"words": adjustment.words, "cooldown": adjustment.cooldown},
        }
        reason = f"{adjustment.words}, from {size} to {wanted} members"
        return Scaled(Stage(_template(members), data=_counted(kept, members, present)), reason)

    def kept_metadata(self, data: Mapping[str, Any]) -> dict[str, Any]:
        data = _sound(data)
        cooldown = data.get(_COOLDOWN)
        shown: dict[str, Any] = {"scaling_in_progress": ADJUSTMENT in data}
        if cooldown:
            shown["cooldown_end"] = {_moment(cooldown["end"]): cooldown["words"]}
        return shown


def _has_joined(definition: Any) -> bool:
    return _JOINED in (definition.get("metadata") or {})


def _joining(definition: Any) -> dict[str, Any]:
    """Return the definition of a member that a rolling update makes; it changes when that is over.

    The change is one of metadata alone, so nothing happens to the object.
    """
    return {**definition, "metadata": {**(definition.get("metadata") or {}), _JOINED: ROLLING}}


def _settled(definition: Any) -> dict[str, Any]:
    """Return the definition of such a member when the rolling update is over."""
    kept = {key: value for key, value in definition["metadata"].items() if key != _JOINED}
    rest = {key: value for key, value in definition.items() if key != "metadata"}
    return {**rest, "metadata": kept} if kept else rest


def _template(members: Mapping[str, Any]) -> dict[str, Any]:
    return {"heat_template_version": "2021-04-16", "resources": dict(members)}


def _sound(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept, without what no group has written: users write what is adopted."""
    return {name: value for name, value in data.items() if name not in _FITS or _FITS[name](value)}


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_adjustment(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("words"), str):
        return False
    return type(value.get("cooldown")) in (int, float, type(None))


def _is_cooldown(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("words"), str):
        return False
    return type(value.get("end")) in (int, float) and 0 <= value["end"] < _LAST_MOMENT


_FITS: Mapping[str, Callable[[Any], bool]] = {
    CAPACITY: _is_count,
    _MADE: _is_count,
    ADJUSTMENT: _is_adjustment,
    _COOLDOWN: _is_cooldown,
}


def _digest(properties: Mapping[str, Any]) -> str:
    return sha256(json.dumps(properties, sort_keys=True).encode()).hexdigest()


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).replace(tzinfo=None).isoformat()


def _by_youth(contents: Contents) -> list[str]:
    """Return the names of the members: those in order, the youngest first; then the others.

    What comes last is the first to change and to go.
    """
    names = [*reversed(contents.order)]
    return sorted(names, key=lambda name: (name in contents.failed, name in contents.unsettled))


def _fresh(creation_token: str, made: int, present: Mapping[str, Any]) -> Iterable[str]:
    """Yield names that no member has had before."""
    for number in count(made):
        digest = sha256(f"{creation_token}/{number}".encode()).digest()
        name = b32encode(digest).decode().lower()[:12]
        if name not in present:
            yield name


def _goal(
    size: int,
    definition: Any,
    present: Mapping[str, Any],
    kept: Mapping[str, Any],
    creation_token: str,
) -> Goal:
    def names(size: int) -> list[str]:
        old = list(islice(present, size))
        return [
            *old,
            *islice(_fresh(creation_token, int(kept.get(_MADE, 0)), present), size - len(old)),
        ]

    return Goal(size, names, lambda name: definition)


def _counted(
    kept: Mapping[str, Any], members: Mapping[str, Any], present: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what is kept, with the names counted that have been given out now."""
    new = sum(name not in present for name in members)
    return {**kept, _MADE: int(kept.get(_MADE, 0)) + new}


def asked(wanted: Iterable[tuple[Data, ...]]) -> dict[str, list[list[Data]]]:
    """Return what all members are asked for, to answer what a group is asked for."""
    found = {json.dumps(steps): steps for path in wanted if (steps := steps_of(path))}
    return {"*": [found[key] for key in sorted(found)]} if found else {}


def steps_of(path: tuple[Data, ...]) -> list[Data]:
    """Return the way into the members that a path asks for; empty if it does not."""
    first = str(path[0]) if path else ""
    if first in ("outputs", "outputs_list"):
        return list(path[1:])
    if not first.startswith("resource."):
        return []
    _, _, dotted = first.removeprefix("resource.").partition(".")
    return [*([dotted] if dotted else []), *path[1:]]
