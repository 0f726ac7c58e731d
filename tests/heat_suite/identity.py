"""As much of Keystone's v3 API as the clients of Heat's suite need to log in.

It knows the accounts it is given and hands each the token that stands in Hotplate's token file,
with a catalogue that names the server under test as the orchestration service. Users, roles and
trusts cannot be made: a test that wants them fails.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

REGION = "RegionOne"
_DOMAIN = {"id": "default", "name": "Default"}
_LIFETIME = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may log in, and the one project in which they do."""

    user: str
    password: str
    project: str
    token: str
    roles: tuple[str, ...] = ("member",)


@contextmanager
def identity(accounts: Sequence[Account], services: Mapping[str, str]) -> Iterator[str]:
    """Answer at the yielded address. ``services`` are types and their addresses; the text
    ``%(project)s`` in an address stands for the project of who asks."""
    server = _Server(accounts, services)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.url
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, accounts: Sequence[Account], services: Mapping[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.accounts = accounts
        self.services = services
        self.url = f"http://127.0.0.1:{self.server_port}/v3"

    def version(self) -> dict[str, Any]:
        links = [{"rel": "self", "href": self.url + "/"}]
        return {"version": {"id": "v3.14", "status": "stable", "links": links}}

    def login(self, asked: Mapping[str, Any]) -> Account | None:
        given = asked["auth"]["identity"]["password"]["user"]
        for each in self.accounts:
            if (each.user, each.password) == (given.get("name"), given.get("password")):
                return each
        return None

    def grant(self, account: Account) -> dict[str, Any]:
        now = datetime.now(UTC)
        project = {"id": account.project, "name": account.project, "domain": _DOMAIN}
        token = {
            "methods": ["password"],
            "user": {"id": account.user, "name": account.user, "domain": _DOMAIN},
            "project": project,
            "roles": [{"id": role, "name": role} for role in account.roles],
            "issued_at": f"{now:%Y-%m-%dT%H:%M:%S.%fZ}",
            "expires_at": f"{now + _LIFETIME:%Y-%m-%dT%H:%M:%S.%fZ}",
            "catalog": [
                _service(kind, address % {"project": account.project})
                for kind, address in {"identity": self.url, **self.services}.items()
            ],
        }
        return {"token": token}


def _service(kind: str, address: str) -> dict[str, Any]:
    endpoints = [
        {
            "id": f"{kind}-{interface}",
            "interface": interface,
            "region": REGION,
            "region_id": REGION,
            "url": address,
        }
        for interface in ("public", "internal", "admin")
    ]
    return {"id": kind, "type": kind, "name": kind, "endpoints": endpoints}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        if self.path.rstrip("/") == "/v3":
            self._answer(200, self.server.version())
        else:
            self._refuse(404, "Not Found", f"There is no {self.path} here.")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path != "/v3/auth/tokens":
            self._refuse(403, "Forbidden", "Nothing can be made here.")
        elif account := self.server.login(json.loads(body)):
            self._answer(201, self.server.grant(account), {"X-Subject-Token": account.token})
        else:
            self._refuse(401, "Unauthorized", "No such user with this password.")

    def _refuse(self, code: int, title: str, message: str) -> None:
        self._answer(code, {"error": {"code": code, "title": title, "message": message}})

    def _answer(
        self, code: int, document: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> None:
        body = json.dumps(document).encode()
        self.send_response(code)
        for name, text in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""
