"""Who asks: whoever has one of the tokens in a file."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from starlette.requests import Request

from hotplate.api import Fault
from hotplate.identity import Caller
from hotplate.private_file import NotPrivate, read_private
from hotplate.server.access.identity import (
    LONGEST_PROJECT,
    LONGEST_USER,
    check_project,
    digest_of_token,
)
from hotplate.server.access.watched import Watched
from hotplate.server.refusal import CannotStart, nonsense

_LARGEST_FILE: Final = 16 << 20
_WAY_IN: Final = {"www-authenticate": 'Token realm="hotplate"'}
_IMPLIED: Final = {"admin": ("admin", "member", "reader"), "member": ("member", "reader")}
"""The roles that come with one, as Keystone has it."""

_FORM: Final = '"token user project", and behind it "admin", "roles=a,b" or "expires=TIME"'


@dataclass(frozen=True, slots=True)
class Holder:
    """Whose a token is."""

    user: str
    project: str
    roles: frozenset[str] = frozenset(("member", "reader"))
    expires: float = float("inf")
    """Seconds since 1970."""


Holders = Mapping[bytes, Holder]
"""By the digests of the tokens."""


def _has_role(caller: Caller) -> bool:
    return "admin" in caller.roles


class TokenFile:
    """Lets those in whose token a file names, each into one project; administrators into all.

    Tokens are kept and looked up by their digests.
    """

    def __init__(
        self,
        watched: Watched[Holders],
        is_admin: Callable[[Caller], bool] = _has_role,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._watched = watched
        self._is_admin = is_admin
        self._now = now

    async def __call__(self, request: Request, project: str | None) -> Caller:
        """Return who asks; without a project in the address, in their own. Raises Fault."""
        token = request.headers.get("x-auth-token", "")
        if not token:
            raise Fault(401, "The request has no X-Auth-Token.", headers=_WAY_IN)
        holder = self._watched.current.get(digest_of_token(token))
        if holder is None:
            raise Fault(401, "The token is not accepted here.", headers=_WAY_IN)
        if holder.expires <= self._now():
            raise Fault(401, "The token has expired.", headers=_WAY_IN)
        own = Caller(holder.user, holder.project, roles=holder.roles)
        is_admin = self._is_admin(own)
        project = holder.project if project is None else project
        check_project(project)
        if project != holder.project and not (is_admin and project):
            raise Fault(403, f"You are not authorized to use the project {project}.", "Forbidden")
        return Caller(holder.user, project, is_admin, holder.roles)


def watched_tokens(path: Path, has_one_cloud: bool = False) -> Watched[Holders]:
    """Return the tokens of a file, read again when it changes. Raises CannotStart.

    ``has_one_cloud``: all stacks are made with the same credentials, so all are of one project.
    """

    def load() -> Holders:
        found = read_tokens(path)
        projects = {holder.project for holder in found.values()}
        if has_one_cloud and len(projects) > 1:
            raise nonsense(
                f"{path} has {len(projects)} projects, and one cloud would be used with the same "
                "credentials for all of them; name a cloud for each project in [clouds] of the "
                "configuration, or start a server for each"
            )
        return found

    return Watched(lambda: [path], load)


def read_tokens(path: Path) -> Holders:
    """Read a file of tokens that only its owner can read. Raises CannotStart."""
    try:
        text = read_private(path, _LARGEST_FILE).decode()
    except NotPrivate as error:
        raise nonsense(f"{path} holds tokens and {error}") from None
    except OSError as error:
        raise nonsense(f"the tokens in {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise nonsense(f"the tokens in {path} cannot be read: it is not UTF-8 text") from None
    holders: dict[bytes, Holder] = {}
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        holder = _holder(fields, f"{path}, line {number}")
        key = digest_of_token(fields[0])
        if key in holders:
            raise nonsense(f"{path}, line {number}: the same token stands in an earlier line")
        holders[key] = holder
    if not holders:
        raise nonsense(f'{path} names no token; write lines "token user project"')
    return holders


def _holder(fields: list[str], place: str) -> Holder:
    if len(fields) < 3:
        raise _misspelt(place)
    _, user, project, *options = fields
    if len(user) > LONGEST_USER or len(project) > LONGEST_PROJECT:
        raise nonsense(
            f"{place}: a user has at most {LONGEST_USER} characters and a project {LONGEST_PROJECT}"
        )
    roles: list[str] = []
    expires = float("inf")
    for option in options:
        name, _, value = option.partition("=")
        if option == "admin":
            roles.append("admin")
        elif name == "roles" and value:
            roles.extend(role for role in value.split(",") if role)
        elif name == "expires" and value:
            expires = _time(value, place)
        else:
            raise _misspelt(place)
    return Holder(user, project, implied_roles(roles or ["member"]), expires)


def implied_roles(roles: Iterable[str]) -> frozenset[str]:
    """Return roles with those that they imply, in lower case."""
    names = [role.lower() for role in roles]
    return frozenset(each for role in names for each in _IMPLIED.get(role, (role,)))


def _misspelt(place: str) -> CannotStart:
    return nonsense(f"{place}: write {_FORM}")


def _time(text: str, place: str) -> float:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise nonsense(f'{place}: "{text}" is no time; write it like 2027-01-01T00:00:00Z')
    return found.timestamp()
