"""Keeps web pages of others from speaking to a server that needs no token."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from hotplate.api import Fault, json_answer
from hotplate.server.address import Address, is_literal, is_loopback

_WELL_FORMED = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?"
)
"""A name, an IPv4 address or an IPv6 address in brackets, and a port; no user, path or escapes."""

_OF_OTHERS = "cross-site"
"""What browsers say of requests that a page of another site made."""


class Guard:
    """Refuses requests that were meant for another host, or that a page of another site sent.

    A browser on this machine reaches the server, and the page it shows may come from anywhere: a
    site can have its own name point here (DNS rebinding), or send requests across sites. Both
    can be recognized by the Host and Origin that browsers send. Programs send no Origin.
    """

    def __init__(self, application: ASGIApp, address: Address, names: Iterable[str] = ()) -> None:
        self._application = application
        self._names = {_plain(name) for name in (*names, address.host)}
        # Only a name can be made to point elsewhere, so addresses of this machine are safe.
        self._takes_literals = address.is_wildcard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            fault = self._fault(Headers(scope=scope))
            if fault is not None:
                answer = json_answer(fault.document(), fault.status, fault.headers)
                await answer(scope, receive, send)
                return
        await self._application(scope, receive, send)

    def _fault(self, headers: Headers) -> Fault | None:
        hosts = headers.getlist("host")
        host = hosts[0] if hosts else ""
        if len(hosts) > 1 or not _WELL_FORMED.fullmatch(host):
            return Fault(
                403, "The request names its host in a form that is not taken.", "Forbidden"
            )
        if not self._is_ours(host):
            return Fault(
                403,
                f'This server is not known as "{host}". Its operator can allow the name with '
                "--host-name.",
                "Forbidden",
            )
        if headers.get("sec-fetch-site", "").strip().lower() == _OF_OTHERS:
            return Fault(403, "A page of another site may not use this server.", "Forbidden")
        origin = headers.get("origin")
        if origin is not None and _place(origin) != host.lower():
            return Fault(403, f'A page of "{origin}" may not use this server.', "Forbidden")
        return None

    def _is_ours(self, host: str) -> bool:
        name = _plain(host)
        return (
            name in self._names or is_loopback(name) or (self._takes_literals and is_literal(name))
        )


def _place(origin: str) -> str:
    """Return the host and port of an origin, empty if it has none."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _plain(host: str) -> str:
    """Return a host without its port and brackets."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""
