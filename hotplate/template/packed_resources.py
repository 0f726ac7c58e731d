"""Compiled resources as bytes: what came from another process is unpacked when it is asked for."""

import pickle
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from hotplate.template.definition import ResourceDefinition

_PART: Final = 256
"""Resources that are unpacked together."""

_MOST_UNPACKED: Final = 8
"""Parts that are kept unpacked: resources are used in their order, more or less."""


class PackedResources(Mapping[str, ResourceDefinition]):
    """Resources in their order. Safe for several threads: one part may be unpacked twice."""

    __slots__ = ("_parts", "_places", "_unpacked")

    def __init__(self, places: dict[str, int], parts: tuple[bytes, ...]) -> None:
        self._places = places
        self._parts = parts
        self._unpacked: dict[int, list[ResourceDefinition]] = {}

    @classmethod
    def of(cls, resources: Mapping[str, ResourceDefinition]) -> "PackedResources":
        """Return the same resources, packed."""
        if isinstance(resources, PackedResources):
            return resources
        rest = iter(resources.values())
        parts = []
        while part := list(islice(rest, _PART)):
            parts.append(pickle.dumps(part, pickle.HIGHEST_PROTOCOL))
        return cls({name: place for place, name in enumerate(resources)}, tuple(parts))

    def __reduce__(self) -> Any:
        places = self._places
        if len(places) == next(reversed(places.values()), -1) + 1:
            return _in_order, (tuple(places), self._parts)
        return PackedResources, (places, self._parts)

    def without(self, names: Iterable[str]) -> "PackedResources":
        """Return them without some."""
        places = dict(self._places)
        for name in names:
            del places[name]
        return PackedResources(places, self._parts)

    def __getitem__(self, name: str) -> ResourceDefinition:
        part, place = divmod(self._places[name], _PART)
        found = self._unpacked.get(part)
        if found is None:
            found = pickle.loads(self._parts[part])  # noqa: S301 (packed by ourselves)
            if len(self._unpacked) >= _MOST_UNPACKED:
                self._unpacked = {}
            self._unpacked[part] = found
        return found[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __len__(self) -> int:
        return len(self._places)


def _in_order(names: tuple[str, ...], parts: tuple[bytes, ...]) -> PackedResources:
    return PackedResources({name: place for place, name in enumerate(names)}, parts)
