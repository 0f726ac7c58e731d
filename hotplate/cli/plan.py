"""What an update, a creation or a deletion would do: the one module that reads the API's plans.

The documents are those of `POST /stacks/preview` and `PUT …/preview`. Fields that a server does
not tell are empty here, so whatever draws a plan need not ask.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

Path = tuple[str, ...]


class Step(Enum):
    """What happens to a resource."""

    CREATE = "create"
    UPDATE = "update in place"
    REPLACE = "replace"
    DELETE = "delete"
    REFUSE = "refused"
    LEAVE = "leave"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from."""

    file: str = ""
    line: int | None = None
    parameter: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.file and self.line else self.file
        if self.parameter:
            return f"parameter {self.parameter}{f', {place}' if place else ''}"
        return place


@dataclass(frozen=True, slots=True)
class PropertyChange:
    """A property that differs. ``is_known``: the new value is known before the work is done."""

    name: str
    old: Any
    new: Any
    is_in_place: bool
    origin: Origin | None = None


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

    @property
    def dotted(self) -> str:
        """The names that lead to it."""
        return ".".join(self.path)


@dataclass(frozen=True, slots=True)
class Plan:
    """All steps, in the order in which the server tells them, and the mark of the stack's state."""

    steps: tuple[PlannedStep, ...]
    etag: str = ""

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

    def touched(self) -> Iterator[tuple[Path, str, bool]]:
        """Yield path, type and whether something happens, for whoever follows the work."""
        for each in self.steps:
            yield each.path, each.type, each.step not in (Step.LEAVE, Step.REFUSE)


_CATEGORIES = {
    "added": Step.CREATE,
    "updated": Step.UPDATE,
    "replaced": Step.REPLACE,
    "deleted": Step.DELETE,
    "unchanged": Step.LEAVE,
}


def plan_of_creation(document: Mapping[str, Any]) -> Plan:
    """Return the plan in an answer to `POST /stacks/preview`."""
    items = list(_flat(document["stack"].get("resources", ())))
    known = {tuple(item["path"]) for item in items}
    steps: list[PlannedStep] = []
    for item in items:
        path = tuple(item["path"])
        # A resource that is a stack is told by what is inside it alone.
        for depth in range(1, len(path)):
            if path[:depth] not in known:
                known.add(path[:depth])
                steps.append(PlannedStep(path[:depth], "", Step.CREATE))
        steps.append(_step(item, Step.CREATE))
    return Plan(tuple(steps))


def plan_of_update(document: Mapping[str, Any], etag: str = "") -> Plan:
    """Return the plan in an answer to `PUT …/preview`."""
    changes = document["resource_changes"]
    steps = [
        _step(item, Step.REFUSE if _is_refused(item) else step)
        for category, step in _CATEGORIES.items()
        for item in changes.get(category, ())
    ]
    return Plan(tuple(sorted(steps, key=lambda each: each.path)), etag)


def _is_refused(item: Mapping[str, Any]) -> bool:
    return bool(item.get("is_refused"))


def _flat(items: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    for item in items:
        if isinstance(item, list):
            yield from _flat(item)
        else:
            yield item


def _step(item: Mapping[str, Any], step: Step) -> PlannedStep:
    return PlannedStep(
        path=tuple(item.get("path") or (item["resource_name"],)),
        type=str(item.get("resource_type", "")),
        step=step,
        physical_id=str(item.get("physical_resource_id") or ""),
        reason=str(item.get("reason") or ""),
        changes=tuple(_change(each) for each in item.get("changes") or ()),
        is_certain=bool(item.get("is_certain", True)),
    )


def _change(document: Mapping[str, Any]) -> PropertyChange:
    return PropertyChange(
        name=str(document.get("property", "")),
        old=document.get("old"),
        new=document.get("new"),
        is_in_place=bool(document.get("is_in_place", True)),
        origin=_origin(document.get("origin")),
    )


def _origin(document: Any) -> Origin | None:
    if not isinstance(document, Mapping):
        return None
    return Origin(
        file=str(document.get("file") or ""),
        line=document.get("line"),
        parameter=str(document.get("parameter") or ""),
    )
