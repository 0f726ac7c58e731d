"""A set of names in which numbers that follow each other are not listed one by one.

The members of a large group are called 0 to 99,999: as such a set these are two numbers.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any, Final, TypeAlias

Span: TypeAlias = str | tuple[int, int]
"""A name, or the numbers from one to before another that are names."""

_LONGEST: Final = 9
"""Digits of numbers that are counted."""


def number_of(name: str) -> int | None:
    """Return the number that a name is; None if it is none, or written in another way."""
    is_number = len(name) <= _LONGEST and name.isascii() and name.isdecimal()
    return int(name) if is_number and str(int(name)) == name else None


def spans_of(names: Iterable[str]) -> Iterator[Span]:
    """Yield names in their order; numbers, one after the other, as spans."""
    begin = end = 0
    for name in names:
        number = number_of(name)
        if number is not None and number == end and begin < end:
            end += 1
            continue
        if begin < end:
            yield begin, end
            begin = end = 0
        if number is None:
            yield name
        else:
            begin, end = number, number + 1
    if begin < end:
        yield begin, end


def names_in(spans: Iterable[Span]) -> Iterator[str]:
    """Yield the names that spans stand for."""
    return chain.from_iterable(
        (each,) if isinstance(each, str) else map(str, range(*each)) for each in spans
    )


class Names(AbstractSet[str]):
    """Names in an order. Immutable. What is made of two of them costs as much as they have spans.

    No name may be in two of the spans that it is made of.
    """

    __slots__ = ("_count", "_ends", "_starts", "_texts", "spans")

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans = tuple(spans)
        self._texts = frozenset(each for each in self.spans if isinstance(each, str))
        numbers = sorted(each for each in self.spans if not isinstance(each, str))
        self._starts = [start for start, _ in numbers]
        self._ends = [end for _, end in numbers]
        self._count = len(self._texts) + sum(end - start for start, end in numbers)

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> Any:
        return cls(spans_of(it))

    def __reduce__(self) -> Any:
        return Names, (self.spans,)

    def __repr__(self) -> str:
        return f"<{self._count} names in {len(self.spans)} spans>"

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        return names_in(self.spans)

    def between(self, start: int, stop: int) -> Iterator[str]:
        """Yield the names from one place in the order to before another."""
        for span in self.spans:
            if stop <= 0:
                return
            if isinstance(span, str):
                length = 1
                if start <= 0:
                    yield span
            else:
                length = span[1] - span[0]
                first, end = span[0] + max(0, start), span[0] + min(length, stop)
                yield from map(str, range(first, end))
            start, stop = start - length, stop - length

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        number = number_of(name)
        if number is None:
            return name in self._texts
        at = bisect_right(self._starts, number) - 1
        return at >= 0 and number < self._ends[at]

    def __sub__(self, other: AbstractSet[Any]) -> "Names":
        taken = other if isinstance(other, Names) else Names(spans_of(sorted(other)))
        return Names(chain.from_iterable(map(taken._left_of, self.spans))) if taken else self

    def __and__(self, other: AbstractSet[Any]) -> "Names":
        return self - (self - other)

    def __or__(self, other: AbstractSet[Any]) -> "Names":
        more = other if isinstance(other, Names) else Names(spans_of(other))
        return Names((*self.spans, *(more - self).spans))

    def _left_of(self, span: Span) -> Iterator[Span]:
        """Yield what is left of a span without the names that are here."""
        if isinstance(span, str):
            if span not in self._texts:
                yield span
            return
        start, end = span
        at = max(0, bisect_right(self._starts, start) - 1)
        while at < len(self._starts) and self._starts[at] < end:
            if start < self._starts[at]:
                yield start, self._starts[at]
            start = max(start, self._ends[at])
            at += 1
        if start < end:
            yield start, end
