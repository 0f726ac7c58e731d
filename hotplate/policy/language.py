"""Reads rules as they stand in a policy file.

Words are ``role:NAME``, ``rule:NAME``, ``ATTRIBUTE:VALUE``, ``@`` and ``!``, with ``and``, ``or``,
``not`` and parentheses between them. ``and`` binds closer than ``or``. An older form is a list of
lists: one of the inner lists must hold, with all that is in it.
"""

import re
from ast import literal_eval
from collections.abc import Iterator, Sequence
from typing import Any, Final

from hotplate.policy.checks import (
    All,
    Always,
    AnyOf,
    Check,
    Equal,
    Never,
    Not,
    Reference,
    Role,
)

_TOKENS: Final = re.compile(r"""\s*(?:([()])|((?:"[^"]*"|'[^']*'|%\([^()]*\)s|[^\s()])+))""")
_LONGEST: Final = 10_000
_DEEPEST: Final = 50


class BadRule(ValueError):
    """A rule cannot be read; the text says why."""


def parse_rule(written: Any) -> Check:
    """Return what a rule says. Raises BadRule."""
    if isinstance(written, list):
        return _of_lists(written)
    if not isinstance(written, str):
        raise BadRule("a rule is a text")
    if len(written) > _LONGEST:
        raise BadRule(f"a rule has at most {_LONGEST} characters")
    if not written.strip():
        return Always()
    return _Parser(list(_tokens(written))).whole()


def _of_lists(written: Sequence[Any]) -> Check:
    if not written:
        return Always()
    alternatives: list[Check] = []
    for each in written:
        words = [each] if isinstance(each, str) else each
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise BadRule("a rule in the old form is a list of lists of texts")
        if words:
            alternatives.append(All([_check(word) for word in words]))
    return AnyOf(alternatives) if alternatives else Never()


def _tokens(text: str) -> Iterator[str]:
    position = 0
    text = text.rstrip()
    while position < len(text):
        match = _TOKENS.match(text, position)
        if match is None:
            raise BadRule(f'"{text[position:]}" cannot be read')
        yield match[1] or match[2]
        position = match.end()


class _Parser:
    """Takes words one after the other."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._next = 0

    def whole(self) -> Check:
        found = self._alternatives(0)
        if self._next < len(self._words):
            raise BadRule(f'"{self._words[self._next]}" stands where "and" or "or" is expected')
        return found

    def _alternatives(self, depth: int) -> Check:
        checks = [self._conditions(depth)]
        while self._takes("or"):
            checks.append(self._conditions(depth))
        return checks[0] if len(checks) == 1 else AnyOf(checks)

    def _conditions(self, depth: int) -> Check:
        checks = [self._condition(depth)]
        while self._takes("and"):
            checks.append(self._condition(depth))
        return checks[0] if len(checks) == 1 else All(checks)

    def _condition(self, depth: int) -> Check:
        if depth > _DEEPEST:
            raise BadRule("the parentheses are too deep")
        if self._takes("not"):
            return Not(self._condition(depth + 1))
        if self._takes("("):
            found = self._alternatives(depth + 1)
            if not self._takes(")"):
                raise BadRule('a ")" is missing')
            return found
        if self._next >= len(self._words):
            raise BadRule("it ends where a check is expected")
        word = self._words[self._next]
        self._next += 1
        return _check(word)

    def _takes(self, word: str) -> bool:
        there = self._next < len(self._words) and self._words[self._next].lower() == word
        self._next += there
        return there


def _check(word: str) -> Check:
    if word == "@":
        return Always()
    if word == "!":
        return Never()
    kind, colon, value = _unquoted(word).partition(":")
    if not colon or not kind:
        raise BadRule(f'"{word}" is no check; write it like role:member')
    if kind in ("http", "https"):
        raise BadRule("checks that ask another server (http:, https:) are not supported")
    if kind == "role":
        return Role(value)
    if kind == "rule":
        return Reference(value)
    return Equal(kind, value, _literal(kind))


def _unquoted(word: str) -> str:
    """Return a word that is in quotes as a whole without them."""
    if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" and word.count(word[0]) == 2:
        return word[1:-1]
    return word


def _literal(kind: str) -> str | None:
    """Return the value that stands where the name of a fact would: 'text', 1, True, None."""
    if not re.fullmatch(r"""True|False|None|-?\d+|'[^']*'|"[^"]*\"""", kind):
        return None
    return str(literal_eval(kind))
