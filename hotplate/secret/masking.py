"""Stars in place of secrets: in values that are shown, and in texts that repeat one."""

import base64
import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, Final
from urllib.parse import quote, quote_plus

from hotplate.secret.value import STARS, SecretText, is_secret, secret

_SHORTEST_PART: Final = 4
"""A shorter secret is only found where it is the whole text: parts would turn up everywhere."""

_CUT: Final = 16
"""Characters at the beginning of a longer secret by which a text that cuts it off gives it away."""

_TELLS_NOTHING: Final = frozenset(
    ("", STARS, "null", "None", "true", "True", "false", "False", "{}")
)
"""Texts that tell nothing, and would turn up everywhere."""


def shown(value: Any) -> Any:
    """Return a value with stars where it is typed as a secret, for people."""
    return NO_SECRETS.masked(value)


class Secrets:
    """Secrets that are known, to be found in what others wrote. Immutable, and prints none.

    A text is searched for each one as it is, and as JSON, Python, an address or base64 would
    write it. Costs a search of the text for every form of every secret.
    """

    __slots__ = ("__dict__", "texts")

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.texts = frozenset(map(str, texts)) - _TELLS_NOTHING
        """Whole values as texts; numbers as Python writes them."""

    @classmethod
    def inside(cls, *values: Any) -> "Secrets":
        """Return those leaves and keys of values that are typed as secrets."""
        return cls(str(leaf) for value in values for leaf in _leaves(value) if is_secret(leaf))

    @classmethod
    def all_of(cls, *values: Any) -> "Secrets":
        """Return all texts and numbers that values are made of, keys excepted."""
        return cls(
            str(leaf)
            for value in values
            for leaf in _leaves(value, keys=False)
            if leaf is not None and not isinstance(leaf, bool)
        )

    def __bool__(self) -> bool:
        return bool(self.texts)

    def __or__(self, other: "Secrets") -> "Secrets":
        if not other or not self:
            return self or other
        return Secrets(self.texts | other.texts)

    def __repr__(self) -> str:
        return f"<{len(self.texts)} secrets>"

    def masked(self, value: Any) -> Any:
        """Return a value with stars where it is a secret, or where one stands in it."""
        if isinstance(value, str):
            return STARS if isinstance(value, SecretText) else self.text(value)
        if isinstance(value, dict):
            return {self.masked(key): self.masked(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.masked(item) for item in value]
        if is_secret(value) or self._is_number(value):
            return STARS
        return value

    def text(self, text: str) -> str:
        """Return a text with stars where a secret stands in it."""
        if not self.texts or not text:
            return text
        if text in self.texts:
            return STARS
        for form in self._forms:
            if form in text:
                text = text.replace(form, STARS)
        for whole in self._long:
            if whole[:_CUT] in text:
                text = _without_beginnings(text, whole)
        return text

    def typed(self, value: Any) -> Any:
        """Return a value with all leaves typed as secrets that are one, or have one in them."""
        if not self.texts:
            return value
        if isinstance(value, str):
            return SecretText(value) if self.text(value) != value else value
        if isinstance(value, dict):
            return {self.typed(key): self.typed(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.typed(item) for item in value]
        return secret(value) if self._is_number(value) else value

    def typed_keys(self, value: Any) -> Any:
        """Return a value with those keys of its maps typed as secrets that have one in them."""
        if not self.texts:
            return value
        if isinstance(value, dict):
            return {
                SecretText(key) if self.text(key) != key else key: self.typed_keys(item)
                for key, item in value.items()
            }
        return [self.typed_keys(item) for item in value] if isinstance(value, list) else value

    def within(self, text: str) -> "Secrets":
        """Return those that stand in a text as they are."""
        return Secrets(each for each in self.texts if each in text)

    def _is_number(self, value: Any) -> bool:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and bool(self.texts) and str(value) in self.texts

    @cached_property
    def _forms(self) -> tuple[str, ...]:
        """How texts may repeat the secrets; the longest first, for one may be part of another."""
        parts = (text for text in self.texts if len(text) >= _SHORTEST_PART)
        return tuple(sorted({form for text in parts for form in _forms(text)}, key=_by_length))

    @cached_property
    def _long(self) -> tuple[str, ...]:
        return tuple(sorted((text for text in self.texts if len(text) > _CUT), key=_by_length))


NO_SECRETS: Final = Secrets()
"""Nothing to look for."""


def _by_length(text: str) -> tuple[int, str]:
    return -len(text), text


def _leaves(value: Any, keys: bool = True) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, item in value.items():
            if keys:
                yield key
            yield from _leaves(item, keys)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item, keys)
    else:
        yield value


def _forms(text: str) -> Iterator[str]:
    """Yield a secret as it is, and as texts around it may have to write it."""
    yield text
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    yield repr(text)[1:-1]
    raw = text.encode("utf-8", "surrogatepass")
    for encoded in (base64.b64encode(raw), base64.urlsafe_b64encode(raw)):
        yield encoded.decode().rstrip("=")
    yield quote(raw, safe="")
    yield quote(raw)
    yield quote_plus(raw)


def _without_beginnings(text: str, whole: str) -> str:
    """Return a text without what it repeats of a long secret from its beginning on."""
    beginning, found = whole[:_CUT], []
    start = text.find(beginning)
    while start >= 0:
        found.append(text[:start])
        end = start + _CUT
        length = _CUT
        while length < len(whole) and end < len(text) and text[end] == whole[length]:
            length, end = length + 1, end + 1
        text = text[end:]
        start = text.find(beginning)
    return STARS.join([*found, text])
