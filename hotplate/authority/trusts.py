"""Trusts: made with a user's token, used and deleted by the server's own user."""

from collections.abc import Callable
from typing import ClassVar

from hotplate.authority.settings import ADMIN_ROLES, AuthoritySettings
from hotplate.cloud import Cloud, CloudError, Forbidden
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


def given_token(credentials: Credentials) -> GivenToken:
    """Return the token that somebody came with, for calls to Keystone."""
    project = credentials.project_id
    return GivenToken(Token(credentials.token, credentials.expires, Catalogue(), project))


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
        return ""

    def refusal(self, credentials: Credentials, error: CloudError) -> str:
        """Return why Keystone made no trust, and what can be done about it where that is known."""
        if credentials.is_federated:
            whose = f"--user {credentials.user_id} --project {credentials.project_id}"
            return (
                f"Keystone made none for the federated user {credentials.user_name}: {error}; "
                "roles that an identity provider gives cannot be delegated; an administrator can "
                f"give the user one in the project: openstack role add {whose} member"
            )
        return f"Keystone made none: {error}"

    async def make(self, credentials: Credentials) -> str:
        """Make a trust and return its id. Raises CloudError; Forbidden if no role can be given."""
        server = await self._server.token()
        roles = await self._delegated_roles(credentials)
        if not roles:
            raise Forbidden("all roles are an administrator's, and those are not delegated")
        keystone = self._cloud_with(given_token(credentials)).service("identity")
        asked = {
            "trustor_user_id": credentials.user_id,
            "trustee_user_id": server.user_id,
            "project_id": credentials.project_id,
            "impersonation": True,
            "roles": [{"id": each} for each in roles],
        }
        made = await keystone.post(_PATH, {"trust": asked})
        return str(made["trust"]["id"])

    async def _delegated_roles(self, credentials: Credentials) -> list[str]:
        """Return the ids of the roles that a trust gets; Keystone knows their names."""
        if self._settings.trust_admin_roles:
            return list(credentials.role_ids)
        keystone = self._cloud_with(self._server).service("identity")
        asked = {"X-Subject-Token": credentials.token}
        query = {"nocatalog": ""}
        reply = await keystone.call("GET", "/auth/tokens", query=query, headers=asked)
        known = reply.body["token"].get("roles") or ()
        return [each["id"] for each in known if each["name"].lower() not in ADMIN_ROLES]

    async def delete(self, trust: str, tokens: Tokens) -> None:
        """Delete a trust, as its trustor or with a token of the trust itself. Raises CloudError.

        One that is not there any more is as good as deleted.
        """
        await self._cloud_with(tokens).service("identity").delete(f"{_PATH}/{trust}")
