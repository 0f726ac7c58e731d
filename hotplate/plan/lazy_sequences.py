"""Sequences whose items are made when they are asked for, and not kept.

The names of 90,000 members of a group differ in nothing but a number. Whoever goes through them
has some in memory at a time.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any, Generic, TypeVar, overload

from hotplate.document.names import Names

T = TypeVar("T")


class LazySequence(Sequence[T]):
    """A sequence whose items are made when they are asked for; a slice is a list of them."""

    __slots__ = ()

    @overload
    def __getitem__(self, at: int) -> T: ...

    @overload
    def __getitem__(self, at: slice) -> list[T]: ...

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            if step != 1:
                raise ValueError("a slice of it has no step")
            return list(self._items(start, max(start, stop)))
        place = range(len(self))[at]
        return next(iter(self._items(place, place + 1)))

    def __iter__(self) -> Iterator[T]:
        return iter(self._items(0, len(self)))

    @abstractmethod
    def _items(self, start: int, stop: int) -> Iterable[T]:
        """Return the items from one place to another."""


class Concatenation(LazySequence[T], Generic[T]):
    """Two sequences as one, without a copy."""

    __slots__ = ("_first", "_second")

    def __init__(self, first: Sequence[T], second: Sequence[T]) -> None:
        self._first = first
        self._second = second

    def __len__(self) -> int:
        return len(self._first) + len(self._second)

    def _items(self, start: int, stop: int) -> Iterable[T]:
        count = len(self._first)
        first = self._first[start:stop]
        second = self._second[max(0, start - count) : max(0, stop - count)]
        return chain(first, second)


class NamesInOrder(LazySequence[str]):
    """The names of a set in their order, of which few may be listed."""

    __slots__ = ("_names",)

    def __init__(self, names: Names) -> None:
        self._names = names

    def __len__(self) -> int:
        return len(self._names)

    def _items(self, start: int, stop: int) -> Iterable[str]:
        return self._names.between(start, stop)


def in_order(names: AbstractSet[str], among: Iterable[str]) -> Sequence[str]:
    """Return names as a sequence, in the order that they have ``among`` others.

    Spans of numbered names have one of their own, and are not listed.
    """
    if isinstance(names, Names):
        return NamesInOrder(names)
    return tuple(name for name in among if name in names) if names else ()
