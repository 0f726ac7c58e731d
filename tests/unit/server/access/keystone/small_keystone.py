"""A wire on which a small Keystone answers: it knows the tokens it is told, and counts."""

import asyncio
import functools
import json
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime
from typing import Any, ParamSpec

from hotplate.cloud.settings import CloudSettings
from hotplate.cloud.wire import Answer, NotSent
from hotplate.server.access.keystone.settings import KeystoneSettings

URL = "http://keystone/v3"
AUTH = {"auth_url": URL, "username": "hotplate", "password": "pw", "project_name": "service"}
USER = CloudSettings("keystone", "password", AUTH)
BEGIN = 1_800_000_000.0
CATALOG = [
    {
        "type": "compute",
        "endpoints": [{"interface": "public", "region_id": "R1", "url": "http://n"}],
    }
]


P = ParamSpec("P")


def in_a_loop(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Make a test of a coroutine."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


def settings(**changes: Any) -> KeystoneSettings:
    return KeystoneSettings(USER, **{"www_authenticate_uri": URL, **changes})


def token(**changes: Any) -> dict[str, Any]:
    """What Keystone says of a member's token."""
    return {
        "methods": ["password"],
        "expires_at": shown(BEGIN + 3600),
        "user": {"id": "u1", "name": "alice", "domain": {"id": "default"}},
        "project": {"id": "p1", "name": "first", "domain": {"id": "default"}},
        "roles": [{"id": "r2", "name": "member"}, {"id": "r1", "name": "Reader"}],
        "catalog": CATALOG,
        **changes,
    }


def shown(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


class SmallKeystone:
    """A wire. ``tokens`` are those it knows."""

    def __init__(self, **tokens: dict[str, Any]) -> None:
        self.tokens = tokens
        self.at = BEGIN
        self.own = 0
        self.good_from = 1
        """The number of the oldest token of the server that still counts."""

        self.asked: list[str] = []
        self.queries: list[str] = []
        self.is_away = False
        self.status = 0
        """What it answers instead, whatever is asked."""

    def now(self) -> float:
        return self.at

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        await asyncio.sleep(0)
        if self.is_away:
            raise NotSent("connection refused")
        if self.status:
            return Answer(self.status, {}, b"{}")
        if method == "POST":
            self.own += 1
            document = {"token": token(expires_at=shown(self.at + 3600))}
            return Answer(201, {"x-subject-token": f"own-{self.own}"}, _json(document))
        if int(headers["X-Auth-Token"].removeprefix("own-")) < self.good_from:
            return Answer(401, {}, b"{}")
        subject = headers["X-Subject-Token"]
        self.asked.append(subject)
        self.queries.append(url.partition("?")[2])
        rules = (self.tokens.get(subject, {}).get("application_credential") or {}).get(
            "access_rules"
        )
        is_heeded = headers.get("OpenStack-Identity-Access-Rules") == "1.0"
        if subject not in self.tokens or (rules and not is_heeded):
            return Answer(404, {}, b"{}")
        return Answer(200, {}, _json({"token": self.tokens[subject]}))

    async def close(self) -> None:
        pass


def _json(document: Any) -> bytes:
    return json.dumps(document).encode()
