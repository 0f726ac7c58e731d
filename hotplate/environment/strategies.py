"""How two values of one parameter become one when a merge strategy was stated."""

import json
import math
from collections.abc import Iterable
from dataclasses import replace

from hotplate.document import Data, InvalidDocument, from_data
from hotplate.environment.names import Strategy
from hotplate.environment.traced import Traced, of_parts, overriding
from hotplate.environment.wording import kind_of, quoted
from hotplate.template.parameter_type import ParameterType


class MergeError(ValueError):
    """The strategy does not fit the type or the values; the text says why."""

    def __init__(self, message: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(message)


def inferred_type(values: Iterable[Data]) -> ParameterType:
    """Return the type that no template declares, from all values given for the parameter."""
    kinds = {kind_of(value) for value in values if value is not None}
    if "a map" in kinds:
        return ParameterType.JSON
    if "a list" in kinds:
        return ParameterType.LIST
    if "a boolean" in kinds:
        return ParameterType.BOOLEAN
    return ParameterType.NUMBER if kinds == {"a number"} else ParameterType.STRING


def merged(
    old: Traced | None, new: Traced, strategy: Strategy, parameter_type: ParameterType
) -> Traced:
    """Return the new value joined to the old one. A null is as good as no value.

    Raises MergeError.
    """
    if new.is_null and old is not None:
        return old
    if old is None or old.is_null:
        return overriding(new, old)
    if strategy is Strategy.OVERWRITE:
        return overriding(new, old)
    if parameter_type is ParameterType.JSON:
        return _merged_json(old, new, strategy is Strategy.DEEP_MERGE)
    if parameter_type is ParameterType.LIST:
        return _merged_list(old, new)
    if parameter_type is ParameterType.NUMBER:
        return _made_of(new, old, _sum(_number(old.data()), _number(new.data())))
    if parameter_type is ParameterType.STRING:
        return _made_of(new, old, _text(old.data()) + _text(new.data()))
    raise MergeError("two booleans cannot be merged", 'state the strategy "overwrite" for it')


def _made_of(new: Traced, old: Traced, value: Data) -> Traced:
    return Traced(new.given.before(old.given), value, before=old.before)


def _text(value: Data) -> str:
    if isinstance(value, dict | list):
        raise MergeError(f"{kind_of(value)} cannot be joined to a text")
    return str(value)


def _number(value: Data) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and len(value) <= 400 and value.isascii() and "_" not in value:
        for convert in (int, float):
            try:
                number = convert(value)
            except ValueError:
                continue
            if math.isfinite(number):
                return number
    raise MergeError(f"{quoted(value)} is not a number, so it cannot be added")


def _sum(old: int | float, new: int | float) -> int | float:
    try:
        total = old + new
        if math.isfinite(total):
            return total
    except OverflowError:
        pass
    raise MergeError("the sum is too large")


def _merged_list(old: Traced, new: Traced) -> Traced:
    """Join two lists; each may be a text with commas, and an empty text is an empty list."""
    for value in (old.plain, new.plain):
        if not isinstance(value, list | str):
            raise MergeError(f"{kind_of(value)} is not a list, so nothing can be added to it")
    if isinstance(old.plain, str) and isinstance(new.plain, str):
        return _made_of(new, old, ",".join(text for text in (old.plain, new.plain) if text))
    return _appended(_as_list(old), _as_list(new))


def _as_list(node: Traced) -> Traced:
    if not isinstance(node.plain, str):
        return node
    items: Data = node.plain.split(",") if node.plain else []
    return replace(node, plain=items, is_inside_text=True)


def _appended(old: Traced, new: Traced) -> Traced:
    items = [*old.expanded().values(), *new.expanded().values()]
    joined = of_parts(dict(enumerate(items)), new.given.before(old.given), is_map=False)
    return replace(joined, before=old.before)


def _merged_json(old: Traced, new: Traced, deep: bool) -> Traced:
    """Join two JSON values; each may be JSON text, and an empty text is no value."""
    old, new = _as_json(old), _as_json(new)
    if new.plain == "":
        return old
    if old.plain == "":
        return overriding(new, old)
    if old.is_list and new.is_list:
        return _appended(old, new)
    if not (old.is_map and new.is_map):
        return overriding(new, old)
    if deep:
        return _deeply_merged(old, new)
    parts = old.expanded()
    for key, item in new.expanded().items():
        if not item.is_null:
            parts[key] = overriding(item, old.part(key))
    return _of_map(parts, new, old)


def _deeply_merged(old: Traced, new: Traced) -> Traced:
    """Join two values inside a map: maps by key, lists end to end, texts end to end."""
    if old.is_map and new.is_map:
        parts = old.expanded()
        for key, item in new.expanded().items():
            was = old.part(key)
            if not item.is_null:
                parts[key] = item if was is None else _deeply_merged(was, item)
        return _of_map(parts, new, old)
    if old.is_list and new.is_list:
        return _appended(old, new)
    if isinstance(old.plain, str) and isinstance(new.plain, str):
        return _made_of(new, old, old.plain + new.plain)
    return overriding(new, old)


def _of_map(parts: dict[str | int, Traced], new: Traced, old: Traced) -> Traced:
    return replace(of_parts(parts, new.given.before(old.given)), before=old.before)


def _as_json(node: Traced) -> Traced:
    if not isinstance(node.plain, str) or not node.plain:
        return node
    try:
        data = from_data(json.loads(node.plain), node.given.newest.file).data
    except (ValueError, RecursionError):
        raise MergeError(f"{quoted(node.plain)} is not JSON, so it cannot be merged") from None
    except InvalidDocument as error:
        raise MergeError(f"the JSON text is refused: {error.problems[0].message}") from None
    return replace(node, plain=data, is_inside_text=True)
