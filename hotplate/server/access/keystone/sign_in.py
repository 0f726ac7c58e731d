"""A token for whoever signs in on the page: their credentials are handed to Keystone, not kept."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from hotplate.cloud.errors import BadConfiguration, CloudError, Unauthenticated
from hotplate.cloud.identity import Identity
from hotplate.cloud.settings import CloudSettings
from hotplate.cloud.wire import HttpWire, Wire
from hotplate.page import SignedIn, SignInRefused
from hotplate.server.access.keystone.settings import KeystoneSettings

_AT_ONCE: Final = 8
"""Sign-ins that are on their way to Keystone at the same time."""

_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "password": (
        "username",
        "password",
        "user_domain_name",
        "project_name",
        "project_domain_name",
    ),
    "v3applicationcredential": (
        "application_credential_id",
        "application_credential_name",
        "application_credential_secret",
        "username",
        "user_domain_name",
    ),
}
"""What each kind of credentials consists of."""


class KeystoneSignIn:
    """Gets tokens for the people of a Keystone. Any number may ask at the same time."""

    def __init__(
        self,
        settings: KeystoneSettings,
        wire: Wire | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._cloud = settings.service_user
        self._wire = wire or HttpWire(settings.service_user)
        self._now = now
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def close(self) -> None:
        """End the connections to Keystone."""
        await self._wire.close()

    async def __call__(self, given: Mapping[str, Any]) -> SignedIn:
        """Return a token for credentials. Raises SignInRefused."""
        settings = self._settings(given)
        async with self._slots:
            try:
                token = await Identity(settings, self._wire, self._now).token()
            except Unauthenticated:
                raise SignInRefused(
                    401, "Keystone does not accept these credentials, or not for this project."
                ) from None
            except BadConfiguration as error:
                raise SignInRefused(400, f"Something is missing: {error}") from None
            except CloudError:
                raise SignInRefused(503, "Keystone does not answer. Try again later.") from None
        if not token.project_id:
            raise SignInRefused(400, "Name the project in which you want to work.")
        return SignedIn(token.value, token.expires)

    def _settings(self, given: Mapping[str, Any]) -> CloudSettings:
        kind = str(given.get("kind", ""))
        if kind not in _FIELDS:
            raise SignInRefused(400, f"Credentials are one of {', '.join(_FIELDS)}.")
        auth = {"auth_url": self._cloud.auth["auth_url"]}
        for name in _FIELDS[kind]:
            value = given.get(name)
            if isinstance(value, str) and value:
                auth[name] = value
        return replace(self._cloud, name="the page", auth_type=kind, auth=auth)
