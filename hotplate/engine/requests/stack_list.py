"""The list of stacks, answered without the code that knows what a stack is made of."""

from dataclasses import replace
from functools import partial
from typing import Final

from hotplate.engine.store import Store
from hotplate.model import Stack
from hotplate.store.stack_listing import Wanted, count_stacks, list_stacks

_FEW: Final = 100
"""Stacks that are listed in a moment."""

_SHORT: Final = 8
"""Values that a query may name which takes a moment."""


class StackList:
    """Lists stacks. Safe to call from any number of tasks.

    Few stacks are looked up where all that takes a moment is. Whoever asks for many, or with many
    tags, waits with those who read for long: some tens of milliseconds.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def list_stacks(self, wanted: Wanted) -> list[Stack]:
        """Return one page of stacks, in a total order."""
        if wanted.values <= _SHORT:
            most = _FEW if wanted.limit is None else min(wanted.limit, _FEW)
            few = replace(wanted, limit=most)
            found = await self._store.read_soon(partial(list_stacks, wanted=few))
            if len(found) < most or most == wanted.limit:
                return found
        return await self._store.read(partial(list_stacks, wanted=wanted))

    async def count_stacks(self, wanted: Wanted) -> int:
        """Return how many stacks fit, on all pages together."""
        counting = partial(count_stacks, wanted=wanted)
        if wanted.values <= _SHORT:
            return await self._store.read_soon(counting)
        return await self._store.read(counting)

    @property
    def acts_for_callers(self) -> bool:
        """Whether callers have clouds of their own; a list of stacks needs none."""
        return False
