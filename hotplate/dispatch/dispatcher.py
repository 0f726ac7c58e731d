"""The one thing that differs between an embedded engine and a cluster."""

from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Protocol

Claimed = Callable[[int], None]
"""Called once with the number of nodes that were claimed, before the work on them begins."""


class Handler(Protocol):
    """A worker, as a dispatcher sees it."""

    def handle(
        self, node_ids: Sequence[int], is_redelivered: bool = False, claimed: Claimed | None = None
    ) -> Coroutine[Any, Any, None]:
        """Work on nodes of one stack. Ids of nodes that are not ready any more are harmless.

        ``is_redelivered``: the token was given to a worker before, which left without a word.
        """
        ...

    def ready_after(self, node_id: int, most: int) -> Coroutine[Any, Any, list[int]]:
        """Return ready nodes of the stack of a node that come after it, in order."""
        ...

    def projects_of(self, stacks: Sequence[int]) -> Coroutine[Any, Any, dict[int, str]]:
        """Return whose stacks are, by their numbers; those that cannot be told are left out."""
        ...

    def seen(self, is_seen: bool) -> None:
        """Tell whether other workers see by the dispatcher that this process is alive."""
        ...


class Dispatcher(Protocol):
    """Carries ids of ready nodes to workers that have time for them.

    It is only a hint: what is lost is found again in the database, what comes twice is refused by
    the claim.
    """

    def publish(self, node_ids: Iterable[int]) -> None:
        """Say that nodes have become ready."""
        ...

    def remind(self, node_ids: Sequence[int], new: Sequence[int]) -> None:
        """Name all nodes that are ready, and among them those that became so just now.

        The others have been published before, but perhaps that was lost.
        """
        ...

    async def has_left(self, name: str) -> bool:
        """Tell whether the worker of a name is out of sight; False if that cannot be known."""
        ...

    async def run(self, handler: Handler, slots: int) -> None:
        """Hand nodes to the handler, so many tokens at a time, until cancelled."""
        ...

    async def pause(self) -> None:
        """Hand out nothing more. What is in hand goes on."""
        ...
