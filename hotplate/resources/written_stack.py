"""The resources of a stack as its template writes them, for types that compare them.

A path names a property or something in one: ``network``, ``fixed_ips[].subnet``. A step that also
has an older name is written with both: ``network|network_id``.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from hotplate.template import UNKNOWN, Reference, Unknown, Written

Value = str | Reference | Unknown
"""What can be compared. Numbers are compared as texts, as providers take them."""


@dataclass(frozen=True, slots=True)
class WrittenPart:
    """Something inside a property, such as one item of a list of maps."""

    written: Written

    def values(self, path: str) -> frozenset[Value]:
        """Return all values at a path; `UNKNOWN` is among them if there may be others."""
        return _values(_found(self.written, _steps(path)))


@dataclass(slots=True, eq=False)
class WrittenResource:
    """A resource; ``read`` returns what is written of a property, None for nothing.

    ``type_name`` is that of the type that it has by the registry, empty for a template file.
    """

    name: str
    type_name: str
    read: Callable[[str], Written]
    _known: dict[str, frozenset[Value]] = field(default_factory=dict)

    def values(self, path: str) -> frozenset[Value]:
        """Return all values at a path; `UNKNOWN` is among them if there may be others."""
        if path not in self._known:
            self._known[path] = _values(self._found(path))
        return self._known[path]

    def parts(self, path: str) -> list[WrittenPart]:
        """Return what is at a path, the items of lists one by one. One may be `UNKNOWN`."""
        return list(map(WrittenPart, self._found(path)))

    def _found(self, path: str) -> Iterator[Written]:
        first, *steps = _steps(path)
        for name in first:
            yield from _found(self.read(name), steps)


Key = str | Callable[[WrittenResource, "WrittenStack"], Iterable[Value]]
"""By what resources are compared: a path, or a function that looks further. Pure."""


class WrittenStack:
    """All resources of a stack that its conditions let through.

    For each type and key the resources are looked through once, however many compare themselves.
    """

    def __init__(self, resources: Iterable[WrittenResource]) -> None:
        self._named = {resource.name: resource for resource in resources}
        self._of_type: dict[str, list[WrittenResource]] = {}
        for resource in self._named.values():
            self._of_type.setdefault(resource.type_name, []).append(resource)
        self._indexes: dict[tuple[str, Key], _Index] = {}

    def named(self, name: str) -> WrittenResource | None:
        """Return the resource of a name, None if there is none."""
        return self._named.get(name)

    def of_type(self, type_name: str) -> Sequence[WrittenResource]:
        """Return all resources of a type, in the order of the template."""
        return self._of_type.get(type_name, ())

    def matching(
        self, type_name: str, key: Key, values: Iterable[Value]
    ) -> Iterable[WrittenResource]:
        """Return the resources of a type that have, or may have, one of the values by the key.

        `UNKNOWN` may be anything: on either side it matches whatever is there on the other.
        """
        index = self._index(type_name, key)
        wanted = frozenset(values)
        if UNKNOWN in wanted:
            return index.every
        if not wanted:
            return ()
        found = {each.name: each for each in index.unknown}
        for value in wanted:
            found.update((each.name, each) for each in index.by_value.get(value, ()))
        return found.values()

    def _index(self, type_name: str, key: Key) -> "_Index":
        index = self._indexes.get((type_name, key))
        if index is None:
            index = self._indexes[type_name, key] = _Index()
            for resource in self.of_type(type_name):
                found = resource.values(key) if isinstance(key, str) else key(resource, self)
                index.add(resource, frozenset(found))
        return index


@dataclass(slots=True)
class _Index:
    """The resources of a type by their values."""

    every: list[WrittenResource] = field(default_factory=list)
    unknown: list[WrittenResource] = field(default_factory=list)
    by_value: dict[Value, list[WrittenResource]] = field(default_factory=dict)

    def add(self, resource: WrittenResource, values: frozenset[Value]) -> None:
        if values:
            self.every.append(resource)
        if UNKNOWN in values:
            self.unknown.append(resource)
            return
        for value in values:
            self.by_value.setdefault(value, []).append(resource)


@cache
def _steps(path: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(step.split("|")) for step in path.replace("[]", "").split("."))


def _found(written: Written, steps: Sequence[tuple[str, ...]]) -> Iterator[Written]:
    """Yield what is at the end of the steps; lists on the way are gone through."""
    if written is None:
        return
    if isinstance(written, list):
        for item in written:
            yield from _found(item, steps)
    elif not steps or written is UNKNOWN:
        yield written
    elif isinstance(written, dict):
        for name in steps[0]:
            yield from _found(written.get(name), steps[1:])
    else:
        yield UNKNOWN  # a text may be the JSON of a map


def _values(found: Iterable[Written]) -> frozenset[Value]:
    return frozenset(map(_value, found))


def _value(written: Written) -> Value:
    if isinstance(written, str | Reference | Unknown):
        return written
    return UNKNOWN if isinstance(written, dict) else str(written)
