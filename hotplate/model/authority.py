"""Authorities: with whose rights a cloud is called after a request was answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class AuthorityState(Enum):
    """Whether an authority can be used."""

    GOOD = "good"
    SUSPENDED = "suspended"
    """The cloud accepts nothing of it at present; what needs it waits."""

    ENDING = "ending"
    """No stack uses it any more; its trust is being deleted."""


@dataclass(frozen=True, slots=True)
class Authority:
    """One user in one project with certain roles, shared by the stacks that they have changed."""

    id: str
    user_id: str
    user_name: str
    user_domain: str
    project: str
    project_name: str = ""
    roles: tuple[str, ...] = ()
    """Ids."""

    region: str = ""
    is_delegated: bool = False
    """Whether its tokens come from an application credential or the like: they make no trust."""

    token: str = field(default="", repr=False)
    """The newest token that its user came with; empty once it is not needed any more."""

    token_expires: float = 0.0
    catalog: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    trust: str = field(default="", repr=False)
    trust_fault: str = ""
    """Why there is no trust though some stack needs one."""

    state: AuthorityState = AuthorityState.GOOD
    reason: str = ""
    created_at: float = 0.0
    changed_at: float = 0.0

    @property
    def whose(self) -> str:
        """The user and the project, for people."""
        return (
            f"user {self.user_name or self.user_id} (project {self.project_name or self.project})"
        )
