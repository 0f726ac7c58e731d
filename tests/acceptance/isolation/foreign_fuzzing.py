"""Made-up requests of one project, with ids and names of another mixed in.

    python -m tests.acceptance.isolation.foreign_fuzzing --seconds 600

goes on for that long, every round with another seed, and prints what it found.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote, unquote_plus

import httpx
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.core.result import Ok

from hotplate.api.endpoints import ENDPOINTS, OPEN_ENDPOINTS
from hotplate.api.openapi import openapi_document
from hotplate.api.workflows.endpoints import WORKFLOW_ENDPOINTS
from tests.acceptance.isolation.two_projects import MARK, Owner, Tenant, two_projects
from tests.api.fuzzing.harness import AnyCase, Operation, cases_of

_SIMPLE: dict[str, Any] = {
    "heat_template_version": "wallaby",
    "resources": {"r": {"type": "OS::Heat::Value"}},
}
_FLOW = "version: '2.0'\nown{number}: {{tasks: {{t: {{action: std.noop}}}}}}\n"
_BODY_KEYS = {
    "stack_id": "stack_id", "stack_name": "stack_name", "config_id": "config_id",
    "server_id": "deployment_id", "deployment_id": "deployment_id",
    "workflow_id": "execution_id", "source_execution_id": "execution_id",
    "root_execution_id": "execution_id", "id": "execution_id", "task_execution_id": "task_id",
    "stack_user_project_id": "stack_id", "snapshot_id": "snapshot_id",
}  # fmt: skip
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")
_LOOKS_EVERY = 30
"""After how many operations it is seen whether everything is as it was."""


class Fuzzing:
    """Sends requests of a stranger to every route, and sees what comes of it."""

    def __init__(self, owner: Owner, stranger: Tenant) -> None:
        self._owner = owner
        self._stranger = stranger
        self._before = owner.all()
        self._ids = {each for each in owner.names.values() if _UUID.fullmatch(each)}
        self._told: set[str] = set()
        """Ids that the stranger has sent in bodies, and which its own things may have by now."""

        self._count = 0
        self.requests = 0
        self.accepted = 0
        self.failures: list[str] = []

    def run(self, examples: int, number: int) -> None:
        """Send so many requests to each operation, the same ones for the same number."""
        for at, operation in enumerate(_operations()):
            self._fuzz(operation, examples, number)
            if at % _LOOKS_EVERY == 0:
                self._look(operation)
        self._look(None)

    def _fuzz(self, operation: Operation, examples: int, number: int) -> None:
        mixed = Random(number)

        @seed(number)
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=cases_of(operation))
        def send(case: AnyCase) -> None:
            self._mix(case, mixed)
            self._send(case)

        send()

    def _mix(self, case: AnyCase, random: Random) -> None:
        """Put what the other project has into the address, the query and the body."""
        names = self._owner.names
        for variable in case.path_parameters:
            if variable == "project":
                mine = random.random() < 0.8
                case.path_parameters[variable] = self._stranger.project if mine else "first"
            elif random.random() < 0.8:
                named = names.get(variable) or names.get(f"{variable}:path") or names["stack_id"]
                case.path_parameters[variable] = quote(named, safe="")
        query: dict[str, Any] = dict(case.query)
        for key in list(query):
            if random.random() < 0.5:
                query[key] = random.choice(sorted(names.values()))
        if random.random() < 0.3:
            query["id"] = names["stack_id"]
        case.query = query
        self._count += 1
        if isinstance(case.body, dict) and random.random() < 0.8:
            for key, named in _BODY_KEYS.items():
                if key in case.body or random.random() < 0.2:
                    case.body[key] = names[named] if "name" not in key else f"own{self._count}"
            if "template" in case.body or "stack_name" in case.body:
                case.body["template"] = _SIMPLE
        elif isinstance(case.body, str) and random.random() < 0.8:
            case.body = _FLOW.format(number=self._count)

    def _send(self, case: AnyCase) -> None:
        options = case.as_transport_kwargs(base_url="http://x")
        url = options["url"].removeprefix("http://x")
        more = {key: options.get(key) for key in ("params", "json") if options.get(key) is not None}
        if options.get("data") is not None:
            more["content"] = options["data"]
        if url.endswith("/stream"):
            more["headers"] = {"accept": "text/event-stream"}
        try:
            answer = self._stranger.any(case.method, url, **more)
        except (httpx.InvalidURL, ValueError, UnicodeError):
            return  # not every text can be written into an address
        self.requests += 1
        self.accepted += answer.status_code < 400
        where = f"{case.method} {answer.request.url}: {answer.status_code}"
        if answer.status_code >= 500:
            self.failures.append(f"{where} {answer.text[:500]}")
        address = unquote_plus(str(answer.request.url))
        body = answer.request.content.decode("utf-8", "replace")
        self._told |= {each for each in self._ids if each in body}
        text = answer.text + "\n".join(answer.headers.values())
        known = sorted(self._owner.names.values(), key=len, reverse=True)
        for each in known:
            if each in address:
                text = text.replace(each, "").replace(quote(each, safe=""), "")
        leaks = {each for each in self._ids - self._told if each in text}
        if MARK in text:
            leaks.add(MARK)
        if leaks:
            self.failures.append(f"{where} tells {sorted(leaks)}: {text[:1000]}")

    def _look(self, operation: Operation | None) -> None:
        now = self._owner.all()
        if now != self._before:
            label = "the last requests" if operation is None else operation.label
            changed = [
                f"{json.dumps(old)[:500]} became {json.dumps(new)[:500]}"
                for old, new in zip(self._before, now, strict=True)
                if old != new
            ]
            self.failures.append(f"by {label} at the latest, {'; '.join(changed)}")
            self._before = now


def _operations() -> Iterator[Operation]:
    for document in (
        openapi_document(ENDPOINTS, OPEN_ENDPOINTS),
        openapi_document((), (), WORKFLOW_ENDPOINTS),
    ):
        schema: Any = schemathesis.openapi.from_dict(json.loads(json.dumps(document)))
        for result in schema.get_all_operations():
            if isinstance(result, Ok):
                yield result.ok()


def main() -> int:
    """Fuzz for some time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    end = time.monotonic() + parser.parse_args().seconds
    number = 0
    with tempfile.TemporaryDirectory() as folder, two_projects(Path(folder)) as tenants:
        fuzzing = Fuzzing(*tenants)
        while time.monotonic() < end and not fuzzing.failures:
            number += 1
            fuzzing.run(10, number)
            print(f"round {number}: {fuzzing.requests} requests, {fuzzing.accepted} accepted")
    print("\n".join(fuzzing.failures) or "nothing was read, nothing changed")
    return 1 if fuzzing.failures else 0


if __name__ == "__main__":
    sys.exit(main())
