"""Short ways to declare the properties of cloud types."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from hotplate.bounded import Pattern
from hotplate.resources.property import Property, PropertyKind
from hotplate.template.constraint import (
    AllowedPattern,
    AllowedValues,
    Constraint,
    CustomConstraint,
    Length,
    Range,
)


def _declared(
    kind: PropertyKind,
    description: str,
    *,
    allowed: Sequence[Any] = (),
    rule: str = "",
    between: tuple[float | None, float | None] | None = None,
    length: tuple[int | None, int | None] | None = None,
    pattern: str = "",
    **more: Any,
) -> Property:
    """Return a property.

    ``rule`` is a custom constraint, such as ``neutron.network``; ``between`` bounds a
    number, ``length`` a text or a list. The rest goes to `Property` as it is.
    """
    constraints: list[Constraint] = []
    if allowed:
        constraints.append(AllowedValues(tuple(allowed)))
    if rule:
        constraints.append(CustomConstraint(rule))
    if between is not None:
        constraints.append(Range(*between))
    if length is not None:
        constraints.append(Length(*length))
    if pattern:
        constraints.append(AllowedPattern(Pattern(pattern)))
    return Property(kind, description=description, constraints=tuple(constraints), **more)


text = partial(_declared, PropertyKind.STRING)
integer = partial(_declared, PropertyKind.INTEGER)
number = partial(_declared, PropertyKind.NUMBER)
flag = partial(_declared, PropertyKind.BOOLEAN)
list_of = partial(_declared, PropertyKind.LIST)
"""A list; ``items`` is the property that each of its items is."""

map_of = partial(_declared, PropertyKind.MAP)
"""A map; ``schema`` has the properties in it."""


def maps(description: str, schema: Mapping[str, Property], **more: Any) -> Property:
    """Return a list of maps with the same properties."""
    return list_of(description, items=map_of("one of them", schema=schema), **more)


def texts(description: str, **more: Any) -> Property:
    """Return a list of texts."""
    items = text("one of them", rule=more.pop("rule", ""))
    return list_of(description, items=items, **more)


def old(current: Property) -> Property:
    """Return an older spelling of a property, which is still taken but not shown."""
    return replace(current, hidden=True, required=False, default=None, older=())
