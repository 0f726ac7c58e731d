"""Nodes that a worker has in hand."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager


class InHand:
    """Nodes that are worked on, or that a transaction under way is about to claim.

    The event loop adds and removes; any thread may ask, and tell what it is about to claim.
    """

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()
        """How many pieces of work each node is in."""

        self.let_go = asyncio.Event()
        """Set whenever a piece of work has ended."""

        self._claiming: set[int] = set()

    def __contains__(self, node_id: object) -> bool:
        """Return whether the claim of a node must be kept."""
        return node_id in self.counts or node_id in self._claiming

    def __len__(self) -> int:
        """Return how many nodes are worked on."""
        return len(self.counts)

    @contextmanager
    def holding(self, node_ids: Sequence[int]) -> Iterator[None]:
        """Hold nodes for the length of a block."""
        self.hold(node_ids)
        try:
            yield
        finally:
            self.release(node_ids)

    def hold(self, node_ids: Sequence[int]) -> None:
        """Hold nodes until they are released."""
        self.counts.update(node_ids)

    def release(self, node_ids: Sequence[int]) -> None:
        """Hold them no longer."""
        self.counts.subtract(node_ids)
        for node_id in node_ids:
            if not self.counts[node_id]:
                del self.counts[node_id]
        self.let_go.set()

    def claiming(self, node_ids: Iterable[int]) -> None:
        """Hold nodes that the transaction of this thread is about to claim, until `claimed`."""
        self._claiming.update(node_ids)

    def claimed(self) -> None:
        """Forget them: those that were claimed are held by now."""
        self._claiming.clear()
