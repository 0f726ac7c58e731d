"""Secrets that were read as stars and are sent back: they stay what they are."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hotplate.document import InvalidDocument, Problem, parse
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound, RecipeBook
from hotplate.engine.recipes.hidden_parameters import hidden_in, hidden_names
from hotplate.environment import EXPLICIT, INLINE, same_files
from hotplate.environment.names import PARAMETER_DEFAULTS, PARAMETERS
from hotplate.secret import STARS

_SECTIONS = (PARAMETERS, PARAMETER_DEFAULTS)


def holds_stars(recipe: Recipe) -> bool:
    """Tell whether something in a recipe may have been read as stars. Cheap."""
    texts = (recipe.environment, *(recipe.files.get(name, "") for name in recipe.environment_files))
    return STARS in recipe.parameters.values() or any(STARS in text for text in texts)


def with_secrets(recipe: Recipe, book: RecipeBook, old: Bound | None = None) -> Recipe:
    """Return a recipe with the secrets of a stack where stars stand for hidden parameters.

    ``old`` is what the stack is made of; without one there is none. The value that the same
    environment file gives comes first, then what all environments came to. Raises InvalidDocument
    for stars that stand for no secret: they are no password.
    """
    if not holds_stars(recipe):
        return recipe
    hidden = hidden_in(book.template_of(recipe), recipe)
    if old is not None:
        hidden |= hidden_names(old) | old.values.secret_names
    restoring = _Restoring(hidden, old)
    same = {} if old is None else same_files(recipe.listed, old.recipe.listed)
    files = dict(recipe.files)
    for name in dict.fromkeys(recipe.environment_files):
        if name in files:
            files[name] = restoring.text(files[name], name, same.get(name))
    new = replace(
        recipe,
        files=files,
        environment=restoring.text(recipe.environment, INLINE, None),
        parameters=restoring.explicit(recipe.parameters),
    )
    if restoring.problems:
        raise InvalidDocument(restoring.problems)
    return new


@dataclass(slots=True)
class _Restoring:
    """One recipe being looked through."""

    hidden: frozenset[str]
    old: Bound | None
    problems: list[Problem] = field(default_factory=list)

    def text(self, body: str, name: str, stored: str | None) -> str:
        """Return an environment with its secrets; ``stored`` is the same file of the stack."""
        if STARS not in body:
            return body
        document = parse(body, name)
        data = document.data
        if not isinstance(data, dict):
            return body  # whoever reads it as an environment says what is wrong
        before = self._stored(stored)
        new = dict(data)
        for section in _SECTIONS:
            values = data.get(section)
            for parameter in self._starred(values):
                found = [before.get(section), self._merged(section)]
                value = _first(found, parameter)
                if value is None:
                    problem = _no_secret(section, parameter)
                    self.problems.append(document.placed(problem))
                new[section] = {**new[section], parameter: value}
        return body if new == data else json.dumps(new, ensure_ascii=False)

    def explicit(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        new = dict(parameters)
        for name in self._starred(parameters):
            found = [self._merged(PARAMETERS), self._merged(PARAMETER_DEFAULTS), self._defaults()]
            new[name] = _first(found, name)
            if new[name] is None:
                problem = _no_secret(PARAMETERS, name)
                self.problems.append(replace(problem, file=EXPLICIT))
        return new

    def _starred(self, values: Any) -> Iterator[str]:
        if isinstance(values, Mapping):
            yield from (name for name, value in values.items() if self._is_starred(name, value))

    def _is_starred(self, name: str, value: Any) -> bool:
        return name in self.hidden and bool(value == STARS)

    def _stored(self, file: str | None) -> Mapping[str, Any]:
        if self.old is None or file is None:
            return {}
        data = parse(self.old.recipe.files[file], file).data
        return data if isinstance(data, dict) else {}

    def _merged(self, section: str) -> Mapping[str, Any]:
        if self.old is None:
            return {}
        environment = self.old.environment
        return environment.parameters if section == PARAMETERS else environment.parameter_defaults

    def _defaults(self) -> Mapping[str, Any]:
        if self.old is None:
            return {}
        declared = self.old.template.template.parameters
        return {name: parameter.default for name, parameter in declared.items()}


def _first(maps: list[Any], name: str) -> Any:
    """Return the first value that is given, None if there is none."""
    values = (each.get(name) for each in maps if isinstance(each, Mapping))
    return next((value for value in values if value is not None), None)


def _no_secret(section: str, name: str) -> Problem:
    return Problem(
        f'the value of the hidden parameter "{name}" is {STARS}, which is shown in place of '
        "secrets, and there is none that it could stand for",
        (section, name),
        "send the secret itself",
    )
