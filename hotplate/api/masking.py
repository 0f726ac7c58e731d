"""Secrets kept out of answers."""

from typing import Any

from hotplate.engine.recipes import Bound
from hotplate.template import ParameterType
from hotplate.template.value import as_text

STARS = "******"
_SHORTEST_PART = 4
"""A shorter secret is only found where it is the whole text: parts would turn up everywhere."""


def secrets_of(bound: Bound) -> tuple[str, ...]:
    """Return the values of a stack's hidden parameters, as texts, the longest first."""
    found = set()
    for name, parameter in bound.template.template.parameters.items():
        if parameter.hidden and name in bound.values:
            value = bound.values[name]
            is_text = parameter.type is ParameterType.STRING
            found.add(str(value) if is_text else as_text(parameter.type, value))
    return tuple(sorted(filter(None, found), key=len, reverse=True))


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
