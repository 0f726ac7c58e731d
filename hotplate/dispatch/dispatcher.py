"""The one thing that differs between an embedded engine and a cluster."""

from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Protocol

Handler = Callable[[Sequence[int]], Coroutine[Any, Any, None]]
"""Works on nodes of one stack. Ids of nodes that are not ready any more are harmless."""


class Dispatcher(Protocol):
    """Carries ids of ready nodes to workers that have time for them.

    It is only a hint: what is lost is found again in the database, what comes twice is refused by
    the claim.
    """

    def publish(self, node_ids: Iterable[int]) -> None:
        """Say that nodes are ready."""
        ...

    async def run(self, handler: Handler, slots: int) -> None:
        """Hand nodes to the handler, so many tokens at a time, until cancelled."""
        ...
