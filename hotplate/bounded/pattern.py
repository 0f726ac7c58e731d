"""Regular expressions with a time limit.

Python's ``re`` cannot be interrupted, and ``(a+)+$`` on thirty letters runs for minutes. The
``regex`` library reads the same language and takes a time limit for each search.
"""

from functools import lru_cache
from typing import Final

import regex

from hotplate.bounded.time_limit import timed

_LONGEST: Final = 4096
_LARGEST_REPEAT: Final = 10_000
_LARGEST_UNROLLED: Final = 100_000
_SECONDS: Final = 0.5
_COUNTED: Final = regex.compile(r"\{(\d*)(?:,(\d*))?\}")
# A counted repetition, a group's ends, or one thing to match: a class, an escape, a character.
_TOKEN: Final = regex.compile(r"\{\d+(?:,\d*)?\}|[()]|\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|.", regex.S)

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
        """Return whether the pattern matches all of the subject."""
        match = self.match(subject)
        return match is not None and match.end() == len(subject)

    def match(self, subject: str) -> "regex.Match[str] | None":
        """Return the match at the beginning of the subject."""
        with timed(_SECONDS) as seconds:
            try:
                return self._compiled.match(subject, timeout=self._granted(seconds))
            except TimeoutError:
                raise self._timeout() from None

    def search(self, subject: str, start: int = 0) -> "regex.Match[str] | None":
        """Return the first match anywhere at or after ``start``."""
        with timed(_SECONDS) as seconds:
            try:
                return self._compiled.search(subject, start, timeout=self._granted(seconds))
            except TimeoutError:
                raise self._timeout() from None

    def _granted(self, seconds: float) -> float:
        if seconds <= 0:
            raise PatternTimeout("all patterns together take too long to match")
        return seconds

    def _timeout(self) -> PatternTimeout:
        return PatternTimeout(f"the pattern {self.text!r} takes too long to match")


def _unrolled_size(text: str) -> int:
    """Return how many things the pattern matches at least, roughly.

    The library writes out what must be repeated, so ``((a{999}){999}){999}`` takes all memory.
    """
    sizes = [0]
    last = 0
    for part in _TOKEN.findall(text):
        if part == "(":
            sizes.append(0)
        elif part == ")" and len(sizes) > 1:
            last = sizes.pop()
            sizes[-1] += last
        elif part[0] == "{" and len(part) > 1:
            more = last * (max(1, int(part[1:-1].split(",")[0])) - 1)
            sizes[-1] += more
            last += more
        else:
            last = 1
            sizes[-1] += 1
    return sum(sizes)


@lru_cache(maxsize=128)
def _compile(text: str, flags: int) -> "regex.Pattern[str]":
    if len(text) > _LONGEST:
        raise BadPattern(f"the pattern is longer than {_LONGEST} characters")
    for counts in _COUNTED.findall(text):
        if any(len(count) > 5 or int(count or 0) > _LARGEST_REPEAT for count in counts):
            raise BadPattern(f"the pattern repeats more than {_LARGEST_REPEAT} times")
    if _unrolled_size(text) > _LARGEST_UNROLLED:
        raise BadPattern("the pattern repeats repetitions too many times")
    try:
        return regex.compile(text, flags)
    except (regex.error, RecursionError, ValueError, OverflowError) as error:
        raise BadPattern(f"{text!r} is not a regular expression: {error}") from None
    except Exception as error:  # the library has internal errors of several kinds
        raise BadPattern(f"{text!r} is not a regular expression: {error!r}") from None
