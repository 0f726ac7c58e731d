"""The list of stacks, answered without the code that knows what a stack is made of."""

from functools import partial

from hotplate.engine.store import Store
from hotplate.model import Stack
from hotplate.store.stack_listing import Wanted, count_stacks, list_stacks


class StackList:
    """Lists stacks. Safe to call from any number of tasks."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def list_stacks(self, wanted: Wanted) -> list[Stack]:
        """Return one page of stacks, in a total order."""
        return await self._store.read_soon(partial(list_stacks, wanted=wanted))

    async def count_stacks(self, wanted: Wanted) -> int:
        """Return how many stacks fit, on all pages together."""
        return await self._store.read_soon(partial(count_stacks, wanted=wanted))

    @property
    def acts_for_callers(self) -> bool:
        """Whether callers have clouds of their own; a list of stacks needs none."""
        return False
