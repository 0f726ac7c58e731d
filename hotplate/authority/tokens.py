"""The tokens of one authority: the user's own, the same with ours beside it, or one of a trust."""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from hotplate.cloud.catalogue import Catalogue
from hotplate.cloud.errors import Unauthenticated
from hotplate.cloud.identity import Token, Tokens
from hotplate.identity import AuthorityLost
from hotplate.model import Authority

_log = logging.getLogger("hotplate.authority")

_EARLY: Final = 120.0
"""Seconds before its end at which a token is not used alone any more."""

_FIRST_PAUSE: Final = 30.0
_LONGEST_PAUSE: Final = 3600.0
"""Seconds between two tries of an authority that is not accepted; they grow with time."""

_MOST_REFUSALS: Final = 2
"""So often tokens of a trust are refused by services before it is taken for useless."""

_KEYSTONE: Final = "identity"
_TAKE_OVER: Final = (
    "any member of the project can take the stack over: update it; "
    "if the project is gone, an administrator can delete and then abandon it"
)


@dataclass(frozen=True, slots=True)
class Ways:
    """What the tokens of an authority need of the server."""

    load: Callable[[str], Coroutine[Any, Any, Authority | None]]
    """Reads an authority as it is stored."""

    suspend: Callable[[str, str], Coroutine[Any, Any, None]]
    """Writes that an authority is not accepted, and why."""

    restore: Callable[[str, Authority | None], Coroutine[Any, Any, None]]
    """Writes that it is accepted again, with a newer token if there is one."""

    by_trust: Callable[[str], Tokens]
    """Returns what logs in with a trust."""

    server: Tokens | None
    """The server's own tokens, if they may accompany those of users."""

    now: Callable[[], float]
    window: float
    """Seconds after its end for which a token is accepted if one of the server is beside it."""

    region: str = ""
    """Where services are called for users who name no region."""


@dataclass(frozen=True, slots=True)
class _Loss:
    """When nothing of an authority was accepted, and until when that is taken for granted."""

    since: float
    due: float
    reason: str
    seen: float
    """When the row had changed last."""


class AuthorityTokens:
    """Has the tokens of one authority. For one event loop; any number of calls at the same time."""

    chances: ClassVar[int] = 6

    def __init__(self, authority_id: str, ways: Ways) -> None:
        self._id = authority_id
        self._ways = ways
        self._stored: Authority | None = None
        self._offered: Authority | None = None
        self._made: dict[str, Token] = {}
        self._refused: set[str] = set()
        """What services have refused: tokens of the user, alone or with one of ours."""

        self._trust: tuple[str, Tokens] | None = None
        self._trust_token: Token | None = None
        self._trust_refusals = 0
        self._loss: _Loss | None = None
        self._is_retrying = False
        self._writing: set[asyncio.Task[None]] = set()

    def offer(self, authority: Authority) -> None:
        """Take a token with which its user was let in just now, if it lives longer."""
        known = self._offered
        if known is None or self._loss or authority.token_expires > known.token_expires:
            self._offered = authority

    async def token(self, service: str = "") -> Token:
        """Return a token with which a call to a service may begin.

        Raises AuthorityLost if none is accepted, CloudError if that cannot be found out.
        """
        if (found := self._own()) is not None:
            return found
        await self._reload()
        if (found := self._own()) is not None:
            return found
        if (found := await self._accompanied(service)) is not None:
            return found
        return await self._by_trust()

    def refused(self, token: Token) -> None:
        """Note that a service does not accept a token."""
        raw = self._trust_token
        if raw is None or token.value != raw.value:
            self._refused.add(_mark(token))
        elif self._trust is not None:
            self._trust_refusals += 1
            self._trust[1].refused(raw)

    def accepted(self, token: Token) -> None:
        """Note that a service has accepted a token: what was lost is there again."""
        if self._loss is None and not self._trust_refusals:
            return
        self._trust_refusals = 0
        if self._loss is None:
            return
        self._loss = None
        self._is_retrying = False
        newer = self._offered
        if newer is not None and newer.token != token.value:
            newer = None
        # The call goes on; who reads the row sees it a moment later.
        task = asyncio.create_task(self._ways.restore(self._id, newer))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    def _candidates(self) -> list[Authority]:
        """Return what has a token, that which lives longest first."""
        known = [each for each in (self._offered, self._stored) if each is not None and each.token]
        return sorted(known, key=lambda each: -each.token_expires)

    def _own(self, early: float = _EARLY) -> Token | None:
        """Return the user's token, as long as it is good alone, and so many seconds more."""
        now = self._ways.now()
        for each in self._candidates():
            token = self._token_of(each)
            if now < each.token_expires - early and _mark(token) not in self._refused:
                return token
        return None

    async def _accompanied(self, service: str) -> Token | None:
        """Return the user's token with one of ours beside it; Keystone itself takes none such."""
        if self._ways.server is None or service == _KEYSTONE:
            return None
        now = self._ways.now()
        for each in self._candidates():
            if now >= each.token_expires + self._ways.window:
                continue
            try:
                own = await self._ways.server.token()
            except Unauthenticated as error:
                _log.error("the server's own user is not accepted: %s", error)
                return None
            token = replace(self._token_of(each), service_token=own.value)
            if _mark(token) not in self._refused:
                return token
        return None

    async def _by_trust(self) -> Token:
        """Return a token of the trust, which is got by one login for all calls."""
        stored = self._stored
        if stored is None or not stored.trust:
            if (last := self._own(early=0)) is not None:
                return last
            raise await self._lost(self._why(stored or self._offered))
        if self._trust is None or self._trust[0] != stored.trust:
            self._trust = (stored.trust, self._ways.by_trust(stored.trust))
            self._trust_refusals = 0
        if self._trust_refusals >= _MOST_REFUSALS:
            raise await self._lost(f"the cloud does not accept the trust of {stored.whose}")
        try:
            token = await self._trust[1].token()
        except Unauthenticated as error:
            said = error.words.rpartition("are not accepted: ")[2]
            why = f"Keystone does not accept the trust of {stored.whose}: {said.rstrip('.')}"
            raise await self._lost(why) from None
        self._trust_token = token
        region = stored.region or self._ways.region
        return replace(token, catalogue=token.catalogue.of_region(region), region=region)

    async def _reload(self) -> None:
        """Read the row: another process may know a newer token. Raises AuthorityLost.

        What was lost lately is not tried again, unless the row has changed since then.
        """
        self._stored = await self._ways.load(self._id)
        if self._loss is None or self._is_retrying:
            return
        if self._changed_at() == self._loss.seen and self._ways.now() < self._loss.due:
            raise AuthorityLost(self._loss.reason, self._loss.due)
        self._is_retrying = True
        self._refused.clear()
        self._trust_refusals = 0

    async def _lost(self, why: str) -> AuthorityLost:
        """Note that nothing is accepted; return what is raised for it."""
        now = self._ways.now()
        since = now if self._loss is None else self._loss.since
        pause = min(max(_FIRST_PAUSE, (now - since) / 2), _LONGEST_PAUSE)
        reason = f"waits: {why}; {_TAKE_OVER}"
        await self._ways.suspend(self._id, reason)
        self._stored = await self._ways.load(self._id)
        self._loss = _Loss(since, now + pause, reason, self._changed_at())
        self._is_retrying = False
        return AuthorityLost(reason, now + pause)

    def _why(self, known: Authority | None) -> str:
        if known is None:
            return "the authority with which the stack was made is gone"
        is_alive = known.token and self._ways.now() < known.token_expires
        end = "is no longer accepted" if is_alive else "has expired"
        note = f" ({known.trust_fault})" if known.trust_fault else ""
        return f"the token of {known.whose} {end}, and there is no trust{note}"

    def _changed_at(self) -> float:
        return self._stored.changed_at if self._stored is not None else 0.0

    def _token_of(self, authority: Authority) -> Token:
        if authority.token not in self._made:
            known = {each.token for each in self._candidates()}
            self._made = {token: self._made[token] for token in known if token in self._made}
            region = authority.region or self._ways.region
            self._made[authority.token] = Token(
                authority.token,
                authority.token_expires,
                Catalogue.parse(authority.catalog).of_region(region),
                authority.project,
                authority.user_id,
                region=region,
            )
        return self._made[authority.token]


def _mark(token: Token) -> str:
    """Return by what a refusal is remembered, without the token itself."""
    kind = "accompanied" if token.service_token else "alone"
    return f"{kind} {hashlib.sha256(token.value.encode()).hexdigest()}"
