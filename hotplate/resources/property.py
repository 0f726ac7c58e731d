"""The properties a resource type declares, and what becomes of the values given for them."""

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hotplate.document import Data, Path, did_you_mean
from hotplate.secret import Secrets, plain
from hotplate.template.constraint import Constraint, CustomConstraint, brief
from hotplate.template.errors import kind_of
from hotplate.template.named_constraint import TIMELESS_CHECKS
from hotplate.template.parameter_type import ParameterType
from hotplate.template.value import BadValue, number


class PropertyKind(Enum):
    """Kinds of values."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    LIST = "list"
    MAP = "map"
    ANY = "any"


class BadProperty(ValueError):
    """A value does not fit its property; ``path`` leads to it from the properties."""

    def __init__(self, message: str, path: Path = (), hint: str = "") -> None:
        self.message = message
        self.path = path
        self.hint = hint
        super().__init__(message)

    def mask(self, secrets: Secrets) -> None:
        """Let its words tell none of the secrets."""
        self.message, self.hint = secrets.text(self.message), secrets.text(self.hint)
        self.args = (self.message,)


class NotOfKind(BadProperty):
    """A value cannot be made one of the kind that its property has."""


@dataclass(frozen=True, slots=True)
class Property:
    """One property. ``updatable``: a change is made in place, otherwise it replaces."""

    kind: PropertyKind = PropertyKind.STRING
    required: bool = False
    default: Data = None
    updatable: bool = False
    immutable: bool = False
    constraints: tuple[Constraint, ...] = ()
    items: "Property | None" = None
    schema: Mapping[str, "Property"] = field(default_factory=dict)
    description: str = ""
    hidden: bool = False
    """An old form that is still accepted but not shown."""

    implemented: bool = True
    """Whether it may be given at all: some are known by name only."""

    secret: bool = False
    """Whether nobody may see its value, whether or not the template says so: a password, a key."""

    older: tuple[str, ...] = ()
    """Properties that are older names of this one: what they are given becomes its value."""

    def convert(self, value: Data, path: Path = ()) -> Data:
        """Return the value in its kind, for the code of the type: secrets are plain values there.

        Raises BadProperty.
        """
        if not self.implemented:
            raise BadProperty(f"Property {path[-1]} not implemented yet", path, "leave it out")
        try:
            return self._converted(value, path)
        except BadProperty as fault:
            secrets = Secrets.all_of(value) if self.secret else Secrets.inside(value)
            if secrets:
                fault.mask(secrets)
            raise

    def _converted(self, value: Data, path: Path) -> Data:
        converted = _CONVERT[self.kind](self, value, path)
        for constraint in self.constraints:
            kinds = _PARAMETER_TYPES.get(self.kind, ParameterType.STRING)
            fault = constraint.fault(converted, kinds)
            if isinstance(constraint, CustomConstraint):
                # What needs a cloud is asked before the request is accepted.
                fault = constraint.check(converted, TIMELESS_CHECKS)
            if fault:
                raise BadProperty(fault, path)
        return converted


def convert_all(
    schema: Mapping[str, Property], given: Mapping[str, Any], path: Path = ()
) -> dict[str, Any]:
    """Return values for all properties: those given, defaults for others, null where neither.

    An explicit null counts as not given, except where it is a value like any other. Raises
    BadProperty for the first fault.
    """
    for name in given:
        if name not in schema:
            raise unknown(name, schema, path)
    values = {}
    given = _in_todays_spelling(schema, given, path)
    for name, declared in schema.items():
        value = given.get(name)
        if value is None:
            if declared.required and not (name in given and declared.kind is PropertyKind.ANY):
                raise missing(name, path)
            values[name] = declared.default
        else:
            values[name] = declared.convert(value, (*path, name))
    return values


def _in_todays_spelling(
    schema: Mapping[str, Property], given: Mapping[str, Any], path: Path
) -> Mapping[str, Any]:
    found = dict(given)
    for name, declared in schema.items():
        for old in declared.older:
            value = found.pop(old, None)
            if value is None:
                continue
            if found.get(name) is not None:
                names = f"{name}, {old}"
                raise BadProperty(
                    f"Cannot define the following properties at the same time: {names}",
                    (*path, old),
                )
            found[name] = value
    return found


def unknown(name: str, known: Iterable[str], path: Path = ()) -> BadProperty:
    """Return that there is no such property, in the words that Heat has for it."""
    return BadProperty(f"Unknown Property {name}", (*path, name), did_you_mean(name, known))


def missing(name: str, path: Path = ()) -> BadProperty:
    """Return that a property must be given, in the words that Heat has for it."""
    return BadProperty(f"Property {name} not assigned", path)


def _string(declared: Property, value: Data, path: Path) -> Data:
    if isinstance(value, dict | list) or value is None:
        raise BadProperty(f"must be a text, not {kind_of(value)}", path)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _integer(declared: Property, value: Data, path: Path) -> Data:
    try:
        converted = _number(declared, value, path)
    except BadProperty:
        converted = math.nan
    if isinstance(converted, float) and not converted.is_integer():
        raise NotOfKind(f"Value '{brief(value)}' is not an integer", path)
    return int(converted)  # type: ignore[arg-type]


def _number(declared: Property, value: Data, path: Path) -> Data:
    try:
        converted = number(value)
    except BadValue as fault:
        raise BadProperty(str(fault), path) from None
    # Texts and fractions have this limit anyway; seconds and parts are reckoned with fractions.
    if abs(converted) > sys.float_info.max:
        raise BadProperty("the number is too great", path)
    return plain(converted)


def _boolean(declared: Property, value: Data, path: Path) -> Data:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise NotOfKind(f'"{brief(value)}" is not a valid boolean', path)


def _list(declared: Property, value: Data, path: Path) -> Data:
    if not isinstance(value, list):
        raise NotOfKind(f'"{brief(value)}" is not a list', path)
    if declared.items is None:
        return plain(value)
    return [declared.items.convert(item, (*path, i)) for i, item in enumerate(value)]


def _map(declared: Property, value: Data, path: Path) -> Data:
    if not isinstance(value, dict):
        raise NotOfKind(f'"{brief(value)}" is not a map', path)
    return convert_all(declared.schema, value, path) if declared.schema else plain(value)


def _any(declared: Property, value: Data, path: Path) -> Data:
    return plain(value)


_CONVERT: Mapping[PropertyKind, Callable[[Property, Data, Path], Data]] = {
    PropertyKind.STRING: _string,
    PropertyKind.INTEGER: _integer,
    PropertyKind.NUMBER: _number,
    PropertyKind.BOOLEAN: _boolean,
    PropertyKind.LIST: _list,
    PropertyKind.MAP: _map,
    PropertyKind.ANY: _any,
}
_PARAMETER_TYPES = {
    PropertyKind.STRING: ParameterType.STRING,
    PropertyKind.INTEGER: ParameterType.NUMBER,
    PropertyKind.NUMBER: ParameterType.NUMBER,
    PropertyKind.BOOLEAN: ParameterType.BOOLEAN,
    PropertyKind.LIST: ParameterType.LIST,
    PropertyKind.MAP: ParameterType.JSON,
    PropertyKind.ANY: ParameterType.STRING,
}
