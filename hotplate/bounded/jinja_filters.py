"""Jinja's filters, each asked for the size of what it makes before it is called."""

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import jinja2

Filter = Callable[..., Any]
Measure = Callable[[Any], Any]

_LARGEST_SIZE: Final = 10_000
_LONGEST_SEARCHED: Final = 100_000
# A width or precision of five digits, one that is given as an argument, a field in a field.
_WIDE: Final = re.compile(r"\d{5}|\*|\{[^{}]*\{")

# What they make grows with the numbers that they are given.
_SIZED: Final = {"center", "indent", "wordwrap", "truncate", "batch", "slice", "round", "tojson"}
# They search or lay out texts in a time that grows faster than the text.
_SEARCHING: Final = {"wordwrap", "urlize", "striptags", "pprint", "wordcount", "xmlattr", "title"}


def check_format(pattern: str, refusal: type[ValueError]) -> None:
    """Refuse a pattern whose fields could be very wide."""
    if _WIDE.search(pattern):
        raise refusal("a field of a format is too wide, or its width is not written out")


def bounded_filters(
    filters: Mapping[str, Filter], measured: Measure, refusal: type[ValueError]
) -> dict[str, Filter]:
    """Return the filters under their names, each checked before and measured after the call."""
    return {name: _bounded(name, made, measured, refusal) for name, made in filters.items()}


def _bounded(name: str, made: Filter, measured: Measure, refusal: type[ValueError]) -> Filter:
    # Some get the context, the environment or its settings before the value.
    place = 1 if hasattr(made, "jinja_pass_arg") else 0

    @functools.wraps(made)
    def called(*args: Any, **kwargs: Any) -> Any:
        value, others = args[place], [*args[place + 1 :], *kwargs.values()]
        if isinstance(value, Iterator) and not isinstance(value, jinja2.Undefined):
            value = measured(list(measured(value)))
        _check(name, value, others, measured, refusal)
        return measured(made(*args[:place], value, *args[place + 1 :], **kwargs))

    return called


def _check(
    name: str, value: Any, others: list[Any], measured: Measure, refusal: type[ValueError]
) -> None:
    if name in _SIZED:
        for other in others:
            if isinstance(other, int) and abs(other) > _LARGEST_SIZE:
                raise refusal(f"the filter {name} is given the number {other}, which is too large")
    if name in _SEARCHING and _length(value) > _LONGEST_SEARCHED:
        raise refusal(f"the filter {name} is given more than {_LONGEST_SEARCHED} characters")
    if name == "format" and isinstance(value, str):
        check_format(value, refusal)
    texts = [other for other in others if isinstance(other, str)]
    repeats = 0
    if name == "replace" and texts:
        repeats = str(value).count(texts[0])
    elif name == "indent":
        repeats = str(value).count("\n") + 1
    elif name == "join":
        repeats = len(value) if hasattr(value, "__len__") else 0
    elif name == "sum" and any(isinstance(other, list | tuple) for other in others):
        # Lists are added one by one, each time into a new one.
        measured(range(len(value) * sum(map(_length, value)) // 16))
    if repeats:
        measured(range(repeats * max(map(len, texts), default=0)))


def _length(value: Any) -> int:
    return len(value) if hasattr(value, "__len__") else 1
