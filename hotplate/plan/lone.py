"""What a large plan has for resources that have to do with no other: no object for each of them.

The nodes of 90,000 members of a group differ in nothing but a number and a name. They are made when
they are asked for, some at a time, and nothing is left of them in memory afterwards.
"""

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

    versions: Sequence[int] = ()
    """The only versions of others, each with a node of this task."""

    task: Task = Task.CLEANUP

    def __bool__(self) -> bool:
        return bool(self.names or self.versions)


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

    def _made(self, start: int, stop: int) -> Iterable[T]:
        raise NotImplementedError


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
        return len(self._lone.names) + len(self._lone.versions)

    def _made(self, start: int, stop: int) -> Iterable[PlannedNode]:
        lone, count = self._lone, len(self._lone.names)
        for at, name in enumerate(lone.names[start:stop], start):
            yield PlannedNode(self._listed + at, -(self._missing + at + 1), name, Task.UPDATE)
        first = max(start, count)
        for at, number in enumerate(lone.versions[first - count : max(0, stop - count)], first):
            yield PlannedNode(self._listed + at, number, "", lone.task)


def in_order(names: AbstractSet[str]) -> Sequence[str]:
    """Return names as a sequence; those of numbers that follow each other are not listed."""
    return NamesInOrder(names) if isinstance(names, Names) else tuple(names)
