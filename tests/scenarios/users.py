"""Users of a cloud: a Keystone that knows them, and the simulated cloud that lets them in."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from hotplate.authority import AuthorityClouds, AuthoritySettings
from hotplate.authority.tokens import AuthorityTokens
from hotplate.cloud import CloudSettings, Unauthenticated
from hotplate.cloud.calling import Clock
from hotplate.cloud.identity import Token
from hotplate.cloud.wire import Answer
from hotplate.engine.world import Actor
from hotplate.identity import Credentials
from hotplate.testing import SimulatedCloud
from hotplate.testing.cloud import CloudConnection
from hotplate.testing.process import SimulatedProcess
from hotplate.testing.store import SimulatedStore

URL = "http://keystone/v3"
SERVER = CloudSettings(
    "server",
    "password",
    {"auth_url": URL, "username": "hotplate", "password": "pw", "project_name": "service"},
)
WINDOW = 172_800.0


@dataclass
class Keystone:
    """Users, tokens and trusts; it answers logins, and says whom the cloud may let in."""

    now: Callable[[], float] = float
    settings: AuthoritySettings = field(default_factory=AuthoritySettings)
    lifetime: float = 3600.0
    disabled: set[str] = field(default_factory=set)
    tokens: dict[str, tuple[str, float]] = field(default_factory=dict)
    trusts: dict[str, dict[str, Any]] = field(default_factory=dict)
    makes_trusts: bool = True
    logins: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    """By what the cloud let whom in: "ann", "ann with server", "ann by trust"."""

    def credentials(self, user: str, lifetime: float | None = None, **changes: Any) -> Credentials:
        """Return a new token of a user."""
        end = self.now() + (self.lifetime if lifetime is None else lifetime)
        value = f"token-{len(self.tokens)}-of-{user}"
        self.tokens[value] = (user, end)
        values = {"role_ids": ("r1",), "project_name": "demo", **changes}
        return Credentials(value, end, f"id-of-{user}", user, "default", "project", **values)

    def disable(self, user: str) -> None:
        """Disable a user: what they had is good no more."""
        self.disabled.add(user)
        self.tokens = {each: known for each, known in self.tokens.items() if known[0] != user}

    def lets_in(self, token: Token) -> bool:
        """Tell whether a service lets a call through."""
        known = self.tokens.get(token.value)
        if known is None:
            return False
        user, end = known
        late = WINDOW if token.service_token in self.tokens else 0.0
        if self.now() >= end + late:
            return False
        by = " with server" if token.service_token else ""
        self.used.append(
            f"{user}{by}" if not token.value.startswith("trusted") else f"{user} by trust"
        )
        return True

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        """Answer a request to Keystone."""
        document = json.loads(body) if body else {}
        if url == f"{URL}/auth/tokens":
            return self._login(document["auth"])
        if url.startswith(f"{URL}/auth/tokens?"):
            return _answer({"token": {"roles": [{"id": "r1", "name": "member"}]}}, 200)
        user = self.tokens.get(headers.get("X-Auth-Token", ""), ("", 0.0))[0]
        if not user:
            return _answer({"error": {"message": "no token"}}, 401)
        if method == "POST" and not self.makes_trusts:
            return _answer({"error": {"message": "no trusts are made today"}}, 403)
        if method == "POST":
            trust = f"trust-{len(self.trusts)}"
            self.trusts[trust] = {**document["trust"], "user": user}
            return _answer({"trust": {"id": trust}}, 201)
        trust = url.rpartition("/")[2]
        if self.trusts.get(trust, {}).get("user") != user:
            return _answer({"error": {"message": "no trust"}}, 404)
        del self.trusts[trust]
        return _answer(None, 204)

    async def close(self) -> None:
        pass

    def _login(self, auth: dict[str, Any]) -> Answer:
        trust = auth.get("scope", {}).get("OS-TRUST:trust", {}).get("id")
        user = "hotplate"
        if trust is not None:
            if trust not in self.trusts:
                return _answer({"error": {"message": "there is no such trust"}}, 401)
            user = self.trusts[trust]["user"]
            if user in self.disabled:
                return _answer({"error": {"message": "the trustor is disabled"}}, 403)
        self.logins.append(user)
        end = self.now() + self.lifetime
        value = f"{'trusted' if trust else 'own'}-{len(self.logins)}"
        self.tokens[value] = (user, end)
        token = {
            "issued_at": _text(self.now()),
            "expires_at": _text(end),
            "project": {"id": "project"},
            "user": {"id": f"id-of-{user}"},
            "catalog": [],
        }
        return _answer({"token": token}, 201, value)

    def connect(
        self, cloud: SimulatedCloud, process: SimulatedProcess, store: SimulatedStore
    ) -> AuthorityClouds:
        """Return the clouds of all users, as one process sees them."""
        self.now = cloud.loop.time
        return UserClouds(self, cloud, process, store)


class UserClouds(AuthorityClouds):
    """As on a server, but that all users share the simulated cloud."""

    def __init__(
        self,
        keystone: Keystone,
        cloud: SimulatedCloud,
        process: SimulatedProcess,
        store: SimulatedStore,
    ) -> None:
        super().__init__(SERVER, keystone.settings, Clock(cloud.loop.time), keystone)
        self._keystone = keystone
        self._simulated = cloud
        self._process = process
        self.attach(store)

    def of(self, actor: Actor | None) -> Any:
        super().of(actor)
        assert actor is not None
        tokens = self._entry(actor.authority or "").tokens
        return UserConnection(self._simulated, self._process, self._keystone, tokens)


class UserConnection(CloudConnection):
    """The cloud as a user sees it: calls come with a token."""

    def __init__(
        self,
        cloud: SimulatedCloud,
        process: SimulatedProcess,
        keystone: Keystone,
        tokens: AuthorityTokens,
    ) -> None:
        super().__init__(cloud, process)
        self._keystone = keystone
        self._tokens = tokens

    async def _call(self, *args: Any, **options: Any) -> Any:
        for _ in range(self._tokens.chances + 1):
            token = await self._tokens.token("compute")
            if self._keystone.lets_in(token):
                self._tokens.accepted(token)
                return await super()._call(*args, **options)
            self._tokens.refused(token)
        raise Unauthenticated("refused", "compute", 401)


def _answer(document: Any, status: int, token: str = "") -> Answer:
    body = b"" if document is None else json.dumps(document).encode()
    headers = {"content-type": "application/json", "x-subject-token": token}
    return Answer(status, headers, body)


def _text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
