"""Independent resources of a large plan, which require no other and which no other requires.

They have no object each: their nodes are made when they are asked for, some at a time.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hotplate.model import Task
from hotplate.plan.lazy_sequences import LazySequence
from hotplate.plan.prepare import PlannedNode


@dataclass(frozen=True, slots=True)
class Independent:
    """What is to be done with the independent resources of a stack."""

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


class IndependentNodes(LazySequence[PlannedNode]):
    """The nodes of independent resources.

    They come after the ``listed`` ones of a plan that has so many ``missing`` names as well.
    Those on versions have no name: whoever writes them reads it.
    """

    __slots__ = ("_independent", "_listed", "_missing")

    def __init__(self, independent: Independent, listed: int, missing: int) -> None:
        self._independent = independent
        self._listed = listed
        self._missing = missing

    def __len__(self) -> int:
        independent = self._independent
        return len(independent.names) + 2 * len(independent.changed) + len(independent.versions)

    def _items(self, start: int, stop: int) -> Iterable[PlannedNode]:
        independent, count = self._independent, len(self._independent.changed)
        for at, name in enumerate(independent.names[start:stop], start):
            yield PlannedNode(self._listed + at, -(self._missing + at + 1), name, Task.UPDATE)
        before = len(independent.names)
        for place, number in _some(independent.changed, start - before, stop - before):
            position = self._listed + before + place
            yield PlannedNode(position, number, "", Task.UPDATE, 0, [position + count])
        before += count
        for place, number in _some(independent.changed, start - before, stop - before):
            yield PlannedNode(self._listed + before + place, number, "", Task.CLEANUP, 1)
        before += count
        for place, number in _some(independent.versions, start - before, stop - before):
            yield PlannedNode(self._listed + before + place, number, "", independent.task)


def _some(numbers: Sequence[int], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the numbers from one place to before another, each with its place."""
    first = max(0, start)
    return enumerate(numbers[first : max(0, stop)], first)
