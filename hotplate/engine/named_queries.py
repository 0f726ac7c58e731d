"""Named queries of the store, asked without knowing what stacks are."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import TypeVar

from sqlalchemy import Connection

from hotplate.engine.store import Store

T = TypeVar("T")


class Asking:
    """Answers queries. Safe to call from any number of tasks."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def ask(self, question: Callable[[Connection], T]) -> T:
        """Answer a named query of the store, which must neither write nor lock."""
        return await self._store.read(question)

    def stream(self, question: Callable[[Connection], Iterator[bytes]]) -> AsyncIterator[bytes]:
        """Yield the chunks of a long answer; closing the iterator ends the reading."""
        return self._store.stream(question)
