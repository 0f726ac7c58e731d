"""Requests on the wire: connections that are kept and used again, one request at a time on each.

httpcore makes the connections and speaks HTTP; which connection carries a request is decided here.
Its own pool checks every idle connection before every request, which costs most of the time of a
call: docs/decisions/0009-calling-a-cloud.md.
"""

import ssl
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from urllib.request import getproxies, proxy_bypass

import httpcore

from hotplate.cloud.errors import BadConfiguration
from hotplate.cloud.settings import CloudSettings
from hotplate.resources.lease import hold_before_sending

_CONNECT: Final = 5.0
_KEPT: Final = 15.0
"""Seconds for which an idle connection is kept. Servers end them, too, usually sooner or later."""

_CANNOT_CONNECT: Final = (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.PoolTimeout)
_BROKEN: Final = (
    httpcore.NetworkError,
    httpcore.TimeoutException,
    httpcore.ProtocolError,
    httpcore.ProxyError,
)


class NotSent(Exception):
    """The request has not been sent. The text says why."""


class NoAnswer(Exception):
    """The request was sent and there was no answer: whether it was done is unknown."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


class Wire(Protocol):
    """Carries requests. Tests have others that carry them nowhere."""

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        """Return the answer, whatever its status. Raises NotSent, NoAnswer, LeaseLost.

        The lease of the caller's claim is read when the connection is there.
        """
        ...

    async def close(self) -> None:
        """End all connections."""
        ...


class HttpWire:
    """The network. Redirects are not followed: they would carry the token to wherever they lead."""

    def __init__(self, settings: CloudSettings) -> None:
        self._settings = settings
        self._tls: ssl.SSLContext | None = None
        self._idle: defaultdict[str, list[httpcore.AsyncConnectionInterface]] = defaultdict(list)
        self._proxies: dict[str, httpcore.AsyncHTTPProxy] = {}
        self._proxy_urls: dict[tuple[str, str], str] = {}

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        target = httpcore.URL(url)
        host = target.host.decode()
        port = f":{target.port}" if target.port else ""
        sent = [(b"Host", f"{host}{port}".encode()), (b"User-Agent", b"hotplate")]
        sent += [(name.encode(), text.encode()) for name, text in headers.items()]
        if body or method in ("POST", "PUT", "PATCH"):
            sent.append((b"Content-Length", str(len(body)).encode()))
        limits = {"connect": min(_CONNECT, seconds), "read": seconds, "write": seconds}
        request = httpcore.Request(
            method,
            target,
            headers=sent,
            content=body,
            extensions={"timeout": limits, "trace": hold_before_sending},
        )
        try:
            proxy = self._proxy(target.scheme.decode(), host)
            if proxy:
                return await _exchange(proxy, request)
            return await self._direct(target.origin, request)
        except _CANNOT_CONNECT as error:
            raise NotSent(_words(error)) from None
        except _BROKEN as error:
            raise NoAnswer(_words(error)) from None
        except ssl.SSLError as error:
            raise NotSent(_words(error)) from None

    async def close(self) -> None:
        for connections in self._idle.values():
            while connections:
                await connections.pop().aclose()
        for proxy in self._proxies.values():
            await proxy.aclose()
        self._proxies.clear()

    async def _direct(self, origin: httpcore.Origin, request: httpcore.Request) -> Answer:
        connection = await self._connection(origin)
        try:
            answer = await _exchange(connection, request)
        except BaseException:
            await connection.aclose()
            raise
        if connection.is_available():
            self._idle[str(origin)].append(connection)
        else:
            await connection.aclose()
        return answer

    async def _connection(self, origin: httpcore.Origin) -> httpcore.AsyncConnectionInterface:
        """Return the connection that was used last and is still open, or a new one."""
        idle = self._idle[str(origin)]
        while idle:
            found = idle.pop()
            if not found.has_expired():
                return found
            await found.aclose()
        return httpcore.AsyncHTTPConnection(
            origin,
            ssl_context=self._trusted() if origin.scheme == b"https" else None,
            keepalive_expiry=_KEPT,
        )

    def _proxy(self, scheme: str, host: str) -> httpcore.AsyncHTTPProxy | None:
        """Return what stands between us and a host; the environment is read once for each."""
        if (scheme, host) not in self._proxy_urls:
            chosen = "" if proxy_bypass(host) else getproxies().get(scheme, "")
            self._proxy_urls[scheme, host] = chosen
        url = self._proxy_urls[scheme, host]
        if not url:
            return None
        if url not in self._proxies:
            self._proxies[url] = httpcore.AsyncHTTPProxy(
                url, ssl_context=self._trusted(), keepalive_expiry=_KEPT
            )
        return self._proxies[url]

    def _trusted(self) -> ssl.SSLContext:
        """Return which certificates are accepted, and ours. Raises BadConfiguration."""
        if self._tls is None:
            self._tls = _tls(self._settings)
        return self._tls


async def _exchange(carrier: Any, request: httpcore.Request) -> Answer:
    answer = await carrier.handle_async_request(request)
    try:
        body = await answer.aread()
    finally:
        await answer.aclose()
    headers = {
        name.decode("latin-1").lower(): text.decode("latin-1") for name, text in answer.headers
    }
    return Answer(answer.status, headers, body)


def _tls(settings: CloudSettings) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=settings.ca_file or None)
        if settings.ca_text:
            context.load_verify_locations(cadata=settings.ca_text)
        if settings.client_certificate:
            context.load_cert_chain(settings.client_certificate, settings.client_key or None)
    except (OSError, ValueError) as error:
        raise BadConfiguration(
            f'the certificates of the cloud "{settings.name}" cannot be read: {error}'
        ) from None
    if not settings.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__
