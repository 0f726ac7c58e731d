"""What the engine asks of a database."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from sqlalchemy import Connection

T = TypeVar("T")


class Store(Protocol):
    """Runs units of work, each in one transaction."""

    async def transact(self, work: Callable[[Connection], T]) -> T:
        """Run the work; what it returns has been committed."""
        ...
