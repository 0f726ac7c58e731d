"""Between the properties of a resource and the fields of the service's own representation.

Tables name properties by paths: ``network``, ``external_gateway_info.network`` in a map,
``fixed_ips[].subnet`` in each map of a list, ``security_groups[]`` for each item of a list.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from hotplate.resources.property import Property, PropertyKind

_FREE: Final = Property(PropertyKind.ANY)

Step = str | None
"""A key of a map, or None for every item of a list."""


def steps(path: str) -> tuple[Step, ...]:
    """Return the parts of a path."""
    found: list[Step] = []
    for part in path.split("."):
        name = part.removesuffix("[]")
        found += [name, None] if part.endswith("[]") else [name]
    return tuple(found)


def to_fields(values: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """Return properties under the names of the fields, without those that are null inside.

    ``renamed`` maps paths of properties to names of fields; what it does not have keeps its name.
    """
    return _renamed(values, _table(renamed.items()), drop_null=True)


def from_fields(values: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """Return a representation under the names of the properties: the reverse of `to_fields`."""
    table = _table(renamed.items())
    return _renamed(values, _reversed(table), drop_null=False)


Table = dict[Step, tuple[str, "Table"]]
"""For each step of a path its new name, and the same for what is below."""


def _table(renamed: Iterable[tuple[str, str]]) -> Table:
    table: Table = {}
    for path, field in renamed:
        level = table
        *outer, last = steps(path)
        for step in outer:
            level = level.setdefault(step, (step or "", {}))[1]
        level[last] = (field, level[last][1] if last in level else {})
    return table


def _reversed(table: Table) -> Table:
    return {
        (None if step is None else new): (step or "", _reversed(below))
        for step, (new, below) in table.items()
    }


def _renamed(value: Any, table: Table, drop_null: bool, inside: bool = False) -> Any:
    if isinstance(value, list):
        below = table.get(None, ("", {}))[1]
        return [_renamed(each, below, drop_null, True) for each in value]
    if not isinstance(value, Mapping):
        return value
    found = {}
    for key, item in value.items():
        if item is None and inside and drop_null:
            continue
        new, below = table.get(key, (key, {}))
        found[new] = _renamed(item, below, drop_null, True)
    return found


async def replaced(
    value: Any, path: tuple[Step, ...], replace: Callable[[Any], Awaitable[Any]]
) -> Any:
    """Return a value in which what a path leads to is replaced. Empty values stay as they are."""
    if not path:
        return await replace(value) if value not in (None, "") else value
    step, rest = path[0], path[1:]
    if step is None:
        if not isinstance(value, list):
            return value
        return [await replaced(each, rest, replace) for each in value]
    if not isinstance(value, Mapping) or value.get(step) is None:
        return value
    return {**value, step: await replaced(value[step], rest, replace)}


def at(value: Any, path: tuple[Step, ...]) -> Iterator[Any]:
    """Yield what a path leads to, None and empty values left out."""
    if not path:
        if value not in (None, ""):
            yield value
    elif path[0] is None:
        for each in value if isinstance(value, list) else ():
            yield from at(each, path[1:])
    elif isinstance(value, Mapping):
        yield from at(value.get(path[0]), path[1:])


def in_form_of(declared: Property, written: Any, live: Any) -> Any:
    """Return a value that a service tells in the form in which the template gives it.

    What the template leaves to the service is left out of maps whose keys are declared. A list is
    in the order of the template; what the template does not have comes last.
    """
    if isinstance(written, Mapping) and isinstance(live, Mapping) and declared.schema:
        return {
            key: None if value is None else in_form_of(declared.schema[key], value, live.get(key))
            for key, value in written.items()
        }
    if not isinstance(written, list) or not isinstance(live, list):
        return live
    items = declared.items or _FREE
    left, found = list(live), []
    for each in written:
        fit = next((other for other in left if in_form_of(items, each, other) == each), None)
        if fit is not None:
            left.remove(fit)
            found.append(each)
    return [*found, *left]


def in_order_of(written: Any, live: Sequence[Any]) -> list[Any]:
    """Return a list that is a set to the service in the order in which the template has it."""
    order = list(written or ())
    return sorted(live, key=lambda each: order.index(each) if each in order else len(order))
