"""Properties that name objects: the same object under another spelling is no change. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hotplate.plan.decide import Change
from hotplate.resources.capabilities import TakesNames

_ITEMS: Final = "[]"


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A name or an id, and the custom constraint for what it names."""

    constraint: str
    value: str


@dataclass(frozen=True, slots=True)
class Spellings:
    """What properties name before and after a change, where that is not spelled the same."""

    old: frozenset[NamedValue] = frozenset()
    new: frozenset[NamedValue] = frozenset()

    @property
    def all(self) -> frozenset[NamedValue]:
        """All that must be looked up; nothing if no change is one of names."""
        return self.old | self.new


@dataclass(frozen=True, slots=True)
class NamedObject:
    """What a value names: the id of an object, or why it is none; neither if that is unknown."""

    id: str = ""
    fault: str = ""


NamedObjects = Mapping[NamedValue, NamedObject]


@dataclass(frozen=True, slots=True)
class _Path:
    constraint: str
    steps: tuple[str, ...] = field(default=())

    def values(self, value: Any) -> list[NamedValue]:
        return [NamedValue(self.constraint, text) for text in _texts(value, self.steps)]


def spellings(
    resource_type: TakesNames, properties: Mapping[str, Any], changes: Iterable[Change]
) -> Spellings:
    """Return the names and ids of which it must be known what they mean, to judge the changes.

    ``properties`` are the new ones, converted. Where the same is written as before, nothing.
    """
    old: set[NamedValue] = set()
    new: set[NamedValue] = set()
    for change, path in _changed_paths(resource_type, properties, changes):
        before, after = set(path.values(change.old)), set(path.values(change.new))
        if before and after and before != after:
            old |= before
            new |= after
    return Spellings(frozenset(old), frozenset(new))


def respelled(
    resource_type: TakesNames,
    properties: Mapping[str, Any],
    changes: Iterable[Change],
    objects: NamedObjects,
) -> dict[str, Any]:
    """Return the old values of changed properties, each object spelled as in the new ones."""
    found: dict[str, Any] = {}
    for change, path in _changed_paths(resource_type, properties, changes):
        old = found.get(change.name, change.old)
        found[change.name] = _Respelling(path, change.new, objects).of(old, change.new)
    return found


def _changed_paths(
    resource_type: TakesNames, properties: Mapping[str, Any], changes: Iterable[Change]
) -> Iterator[tuple[Change, _Path]]:
    by_name = {change.name: change for change in changes}
    for path, constraint in resource_type.named_in(properties).items() if by_name else ():
        name, *steps = path.replace(_ITEMS, f".{_ITEMS}").split(".")
        if name in by_name:
            yield by_name[name], _Path(constraint, tuple(steps))


def _texts(value: Any, steps: tuple[str, ...]) -> Iterator[str]:
    """Yield what stands at the end of a path; a list has several."""
    if not steps:
        if _is_text(value):
            yield str(value)
    elif steps[0] == _ITEMS:
        for item in value if isinstance(value, list) else ():
            yield from _texts(item, steps[1:])
    elif isinstance(value, Mapping):
        yield from _texts(value.get(steps[0]), steps[1:])


def _is_text(value: Any) -> bool:
    return bool(value) and isinstance(value, str | int) and not isinstance(value, bool)


class _Respelling:
    """Spells what a path leads to as the new value spells it: at the same place, or anywhere."""

    def __init__(self, path: _Path, new: Any, objects: NamedObjects) -> None:
        self._path = path
        self._objects = objects
        self._spelled = {
            self._id(each.value): each.value for each in reversed(path.values(new))
        }  # the first one counts

    def of(self, old: Any, new: Any, depth: int = 0) -> Any:
        steps = self._path.steps[depth:]
        if not steps:
            return self._text(old, new)
        if steps[0] == _ITEMS:
            if not isinstance(old, list):
                return old
            others = new if isinstance(new, list) else []
            others = [*others, *([None] * len(old))]
            return [self.of(*each, depth + 1) for each in zip(old, others, strict=False)]
        if not isinstance(old, Mapping) or steps[0] not in old:
            return old
        other = new.get(steps[0]) if isinstance(new, Mapping) else None
        return {**old, steps[0]: self.of(old[steps[0]], other, depth + 1)}

    def _text(self, old: Any, new: Any) -> Any:
        found = self._id(old)
        if not found:
            return old
        return new if self._id(new) == found else self._spelled.get(found, old)

    def _id(self, value: Any) -> str:
        named = NamedValue(self._path.constraint, str(value))
        return self._objects.get(named, NamedObject()).id if _is_text(value) else ""
