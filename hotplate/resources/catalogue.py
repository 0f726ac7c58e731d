"""All resource types that this installation knows."""

from collections.abc import Iterable, Iterator
from importlib.metadata import entry_points

from hotplate.document import did_you_mean
from hotplate.resources.resource_type import API_VERSION, ResourceType

GROUP = "hotplate.resource_types"


class UnknownType(LookupError):
    """There is no resource type of that name."""


class Catalogue:
    """Types by name. Immutable after construction; the instances are shared."""

    def __init__(self, types: Iterable[ResourceType]) -> None:
        self._types = {item.name: item for item in types}

    def get(self, name: str) -> ResourceType:
        """Return a type. Raises UnknownType with a suggestion."""
        found = self._types.get(name)
        if found is None:
            hint = did_you_mean(name, self._types)
            text = f'there is no resource type "{name}"'
            raise UnknownType(f"{text}; {hint}" if hint else text)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._types

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._types))


def installed() -> Catalogue:
    """Return the types that installed packages offer through the entry point group."""
    types = []
    for entry in entry_points(group=GROUP):
        kind = entry.load()
        if kind.api != API_VERSION:
            raise RuntimeError(
                f"{entry.value} is written for version {kind.api} of the resource type API, "
                f"this is version {API_VERSION}; upgrade or remove it"
            )
        types.append(kind())
    return Catalogue(types)
