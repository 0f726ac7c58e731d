"""Templates that a request names by their address instead of sending them.

Whoever may ask for a stack may make this server fetch something. So it must not become a way to
the machines behind it: only addresses of the public network are asked, also after a redirect, and
the name is looked up once, so that what was checked is what is connected to.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Timer
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
    UnknownHandler,
)

from hotplate.api.http.faults import Fault, bad_request
from hotplate.api.http.settings import Settings

_SCHEMES: Final = ("http", "https")
# Threads of their own: slow servers must not take those that the database needs.
_FETCHERS: Final = ThreadPoolExecutor(max_workers=4, thread_name_prefix="fetch")


class _NotAllowed(OSError):
    """The address is none that this server asks."""


async def fetched(url: str, settings: Settings) -> str:
    """Return the text at an address. Raises Fault 400 with the reason if there is none."""
    loop = asyncio.get_running_loop()
    try:
        # The limit inside does not cover the wait for a free thread and the look-up of the name.
        async with asyncio.timeout(3 * settings.seconds_to_fetch):
            return await loop.run_in_executor(_FETCHERS, fetch, url, settings)
    except TimeoutError:
        raise _refusal(url, "it takes too long") from None


def fetch(url: str, settings: Settings) -> str:
    """Return the text at an address, waiting for it. Raises Fault 400."""
    if _scheme(url) not in _SCHEMES:
        raise _refusal(url, "the address must begin with http:// or https://")
    most = settings.largest_template
    sockets: list[socket.socket] = []
    opener = _opener(sockets, settings)
    headers = {"Accept": "*/*", "User-Agent": "hotplate"}
    request = Request(url, headers=headers)  # noqa: S310  # the opener knows http and https only
    with _cut_off_after(settings.seconds_to_fetch, sockets) as is_cut_off:
        try:
            with opener.open(request, timeout=settings.seconds_to_fetch) as response:
                body: bytes = response.read(most + 1)
        except HTTPError as error:
            error.close()
            raise _refusal(url, f"the server answers {error.code} {error.reason}") from None
        except (OSError, HTTPException, ValueError) as error:
            reason = "it takes too long" if is_cut_off() else _words(error)
            raise _refusal(url, reason) from None
    if len(body) > most:
        raise bad_request(
            f"Request limit exceeded: Template at {url} exceeds maximum allowed size "
            f"({most} bytes).",
            "RequestLimitExceeded",
        )
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise _refusal(url, "it is not text in UTF-8") from None


def _scheme(url: str) -> str:
    try:
        return urlsplit(url).scheme.lower()
    except ValueError:
        return ""


def _words(error: Exception) -> str:
    cause = getattr(error, "reason", error)
    return str(cause) or type(error).__name__


def _refusal(url: str, reason: str) -> Fault:
    return bad_request(f"Could not retrieve template: {url[:500]}: {reason}")


@contextmanager
def _cut_off_after(seconds: float, sockets: list[socket.socket]) -> Iterator[Callable[[], bool]]:
    """Shut the sockets when the time is over: a timeout of a socket starts anew with each byte."""
    over = False

    def cut_off() -> None:
        nonlocal over
        over = True
        for opened in tuple(sockets):
            with suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)

    timer = Timer(seconds, cut_off)
    timer.daemon = True
    timer.start()
    try:
        yield lambda: over
    finally:
        timer.cancel()


def _opener(sockets: list[socket.socket], settings: Settings) -> OpenerDirector:
    """Return an opener for http and https only, and without a proxy: that would look names up."""

    def connect(host: str, port: int) -> socket.socket:
        opened = _connected(host, port, settings)
        sockets.append(opened)
        return opened

    class Plain(HTTPConnection):
        def connect(self) -> None:
            self.sock = connect(self.host, self.port)

    class Secure(HTTPSConnection):
        def connect(self) -> None:
            self.sock = ssl.create_default_context().wrap_socket(
                connect(self.host, self.port),
                server_hostname=self.host,
                do_handshake_on_connect=False,
            )
            sockets.append(self.sock)
            self.sock.do_handshake()

    class OpenPlain(HTTPHandler):
        def http_open(self, req: Request) -> HTTPResponse:
            return self.do_open(Plain, req)

    class OpenSecure(HTTPSHandler):
        def https_open(self, req: Request) -> HTTPResponse:
            return self.do_open(Secure, req)

    opener = OpenerDirector()
    handlers: tuple[Any, ...] = (
        OpenPlain,
        OpenSecure,
        HTTPRedirectHandler,
        HTTPDefaultErrorHandler,
        HTTPErrorProcessor,
        UnknownHandler,
    )
    for handler in handlers:
        opener.add_handler(handler())
    return opener


def _connected(host: str, port: int, settings: Settings) -> socket.socket:
    """Return a socket to the host, of whose addresses every one must be allowed."""
    from hotplate.workflow.actions import is_public  # noqa: PLC0415 (with it come all actions of workflows)

    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    for *_, address in found:
        if not settings.may_fetch_private and not is_public(str(address[0])):
            raise _NotAllowed(f"this server does not fetch from {host}: it is not a public address")
    failure: OSError = OSError(f"{host} has no address")
    for family, socket_type, protocol, _, address in found:
        opened = socket.socket(family, socket_type, protocol)
        opened.settimeout(settings.seconds_to_fetch)
        try:
            opened.connect(address)
        except OSError as error:
            opened.close()
            failure = error
        else:
            return opened
    raise failure
