"""Regular expressions that end in time.

Python's ``re`` cannot be interrupted, and ``(a+)+$`` on thirty letters runs for minutes. RE2 takes
time in proportion to the text, and gets what it reads as Python does. The ``regex`` library reads
the rest, with a time limit for each search; it is bounded further, since it does not look at the
clock while it compiles, nor while it searches for plain letters.
"""

from functools import lru_cache
from typing import Any, Final, Protocol

import regex

from hotplate.bounded.light import must_be_light
from hotplate.bounded.linear_pattern import is_plain, linear_pattern
from hotplate.bounded.time_limit import timed

_LONGEST: Final = 4096
_LARGEST_REPEAT: Final = 10_000
_LARGEST_UNROLLED: Final = 100_000
_LONGEST_BACKTRACKING: Final = 1024
_MOST_COMPARED: Final = 1_000_000_000
"""Letters of a pattern times letters of a text: about a second where the clock is not read."""

_SECONDS: Final = 0.5
_COUNTED: Final = regex.compile(r"\{(\d*)(?:,(\d*))?\}")
# A counted repetition, a group's ends, or one thing to match: a class, an escape, a character.
_TOKEN: Final = regex.compile(r"\{\d+(?:,\d*)?\}|[()]|\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|.", regex.S)

FLAGS: Final = {"ignore_case": regex.I, "multi_line": regex.M, "dot_all": regex.S}
_LETTERS: Final = {int(regex.I): "i", int(regex.M): "m", int(regex.S): "s"}


class BadPattern(ValueError):
    """The text is not a regular expression, or too large a one."""


class PatternTimeout(ValueError):
    """A search took too long."""


class Match(Protocol):
    """What was found, as ``re`` tells it."""

    def group(self, group: int | str = 0, /) -> Any:
        """Return the text of a group."""

    def groups(self) -> tuple[Any, ...]:
        """Return the texts of all groups."""

    def groupdict(self) -> dict[str, Any]:
        """Return the texts of the groups that have names."""

    def start(self, group: int | str = 0, /) -> int:
        """Return where a group begins."""

    def end(self, group: int | str = 0, /) -> int:
        """Return where a group ends."""

    def expand(self, template: str, /) -> str:
        """Return a text that names groups, with what they are."""


class Pattern:
    """A regular expression. Immutable; it can be sent to another process."""

    __slots__ = ("_flags", "text")

    def __init__(self, text: str, flags: int = 0) -> None:
        self.text = text
        self._flags = flags
        _check(text, flags)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unchecked, (self.text, self._flags)

    def matches_whole(self, subject: str) -> bool:
        """Return whether the pattern matches all of the subject."""
        match = self.match(subject)
        return match is not None and match.end() == len(subject)

    def match(self, subject: str) -> Match | None:
        """Return the match at the beginning of the subject."""
        if (linear := self._linear(subject)) is not None:
            with timed(_SECONDS) as seconds:
                self._granted(seconds)
                return linear.match(subject)
        return self._found("match", subject, 0)

    def search(self, subject: str, start: int = 0) -> Match | None:
        """Return the first match anywhere at or after ``start``."""
        if (linear := self._linear(subject)) is not None:
            with timed(_SECONDS) as seconds:
                self._granted(seconds)
                return linear.search(subject, start)
        return self._found("search", subject, start)

    def _linear(self, subject: str) -> Any:
        must_be_light(len(subject) + len(self.text))
        return _linear(self.text, self._flags) if is_plain(subject) else None

    def _found(self, how: str, subject: str, start: int) -> Match | None:
        must_be_light()
        if len(subject) * len(self.text) > _MOST_COMPARED:
            raise self._timeout()
        with timed(_SECONDS) as seconds:
            look = getattr(_compile(self.text, self._flags), how)
            try:
                return look(subject, start, timeout=self._granted(seconds))
            except TimeoutError:
                raise self._timeout() from None

    def _granted(self, seconds: float) -> float:
        if seconds <= 0:
            raise PatternTimeout("all patterns together take too long to match")
        return seconds

    def _timeout(self) -> PatternTimeout:
        return PatternTimeout(f"the pattern {self.text!r} takes too long to match")


def _unchecked(text: str, flags: int) -> Pattern:
    """Return a pattern that has been checked where it came from."""
    pattern = Pattern.__new__(Pattern)
    pattern.text = text
    pattern._flags = flags
    return pattern


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


@lru_cache(maxsize=512)
def _check(text: str, flags: int) -> None:
    """Refuse what is no pattern, or too large a one. Raises BadPattern."""
    if len(text) > _LONGEST:
        raise BadPattern(f"the pattern is longer than {_LONGEST} characters")
    for counts in _COUNTED.findall(text):
        if any(len(count) > 5 or int(count or 0) > _LARGEST_REPEAT for count in counts):
            raise BadPattern(f"the pattern repeats more than {_LARGEST_REPEAT} times")
    if _unrolled_size(text) > _LARGEST_UNROLLED:
        raise BadPattern("the pattern repeats repetitions too many times")
    if _linear(text, flags) is None:
        _compile(text, flags)


def _linear(text: str, flags: int) -> Any:
    letters = "".join(letter for flag, letter in _LETTERS.items() if flags & flag)
    return linear_pattern(text, f"(?{letters})" if letters else "")


@lru_cache(maxsize=128)
def _compile(text: str, flags: int) -> "regex.Pattern[str]":
    must_be_light()
    if len(text) > _LONGEST_BACKTRACKING and _linear(text, flags) is None:
        raise BadPattern(
            f"the pattern is longer than {_LONGEST_BACKTRACKING} characters, and needs to look "
            "around or back"
        )
    try:
        return regex.compile(text, flags)
    except (regex.error, RecursionError, ValueError, OverflowError) as error:
        raise BadPattern(f"{text!r} is not a regular expression: {error}") from None
    except Exception as error:  # the library has internal errors of several kinds
        raise BadPattern(f"{text!r} is not a regular expression: {error!r}") from None
