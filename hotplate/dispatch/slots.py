"""How many tokens a process has in hand, and of whom."""

from collections import Counter
from typing import Final

_SHARE: Final = 8
"""Tokens that a stack may always have in hand while there is a slot at all."""

_RESERVE: Final = 4
"""One slot in so many is kept free of stacks that have more than that in hand."""


class Slots:
    """Slots for tokens. A large stack may take most of them, and leaves some to all others.

    What is in hand cannot be taken back: whoever comes while a large stack has every slot would
    wait for its work to end.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._open = number - number // _RESERVE
        self._in_hand: Counter[int] = Counter()
        self._total = 0

    @property
    def is_full(self) -> bool:
        """Whether nobody may begin anything."""
        return self._total >= self._number

    def may_begin(self, stack: int) -> bool:
        """Tell whether a token of a stack may be taken in hand."""
        return not self.is_full and (self._total < self._open or self._in_hand[stack] < _SHARE)

    def begin(self, stack: int) -> None:
        """Note that a token of a stack is in hand."""
        self._in_hand[stack] += 1
        self._total += 1

    def end(self, stack: int) -> None:
        """Note that the work on a token of a stack has ended."""
        self._total -= 1
        self._in_hand[stack] -= 1
        if not self._in_hand[stack]:
            del self._in_hand[stack]
