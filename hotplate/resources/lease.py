"""The lease under which a worker acts on a resource, for the code that calls a provider.

Between the engine, which knows the lease, and a call lie the code of a type, a client and often a
queue of threads or connections. A process that is stopped while calls wait there wakes when other
workers have its resources. So the lease is checked last of all, by what makes the call. It comes
with the context, as deadlines do: `asyncio.to_thread` takes it along, and no code in between has to
hand it on. Where no worker acts, as in a preview, there is none, and nothing is refused.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol


class LeaseLost(Exception):
    """Another worker has the resource by now. The call has not been made, and must not be."""


class Lease(Protocol):
    """Says for how long no other worker will act on a resource."""

    def confirm(self) -> None:
        """Return if a call may be made at this moment. For any thread. Raises LeaseLost."""
        ...

    async def hold(self) -> None:
        """Return once a call may be made. Raises LeaseLost."""
        ...


_LEASE: ContextVar[Lease | None] = ContextVar("lease", default=None)


def confirm() -> None:
    """Check the lease in the thread that makes a call, right before it. Raises LeaseLost.

    What cannot be taken back comes after it, and nothing that may wait comes in between.
    """
    lease = _LEASE.get()
    if lease is not None:
        lease.confirm()


async def hold() -> None:
    """Check the lease in the coroutine that makes a call, right before it. Raises LeaseLost."""
    lease = _LEASE.get()
    if lease is not None:
        await lease.hold()


async def hold_before_sending(event: str, details: Any) -> None:
    """Check the lease when a connection is there and a request is about to be sent.

    Given to httpx as the extension ``trace``: a request may have waited for its connection.
    """
    if event.endswith("send_request_headers.started"):
        await hold()


@contextmanager
def under(lease: Lease) -> Iterator[None]:
    """Let calls that are made in this context check a lease."""
    token = _LEASE.set(lease)
    try:
        yield
    finally:
        _LEASE.reset(token)
