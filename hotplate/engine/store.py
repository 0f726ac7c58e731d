"""What the engine asks of a database."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Protocol, TypeVar

from sqlalchemy import Connection

T = TypeVar("T")


class Store(Protocol):
    """Runs units of work, each in one transaction."""

    @property
    def is_contended(self) -> bool:
        """Whether several projects write: each of them should hold the others up for less."""
        ...

    async def transact(self, work: Callable[[Connection], T]) -> T:
        """Run the work; what it returns has been committed."""
        ...

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run work that writes and locks nothing. It sees all that has been committed."""
        ...

    async def read_soon(self, work: Callable[[Connection], T]) -> T:
        """Do the same for work of moments: it does not wait behind long reads of others."""
        ...

    def stream(self, work: Callable[[Connection], Iterator[bytes]]) -> AsyncIterator[bytes]:
        """Yield what reading work yields; it does not wait for whoever takes the chunks."""
        ...
