"""What an update, a creation or a deletion would do: the one module that reads the API's plans.

The documents are those of `POST /stacks/preview` and `PUT …/preview`. Fields that a server does
not send are empty here, so whatever draws a plan need not ask.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hotplate.cli.answers.sources import Source, sources_of

Path = tuple[str, ...]

_DIGITS = re.compile(r"([0-9]+)")


class Step(Enum):
    """What happens to a resource."""

    CREATE = "create"
    UPDATE = "update in place"
    REPLACE = "replace"
    DELETE = "delete"
    REFUSE = "refused"
    LEAVE = "leave"


@dataclass(frozen=True, slots=True)
class PropertyChange:
    """A property that differs, and the places that its new value comes from, nearest first."""

    name: str
    old: Any
    new: Any
    is_in_place: bool
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """What happens to one resource, and why."""

    path: Path
    type: str
    step: Step
    physical_id: str = ""
    reason: str = ""
    changes: tuple[PropertyChange, ...] = ()
    is_certain: bool = True
    is_kept: bool = False
    """Its object stays when it goes."""

    differs_in: tuple[str, ...] = ()
    """Where the last check found that its object differs, and the plan leaves it so."""

    written: Source | None = None
    required_by: tuple[str, ...] = ()
    """Names beside it that wait until it is there."""

    @property
    def dotted(self) -> str:
        """The names that lead to it."""
        return ".".join(self.path)


@dataclass(frozen=True, slots=True)
class Plan:
    """All steps, in the order of the server's answer, and the mark of the stack's state."""

    steps: tuple[PlannedStep, ...]
    etag: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    """Values of parameters by name, as far as the one who asked for the plan knows them."""

    @property
    def counts(self) -> Counter[Step]:
        """How many resources each step happens to."""
        return Counter(each.step for each in self.steps)

    @property
    def has_changes(self) -> bool:
        """Whether anything is done at all."""
        return any(each.step is not Step.LEAVE for each in self.steps)

    @property
    def is_destructive(self) -> bool:
        """Whether anything that exists is lost."""
        return any(each.step in (Step.REPLACE, Step.DELETE) for each in self.steps)


_CATEGORIES = {
    "added": Step.CREATE,
    "updated": Step.UPDATE,
    "replaced": Step.REPLACE,
    "deleted": Step.DELETE,
    "unchanged": Step.LEAVE,
}


def natural(path: Path) -> tuple[Any, ...]:
    """Return what sorts names as people do: 2 before 10."""
    return tuple(
        tuple((int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(name))
        for name in path
    )


def plan_of_creation(document: Mapping[str, Any], template: str = "") -> Plan:
    """Return the plan in an answer to `POST /stacks/preview`; ``template`` is the user's file."""
    stack = document["stack"]
    stacks = {tuple(item["path"]): item for item in stack["nested_stacks"]}
    steps: list[PlannedStep] = []
    for item in _flat(stack["resources"]):
        path = tuple(item["path"])
        # A resource that is a nested stack is shown only by the resources of that.
        above = [path[:depth] for depth in range(1, len(path)) if path[:depth] in stacks]
        found = [*map(stacks.pop, above), item]
        steps.extend(_step(each, Step.CREATE, template) for each in found)
    # What is left is a nested stack without resources.
    steps.extend(_step(each, Step.CREATE, template) for each in stacks.values())
    return Plan(tuple(steps))


def plan_of_update(
    document: Mapping[str, Any],
    etag: str = "",
    template: str = "",
    given: Mapping[str, Any] | None = None,
) -> Plan:
    """Return the plan in an answer to `PUT …/preview`; ``template`` is the user's file."""
    changes = document["resource_changes"]
    steps = [
        _step(item, Step.REFUSE if _is_refused(item) else step, template)
        for category, step in _CATEGORIES.items()
        for item in changes.get(category, ())
    ]
    return Plan(tuple(sorted(steps, key=lambda each: natural(each.path))), etag, given or {})


def _is_refused(item: Mapping[str, Any]) -> bool:
    return bool(item.get("is_refused"))


def _flat(items: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    for item in items:
        if isinstance(item, list):
            yield from _flat(item)
        else:
            yield item


def _step(item: Mapping[str, Any], step: Step, template: str) -> PlannedStep:
    return PlannedStep(
        path=tuple(item.get("path") or (item["resource_name"],)),
        type=str(item.get("resource_type", "")),
        step=step,
        physical_id=str(item.get("physical_resource_id") or ""),
        reason=str(item.get("reason") or ""),
        changes=tuple(_change(each, template) for each in item.get("changes") or ()),
        is_certain=bool(item.get("is_certain", True)),
        is_kept=bool(item.get("is_kept")),
        differs_in=tuple(str(each["property"]) for each in item.get("differences") or ()),
        written=sources_of([item["written"]], template)[0] if item.get("written") else None,
        required_by=tuple(map(str, item.get("required_by") or ())),
    )


def _change(document: Mapping[str, Any], template: str) -> PropertyChange:
    return PropertyChange(
        name=str(document.get("property", "")),
        old=document.get("old"),
        new=document.get("new"),
        is_in_place=bool(document.get("is_in_place", True)),
        sources=sources_of(document.get("sources") or (), template),
    )
