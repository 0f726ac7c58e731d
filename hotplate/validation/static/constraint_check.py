"""Custom constraints of properties against the values that are known, however deep they stand."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from hotplate.document import Data, Path
from hotplate.resources.property import BadProperty, Property, PropertyKind
from hotplate.secret import Secrets
from hotplate.template import CustomConstraint, NamedCheck, ResolveError, Scope
from hotplate.template.expression import OMITTED, Constant, Expression, entries_of, items_of
from hotplate.validation.static.written_properties import refers


def constraint_faults(
    schema: Mapping[str, Property],
    expression: Expression | None,
    checks: Mapping[str, NamedCheck],
    scope: Scope | None = None,
) -> Iterator[BadProperty]:
    """Yield which known values break a custom constraint for which there is a check.

    With a scope, whatever refers to no resource is known; without, what is written down.
    """
    if expression is None or not checks:
        return
    whole = Property(PropertyKind.MAP, schema=schema)
    yield from _faults(whole, expression, checks, scope, ())


def _faults(
    declared: Property,
    expression: Expression,
    checks: Mapping[str, NamedCheck],
    scope: Scope | None,
    path: Path,
) -> Iterator[BadProperty]:
    if not _is_constrained(declared):
        return
    if isinstance(expression, Constant):
        yield from _value_faults(declared, expression.value, checks, path)
    elif scope is not None and not refers(expression, scope):
        with suppress(ResolveError):  # whoever resolves all properties reports it
            value = expression.resolve(scope)
            if value is not OMITTED:
                yield from _value_faults(declared, value, checks, path)
    elif (entries := entries_of(expression)) is not None:
        for name, part in entries.items():
            if inner := _inner(declared, name):
                yield from _faults(inner, part, checks, scope, (*path, name))
    elif declared.items is not None:
        for number, part in enumerate(items_of(expression) or ()):
            yield from _faults(declared.items, part, checks, scope, (*path, number))


def _value_faults(
    declared: Property, value: Data, checks: Mapping[str, NamedCheck], path: Path
) -> Iterator[BadProperty]:
    if value is None:
        return
    for constraint in declared.constraints:
        if isinstance(constraint, CustomConstraint) and (fault := constraint.check(value, checks)):
            yield BadProperty(Secrets.inside(value).text(fault), path)
    if isinstance(value, dict):
        for name, item in value.items():
            if inner := _inner(declared, name):
                yield from _value_faults(inner, item, checks, (*path, name))
    elif isinstance(value, list) and declared.items is not None:
        for number, item in enumerate(value):
            yield from _value_faults(declared.items, item, checks, (*path, number))


def _inner(declared: Property, name: str) -> Property | None:
    """Return what is declared for an entry of a map, by its name of today or an older one."""
    schema = declared.schema
    return next((each for each in schema.values() if name in each.older), schema.get(name))


def _is_constrained(declared: Property) -> bool:
    """Tell whether there can be anything to check: most properties have nothing."""
    return (
        any(isinstance(each, CustomConstraint) for each in declared.constraints)
        or any(map(_is_constrained, declared.schema.values()))
        or (declared.items is not None and _is_constrained(declared.items))
    )
