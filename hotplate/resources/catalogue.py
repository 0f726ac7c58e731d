"""All resource types that this installation knows."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from hotplate.document import did_you_mean
from hotplate.resources.capabilities import ActsOnSignals, HasVariants
from hotplate.resources.resource_type import API_VERSION, ResourceType

GROUP = "hotplate.resource_types"
_NOTHING: Mapping[str, int] = {}
_LATE: Final = "hotplate.resources.openstack."
"""Types that are loaded when a template names them: who uses no cloud pays nothing for it."""


class UnknownType(LookupError):
    """There is no resource type of that name."""

    def __init__(self, name: str, hint: str) -> None:
        self.name = name
        self.hint = hint
        text = f'there is no resource type "{name}"'
        super().__init__(f"{text}; {hint}" if hint else text)


class BadPlugin(Exception):
    """What a package offers as a resource type cannot be used; the text says what to do."""


class Catalogue:
    """Types by name. Immutable after construction; the instances are shared.

    ``late`` are types that are loaded when they are asked for.
    """

    def __init__(
        self, types: Iterable[ResourceType], late: Mapping[str, EntryPoint] | None = None
    ) -> None:
        self._types: dict[str, ResourceType] = {}
        self._late = dict(late or {})
        self._variants: dict[str, ResourceType] = {}
        self._growing: dict[str, Mapping[str, int]] = {}
        self._switched_off: frozenset[str] = frozenset()
        for item in types:
            if isinstance(item, ActsOnSignals) and item.growing:
                self._growing[item.name] = item.growing
            if isinstance(item, HasVariants):
                self._variants.update({each.name: each for each in item.variants})
            other = self._types.setdefault(item.name, item)
            if other is not item:
                raise BadPlugin(
                    f"two resource types have the name {item.name}: {_where(type(other))} and "
                    f"{_where(type(item))}; remove the package of one of them"
                )
        for name in self._late.keys() & self._types.keys():
            raise BadPlugin(
                f"two resource types have the name {name}: {_where(type(self._types[name]))} and "
                f"{self._late[name].value}; remove the package of one of them"
            )

    def get(self, name: str) -> ResourceType:
        """Return a type. Raises UnknownType with a suggestion."""
        if name in self._switched_off:
            raise UnknownType(name, "the operator of this server has not switched it on")
        found = self._types.get(name) or self._variants.get(name)
        if found is None and name in self._late:
            found = self._types[name] = _loaded(self._late[name])
        if found is None:
            raise UnknownType(name, did_you_mean(name, self))
        return found

    def without(self, names: Iterable[str]) -> "Catalogue":
        """Return the same types but for some, which are switched off; the instances are shared."""
        found = copy(self)
        found._switched_off = self._switched_off | frozenset(names)
        return found

    def growing(self, name: str) -> Mapping[str, int]:
        """Return the lists to which signals to resources of a type add; mostly there are none."""
        return self._growing.get(name, _NOTHING)

    def needs_cloud(self, name: str) -> bool:
        """Tell whether objects of a type are in a cloud. Nothing is loaded for it."""
        found = self._types.get(name)
        bases = () if found is None else type(found).__mro__
        return name in self._late or any(each.__module__.startswith(_LATE) for each in bases)

    def __contains__(self, name: object) -> bool:
        return (name in self._types or name in self._late) and name not in self._switched_off

    def __iter__(self) -> Iterator[str]:
        return iter(sorted((self._types.keys() | self._late.keys()) - self._switched_off))


def installed() -> Catalogue:
    """Return the types that installed packages offer through the entry point group.

    A type that cannot be used is an error and not left out: stacks may depend on it. Raises
    BadPlugin.
    """
    found = _offered(tuple(sys.path))
    late = {each.name.replace(".", "::"): each for each in found if each.value.startswith(_LATE)}
    return Catalogue((_loaded(each) for each in found if not each.value.startswith(_LATE)), late)


@lru_cache(1)
def _offered(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Return the entry points of the group. Reading those of all packages takes its time."""
    found = entry_points(group=GROUP)
    # A package that is found twice on the path offers the same things twice.
    entries = dict.fromkeys((entry.name, entry.value) for entry in found)
    return tuple(EntryPoint(name, value, GROUP) for name, value in entries)


def _loaded(entry: EntryPoint) -> ResourceType:
    try:
        loaded = entry.load()
    except Exception as error:  # whatever the package does when it is imported
        raise BadPlugin(
            f"the resource type {entry.value} cannot be loaded: {type(error).__name__}: {error}; "
            "repair or remove its package"
        ) from error
    if not isinstance(loaded, type) or not issubclass(loaded, ResourceType):
        raise BadPlugin(
            f"{entry.value} is offered as a resource type and is none; "
            "it must name a subclass of hotplate.resources.ResourceType"
        )
    if loaded.api != API_VERSION:
        raise BadPlugin(
            f"{entry.value} is written for version {loaded.api} of the resource type API, "
            f"this is version {API_VERSION}; upgrade or remove its package"
        )
    return loaded()


def _where(type_class: type) -> str:
    return f"{type_class.__module__}:{type_class.__qualname__}"
