"""HTTP connections that lead only to where they may.

Whoever may start a workflow may make this server send requests. A name is looked up once, all its
addresses are checked, and the connection is made to a checked address, never to the name: a name
server that answers differently the second time gains nothing. The address at the other end of the
connection is checked once more. A redirect is a connection like any other.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable
from functools import lru_cache
from typing import Any

import httpcore
import httpx

from hotplate.workflow.actions.addresses import Reach

Resolve = Callable[[str, int], Awaitable[list[str]]]


class NotAllowed(Exception):
    """The address is none that this server connects to."""


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a name."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class GuardedNetwork(httpcore.AsyncNetworkBackend):
    """Connects to allowed addresses only."""

    def __init__(
        self,
        reach: Reach,
        resolve: Resolve = resolve,
        inner: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._reach = reach
        self._resolve = resolve
        self._inner = inner or httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 (the library's way)
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            found = await self._resolve(host, port)
        except OSError as error:
            raise httpcore.ConnectError(f"{host} has no address: {error.strerror}") from None
        self._check(host, found)
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in found:
            try:
                stream = await self._inner.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
                continue
            other_end = stream.get_extra_info("server_addr")
            try:
                self._check(host, [str(other_end[0])] if other_end else [])
            except NotAllowed:
                await stream.aclose()
                raise
            return stream
        raise failure

    def _check(self, host: str, addresses: list[str]) -> None:
        if not addresses or not all(map(self._reach.allows, addresses)):
            raise NotAllowed(
                f"this server does not connect to {host}: its address is not a public one; an "
                "operator can allow networks with may_reach in [workflows]"
            )

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        raise NotAllowed("this server does not connect to sockets of its own machine")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class GuardedTransport(httpx.AsyncHTTPTransport):
    """Sends requests through a guarded network."""

    def __init__(self, network: GuardedNetwork, verify: bool = True) -> None:
        super().__init__(verify=_certificates(verify), trust_env=False)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_certificates(verify),
            max_keepalive_connections=0,
            network_backend=network,
        )


@lru_cache(maxsize=2)
def _certificates(verify: bool) -> ssl.SSLContext:
    return httpx.create_ssl_context(verify=verify, trust_env=False)
