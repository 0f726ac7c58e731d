"""A wire that carries requests nowhere: answers come from a script."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from hotplate.cloud.calling import Clock
from hotplate.cloud.cloud import Cloud
from hotplate.cloud.settings import CloudSettings
from hotplate.cloud.wire import Answer
from hotplate.resources.lease import LeaseLost

KEYSTONE = "http://keystone/v3"
ENDPOINTS = {
    "network": "http://neutron",
    "compute": "http://nova/v2.1",
    "volumev3": "http://cinder/v3/p1",
    "image": "http://glance",
    "identity": KEYSTONE,
}


def settings(**changes: Any) -> CloudSettings:
    auth = {"auth_url": KEYSTONE, "username": "u", "password": "pw", "project_name": "p"}
    values: dict[str, Any] = {"name": "c", "auth_type": "password", "auth": auth, "region": "R1"}
    return CloudSettings(**{**values, **changes})


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    body: Any


Step = Answer | Exception | Callable[[Request], Awaitable[Answer]]


def answer(body: Any = None, status: int = 200, **headers: str) -> Answer:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    content = b"" if body is None else json.dumps(body).encode()
    return Answer(status, {"content-type": "application/json", **named}, content)


@dataclass
class Time:
    """A clock that goes on when somebody sleeps."""

    at: float = 1_700_000_000.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds
        await asyncio.sleep(0)


class ScriptedWire:
    """Answers for tokens and versions by itself, and else with what comes next in the script."""

    def __init__(self, *steps: Step, lifetime: float = 3600, time: Time | None = None) -> None:
        self.steps = list(steps)
        self.time = time or Time()
        self.lifetime = lifetime
        self.requests: list[Request] = []
        self.tokens = 0
        self.versions = {
            "http://nova/v2.1/": ("2.1", "2.103"),
            "http://cinder/v3/": ("3.0", "3.59"),
        }
        self.discoveries = 0

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        if url == f"{KEYSTONE}/auth/tokens":
            self.tokens += 1
            return self._token()
        if url in self.versions:
            self.discoveries += 1
            least, most = self.versions[url]
            told = {"id": f"v{least[0]}.0", "min_version": least, "version": most}
            return answer({"version": told} if "nova" in url else {"versions": [told]})
        request = Request(method, url, headers, json.loads(body) if body else None)
        self.requests.append(request)
        step = self.steps.pop(0)
        await asyncio.sleep(0)
        if isinstance(step, Exception):
            raise step
        return step if isinstance(step, Answer) else await step(request)

    async def close(self) -> None:
        pass

    def _token(self) -> Answer:
        catalogue = [
            {"type": kind, "endpoints": [{"interface": "public", "region_id": "R1", "url": url}]}
            for kind, url in ENDPOINTS.items()
        ]
        token = {
            "issued_at": _text(self.time.at),
            "expires_at": _text(self.time.at + self.lifetime),
            "project": {"id": "p1"},
            "user": {"id": "u1"},
            "catalog": catalogue,
        }
        return answer({"token": token}, 201, x_subject_token=f"token-{self.tokens}")


def cloud_on(wire: ScriptedWire, **changes: Any) -> Cloud:
    return Cloud(settings(**changes), wire, Clock(wire.time.now, wire.time.sleep))


def _text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


class ShortLease:
    """A lease that is lost when it has been read some times."""

    def __init__(self, reads: int) -> None:
        self.reads = reads

    def confirm(self) -> None:
        raise NotImplementedError

    async def hold(self) -> None:
        self.reads -= 1
        if self.reads < 0:
            raise LeaseLost("lost")
