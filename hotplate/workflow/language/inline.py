"""A call on one line: ``std.echo output="Hello" delay=<% $.d %> list=[1, 2]``."""

import json
import re
from typing import Any, Final

_COMMAND: Final = re.compile(r'<%.*?%>|\{\{.*?\}\}|\{%.*?%\}|[\w.][^=(\s"]*', re.DOTALL)
_NAME: Final = re.compile(r"[-\w]+")
_EXPRESSION: Final = re.compile(r"<%.*?%>|\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_SEPARATOR: Final = re.compile(r"[\s,]*")
_DECODER: Final = json.JSONDecoder()


class BadCall(ValueError):
    """The line cannot be understood; the text says why."""


def split_call(text: str) -> tuple[str, dict[str, Any]]:
    """Return what is called, and the parameters that follow. Raises BadCall.

    A call is a name or an expression. Parameters stand behind a space, or in parentheses.
    """
    text = text.strip()
    found = _COMMAND.match(text)
    if found is None:
        raise BadCall(f"{_shown(text)} does not begin with a name")
    rest = text[found.end() :].strip()
    if rest.startswith("("):
        if not rest.endswith(")"):
            raise BadCall(f'{_shown(text)} lacks the closing ")"')
        rest = rest[1:-1]
    return found.group(), split_parameters(rest)


def split_parameters(text: str) -> dict[str, Any]:
    """Return ``a=1 b='x'`` as a map. Raises BadCall."""
    parameters: dict[str, Any] = {}
    at = _SEPARATOR.match(text, 0).end()  # type: ignore[union-attr]
    while at < len(text):
        found = _NAME.match(text, at)
        if found is None or text[found.end() : found.end() + 1] != "=":
            raise BadCall(f"expected name=value at {_shown(text[at:])}")
        parameters[found.group()], at = _value(text, found.end() + 1)
        after = _SEPARATOR.match(text, at).end()  # type: ignore[union-attr]
        if after == at < len(text):
            raise BadCall(
                f"the value of {found.group()} ends before {_shown(text[at:])}; "
                "put the whole value in quotes"
            )
        at = after
    return parameters


def _value(text: str, at: int) -> tuple[Any, int]:
    """Return the value that begins here, and the index behind it."""
    first = text[at : at + 1]
    if first and first in "\"'":
        end = text.find(first, at + 1)
        if end < 0:
            raise BadCall(f"the quote at {_shown(text[at:])} is not closed")
        return text[at + 1 : end], end + 1
    expression = _EXPRESSION.match(text, at)
    if expression is not None:
        return expression.group(), expression.end()
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        end = text.rfind("]") + 1
        if first == "[" and end > at:
            # A list with expressions inside is a text until they are evaluated.
            return text[at:end], end
    else:
        return value, end
    raise BadCall(
        f"the value at {_shown(text[at:])} must be in quotes, a number, JSON or an expression"
    )


def _shown(text: str) -> str:
    return f'"{text[:40]}..."' if len(text) > 40 else f'"{text}"'
