"""Regular expressions with a time limit.

Python's ``re`` cannot be interrupted, and ``(a+)+$`` on thirty letters runs for minutes. The
``regex`` library reads the same language and takes a time limit for each search.
"""

from functools import lru_cache
from typing import Final

import regex

_LONGEST: Final = 4096
_LARGEST_REPEAT: Final = 10_000
_SECONDS: Final = 0.5
_COUNTED: Final = regex.compile(r"\{(\d*)(?:,(\d*))?\}")

FLAGS: Final = {"ignore_case": regex.I, "multi_line": regex.M, "dot_all": regex.S}


class BadPattern(ValueError):
    """The text is not a regular expression, or too large a one."""


class PatternTimeout(ValueError):
    """A search took too long."""


class Pattern:
    """A compiled regular expression. Immutable."""

    __slots__ = ("_compiled", "text")

    def __init__(self, text: str, flags: int = 0) -> None:
        self.text = text
        self._compiled = _compile(text, flags)

    def matches_whole(self, subject: str) -> bool:
        """Tell whether the pattern matches all of the subject."""
        match = self.match(subject)
        return match is not None and match.end() == len(subject)

    def match(self, subject: str) -> "regex.Match[str] | None":
        """Return the match at the beginning of the subject."""
        try:
            return self._compiled.match(subject, timeout=_SECONDS)
        except TimeoutError:
            raise self._timeout() from None

    def search(self, subject: str, start: int = 0) -> "regex.Match[str] | None":
        """Return the first match anywhere at or after ``start``."""
        try:
            return self._compiled.search(subject, start, timeout=_SECONDS)
        except TimeoutError:
            raise self._timeout() from None

    def _timeout(self) -> PatternTimeout:
        return PatternTimeout(f"the pattern {self.text!r} takes too long to match")


@lru_cache(maxsize=512)
def _compile(text: str, flags: int) -> "regex.Pattern[str]":
    if len(text) > _LONGEST:
        raise BadPattern(f"the pattern is longer than {_LONGEST} characters")
    for counts in _COUNTED.findall(text):
        if any(len(count) > 5 or int(count or 0) > _LARGEST_REPEAT for count in counts):
            raise BadPattern(f"the pattern repeats more than {_LARGEST_REPEAT} times")
    try:
        return regex.compile(text, flags)
    except (regex.error, RecursionError, ValueError, OverflowError) as error:
        raise BadPattern(f"{text!r} is not a regular expression: {error}") from None
    except Exception as error:  # the library has internal errors of several kinds
        raise BadPattern(f"{text!r} is not a regular expression: {error!r}") from None
