"""What an operator says of acting for users."""

from dataclasses import dataclass
from typing import Final

ADMIN_ROLES: Final = frozenset(("admin", "manager", "service"))
"""Names of roles that are not delegated unless the operator says so."""

TRUSTS: Final = ("needed", "never")


@dataclass(frozen=True, slots=True)
class AuthoritySettings:
    """How users of a Keystone are represented while they are away."""

    trusts: str = "needed"
    """Whether trusts are made for stacks that act by themselves later."""

    trust_admin_roles: bool = False
    """Whether trusts delegate roles of administrators, too."""

    service_tokens: bool = True
    """Whether expired tokens are used with one of the server's user, who needs the role service."""

    expired_token_seconds: float = 172_800.0
    """For how long Keystone accepts that: its `[token] allow_expired_window`."""
