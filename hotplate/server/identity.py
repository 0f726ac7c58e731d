"""Who asks: anyone, or whoever has one of the tokens in a file."""

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request

from hotplate.api import Fault, bad_request
from hotplate.identity import Caller
from hotplate.server.refusal import nonsense

DEFAULT_PROJECT = "default"
"""Whose workflows are meant where neither the address nor a header names a project."""

_LONGEST_PROJECT = 64
_LONGEST_USER = 255
_WAY_IN = {"www-authenticate": 'Token realm="hotplate"'}


def check_project(project: str) -> None:
    """Refuse a project that no database could keep. Raises Fault."""
    if len(project) > _LONGEST_PROJECT:
        raise bad_request(
            f"the project in the address is longer than {_LONGEST_PROJECT} characters"
        )


async def anybody(request: Request, project: str | None) -> Caller:
    """Let everybody in, into the project that the address or else a header names. Raises Fault."""
    if project is None:
        project = request.headers.get("x-project-id", "") or DEFAULT_PROJECT
    check_project(project)
    user = request.headers.get("x-auth-user", "")[:_LONGEST_USER] or "admin"
    return Caller(user, project, is_admin=True)


@dataclass(frozen=True, slots=True)
class Holder:
    """Whose a token is."""

    user: str
    project: str
    is_admin: bool = False


class TokenFile:
    """Lets those in whose token a file names, each into one project.

    A line is ``token user project``, and ``admin`` behind it for a user who may see what
    belongs to the operator. Tokens are kept and looked up by their digests.
    """

    def __init__(self, holders: Mapping[bytes, Holder]) -> None:
        self._holders = dict(holders)

    @property
    def projects(self) -> frozenset[str]:
        """The projects into which tokens let."""
        return frozenset(holder.project for holder in self._holders.values())

    async def __call__(self, request: Request, project: str | None) -> Caller:
        """Return who asks; without a project in the address, in their own. Raises Fault."""
        token = request.headers.get("x-auth-token", "")
        if not token:
            raise Fault(401, "The request has no X-Auth-Token.", headers=_WAY_IN)
        holder = self._holders.get(digest_of_token(token))
        if holder is None:
            raise Fault(401, "The token is not accepted here.", headers=_WAY_IN)
        project = holder.project if project is None else project
        check_project(project)
        if project != holder.project:
            raise Fault(403, f"You are not authorized to use the project {project}.", "Forbidden")
        return Caller(holder.user, project, holder.is_admin)


def digest_of_token(token: str) -> bytes:
    """Return what a token is looked up by: how long that takes reveals nothing about the others."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def read_tokens(path: Path) -> TokenFile:
    """Read a file of tokens that only its owner can read. Raises CannotStart."""
    try:
        with path.open(encoding="utf-8") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            text = file.read()
    except OSError as error:
        raise nonsense(f"the tokens in {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise nonsense(f"the tokens in {path} cannot be read: it is not UTF-8 text") from None
    if mode & 0o077:
        raise nonsense(
            f"{path} holds tokens and has mode {mode:04o}, so others can read it; "
            f"run: chmod 0600 {path}"
        )
    holders: dict[bytes, Holder] = {}
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        if len(fields) not in (3, 4) or fields[3:] not in ([], ["admin"]):
            raise nonsense(
                f'{path}, line {number}: write "token user project", or that and "admin"'
            )
        token, user, project = fields[:3]
        if len(user) > _LONGEST_USER or len(project) > _LONGEST_PROJECT:
            raise nonsense(
                f"{path}, line {number}: a user has at most {_LONGEST_USER} characters and a "
                f"project {_LONGEST_PROJECT}"
            )
        if digest_of_token(token) in holders:
            raise nonsense(f"{path}, line {number}: the same token stands in an earlier line")
        holders[digest_of_token(token)] = Holder(user, project, len(fields) == 4)
    if not holders:
        raise nonsense(f'{path} names no token; write lines "token user project"')
    return TokenFile(holders)
