"""Plain YAML scalars to values, by the YAML 1.1 rules that Heat's templates are written for."""

import math
from typing import Any

import yaml

_IMPLICIT: dict[str, list[tuple[str, Any]]] = yaml.SafeLoader.yaml_implicit_resolvers
_TRUE = frozenset(("yes", "true", "on"))

TAG = "tag:yaml.org,2002:"
MERGE = TAG + "merge"


class BadScalar(ValueError):
    """A scalar has no value that a document may hold; the text says why."""


def implicit_tag(text: str) -> str:
    """Return the tag an unquoted scalar has by its form; ``str`` if it has no other."""
    for tag, pattern in _IMPLICIT.get(text[:1], ()):
        if pattern.match(text):
            return tag
    return TAG + "str"


def construct(tag: str, text: str, integer_digits: int) -> str | int | float | bool | None:
    """Return the value of a scalar with this tag.

    Dates stay text, as Heat keeps them. Raises BadScalar for what JSON cannot carry.
    """
    kind = tag.removeprefix(TAG)
    try:
        if kind in ("str", "timestamp", "value", "merge"):
            return text
        if kind == "null":
            return None
        if kind == "bool":
            return _boolean(text)
        if kind == "int":
            return _integer(text, integer_digits)
        if kind == "float":
            return _float(text, integer_digits)
    except BadScalar:
        raise
    except (ValueError, OverflowError):
        raise BadScalar(f"{text[:40]!r} is not a valid {kind}") from None
    raise BadScalar(f"the YAML tag {tag!r} is not allowed in a document")


def _boolean(text: str) -> bool:
    lowered = text.lower()
    if lowered in _TRUE:
        return True
    if lowered in ("no", "false", "off"):
        return False
    raise ValueError(text)


def _integer(text: str, most_digits: int) -> int:
    digits = text.replace("_", "")
    if len(digits) > most_digits:
        raise BadScalar(f"an integer has more than {most_digits} digits")
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-")
    if digits == "0":
        return 0
    if digits.startswith(("0b", "0x")):
        return sign * int(digits, 0)
    if digits.startswith("0"):
        return sign * int(digits, 8)
    if ":" in digits:
        return sign * int(_sexagesimal(digits))
    return sign * int(digits)


def _float(text: str, most_digits: int) -> float:
    digits = text.replace("_", "").lower()
    if len(digits) > most_digits:
        raise BadScalar(f"a number has more than {most_digits} digits")
    if digits.endswith(("inf", "nan")):
        raise BadScalar(f"{text} is not a number that JSON can carry")
    sign = -1.0 if digits.startswith("-") else 1.0
    digits = digits.lstrip("+-")
    value = _sexagesimal(digits) if ":" in digits else float(digits)
    if not math.isfinite(value):
        raise BadScalar("a number is too large")
    return sign * value


def _sexagesimal(digits: str) -> float:
    total: float = 0
    for part in digits.split(":"):
        total = total * 60 + (float(part) if "." in part else int(part))
    return total
