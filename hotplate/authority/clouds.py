"""One cloud for each authority, in one process."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from sqlalchemy import Connection

from hotplate.authority.settings import AuthoritySettings
from hotplate.authority.tokens import AuthorityTokens, Ways
from hotplate.authority.trusts import Trusts, given_token
from hotplate.cloud import Cloud, CloudError, CloudSettings
from hotplate.cloud.calling import Clock
from hotplate.cloud.identity import Identity, Tokens
from hotplate.cloud.wire import HttpWire, Wire
from hotplate.engine.authority import ActingForUsers, authority_from
from hotplate.engine.store import Store
from hotplate.engine.world import Actor
from hotplate.identity import AuthorityLost, Credentials
from hotplate.model import Authority
from hotplate.store.authorities import (
    keep_trust,
    put_authority,
    read_authority,
    restore_authority,
    suspend_authority,
    touch_trusted,
)

_log = logging.getLogger("hotplate.authority")

_MOST: Final = 512
"""Authorities whose clouds are remembered: microversions, names, and what is being polled."""

_NO_AUTHORITY: Final = (
    "waits: nobody has made or changed this stack with a token for its project; any member of the "
    "project can take it over: update it"
)
_PAUSE: Final = 300.0


@dataclass(slots=True)
class _Entry:
    cloud: Cloud
    tokens: AuthorityTokens
    delegating: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Whoever has it makes the trust: one for all who need it at the same time."""


class AuthorityClouds(ActingForUsers):
    """The clouds of all users of a server that uses Keystone.

    For one event loop. Connections are shared by all; nothing is asked before the first call.
    """

    def __init__(
        self,
        server: CloudSettings,
        settings: AuthoritySettings,
        clock: Clock,
        wire: Wire | None = None,
        most: int = _MOST,
    ) -> None:
        """``server`` is the server's own user: it sends service tokens, and is the trustee."""
        self._own = server
        self.settings = settings
        self._clock = clock
        self._wire = wire or HttpWire(server)
        self._most = most
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._store: Store | None = None
        self._server = self._login(server)
        self.trusts = Trusts(settings, self._server, self.cloud_with)

    def attach(self, store: Store) -> None:
        """Give it the database in which authorities are."""
        self._store = store

    @property
    def store(self) -> Store:
        """The database in which authorities are."""
        if self._store is None:
            raise AssertionError("authorities are needed before the database is open")
        return self._store

    @property
    def now(self) -> Callable[[], float]:
        """The clock."""
        return self._clock.now

    def of(self, actor: Actor | None) -> Cloud:
        """Return the cloud of an actor. Raises AuthorityLost if it has no authority."""
        if actor is None or actor.authority is None:
            raise AuthorityLost(_NO_AUTHORITY, self._clock.now() + _PAUSE)
        return self._entry(actor.authority).cloud

    def offer(self, credentials: Credentials) -> None:
        """Tell it of a token with which its user has just been let in."""
        given = authority_from(credentials)
        self._entry(given.id).tokens.offer(given)

    async def delegate(self, credentials: Credentials) -> str:
        """Make a trust for the authority of a token, unless there is one; return why not.

        The authority need not be stored yet; it is then.
        """
        given = authority_from(credentials)
        async with self._entry(given.id).delegating:
            touch = partial(touch_trusted, authority_id=given.id, now=self._clock.now())
            if await self.store.transact(touch):
                return ""
            known = await self._load(given.id)
            fault = self.trusts.obstacle(credentials)
            trust = ""
            if not fault:
                try:
                    trust = await self.trusts.make(credentials)
                except CloudError as error:
                    fault = self.trusts.refusal(credentials, error)
                    _log.warning("no trust could be made: %s", error, extra={"user": given.user_id})
            old = "" if known is None else known.trust
            now = self._clock.now()

            def keep(connection: Connection) -> bool:
                put_authority(connection, given, now)
                return keep_trust(connection, given.id, trust, fault, old)

            is_kept = await self.store.transact(keep)
            needless = old if is_kept else trust
            if trust and needless:
                with suppress(CloudError):  # it is of no use to anybody
                    await self.trusts.delete(needless, given_token(credentials))
            return fault

    def cloud_with(self, tokens: Tokens) -> Cloud:
        """Return a cloud that is called with certain tokens, for Keystone itself."""
        return Cloud(self._unscoped(), self._wire, self._clock, identity=tokens)

    def login_by_trust(self, trust: str) -> Tokens:
        """Return what logs in with a trust, as its trustee."""
        server = self._own
        kept = ("auth_url", "username", "user_id", "password", "user_domain_id", "user_domain_name")
        auth = {name: value for name, value in server.auth.items() if name in kept}
        named = f"trust of {server.name}"
        return self._login(replace(server, name=named, auth={**auth, "trust_id": trust}))

    async def close(self) -> None:
        """End all connections."""
        await self._wire.close()

    def _entry(self, key: str) -> _Entry:
        """Return what is known of an authority here; what was not used for long is forgotten."""
        found = self._entries.get(key)
        if found is None:
            tokens = AuthorityTokens(key, self._ways())
            cloud = Cloud(self._unscoped(), self._wire, self._clock, identity=tokens)
            found = self._entries[key] = _Entry(cloud, tokens)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
        self._entries.move_to_end(key)
        return found

    def _ways(self) -> Ways:
        settings = self.settings
        return Ways(
            self._load,
            self._suspend,
            self._restore,
            self.login_by_trust,
            self._server if settings.service_tokens else None,
            self._clock.now,
            settings.expired_token_seconds,
            self._own.region,
        )

    def _unscoped(self) -> CloudSettings:
        """Return the settings of clouds whose tokens say where services are called.

        Keystone is where the server itself asks it: it need not be in the catalogue.
        """
        server = self._own
        url = server.auth.get("auth_url", "")
        options = {"identity_endpoint_override": url, **server.options}
        return replace(server, region="", options=options)

    def _login(self, settings: CloudSettings) -> Identity:
        return Identity(settings, self._wire, self._clock.now, self._clock.sleep)

    async def _load(self, key: str) -> Authority | None:
        return await self.store.read(partial(read_authority, authority_id=key))

    async def _suspend(self, key: str, reason: str) -> None:
        now = self._clock.now()
        is_news = await self.store.transact(
            partial(suspend_authority, authority_id=key, reason=reason, now=now)
        )
        if is_news:
            _log.warning("an authority is not accepted: %s", reason, extra={"authority": key})

    async def _restore(self, key: str, newer: Authority | None) -> None:
        now = self._clock.now()
        if newer is not None and await self._load(key) is not None:
            await self.store.transact(partial(put_authority, given=newer, now=now))
        await self.store.transact(partial(restore_authority, authority_id=key, now=now))
