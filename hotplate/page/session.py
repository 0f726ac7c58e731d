"""What the page asks before it can call the API: how to sign in, and who has signed in."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import orjson
from starlette.requests import Request
from starlette.responses import Response

from hotplate import __version__
from hotplate.identity import Caller
from hotplate.page.files import HEADERS, Answer

Identify = Callable[[Request, str | None], Awaitable[Caller]]

_LARGEST = 16 * 1024
"""Bytes of credentials."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A token for the API, until it expires."""

    token: str = field(repr=False)
    expires: float | None = None
    """Seconds since 1970; None as long as the server runs."""


class SignInRefused(Exception):
    """The credentials are not accepted, or cannot be looked at now; the text says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


Exchange = Callable[[Mapping[str, Any]], Awaitable[SignedIn]]
"""Gives a token for credentials. Raises SignInRefused."""


@dataclass(frozen=True, slots=True)
class SignIn:
    """How people prove who they are.

    ``method`` is none; token: they have one; keystone: they have one, or get one for their
    credentials; secret: the address that they were given has one in it. ``project`` is where
    those begin who need not prove it.
    """

    method: str = "none"
    project: str = "default"
    exchange: Exchange | None = None
    version: str = __version__


def session_pages(sign_in: SignIn, identify: Identify) -> dict[str, Answer]:
    """Return the answers to what the page asks of a session, by their addresses.

    A refused token raises what the API raises for it.
    """

    async def method(request: Request) -> Response:
        """Tell how to sign in; or take credentials, and give a token for them."""
        if request.method == "POST":
            try:
                return _json(await _exchanged(request, sign_in.exchange))
            except SignInRefused as refusal:
                return _json({"error": {"message": str(refusal)}}, refusal.status)
        told: dict[str, Any] = {"method": sign_in.method, "version": sign_in.version}
        if sign_in.method == "none":
            told["session"] = await who(request)
        return _json(told)

    async def who(request: Request) -> dict[str, Any]:
        caller = await identify(request, None)
        is_free = sign_in.method in {"none", "secret"}
        project = sign_in.project if is_free else caller.project
        return {"user": caller.user, "project": project, "is_admin": caller.is_admin}

    async def session(request: Request) -> Response:
        """Tell who the token of the request is, and in which project."""
        return _json(await who(request))

    return {"/page/sign-in": method, "/page/session": session}


async def _exchanged(request: Request, exchange: Exchange | None) -> dict[str, Any]:
    if exchange is None:
        raise SignInRefused(405, "This server takes no credentials, only tokens.")
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host", ""):
        raise SignInRefused(403, "A page of another site may not sign in here.")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LARGEST:
            raise SignInRefused(413, "The credentials are too large.")
    try:
        given = orjson.loads(body)
    except orjson.JSONDecodeError:
        given = None
    if not isinstance(given, dict):
        raise SignInRefused(400, "The credentials are not a JSON object.")
    signed_in = await exchange(given)
    return {"token": signed_in.token, "expires": signed_in.expires}


def _json(document: object, status: int = 200) -> Response:
    headers = {**HEADERS, "cache-control": "no-store"}
    return Response(orjson.dumps(document), status, headers, "application/json")
