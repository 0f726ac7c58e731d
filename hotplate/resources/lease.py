"""The lease under which a worker acts on a resource, for whoever makes calls to a provider.

Between the engine, which knows the lease, and a call lie the code of a type, a client and often a
queue of threads or connections. A process that is stopped while calls wait there wakes when its
resources are somebody else's. So the lease is looked at last of all, by what makes the call. It
comes with the context, as deadlines do: `asyncio.to_thread` takes it along, and nobody in between
has to hand it on. Where no worker acts, as in a preview, there is none, and nothing is refused.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol


class LeaseLost(Exception):
    """The resource is another worker's by now. The call has not been made, and must not be."""


class Lease(Protocol):
    """Says for how long nobody else will act on a resource."""

    def confirm(self) -> None:
        """Return if a call may be made at this moment. For any thread. Raises LeaseLost."""
        ...

    async def hold(self) -> None:
        """Return once a call may be made. Raises LeaseLost."""
        ...


_LEASE: ContextVar[Lease | None] = ContextVar("lease", default=None)


def confirm() -> None:
    """Look at the lease in the thread that makes a call, right before it. Raises LeaseLost.

    What cannot be taken back comes after it, and nothing that may wait comes in between.
    """
    lease = _LEASE.get()
    if lease is not None:
        lease.confirm()


async def hold() -> None:
    """Look at the lease in the coroutine that makes a call, right before it. Raises LeaseLost."""
    lease = _LEASE.get()
    if lease is not None:
        await lease.hold()


async def hold_before_sending(event: str, details: Any) -> None:
    """Look at the lease when a connection is there and a request is about to be sent.

    Given to httpx as the extension ``trace``: a request may have waited for its connection.
    """
    if event.endswith("send_request_headers.started"):
        await hold()


@contextmanager
def under(lease: Lease) -> Iterator[None]:
    """Let calls that are made in this context look at a lease."""
    token = _LEASE.set(lease)
    try:
        yield
    finally:
        _LEASE.reset(token)
