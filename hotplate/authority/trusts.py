"""Trusts: made with a user's token, used and deleted by the server's own user."""

from collections.abc import Callable
from typing import ClassVar

from hotplate.authority.settings import ADMIN_ROLES, AuthoritySettings
from hotplate.cloud import Cloud
from hotplate.cloud.catalogue import Catalogue
from hotplate.cloud.identity import Token, Tokens
from hotplate.identity import Credentials

_PATH = "/OS-TRUST/trusts"


class GivenToken:
    """One token, and no other if it is refused."""

    chances: ClassVar[int] = 0

    def __init__(self, token: Token) -> None:
        self._token = token

    async def token(self, service: str = "") -> Token:
        """Return the token."""
        return self._token

    def refused(self, token: Token) -> None:
        """There is no other."""

    def accepted(self, token: Token) -> None:
        """Nothing is to be noted."""


class Trusts:
    """Makes and deletes trusts in Keystone; who has one is for others to know."""

    def __init__(
        self,
        settings: AuthoritySettings,
        server: Tokens,
        cloud_with: Callable[[Tokens], Cloud],
    ) -> None:
        self._settings = settings
        self._server = server
        self._cloud_with = cloud_with

    def obstacle(self, credentials: Credentials) -> str:
        """Return why no trust can be made with a token; empty if nothing is known against it."""
        if self._settings.trusts == "never":
            return "the operator allows none"
        if credentials.is_delegated:
            return "an application credential, a trust or EC2 keys can make none"
        if not self._settings.trust_admin_roles and not credentials.role_names:
            return "it is not known which of the roles are an administrator's"
        if not self.delegated_roles(credentials):
            return "all roles are an administrator's, and those are not delegated"
        return ""

    def delegated_roles(self, credentials: Credentials) -> list[str]:
        """Return the ids of the roles that a trust gets."""
        if self._settings.trust_admin_roles:
            return list(credentials.role_ids)
        named = zip(credentials.role_ids, credentials.role_names, strict=True)
        return [role_id for role_id, name in named if name.lower() not in ADMIN_ROLES]

    async def make(self, credentials: Credentials) -> str:
        """Make a trust and return its id. Raises CloudError."""
        server = await self._server.token()
        token = Token(credentials.token, credentials.expires, Catalogue(), credentials.project_id)
        keystone = self._cloud_with(GivenToken(token)).service("identity")
        asked = {
            "trustor_user_id": credentials.user_id,
            "trustee_user_id": server.user_id,
            "project_id": credentials.project_id,
            "impersonation": True,
            "roles": [{"id": each} for each in self.delegated_roles(credentials)],
        }
        made = await keystone.post(_PATH, {"trust": asked})
        return str(made["trust"]["id"])

    async def delete(self, trust: str, tokens: Tokens) -> None:
        """Delete a trust, as its trustor or with a token of the trust itself. Raises CloudError.

        One that is not there any more is as good as deleted.
        """
        await self._cloud_with(tokens).service("identity").delete(f"{_PATH}/{trust}")
