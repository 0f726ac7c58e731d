"""On whose behalf something is done, and the services that act for users."""

from abc import ABC, abstractmethod
from typing import Any, Final

from hotplate.engine.store import Store
from hotplate.engine.world import Actor, PerActor
from hotplate.identity import Credentials, authority_id
from hotplate.model import Stack, Task

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


def services_for_users(services: Any) -> list[ActingForUsers]:
    """Return those of the services that act for users."""
    return [each for each in services.values() if isinstance(each, ActingForUsers)]
