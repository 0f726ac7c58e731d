"""The few calls of a running Heat that a recording needs."""

import http.client
import json
import time
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

STACK = "golden"
"""Its name can be part of a recorded value."""

Json = Any


class Trouble(Exception):
    """The recording cannot go on."""


@dataclass
class Answer:
    """Status and parsed body of one HTTP answer."""

    status: int
    body: Json

    @property
    def message(self) -> str:
        """Text of the fault, empty when there is none."""
        if isinstance(self.body, dict):
            error = self.body.get("error")
            if isinstance(error, dict):
                return str(error.get("message") or "")
        return "" if self.status < 400 else str(self.body)


def _exchange(
    method: str, url: str, headers: Mapping[str, str], body: Json = None
) -> tuple[Answer, dict[str, str]]:
    """Send one request; the answer's headers come back with lower-case names."""
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=300)
    try:
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        fixed = {"Content-Type": "application/json", "Accept": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        connection.request(method, target, body=data, headers={**fixed, **headers})
        reply = connection.getresponse()
        raw = reply.read()
    finally:
        connection.close()
    try:
        parsed = json.loads(raw) if raw else None
    except ValueError:
        parsed = raw.decode("utf-8", "replace")
    sent = {name.lower(): value for name, value in reply.getheaders()}
    return Answer(reply.status, parsed), sent


class Heat:
    """The few calls of the orchestration API that are needed here."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.token = ""
        self.project = ""
        self.endpoint = ""
        self._login(environ)

    def _login(self, environ: Mapping[str, str]) -> None:
        domain = environ.get("OS_USER_DOMAIN_ID", "default")
        project_domain = environ.get("OS_PROJECT_DOMAIN_ID", "default")
        try:
            identity = {
                "methods": ["password"],
                "password": {
                    "user": {
                        "name": environ["OS_USERNAME"],
                        "password": environ["OS_PASSWORD"],
                        "domain": {"id": domain},
                    }
                },
            }
            scope = {
                "project": {"name": environ["OS_PROJECT_NAME"], "domain": {"id": project_domain}}
            }
            url = environ["OS_AUTH_URL"].rstrip("/") + "/auth/tokens"
        except KeyError as missing:
            raise Trouble(f"{missing.args[0]} is not set") from missing
        answer, headers = _exchange(
            "POST", url, {}, {"auth": {"identity": identity, "scope": scope}}
        )
        if answer.status != 201:
            raise Trouble(f"no token: {answer.status} {answer.message}")
        token = answer.body["token"]
        self.token = headers["x-subject-token"]
        self.project = token["project"]["id"]
        region = environ.get("OS_REGION_NAME")
        for service in token["catalog"]:
            if service["type"] != "orchestration":
                continue
            for endpoint in service["endpoints"]:
                if endpoint["interface"] == "public" and region in (None, endpoint["region"]):
                    self.endpoint = endpoint["url"].rstrip("/")
        if not self.endpoint:
            raise Trouble("the catalog has no public orchestration endpoint")

    def call(self, method: str, path: str, body: Json = None) -> Answer:
        """One request relative to the project's endpoint."""
        return _exchange(method, self.endpoint + path, {"X-Auth-Token": self.token}, body)[0]

    def create(self, body: Json) -> Answer:
        """Ask for the stack; the name is free only a moment after a deletion completes."""
        for _ in range(50):
            answer = self.call("POST", "/stacks", body)
            if answer.status != 409:
                return answer
            time.sleep(0.2)
        raise Trouble(f"a stack {STACK} exists already: {answer.message}")

    def settle(self, stack_id: str) -> str:
        """Wait until no action is under way and give the stack's status."""
        while True:
            answer = self.call("GET", f"/stacks/{STACK}/{stack_id}?resolve_outputs=false")
            if answer.status == 404:
                return "DELETE_COMPLETE"
            if answer.status != 200:
                raise Trouble(f"reading the stack: {answer.status} {answer.message}")
            status = str(answer.body["stack"]["stack_status"])
            if not status.endswith("_IN_PROGRESS"):
                return status
            time.sleep(0.1)

    def delete(self, stack_id: str) -> None:
        """Delete the stack and wait for it."""
        answer = self.call("DELETE", f"/stacks/{STACK}/{stack_id}")
        if answer.status not in (204, 404):
            raise Trouble(f"deleting the stack: {answer.status} {answer.message}")
        if self.settle(stack_id) != "DELETE_COMPLETE":
            raise Trouble("the stack could not be deleted")
