"""Who asks: whoever was given an address with a secret in it, on this machine."""

import hmac
import secrets
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from hotplate.api import Fault
from hotplate.identity import Caller
from hotplate.page import SignedIn, SignInRefused
from hotplate.server.access.identity import anybody, digest_of_token

_MOST = 16
"""Secrets that are not used yet; the oldest goes."""


class SecretAccess:
    """Lets in whoever has a token, and gives one for a secret: each secret counts once.

    What may be done then is what everybody may do with `--auth none`. Used in the event loop only.
    """

    def __init__(self) -> None:
        self._secrets: list[str] = []
        self._token = secrets.token_urlsafe(32)

    def new_secret(self) -> str:
        """Return a secret that can be exchanged for the token, once."""
        secret = secrets.token_urlsafe(24)
        self._secrets = [*self._secrets, secret][-_MOST:]
        return secret

    async def exchange(self, given: Mapping[str, Any]) -> SignedIn:
        """Return the token for a secret, which is used up by it. Raises SignInRefused."""
        wanted = digest_of_token(str(given.get("secret", "")))
        known = [
            each for each in self._secrets if hmac.compare_digest(digest_of_token(each), wanted)
        ]
        if not known:
            raise SignInRefused(
                401,
                "This address has been used already, or is not of this run. Press Enter where "
                "`hotplate ui` runs: it prints another one.",
            )
        self._secrets = [each for each in self._secrets if each not in known]
        return SignedIn(self._token)

    async def identify(self, request: Request, project: str | None) -> Caller:
        """Return who asks. Raises Fault."""
        given = digest_of_token(request.headers.get("x-auth-token", ""))
        if not hmac.compare_digest(given, digest_of_token(self._token)):
            raise Fault(401, "The token is not accepted here.")
        return await anybody(request, project)
