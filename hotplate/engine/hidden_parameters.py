"""Which parameters are hidden, and what is shown in place of their values."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

from hotplate.document import InvalidDocument, parse
from hotplate.engine.recipes import Bound, Recipe
from hotplate.template import ParameterType, Template, compile_template
from hotplate.template.value import as_text

STARS: Final = "******"

_SHORTEST_PART = 4
"""A shorter secret is only found where it is the whole text: parts would turn up everywhere."""

_MOST_KNOWN = 10_000
_known: Final[dict[bytes, frozenset[str]]] = {}


def hidden_names(*bounds: Bound) -> frozenset[str]:
    """Return the parameters that any template of the stacks declares hidden, files included."""
    names: set[str] = set()
    for bound in bounds:
        names |= hidden_in(bound.template.template, bound.recipe)
    return frozenset(names)


def hidden_in(template: Template, recipe: Recipe) -> frozenset[str]:
    """Return the parameters that a recipe's template, or one among its files, declares hidden."""
    names = set(_declared(template))
    for name, body in recipe.files.items():
        # Most files are none; looking for the key first spares reading scripts as YAML.
        if "emplate" in body and name not in recipe.environment_files:
            names |= _hidden_in_text(body)
    return frozenset(names)


def _hidden_in_text(body: str) -> frozenset[str]:
    """Return the hidden parameters of what may be a template; each text is read once."""
    # By its digest: the texts themselves may be of megabytes.
    digest = sha256(body.encode()).digest()
    found = _known.get(digest)
    if found is None:
        try:
            found = _declared(compile_template(parse(body, "file")))
        except InvalidDocument:
            found = frozenset()
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[digest] = found
    return found


def _declared(template: Template) -> frozenset[str]:
    parameters = template.parameters.values()
    return frozenset(parameter.name for parameter in parameters if parameter.hidden)


def secrets_of(*bounds: Bound) -> tuple[str, ...]:
    """Return the values of hidden parameters as texts, the longest first.

    Also those that environments give for nested templates.
    """
    found: set[str] = set()
    hidden = hidden_names(*bounds)
    for bound in bounds:
        for name, parameter in bound.template.template.parameters.items():
            if parameter.hidden and name in bound.values:
                value = bound.values[name]
                is_text = parameter.type is ParameterType.STRING
                found.add(str(value) if is_text else as_text(parameter.type, value))
                # A list or a map is given away by what it is made of, too.
                found.update(_texts(value))
        for given in (bound.environment.parameters, bound.environment.parameter_defaults):
            for name in hidden & set(given):
                found.update(_texts(given[name]))
    return tuple(sorted(filter(None, found), key=len, reverse=True))


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts and numbers that a value is made of."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def masked(value: Any, secrets: tuple[str, ...]) -> Any:
    """Return the value with stars where a secret stands."""
    if not secrets:
        return value
    if isinstance(value, str):
        return _masked_text(value, secrets)
    if isinstance(value, dict):
        return {key: masked(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [masked(item, secrets) for item in value]
    if not isinstance(value, bool) and isinstance(value, int | float) and str(value) in secrets:
        return STARS
    return value


def _masked_text(text: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        if text == secret:
            return STARS
        if len(secret) >= _SHORTEST_PART:
            text = text.replace(secret, STARS)
    return text
