"""Messages that have arrived and wait for a slot."""

from collections import OrderedDict, deque

from aio_pika.abc import AbstractIncomingMessage

from hotplate.dispatch.slots import Slots
from hotplate.dispatch.tokens import Token

Arrival = tuple[AbstractIncomingMessage, Token]


class Arrivals:
    """A line for each stack; the stacks take turns."""

    def __init__(self, slots: int) -> None:
        self._slots = Slots(slots)
        self._lines: OrderedDict[int, deque[Arrival]] = OrderedDict()

    def add(self, message: AbstractIncomingMessage, token: Token) -> None:
        """Let a message wait."""
        self._lines.setdefault(token.stack, deque()).append((message, token))

    def next(self) -> Arrival | None:
        """Take the message whose turn it is in hand; None if there is no slot for any."""
        if self._slots.is_full:
            return None
        stack = next(filter(self._slots.may_begin, self._lines), None)
        if stack is None:
            return None
        line = self._lines.pop(stack)
        arrival = line.popleft()
        if line:
            self._lines[stack] = line
        self._slots.begin(stack)
        return arrival

    def end(self, token: Token) -> None:
        """Give the slot of a token back."""
        self._slots.end(token.stack)

    def give_up(self) -> list[Arrival]:
        """Return what has not been taken in hand, and forget it."""
        rest = [arrival for line in self._lines.values() for arrival in line]
        self._lines.clear()
        return rest
