"""What an operator says of acting for users."""

from dataclasses import dataclass
from typing import Final

from hotplate.cloud import CloudSettings

ADMIN_ROLES: Final = frozenset(("admin", "manager", "service"))
"""Names of roles that are not delegated unless the operator says so."""

TRUSTS: Final = ("needed", "never")


@dataclass(frozen=True, slots=True)
class AuthoritySettings:
    """How users of a Keystone are represented while they are away."""

    server: CloudSettings
    """The server's own user: it validates tokens, sends service tokens and is the trustee."""

    trusts: str = "needed"
    """Whether trusts are made for stacks that act by themselves later."""

    trust_admin_roles: bool = False
    """Whether trusts delegate roles of administrators, too."""

    service_tokens: bool = True
    """Whether expired tokens are used with a service token; the own user needs the role service."""

    expired_token_seconds: float = 172_800.0
    """For how long Keystone accepts that: its `[token] allow_expired_window`."""
