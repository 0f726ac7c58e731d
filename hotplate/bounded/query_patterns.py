"""YAQL's functions on regular expressions, with the time limit of ``Pattern``."""

from collections.abc import Callable, Iterator
from typing import Any

import regex
from yaql.language import specs, yaqltypes

from hotplate.bounded.pattern import FLAGS, Match, Pattern

_MATCH_COST = 10
_text = yaqltypes.String()


@specs.parameter("pattern", _text)
@specs.name("regex")
def make_regex(
    pattern: str, ignore_case: bool = False, multi_line: bool = False, dot_all: bool = False
) -> Pattern:
    """Return a pattern object."""
    flags = 0
    for name, wanted in zip(FLAGS, (ignore_case, multi_line, dot_all), strict=False):
        flags |= FLAGS[name] if wanted else 0
    return Pattern(pattern, flags)


@specs.parameter("regexp", Pattern)
@specs.parameter("string", _text)
@specs.method
def matches(regexp: Pattern, string: str) -> bool:
    """Return whether the pattern is found in the text."""
    return regexp.search(string) is not None


@specs.parameter("string", _text)
@specs.parameter("regexp", _text)
@specs.name("matches")
@specs.method
def text_matches(string: str, regexp: str) -> bool:
    """Return whether the pattern is found in the text."""
    return Pattern(regexp).search(string) is not None


@specs.parameter("string", _text)
@specs.parameter("regexp", Pattern)
@specs.name("#operator_=~")
def found(string: str, regexp: Pattern) -> bool:
    """Return whether the pattern is found in the text."""
    return regexp.search(string) is not None


@specs.parameter("string", _text)
@specs.parameter("pattern", _text)
@specs.name("#operator_=~")
def found_text(string: str, pattern: str) -> bool:
    """Return whether the pattern is found in the text."""
    return Pattern(pattern).search(string) is not None


@specs.parameter("string", _text)
@specs.parameter("regexp", Pattern)
@specs.name("#operator_!~")
def absent(string: str, regexp: Pattern) -> bool:
    """Return whether the pattern is not found in the text."""
    return regexp.search(string) is None


@specs.parameter("string", _text)
@specs.parameter("pattern", _text)
@specs.name("#operator_!~")
def absent_text(string: str, pattern: str) -> bool:
    """Return whether the pattern is not found in the text."""
    return Pattern(pattern).search(string) is None


def _describe(match: Match, group: int | str) -> dict[str, Any]:
    return {"value": match.group(group), "start": match.start(group), "end": match.end(group)}


def _selected(context: Any, match: Match, selector: Callable[..., Any] | None) -> Any:
    if selector is None:
        return match.group()
    inner = context.create_child_context()
    for number in range(len(match.groups()) + 1):
        inner[f"${number + 1}"] = _describe(match, number)
    for name in match.groupdict():
        inner[f"${name}"] = _describe(match, name)
    return selector(inner)


def _all_matches(context: Any, pattern: Pattern, string: str) -> Iterator[Match]:
    start = 0
    while start <= len(string):
        match = pattern.search(string, start)
        if match is None:
            return
        context.spend(_MATCH_COST)
        yield match
        start = match.end() if match.end() > match.start() else match.end() + 1


@specs.parameter("regexp", Pattern)
@specs.parameter("string", _text)
@specs.parameter("selector", yaqltypes.Lambda(with_context=True))
@specs.method
def search(
    context: Any, regexp: Pattern, string: str, selector: Callable[..., Any] | None = None
) -> Any:
    """Return the first match."""
    match = regexp.search(string)
    return None if match is None else _selected(context, match, selector)


@specs.parameter("regexp", Pattern)
@specs.parameter("string", _text)
@specs.parameter("selector", yaqltypes.Lambda(with_context=True))
@specs.method
def search_all(
    context: Any, regexp: Pattern, string: str, selector: Callable[..., Any] | None = None
) -> Iterator[Any]:
    """Yield every match."""
    for match in _all_matches(context, regexp, string):
        yield _selected(context, match, selector)


@specs.parameter("regexp", Pattern)
@specs.parameter("string", _text)
@specs.parameter("max_split", int)
@specs.method
def split(context: Any, regexp: Pattern, string: str, max_split: int = 0) -> list[str | None]:
    """Return the texts between the matches, and the groups of each match."""
    parts: list[str | None] = []
    start = 0
    for count, match in enumerate(_all_matches(context, regexp, string)):
        if max_split and count >= max_split:
            break
        parts += (string[start : match.start()], *match.groups())
        start = match.end()
    return [*parts, string[start:]]


@specs.parameter("string", _text)
@specs.parameter("regexp", Pattern)
@specs.parameter("max_split", int)
@specs.name("split")
@specs.method
def split_text(context: Any, string: str, regexp: Pattern, max_split: int = 0) -> list[str | None]:
    """Return the texts between the matches, and the groups of each match."""
    return split(context, regexp, string, max_split)


def _replaced(
    context: Any,
    regexp: Pattern,
    string: str,
    count: int,
    new: Callable[[Match], str],
) -> str:
    parts: list[str] = []
    start = 0
    for number, match in enumerate(_all_matches(context, regexp, string)):
        if count and number >= count:
            break
        parts += (string[start : match.start()], new(match))
        context.spend(len(parts[-1]))
        start = match.end()
    return "".join([*parts, string[start:]])


@specs.parameter("regexp", Pattern)
@specs.parameter("string", _text)
@specs.parameter("repl", _text)
@specs.parameter("count", int)
@specs.method
def replace(context: Any, regexp: Pattern, string: str, repl: str, count: int = 0) -> str:
    """Return the text with matches replaced; the replacement may name groups."""
    return _replaced(context, regexp, string, count, lambda match: match.expand(repl))


@specs.parameter("string", _text)
@specs.parameter("regexp", Pattern)
@specs.parameter("repl", _text)
@specs.parameter("count", int)
@specs.name("replace")
@specs.method
def replace_text(context: Any, string: str, regexp: Pattern, repl: str, count: int = 0) -> str:
    """Return the text with matches replaced."""
    return replace(context, regexp, string, repl, count)


@specs.parameter("regexp", Pattern)
@specs.parameter("string", _text)
@specs.parameter("repl", yaqltypes.Lambda(with_context=True))
@specs.parameter("count", int)
@specs.method
def replace_by(
    context: Any, regexp: Pattern, string: str, repl: Callable[..., Any], count: int = 0
) -> str:
    """Return the text with each match replaced by what an expression makes of it."""
    return _replaced(
        context, regexp, string, count, lambda match: str(_selected(context, match, repl))
    )


@specs.parameter("string", _text)
@specs.parameter("regexp", Pattern)
@specs.parameter("repl", yaqltypes.Lambda(with_context=True))
@specs.parameter("count", int)
@specs.name("replaceBy")
@specs.method
def replace_by_text(
    context: Any, string: str, regexp: Pattern, repl: Callable[..., Any], count: int = 0
) -> str:
    """Return the text with each match replaced by what an expression makes of it."""
    return replace_by(context, regexp, string, repl, count)


@specs.parameter("string", _text)
def escape_regex(string: str) -> str:
    """Return the text as a pattern that matches exactly it."""
    return regex.escape(string)


def is_regex(value: object) -> bool:
    """Return whether a value is a pattern object."""
    return isinstance(value, Pattern)


FUNCTIONS = (
    make_regex,
    matches,
    text_matches,
    found,
    found_text,
    absent,
    absent_text,
    search,
    search_all,
    split,
    split_text,
    replace,
    replace_text,
    replace_by,
    replace_by_text,
    escape_regex,
    is_regex,
)
