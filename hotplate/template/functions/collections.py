"""Functions on maps and lists."""

from typing import Any

from hotplate.document import Data, key_text
from hotplate.template.budget import ITEM
from hotplate.template.errors import BadCall, kind_of
from hotplate.template.expression import Call, is_call
from hotplate.template.functions.arguments import (
    must_be,
    must_be_list_or_empty,
    positional,
    shown,
    written,
)
from hotplate.template.scope import Scope
from hotplate.template.site import Site


def _map(value: Data, what: str, *steps: str | int) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadCall(f"{what} must be a map, not {kind_of(value)}", path=steps)
    return value


class MapMerge(Call):
    """``map_merge: [map, map, …]``: later keys win, whole values at a time."""

    __slots__ = ()

    hands_on = True

    def check(self, site: Site) -> None:
        """Refuse what is written and not a list of maps."""
        must_be(self.arguments, (list,), "the arguments must be a list of maps")
        for index, item in enumerate(written(self.arguments) or ()):
            if item is not None and not isinstance(item, dict):
                raise BadCall(f"what is merged must be a map, not {kind_of(item)}", path=(index,))

    def evaluate(self, scope: Scope) -> Data:
        """Return the merged map; null counts as an empty one."""
        maps = self.arguments.resolve_alone(scope)
        if not isinstance(maps, list):
            raise BadCall(f"the arguments must be a list of maps, not {kind_of(maps)}")
        result: dict[str, Any] = {}
        for item in maps:
            entries = _map(item, "what is merged")
            scope.budget.spend(len(entries) * ITEM)
            result.update(entries)
        return result


class MapReplace(Call):
    """``map_replace: [map, {keys: {old: new}, values: {old: new}}]``."""

    __slots__ = ()

    _form = "map_replace: [MAP, {keys: {OLD: NEW}, values: {OLD: NEW}}]"

    def check(self, site: Site) -> None:
        """Refuse a wrong number of arguments."""
        if is_call(self.arguments):
            return
        source, changes = positional(self.arguments, 2, 2, self._form)
        must_be(source, (dict, type(None)), "the first argument must be a map", 0)
        must_be(changes, (dict, type(None)), "the second argument must be a map", 1)

    def evaluate(self, scope: Scope) -> Data:
        """Return the map with keys renamed and values substituted."""
        arguments = self.arguments.resolve_alone(scope)
        if not isinstance(arguments, list) or len(arguments) != 2:
            raise BadCall("takes 2 arguments", f"write {self._form}")
        source = _map(arguments[0], "the first argument")
        changes = _map(arguments[1], "the second argument")
        for key in changes:
            if key not in ("keys", "values"):
                raise BadCall(f'there is no argument "{key}"', f"write {self._form}", (1, key))
        new_keys = _map(changes.get("keys", {}), '"keys"', 1, "keys")
        new_values = _map(changes.get("values", {}), '"values"', 1, "values")
        scope.budget.spend(len(source) * ITEM)
        result: dict[str, Any] = {}
        for key, value in source.items():
            new_key = new_keys.get(key)
            if new_key is None:
                new_key = key
            elif isinstance(new_key, dict | list):
                raise BadCall(f'the new key for "{key}" must be a text, not {kind_of(new_key)}')
            elif (new_key in source and new_key != key) or new_key in result:
                raise BadCall(
                    f'the new key "{new_key}" collides with another key', path=(1, "keys", key)
                )
            result[new_key if isinstance(new_key, str) else key_text(new_key)] = _substitute(
                value, new_values
            )
        return result


def _substitute(value: Data, new_values: dict[str, Any]) -> Data:
    return new_values.get(value, value) if isinstance(value, str) else value


class ListConcat(Call):
    """``list_concat: [list, list, …]``."""

    __slots__ = ()

    hands_on = True

    unique = False

    def check(self, site: Site) -> None:
        """Refuse what is written and not a list of lists."""
        must_be(self.arguments, (list,), "the arguments must be a list of lists")
        for index, item in enumerate(written(self.arguments) or ()):
            if item is not None and not isinstance(item, list):
                raise BadCall(f"what is joined must be a list, not {kind_of(item)}", path=(index,))

    def evaluate(self, scope: Scope) -> Data:
        """Return one list of all items; null counts as an empty list."""
        lists = self.arguments.resolve_alone(scope)
        if not isinstance(lists, list):
            raise BadCall(f"the arguments must be a list of lists, not {kind_of(lists)}")
        result: list[Any] = []
        for items in lists:
            if items is None:
                continue
            if not isinstance(items, list):
                raise BadCall(f"what is joined must be a list, not {shown(items)}")
            scope.budget.spend(len(items) * ITEM)
            result.extend(items)
        return _first_occurrences(result, scope) if self.unique else result


class ListConcatUnique(ListConcat):
    """``list_concat_unique``: of equal items the first is kept."""

    __slots__ = ()

    unique = True


def _first_occurrences(items: list[Any], scope: Scope) -> list[Any]:
    """Compare as Python does (1 equals true). Texts, the common case, cost no search."""
    texts: set[str] = set()
    others: list[Any] = []
    result = []
    for item in items:
        if isinstance(item, str):
            if item in texts:
                continue
            texts.add(item)
        else:
            scope.budget.spend(len(others) * _cost_of_comparing(item))
            if item in others:
                continue
            others.append(item)
        result.append(item)
    return result


def _cost_of_comparing(value: Data) -> int:
    """Return how much work it is to find a value equal to others, or not."""
    if isinstance(value, str):
        return 1 + len(value) // ITEM
    if isinstance(value, dict):
        return 1 + sum(map(_cost_of_comparing, value.values()))
    if isinstance(value, list):
        return 1 + sum(map(_cost_of_comparing, value))
    return 1


class Filter(Call):
    """``filter: [values, list]``: the list without those values."""

    __slots__ = ()

    _form = "filter: [[unwanted, values], LIST]"

    def check(self, site: Site) -> None:
        """Refuse a wrong number of arguments."""
        values, items = positional(self.arguments, 2, 2, self._form)
        must_be_list_or_empty(values, "the values must be a list", 0)
        must_be_list_or_empty(items, "what is filtered must be a list", 1)

    def evaluate(self, scope: Scope) -> Data:
        """Return what is left; an empty list or null passes through."""
        values_part, items_part = positional(self.arguments, 2, 2, self._form)
        items = items_part.resolve_alone(scope)
        if not items:
            return items
        if not isinstance(items, list):
            raise BadCall(f"what is filtered must be a list, not {kind_of(items)}")
        values = values_part.resolve_alone(scope)
        if not values:
            return items
        if not isinstance(values, list):
            raise BadCall(f"the values must be a list, not {kind_of(values)}")
        scope.budget.spend(len(values) * sum(map(_cost_of_comparing, items)))
        return [item for item in items if item not in values]


class Contains(Call):
    """``contains: [value, list or text]``."""

    __slots__ = ()

    _form = "contains: [VALUE, [list, of, values]]"

    def check(self, site: Site) -> None:
        """Refuse a wrong number of arguments."""
        _, where = positional(self.arguments, 2, 2, self._form)
        must_be(where, (list, str), "the second argument must be a list or a text", 1)

    def evaluate(self, scope: Scope) -> Data:
        """Return whether the value is an item of the list or a part of the text."""
        value, where = (
            part.resolve_alone(scope) for part in positional(self.arguments, 2, 2, self._form)
        )
        if isinstance(where, str):
            if not isinstance(value, str):
                raise BadCall(f"a text can only contain a text, not {kind_of(value)}")
            return value in where
        if not isinstance(where, list):
            raise BadCall(f"the second argument must be a list or a text, not {kind_of(where)}")
        scope.budget.spend(len(where) * _cost_of_comparing(value))
        return value in where
