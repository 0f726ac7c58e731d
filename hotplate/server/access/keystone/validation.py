"""Asks Keystone whose a token is, and remembers the answer for a while."""

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final, Protocol

from hotplate.cloud.errors import CloudError
from hotplate.cloud.identity import Token
from hotplate.cloud.services import versioned
from hotplate.cloud.wire import Answer, NoAnswer, NotSent, Wire
from hotplate.server.access.identity import digest_of_token
from hotplate.server.access.keystone.memory import Memory
from hotplate.server.access.keystone.settings import KeystoneSettings
from hotplate.server.access.keystone.token import Catalog, KnownToken, UnreadableToken, read_token

_log = logging.getLogger("hotplate.server.access.keystone")

_SECONDS: Final = 10.0
_AT_ONCE: Final = 32
"""Requests to Keystone that are on their way at the same time."""

_REFUSED_SECONDS: Final = 10
"""For how long a token that Keystone does not know is refused without asking again."""

_MOST_REFUSED: Final = 1000
_AWAY_SECONDS: Final = 1.0
"""For how long Keystone is not asked after it did not answer."""

_KNOWS_ACCESS_RULES: Final = {"OpenStack-Identity-Access-Rules": "1.0"}
"""Without it Keystone knows no token that has access rules: who asks might not heed them."""

_MOST_CATALOGS: Final = 256


class KeystoneAway(Exception):
    """Keystone does not answer, or not as it should; the text says why."""


class OwnToken(Protocol):
    """Has the server's own token; `hotplate.cloud.identity.Identity` is one."""

    async def token(self) -> Token:
        """Return a token with which a call may begin. Raises CloudError."""
        ...

    def refused(self, token: Token) -> None:
        """Note that a token is not accepted; the next one who asks gets another."""
        ...


class Validator:
    """Knows whose tokens are. Any number of requests may ask at the same time.

    Costs one request to Keystone for a token that was not asked about within the last
    ``remember_seconds``, however many ask at once.
    """

    def __init__(
        self,
        settings: KeystoneSettings,
        own: OwnToken,
        wire: Wire,
        now: Callable[[], float],
    ) -> None:
        auth_url = settings.service_user.auth["auth_url"]
        self._url = f"{versioned(auth_url, 'v3')}/auth/tokens"
        self._own = own
        self._wire = wire
        self._now = now
        self._remembered = settings.remember_seconds
        self._memory: Memory[KnownToken | None] = Memory(settings.most_tokens, self._lifetime, now)
        self._refused: OrderedDict[bytes, float] = OrderedDict()
        self._catalogs: OrderedDict[bytes, Catalog] = OrderedDict()
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._away_until = 0.0
        self._away_because = ""

    async def known(self, token: str, even_expired: bool = False) -> KnownToken | None:
        """Return what Keystone says of a token; None for one that it does not accept, or no longer.

        ``even_expired``: it counts a while longer, as Keystone's operator allows. Raises
        KeystoneAway.
        """
        key = digest_of_token(token) + (b"expired" if even_expired else b"")
        if self._now() < self._refused.get(key, 0):
            return None
        found = await self._memory.get(key, lambda: self._ask(token, even_expired))
        if found is None:
            self._refuse(key)
        if found is not None and not even_expired and found.expires <= self._now():
            return None
        return found

    def _lifetime(self, found: KnownToken | None) -> float:
        return 0 if found is None else self._remembered

    def _refuse(self, key: bytes) -> None:
        """Remember apart what is refused: whoever makes up tokens puts out no good ones."""
        self._refused[key] = self._now() + min(self._remembered, _REFUSED_SECONDS)
        self._refused.move_to_end(key)
        while len(self._refused) > _MOST_REFUSED:
            self._refused.popitem(last=False)

    async def _ask(self, token: str, even_expired: bool) -> KnownToken | None:
        try:
            token.encode("ascii")
        except UnicodeEncodeError:
            return None
        if not token.isprintable():
            return None
        if self._now() < self._away_until:
            raise KeystoneAway(self._away_because)
        async with self._slots:
            try:
                return await self._answered(token, even_expired)
            except KeystoneAway as error:
                self._away_until = self._now() + _AWAY_SECONDS
                self._away_because = str(error)
                _log.warning("Keystone is away", extra={"reason": str(error)})
                raise

    async def _answered(self, token: str, even_expired: bool) -> KnownToken | None:
        answer = await self._get(token, even_expired)
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise KeystoneAway(f"it answers {answer.status} when asked whose a token is")
        try:
            found = read_token(json.loads(answer.body))
        except (ValueError, UnreadableToken):
            raise KeystoneAway("what answers at its address is no Keystone v3") from None
        return replace(found, catalog=self._shared(found.catalog))

    async def _get(self, token: str, even_expired: bool) -> Answer:
        """Ask with the server's own token, and once more with a new one if it is refused."""
        own = await self._own_token()
        answer = await self._send(own.value, token, even_expired)
        if answer.status == 401:
            self._own.refused(own)
            own = await self._own_token()
            answer = await self._send(own.value, token, even_expired)
        if answer.status in (401, 403):
            raise KeystoneAway(
                "it does not let this server ask whose a token is; give its user the role service"
            )
        return answer

    async def _own_token(self) -> Token:
        try:
            return await self._own.token()
        except CloudError as error:
            raise KeystoneAway(f"this server cannot log in: {error}") from None

    async def _send(self, own: str, token: str, even_expired: bool) -> Answer:
        url = f"{self._url}?allow_expired=1" if even_expired else self._url
        headers = {"X-Auth-Token": own, "X-Subject-Token": token, "Accept": "application/json"}
        headers |= _KNOWS_ACCESS_RULES

        def send() -> Awaitable[Answer]:
            return self._wire.send("GET", url, headers, b"", _SECONDS)

        try:
            try:
                return await send()
            except NoAnswer:
                # Most often a connection that Keystone ended while nobody used it.
                return await send()
        except (NotSent, NoAnswer) as error:
            raise KeystoneAway(f"{self._url} does not answer: {error}") from None

    def _shared(self, catalog: Catalog) -> Catalog:
        """Return the same object for the same catalog: it is the largest part of an answer."""
        key = digest_of_token(json.dumps(_plain(catalog), sort_keys=True))
        found = self._catalogs.setdefault(key, catalog)
        self._catalogs.move_to_end(key)
        while len(self._catalogs) > _MOST_CATALOGS:
            self._catalogs.popitem(last=False)
        return found


def _plain(catalog: Catalog) -> list[Any]:
    return list(catalog)
