"""Whose authority a stack is worked on with: who gives it, and what uses it."""

from abc import ABC, abstractmethod
from typing import Any, Final

from sqlalchemy import Connection

from hotplate.engine.store import Store
from hotplate.engine.world import Actor, PerActor
from hotplate.identity import Credentials, authority_id
from hotplate.model import Authority, Stack, Task
from hotplate.store.authorities import authorise, put_authority, read_authority

_VISITS: Final = frozenset((Task.SUSPEND, Task.RESUME, Task.CHECK, Task.SNAPSHOT))


class ActingForUsers(PerActor, ABC):
    """A service that acts for users with their authority, also after their requests."""

    @abstractmethod
    def attach(self, store: Store) -> None:
        """Give it the database in which authorities are."""

    @abstractmethod
    def offer(self, credentials: Credentials) -> None:
        """Tell it of a token with which its user has just been let in."""

    @abstractmethod
    async def delegate(self, credentials: Credentials) -> str:
        """See to it that its user can be represented when the token has expired.

        Return why that is not possible; empty if it is.
        """


def actor_of(stack: Stack, task: Task | None = None) -> Actor:
    """Return on whose behalf something is done to a stack; ``task`` is that of the node."""
    visitor = stack.visitor_id if task in _VISITS else None
    return Actor(stack.project, visitor or stack.authority_id)


def caller_of(project: str, credentials: Credentials | None) -> Actor:
    """Return on whose behalf a request is answered that is about a project."""
    if credentials is None or credentials.project_id != project:
        return Actor(project)
    return Actor(project, authority_id(credentials))


def take_over(
    connection: Connection,
    stack: Stack,
    credentials: Credentials,
    now: float,
    visits_only: bool = False,
) -> None:
    """Let a locked stack be worked on with the authority of whoever has just asked for that.

    With a root, all that is nested in it. It stays in its region unless the caller names another.
    ``visits_only``: for checks and the like, which need not be allowed to change anything.
    """
    region = credentials.region
    if not region and stack.authority_id is not None:
        present = read_authority(connection, stack.authority_id)
        region = "" if present is None else present.region
    given = put_authority(connection, authority_from(credentials, region), now)
    authorise(connection, stack, given.id, visits_only)


def authority_from(credentials: Credentials, region: str = "") -> Authority:
    """Return the authority that a token stands for."""
    return Authority(
        id=authority_id(credentials, region),
        user_id=credentials.user_id,
        user_name=credentials.user_name,
        user_domain=credentials.user_domain,
        project=credentials.project_id,
        project_name=credentials.project_name,
        roles=tuple(sorted(credentials.role_ids)),
        region=credentials.region or region,
        is_delegated=credentials.is_delegated,
        token=credentials.token,
        token_expires=credentials.expires,
        catalog=credentials.catalog,
    )


def services_for_users(services: Any) -> list[ActingForUsers]:
    """Return those of the services that act for users."""
    return [each for each in services.values() if isinstance(each, ActingForUsers)]
