"""What a template says of a value before any resource exists."""

from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from hotplate.template.errors import BadCall, ResolveError
from hotplate.template.expression import (
    OMITTED,
    Constant,
    Expression,
    ListExpression,
    MapExpression,
    walk_active,
)
from hotplate.template.functions.logic import If
from hotplate.template.functions.references import GetResource, ResourceReference
from hotplate.template.scope import Scope


@dataclass(frozen=True, slots=True)
class Reference:
    """A resource of the same stack, in place of the reference that it will have."""

    name: str


class Unknown(Enum):
    """A value that nobody can tell before other resources exist."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown.UNKNOWN

Written = Any
"""Data in which a `Reference` or `UNKNOWN` may stand anywhere. Nobody may change it."""


def written_value(expression: Expression | None, scope: Scope) -> Written:
    """Return what is known of a value: calls that need no resource have been made.

    ``get_resource`` is a `Reference`; whatever else needs a resource, or fails, is `UNKNOWN`.
    """
    value = _written(expression, scope)
    return None if value is OMITTED else value


def written_property(properties: Expression | None, name: str, scope: Scope) -> Written:
    """Return what is known of one property, None if it is not written."""
    if isinstance(properties, MapExpression):
        return written_value(properties.entries.get(name), scope)
    value = written_value(properties, scope)
    return value.get(name) if isinstance(value, dict) else None if value is None else UNKNOWN


def _written(expression: Expression | None, scope: Scope) -> Written:
    if expression is None or isinstance(expression, Constant):
        return None if expression is None else expression.value
    if isinstance(expression, MapExpression):
        found = {key: _written(part, scope) for key, part in expression.entries.items()}
        return {key: value for key, value in found.items() if value is not OMITTED}
    if isinstance(expression, ListExpression):
        values = [_written(part, scope) for part in expression.items]
        return [value for value in values if value is not OMITTED]
    try:
        return _written_call(expression, scope)
    except (BadCall, ResolveError):
        return UNKNOWN


def _written_call(expression: Expression, scope: Scope) -> Written:
    if isinstance(expression, If):
        branch = expression.chosen(scope)
        return OMITTED if branch is None else _written(branch, scope)
    if isinstance(expression, GetResource):
        return Reference(expression.target(scope))
    if any(isinstance(part, ResourceReference) for part in walk_active(expression, scope)):
        return UNKNOWN
    return expression.resolve(scope)
