"""What waits for a slot, taken by round robin: projects, and in each its stacks."""

from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from hotplate.dispatch.slots import Slots

T = TypeVar("T")

_MOST_KNOWN: Final = 20_000
"""Stacks of which the project is remembered."""

_NO_PROJECT: Final = ""
"""Instead of the project of a stack that is not to be found. No project has such a name."""


@dataclass(frozen=True, slots=True)
class Turn(Generic[T]):
    """What was taken in hand of one stack."""

    stack: int
    project: str | None
    items: list[T]


class RoundRobin(Generic[T]):
    """A line for each stack. Projects take turns, and in each of them its stacks.

    While there are slots for all it does not matter who comes first, and nobody asks whose a stack
    is. Stacks of which that is not known are together in one line of lines.
    """

    def __init__(self, slots: int) -> None:
        self._slots = Slots(slots)
        self._lines: dict[int, deque[T]] = {}
        self._turns: OrderedDict[str | None, OrderedDict[int, None]] = OrderedDict()
        self._known: OrderedDict[int, str] = OrderedDict()

    def __bool__(self) -> bool:
        """Return whether anything waits."""
        return bool(self._lines)

    def add(self, stack: int, item: T) -> None:
        """Let something of a stack wait."""
        line = self._lines.get(stack)
        if line is None:
            line = self._lines[stack] = deque()
            self._turns.setdefault(self._known.get(stack), OrderedDict())[stack] = None
        line.append(item)

    def take(self, most: int = 1) -> Turn[T] | None:
        """Take some items of the stack whose turn it is; None if there is no slot for any."""
        for project, stacks in self._turns.items():
            if not self._slots.is_open_to(project):
                continue
            for stack in stacks:
                if self._slots.may_begin(stack, project):
                    return self._taken(project, stack, most)
        return None

    def end(self, turn: Turn[T]) -> None:
        """Give a slot back."""
        self._slots.end(turn.stack, turn.project)

    def give_up(self) -> list[T]:
        """Return what waits, and forget it."""
        rest = [item for line in self._lines.values() for item in line]
        self._lines.clear()
        self._turns.clear()
        return rest

    def unknown(self) -> list[int]:
        """Return stacks of which one should know whose they are."""
        if not self._slots.is_crowded(len(self._lines)):
            return []
        return list(self._turns.get(None, ()))

    def learn(self, asked: Iterable[int], projects: Mapping[int, str]) -> None:
        """Note whose stacks are; those of which nobody can tell are taken for nobody's."""
        self._known.update(projects)
        while len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        unknown = self._turns.get(None, OrderedDict())
        for stack in asked:
            if stack in unknown:
                del unknown[stack]
                self._turns.setdefault(projects.get(stack, _NO_PROJECT), OrderedDict())[stack] = (
                    None
                )
        if not unknown:
            self._turns.pop(None, None)

    def _taken(self, project: str | None, stack: int, most: int) -> Turn[T]:
        line, stacks = self._lines[stack], self._turns[project]
        items = [line.popleft() for _ in range(min(most, len(line)))]
        if line:
            stacks.move_to_end(stack)
        else:
            del self._lines[stack], stacks[stack]
        if stacks:
            self._turns.move_to_end(project)
        else:
            del self._turns[project]
        self._slots.begin(stack, project)
        return Turn(stack, project, items)
