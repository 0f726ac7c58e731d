"""What the page asks before it can call the API: how to sign in, and who has signed in."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import orjson
from starlette.requests import Request
from starlette.responses import Response

from hotplate import __version__
from hotplate.identity import Caller
from hotplate.page.files import HEADERS, Answer

Identify = Callable[[Request, str | None], Awaitable[Caller]]


@dataclass(frozen=True, slots=True)
class SignIn:
    """How people prove who they are: ``method`` is none, token, or keystone.

    ``project`` is where people begin who need not prove it.
    """

    method: str = "none"
    project: str = "default"
    version: str = __version__


def session_pages(sign_in: SignIn, identify: Identify) -> dict[str, Answer]:
    """Return the answers to what the page asks of a session, by their addresses.

    A refused token raises what the API raises for it.
    """

    async def method(_: Request) -> Response:
        return _json({"method": sign_in.method, "version": sign_in.version})

    async def session(request: Request) -> Response:
        """Tell who the token of the request is, and in which project."""
        caller = await identify(request, None)
        project = caller.project
        if sign_in.method == "none":
            project = sign_in.project
        return _json({"user": caller.user, "project": project, "is_admin": caller.is_admin})

    return {"/page/sign-in": method, "/page/session": session}


def _json(document: object) -> Response:
    headers = {**HEADERS, "cache-control": "no-store"}
    return Response(orjson.dumps(document), media_type="application/json", headers=headers)
