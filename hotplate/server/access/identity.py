"""Who asks where nobody needs a token, and what all ways to tell who asks have in common."""

import hashlib

from starlette.requests import Request

from hotplate.api import bad_request
from hotplate.identity import Caller

DEFAULT_PROJECT = "default"
"""Whose workflows are meant where neither the address nor a header names a project."""

LONGEST_PROJECT = 64
LONGEST_USER = 255


def check_project(project: str) -> None:
    """Refuse a project that no database could keep. Raises Fault."""
    if len(project) > LONGEST_PROJECT:
        raise bad_request(f"the project in the address is longer than {LONGEST_PROJECT} characters")


async def anybody(request: Request, project: str | None) -> Caller:
    """Let everybody in, into the project that the address or else a header names. Raises Fault."""
    if project is None:
        project = request.headers.get("x-project-id", "") or DEFAULT_PROJECT
    check_project(project)
    user = request.headers.get("x-auth-user", "")[:LONGEST_USER] or "admin"
    return Caller(user, project, is_admin=True)


def digest_of_token(token: str) -> bytes:
    """Return what a token is looked up by: how long that takes reveals nothing about the others."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
