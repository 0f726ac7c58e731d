"""Which of the nodes that a sweep finds ready have surely been forgotten by the broker."""

from collections.abc import Iterable

from hotplate.dispatch.tokens import WINDOW

SOON = 1.0
"""Seconds after which a ready node is missed, if no message waits in the queue."""

LATE = 30.0
"""Seconds after which it is missed although messages wait: perhaps all are of others."""


class Reminders:
    """Remembers since when nodes are ready, for the first window of each stack.

    A node that is ready has a message in the queue, or one that a worker has just been given, or
    none. An empty queue rules out the first, a second the other one.
    """

    def __init__(self) -> None:
        self._since: dict[int, float] = {}

    def note(self, ready: Iterable[int], now: float) -> None:
        """Note which nodes are ready; those of which more than a window come later."""
        counts: dict[int, int] = {}
        since: dict[int, float] = {}
        for node_id in sorted(ready):
            count = counts[node_id >> 32] = counts.get(node_id >> 32, 0) + 1
            if count <= WINDOW + 1:  # one more tells that there are more
                since[node_id] = self._since.get(node_id, now)
        self._since = since

    def missed(self, now: float, is_empty: bool) -> list[int]:
        """Return the nodes to send again, and count them as sent."""
        patience = SOON if is_empty else LATE
        found = [node_id for node_id, since in self._since.items() if now - since >= patience]
        self._since.update(dict.fromkeys(found, now))
        return found

    def forget(self) -> None:
        """Begin anew: what is ready from now on has been seen never before."""
        self._since.clear()
