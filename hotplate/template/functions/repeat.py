"""``repeat``: one copy of a template for each element of one or several lists."""

from itertools import product
from typing import Any

from hotplate.document import Data
from hotplate.template.budget import ITEM
from hotplate.template.errors import BadCall, kind_of
from hotplate.template.expression import Call, Expression, entries_of
from hotplate.template.functions.arguments import must_be, named, warn_of_unknown
from hotplate.template.scope import Scope
from hotplate.template.site import Site


class ListRepeat(Call):
    """``repeat`` before 2016-10-14: over lists only."""

    __slots__ = ()

    over_maps = False
    optional: tuple[str, ...] = ()
    form = "repeat: {template: ANY, for_each: {PLACEHOLDER: LIST}}"

    def check(self, site: Site) -> None:
        """Refuse missing and superfluous arguments."""
        arguments = named(self.arguments, ("template", "for_each"), self.form)
        warn_of_unknown(arguments, ("template", "for_each", *self.optional), site)
        must_be(arguments["for_each"], (dict,), '"for_each" must be a map of lists', "for_each")
        kinds = (list, dict, type(None)) if self.over_maps else (list, type(None))
        for key, part in (entries_of(arguments["for_each"]) or {}).items():
            must_be(part, kinds, f'"{key}" must be a list', "for_each", key)
        if "permutations" in self.optional and "permutations" in arguments:
            must_be(
                arguments["permutations"],
                (bool,),
                '"permutations" must be true or false',
                "permutations",
            )

    def evaluate(self, scope: Scope) -> Data:
        """Return the list of copies."""
        arguments = named(self.arguments, ("template", "for_each"), self.form)
        names, lists = self._lists(arguments["for_each"], scope)
        template = arguments["template"].resolve_alone(scope)
        size = _size(template)
        copies = []
        for values in self._combinations(arguments, lists, scope):
            scope.budget.spend(size)
            copies.append(_substitute(template, names, values, scope))
        return copies

    def _lists(self, part: Expression, scope: Scope) -> tuple[list[str], list[list[Any]]]:
        for_each = part.resolve_alone(scope)
        if not isinstance(for_each, dict):
            raise BadCall(f'"for_each" must be a map of lists, not {kind_of(for_each)}')
        if not for_each:
            raise BadCall('"for_each" names no list')
        lists: list[list[Any]] = []
        for name, items in for_each.items():
            if items is None:
                lists.append([])
            elif isinstance(items, list) or (self.over_maps and isinstance(items, dict)):
                lists.append(list(items))
            else:
                raise BadCall(
                    f'"{name}" must be a list, not {kind_of(items)}', path=("for_each", name)
                )
        return list(for_each), lists

    def _combinations(self, arguments: Any, lists: list[list[Any]], scope: Scope) -> Any:
        if "permutations" in self.optional and "permutations" in arguments:
            nested = arguments["permutations"].resolve_alone(scope)
            if not isinstance(nested, bool):
                raise BadCall(f'"permutations" must be true or false, not {kind_of(nested)}')
            if not nested:
                if any(not items for items in lists):
                    return ()
                if len({len(items) for items in lists}) > 1:
                    raise BadCall(
                        "with permutations: false all lists of for_each must have the same length",
                        path=("for_each",),
                    )
                return zip(*lists, strict=True)
        return product(*lists)


class Repeat(ListRepeat):
    """``repeat`` since 2016-10-14: a map gives its keys."""

    __slots__ = ()

    over_maps = True


class RepeatWithPermutations(Repeat):
    """``repeat`` since 2017-09-01: ``permutations: false`` walks the lists side by side."""

    __slots__ = ()

    optional = ("permutations",)


def _size(template: Data) -> int:
    if isinstance(template, str):
        return len(template) + ITEM
    if isinstance(template, dict):
        return ITEM + sum(_size(key) + _size(value) for key, value in template.items())
    if isinstance(template, list):
        return ITEM + sum(map(_size, template))
    return ITEM


def _substitute(template: Any, names: list[str], values: tuple[Any, ...], scope: Scope) -> Any:
    if isinstance(template, str):
        for name, value in zip(names, values, strict=True):
            if not isinstance(value, str):
                raise BadCall(
                    f'an element of "{name}" must be a text, not {kind_of(value)}',
                    path=("for_each", name),
                )
            scope.budget.spend(1 + len(template) // 32)
            if name in template:
                scope.budget.spend(len(template) + template.count(name) * len(value))
                template = template.replace(name, value)
        return template
    if isinstance(template, list):
        return [_substitute(item, names, values, scope) for item in template]
    if isinstance(template, dict):
        return {
            _substitute(key, names, values, scope): _substitute(item, names, values, scope)
            for key, item in template.items()
        }
    return template
