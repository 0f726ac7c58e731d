"""Where an object is not what was applied to it, and what an update does about that. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hotplate.document import same
from hotplate.model import Action, Definition, Difference, Version
from hotplate.plan.definition import DRIFTED
from hotplate.resources.capabilities import Adoptable, AlwaysReplaced, NeverUpdated
from hotplate.resources.property import BadProperty, Property, PropertyKind
from hotplate.resources.resource_type import ResourceType

_FREE: Final = Property(PropertyKind.ANY)
_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class LiveObject:
    """What an update that converges has found of an object; nothing if it does not.

    ``drifted`` are live values of properties that are not those applied. With a ``fault`` it could
    not be read, and counts as what was applied.
    """

    drifted: Mapping[str, Any] = field(default_factory=dict)
    is_gone: bool = False
    fault: str = ""


def can_be_compared(resource_type: ResourceType) -> bool:
    """Tell whether a type may know what its objects are like. An instant type calls no provider."""
    return isinstance(resource_type, Adoptable) and not resource_type.instant


def converges(version: Version, wanted: Definition, resource_type: ResourceType) -> bool:
    """Tell whether an update that converges has an object to compare with what is wanted."""
    return (
        can_be_compared(resource_type)
        and not isinstance(resource_type, AlwaysReplaced | NeverUpdated)
        and not version.is_external
        and not version.has_given_up
        and not wanted.external_id
        and version.physical_id is not None
        and version.action not in (Action.INIT, Action.DELETE)
        and version.type_name == wanted.type_name
    )


def differences(
    resource_type: ResourceType, applied: Mapping[str, Any], live: Mapping[str, Any]
) -> list[Difference]:
    """Return where live values of properties are not those that were applied.

    ``applied`` are the values of all properties. One that is null was left to the provider, and one
    that is not among the live ones is not known: neither differs. An empty value is like none.
    """
    return [
        difference
        for name, declared in resource_type.properties.items()
        if name in live and applied.get(name) is not None
        for difference in _compared(name, declared, applied[name], _converted(declared, live[name]))
    ]


def drifted(found: Iterable[Difference], live: Mapping[str, Any]) -> dict[str, Any]:
    """Return the live values of those properties in which there are differences."""
    return {difference.name: live[difference.name] for difference in found}


def with_live_values(version: Version, values: Mapping[str, Any]) -> Version:
    """Return a version as if the live values of some properties had been applied to it.

    If these are wanted by now, the type still has to take notice: what others get of the object is
    what its last action returned.
    """
    if not values:
        return version
    properties = {**version.definition.properties, **values}
    definition = replace(version.definition, properties=properties)
    return replace(version, definition=definition, fingerprint=DRIFTED)


def _converted(declared: Property, value: Any) -> Any:
    """Return a live value in the kind of its property, as far as it fits."""
    try:
        return value if value is None else declared.convert(value)
    except BadProperty:
        return value


def _compared(path: str, declared: Property, applied: Any, live: Any) -> Iterator[Difference]:
    if same(applied, live) or (applied in _EMPTY and live in _EMPTY):
        return
    if isinstance(applied, dict) and isinstance(live, dict):
        yield from _compared_maps(path, declared, applied, live)
    elif isinstance(applied, list) and isinstance(live, list) and len(applied) == len(live):
        for number, (one, other) in enumerate(zip(applied, live, strict=True)):
            yield from _compared(f"{path}.{number}", declared.items or _FREE, one, other)
    else:
        yield Difference(path, applied, live)


def _compared_maps(
    path: str, declared: Property, applied: dict[str, Any], live: dict[str, Any]
) -> Iterator[Difference]:
    for key in dict.fromkeys((*applied, *live)):
        if declared.schema and applied.get(key) is None:
            continue  # left to the provider
        inner = declared.schema.get(key, _FREE)
        yield from _compared(f"{path}.{key}", inner, applied.get(key), live.get(key))
