"""How many tokens a process has in hand, and of whom."""

from collections import Counter
from typing import Final

_SHARE: Final = 8
"""Tokens that a stack or a project may always have in hand while there is a slot for it at all."""

_RESERVE: Final = 8
"""One slot in so many is kept free of stacks, another one of projects, that have more in hand."""


class Slots:
    """Slots for tokens. A large stack may take most of them, and leaves some to all others.

    So does a project that has many stacks. What is in hand cannot be taken back: whoever comes
    while others have every slot would wait for their work to end. Stacks of which it is not known
    whose they are get half of the slots.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._for_all = number - 2 * (number // _RESERVE)
        self._for_stacks = number - number // _RESERVE
        self._of_stacks: Counter[int] = Counter()
        self._of_projects: Counter[str | None] = Counter()
        self._total = 0

    @property
    def is_full(self) -> bool:
        """Whether nobody may begin anything."""
        return self._total >= self._number

    def is_crowded(self, waiting: int) -> bool:
        """Tell whether it matters, with so many that wait, whose stacks they are."""
        return 2 * (self._total + waiting) > self._number

    def may_begin(self, stack: int, project: str | None) -> bool:
        """Tell whether a token of a stack may be taken in hand."""
        if not self.is_open_to(project):
            return False
        return self._total < self._for_all or self._of_stacks[stack] < _SHARE

    def is_open_to(self, project: str | None) -> bool:
        """Tell whether a token of some stack of a project may be taken in hand."""
        if project is None:
            return 2 * self._total < self._number
        if self._total < self._for_stacks:
            return True
        return not self.is_full and self._of_projects[project] < _SHARE

    def begin(self, stack: int, project: str | None) -> None:
        """Note that a token of a stack is in hand."""
        self._of_stacks[stack] += 1
        self._of_projects[project] += 1
        self._total += 1

    def end(self, stack: int, project: str | None) -> None:
        """Note that the work on a token has ended; the project is what it was at its beginning."""
        self._total -= 1
        self._of_stacks[stack] -= 1
        if not self._of_stacks[stack]:
            del self._of_stacks[stack]
        self._of_projects[project] -= 1
        if not self._of_projects[project]:
            del self._of_projects[project]
