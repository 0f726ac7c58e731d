"""What a large plan has for resources that have to do with no other: no object for each of them.

The nodes of 90,000 members of a group differ in nothing but a number and a name. They are made when
they are asked for, some at a time, and nothing is left of them in memory afterwards.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic, TypeVar, overload

from hotplate.document.names import Names
from hotplate.model import Task
from hotplate.plan.prepare import PlannedNode

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lone:
    """What is to be done with resources that have to do with no other."""

    names: Sequence[str] = ()
    """Those that have no version yet: each is made."""

    changed: Sequence[int] = ()
    """The only versions of others that are updated, and then perhaps removed: two nodes each."""

    versions: Sequence[int] = ()
    """The only versions of others, each with a node of this task."""

    task: Task = Task.CLEANUP

    @property
    def updates(self) -> int:
        """How many of them are made or updated."""
        return len(self.names) + len(self.changed)


class _Made(Sequence[T]):
    """A sequence whose items are made when they are asked for."""

    __slots__ = ()

    @overload
    def __getitem__(self, at: int) -> T: ...

    @overload
    def __getitem__(self, at: slice) -> list[T]: ...

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            if step != 1:
                raise ValueError("only what follows each other is made")
            return list(self._made(start, max(start, stop)))
        place = range(len(self))[at]
        return next(iter(self._made(place, place + 1)))

    def __iter__(self) -> Iterator[T]:
        return iter(self._made(0, len(self)))

    @abstractmethod
    def _made(self, start: int, stop: int) -> Iterable[T]:
        """Return the items from one place to another."""


class OneAfterTheOther(_Made[T], Generic[T]):
    """Two sequences as one."""

    __slots__ = ("_first", "_second")

    def __init__(self, first: Sequence[T], second: Sequence[T]) -> None:
        self._first = first
        self._second = second

    def __len__(self) -> int:
        return len(self._first) + len(self._second)

    def _made(self, start: int, stop: int) -> Iterable[T]:
        count = len(self._first)
        first = self._first[start:stop]
        second = self._second[max(0, start - count) : max(0, stop - count)]
        return chain(first, second)


class NamesInOrder(_Made[str]):
    """The names of a set in their order, of which few may be listed."""

    __slots__ = ("_names",)

    def __init__(self, names: Names) -> None:
        self._names = names

    def __len__(self) -> int:
        return len(self._names)

    def _made(self, start: int, stop: int) -> Iterable[str]:
        return self._names.between(start, stop)


class LoneNodes(_Made[PlannedNode]):
    """Their nodes, after the ``listed`` ones of a plan that has so many ``missing`` names as well.

    Those on versions have no name: whoever writes them reads it.
    """

    __slots__ = ("_listed", "_lone", "_missing")

    def __init__(self, lone: Lone, listed: int, missing: int) -> None:
        self._lone = lone
        self._listed = listed
        self._missing = missing

    def __len__(self) -> int:
        lone = self._lone
        return len(lone.names) + 2 * len(lone.changed) + len(lone.versions)

    def _made(self, start: int, stop: int) -> Iterable[PlannedNode]:
        lone, count = self._lone, len(self._lone.changed)
        for at, name in enumerate(lone.names[start:stop], start):
            yield PlannedNode(self._listed + at, -(self._missing + at + 1), name, Task.UPDATE)
        before = len(lone.names)
        for place, number in _some(lone.changed, start - before, stop - before):
            position = self._listed + before + place
            yield PlannedNode(position, number, "", Task.UPDATE, 0, [position + count])
        before += count
        for place, number in _some(lone.changed, start - before, stop - before):
            yield PlannedNode(self._listed + before + place, number, "", Task.CLEANUP, 1)
        before += count
        for place, number in _some(lone.versions, start - before, stop - before):
            yield PlannedNode(self._listed + before + place, number, "", lone.task)


def _some(numbers: Sequence[int], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the numbers from one place to before another, each with its place."""
    first = max(0, start)
    return enumerate(numbers[first : max(0, stop)], first)


def in_order(names: AbstractSet[str]) -> Sequence[str]:
    """Return names as a sequence; those of numbers that follow each other are not listed."""
    return NamesInOrder(names) if isinstance(names, Names) else tuple(names)
