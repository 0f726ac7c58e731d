"""Who sent a request, and the token that they sent it with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Credentials:
    """A token of Keystone that was found good, and what Keystone says of it.

    Present only where Keystone tells who asks. Neither token nor catalog prints itself.
    """

    token: str = field(repr=False)
    expires: float
    """Seconds since 1970."""

    user_id: str
    user_name: str
    user_domain: str
    """The id of the domain of the user."""

    project_id: str
    project_name: str = ""
    role_ids: tuple[str, ...] = ()
    """Sorted. What a trust delegates is named by id."""

    is_delegated: bool = False
    """It was made from an application credential, a trust or EC2 keys: it can make no trust."""

    catalog: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """The service catalog as Keystone tells it."""

    region: str = ""
    """The region that the caller asked for, if the catalog has it."""

    delegation: str = ""
    """The id of what it was made from, if it is delegated: no two need allow the same."""

    is_federated: bool = False
    """An identity provider knows the user: Keystone may know the roles from the token alone."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and in which project. ``is_admin`` may see all projects.

    ``roles`` are names, in lower case.
    """

    user: str
    project: str
    is_admin: bool = False
    roles: frozenset[str] = frozenset()
    credentials: Credentials | None = None
    is_admin_project: bool = True
    """False if another project is chosen to be that of administrators."""
