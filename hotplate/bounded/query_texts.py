"""YAQL's functions that make long texts out of short ones, each paid for before it is done."""

from collections.abc import Iterable
from typing import Any

from yaql.language import specs, utils, yaqltypes

_text = yaqltypes.String()


@specs.parameter("string", _text)
@specs.parameter("old", _text)
@specs.parameter("new", _text)
@specs.parameter("count", int)
@specs.inject("context", yaqltypes.Context())
@specs.name("replace")
@specs.method
def replace(context: Any, string: str, old: str, new: str, count: int = -1) -> str:
    """Return the text with one part of it replaced by another."""
    context.spend(string.count(old) * len(new))
    return string.replace(old, new, count)


@specs.parameter("string", _text)
@specs.parameter("replacements", utils.MappingType)
@specs.parameter("count", int)
@specs.inject("context", yaqltypes.Context())
@specs.inject("to_text", yaqltypes.Delegate("str"))
@specs.name("replace")
@specs.method
def replace_many(
    context: Any, string: str, to_text: Any, replacements: Any, count: int = -1
) -> str:
    """Return the text with each key of a map replaced by its value."""
    for key, value in replacements.items():
        string = replace(context, string, to_text(key), to_text(value), count)
    return string


@specs.parameter("sequence", yaqltypes.Iterable())
@specs.parameter("separator", _text)
@specs.inject("context", yaqltypes.Context())
@specs.inject("to_text", yaqltypes.Delegate("str"))
@specs.name("join")
@specs.method
def join(context: Any, sequence: Iterable[Any], separator: str, to_text: Any) -> str:
    """Return the items as one text."""
    parts: list[str] = []
    for item in sequence:
        parts.append(to_text(item))
        context.spend(len(parts[-1]) + len(separator))
    return separator.join(parts)


@specs.parameter("separator", _text)
@specs.parameter("sequence", yaqltypes.Iterable())
@specs.inject("context", yaqltypes.Context())
@specs.inject("to_text", yaqltypes.Delegate("str"))
@specs.name("join")
@specs.method
def join_text(context: Any, separator: str, sequence: Iterable[Any], to_text: Any) -> str:
    """Return the items as one text."""
    return join(context, sequence, separator, to_text)


@specs.parameter("args", _text)
@specs.inject("context", yaqltypes.Context())
@specs.name("concat")
def concat(context: Any, *args: str) -> str:
    """Return the texts end to end."""
    context.spend(sum(map(len, args)))
    return "".join(args)


FUNCTIONS = (replace, replace_many, join, join_text, concat)
