"""Requests to the API of stacks that schemathesis makes up, with things in it that exist.

    python -m tests.api.fuzzing.openapi --seconds 600

fuzzes it and the API of workflows, each for half of that, every round with another seed, and prints
what it found.
"""

import argparse
import asyncio
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import httpx

from hotplate.api.endpoints import ENDPOINTS, OPEN_ENDPOINTS
from hotplate.api.openapi import openapi_document
from hotplate.engine.embedded import Embedded, embedded
from hotplate.resources.directory import Directory
from tests.api.conftest import PROJECT, WatchedDatabase
from tests.api.fuzzing.harness import HOST, AnyCase, Findings, Operation, Tester, testing
from tests.api.fuzzing.workflows import fuzzed_workflows

ROUNDS_SEED = 20_260
_BASE = f"{HOST}/v1/{PROJECT}"

_INNER = """
heat_template_version: 2021-04-16
parameters: {size: {type: number, default: 2}}
resources:
  leaf: {type: OS::Heat::TestResource, properties: {value: {get_param: size}}}
outputs: {of_leaf: {value: {get_attr: [leaf, output]}}}
"""
_OUTER = """
heat_template_version: 2021-04-16
description: A tree with something of everything.
parameters:
  word: {type: string, default: hello, constraints: [{length: {min: 1, max: 30}}]}
  secret: {type: string, hidden: true, default: do-not-tell}
parameter_groups: [{label: all, parameters: [word, secret]}]
resources:
  plain: {type: OS::Heat::TestResource, properties: {value: {get_param: word}}}
  "näher am Rand": {type: OS::Heat::Value, properties: {value: {get_param: secret}}}
  inner: {type: inner.yaml, properties: {size: 3}}
  many:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: OS::Heat::RandomString}}
  handle: {type: OS::Heat::WaitConditionHandle}
  old_handle: {type: "AWS::CloudFormation::WaitConditionHandle"}
outputs:
  signal: {value: {get_attr: [handle, endpoint]}}
  waitcondition: {value: {get_resource: old_handle}}
  good: {value: {get_attr: [plain, output]}}
  wrong: {value: {get_attr: [inner, no_such_output]}}
"""
_FAILING = """
heat_template_version: 2021-04-16
resources: {bad: {type: OS::Heat::TestResource, properties: {fail: true}}}
"""
_FILES = {"inner.yaml": _INNER, "env.yaml": "parameters: {word: from the file}\n"}
RECIPES: tuple[dict[str, Any], ...] = (
    {"template": _OUTER, "files": _FILES, "environment_files": ["env.yaml"]},
    {"template": _FAILING},
    {"template": _INNER, "parameters": {"size": 5}},
    {"template": {"heat_template_version": "2021-04-16"}},
)
"""Bodies that make stacks; without them hardly a request would be accepted."""

ACTIONS = ("check", "suspend", "resume", "cancel_update", "cancel_without_rollback", "nonsense")
SIGNAL = {"Status": "SUCCESS", "Reason": "done", "Data": "x", "UniqueId": "1"}


class StackTester(Tester):
    """Fuzzes the API of stacks."""

    renewing = frozenset(("DELETE",))

    def __init__(self, runner: asyncio.Runner, engine: Embedded) -> None:
        super().__init__(runner, engine, openapi_document(ENDPOINTS, OPEN_ENDPOINTS))
        self._known: dict[str, list[str]] = {}
        self._signed: dict[str, str] = {}
        self._stacks: list[tuple[str, str]] = []

    def can_reach(self, operation: Operation) -> bool:
        """Tell whether the operation needs no signed address, or the tree has one for it.

        No workflow is run by this engine, so no execution can be shown; no deletion fails, so
        nothing can be forgotten.
        """
        if "{execution_id}" in operation.path or operation.path.endswith("/forget"):
            return False
        first = operation.path.split("/")[2]
        return first == "{project}" or first in self._signed

    def _make_real(self, case: AnyCase, chance: int) -> None:
        """Put names of things that exist into the address, and a body that makes sense."""
        name, stack_id = self._stacks[chance % len(self._stacks)]
        values = {"project": [PROJECT], "stack_name": [name], "stack_id": [stack_id]} | self._known
        values["name_or_id"] = [name, stack_id]
        values["arn"] = [f"openstack:heat::{PROJECT}:stacks/{name}/{stack_id}"]
        path = case.path_parameters
        if {"event_id", "snapshot_id"} & set(path):
            # Events and snapshots are known of one stack only.
            name, stack_id = self._stacks[0]
            values |= {"stack_name": [name], "stack_id": [stack_id], "resource_name": ["plain"]}
        for variable in path:
            found = values.get(variable)
            if found:
                path[variable] = quote(found[chance // 7 % len(found)], safe="")
        if chance // 13 % 2:
            case.query = {}
        if case.path.endswith("/object") and chance % 3:
            path["type_name"] = quote("OS::Heat::SoftwareConfig", safe="")
            case.query = {"id": self._known["config_id"][0]}
        signed = self._signed.get(case.path.split("/")[2])
        if signed is not None:
            address = urlsplit(signed)
            path["arn"] = quote(unquote(address.path).partition("/arn:")[2], safe="")
            case.query = dict(parse_qsl(address.query))
            if chance % 3:
                case.body = {**SIGNAL}
        elif case.path.endswith("/actions") and case.method == "POST":
            case.body = {ACTIONS[chance // 5 % len(ACTIONS)]: ""}
        elif isinstance(case.body, dict) and chance % 3:
            self._make_body_real(case.body, set(_properties(case.operation)), chance)

    def _make_body_real(self, body: dict[str, Any], declared: set[str], chance: int) -> None:
        unwanted = ["template_url", "files_container", "adopt_stack_data", "converge"]
        if chance // 11 % 2:
            unwanted += ["timeout_mins", "disable_rollback", "tags", "environment", "parameters"]
        for key in unwanted:
            body.pop(key, None)
        if "template" in declared:
            body.update(RECIPES[chance // 5 % len(RECIPES)])
        if "stack_name" in declared:
            self._count += 1
            body["stack_name"] = f"made-{self._count}"
        for key in ("config_id", "server_id"):
            if key in declared:
                body[key] = self._known[key][0]

    def _renew(self) -> None:
        """See to it that there is one of everything, and know its name."""
        listed = self._listed()
        trees = [each for each in listed if _is_fresh(each)]
        events, snapshots = self._parts(trees[0]) if trees else ([], [])
        if not events or not snapshots:
            self._count += 1
            self._make_tree(f"tree-{self._count}")
            listed = self._listed()
            trees = [each for each in listed if _is_fresh(each)]
            events, snapshots = self._parts(trees[0])
        tree = trees[0]
        # The tree first, and more often than what other requests have made.
        chosen = [tree, tree, *listed[:4]]
        self._stacks = [(each["stack_name"], each["id"]) for each in chosen]
        configs = self._ask("GET", f"{_BASE}/software_configs?limit=1")["software_configs"]
        if not configs:
            body = {"name": "c", "group": "script", "config": "true", "inputs": [{"name": "i"}]}
            configs = [self._ask("POST", f"{_BASE}/software_configs", json=body)["software_config"]]
        deployments = self._ask("GET", f"{_BASE}/software_deployments")["software_deployments"]
        if not deployments:
            body = {"config_id": configs[0]["id"], "server_id": "server", "status": "COMPLETE"}
            answer = self._ask("POST", f"{_BASE}/software_deployments", json=body)
            deployments = [answer["software_deployment"]]
        shown = self._ask("GET", f"{_BASE}/stacks/{tree['stack_name']}/{tree['id']}")["stack"]
        self._signed = {each["output_key"]: each["output_value"] for each in shown["outputs"]}
        self._known = {
            "resource_name": ["plain", "inner", "many", "handle", "näher am Rand"],
            "event_id": [each["id"] for each in events],
            "snapshot_id": [each["id"] for each in snapshots],
            "output_key": ["good", "wrong"],
            "type_name": ["OS::Heat::TestResource", "OS::Heat::ResourceGroup"],
            "template_version": ["heat_template_version.2021-04-16"],
            "config_id": [each["id"] for each in configs],
            "deployment_id": [each["id"] for each in deployments],
            "server_id": ["server"],
        }

    def _listed(self) -> list[Any]:
        """Return the stacks that are there to stay, the newest first."""
        listed = self._ask("GET", f"{_BASE}/stacks?limit=50")["stacks"]
        return [each for each in listed if not each["stack_status"].startswith("DELETE")]

    def _parts(self, tree: Any) -> tuple[list[Any], list[Any]]:
        """Return the events and the snapshots of a tree; none if it is a tree no more."""
        at = f"{_BASE}/stacks/{tree['stack_name']}/{tree['id']}"
        events = self._runner.run(self._client.get(f"{at}/resources/plain/events"))
        snapshots = self._runner.run(self._client.get(f"{at}/snapshots"))
        return events.json().get("events", []), snapshots.json().get("snapshots", [])

    def _make_tree(self, name: str) -> None:
        made = self._ask("POST", f"{_BASE}/stacks", json={"stack_name": name, **RECIPES[0]})[
            "stack"
        ]
        self._api.wait(made["id"])
        self._ask("POST", f"{_BASE}/stacks/{name}/{made['id']}/snapshots", json={"name": "first"})
        self._api.wait(made["id"])

    def _transport(self) -> httpx.AsyncBaseTransport:
        return _Transport(self._api.app)


class _Transport(httpx.ASGITransport):
    """Ends streams that would go on for ever after their first piece."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/stream"):
            return await super().handle_async_request(request)
        answer: dict[str, Any] = {}
        enough = asyncio.Event()

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                answer.update(message)
            else:
                answer["body"] = answer.get("body", b"") + message.get("body", b"")
                enough.set()

        async def receive() -> Any:
            await asyncio.Event().wait()

        scope = {
            "type": "http",
            "method": request.method,
            "scheme": request.url.scheme,
            "path": request.url.path,
            "query_string": request.url.query,
            "headers": [(key.lower(), value) for key, value in request.headers.raw],
            "server": ("testserver", 80),
        }
        task = asyncio.ensure_future(self.app(scope, receive, send))
        waiting = asyncio.ensure_future(enough.wait())
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        for each in (task, waiting):
            each.cancel()
        await asyncio.gather(task, waiting, return_exceptions=True)
        return httpx.Response(
            answer["status"],
            headers=answer["headers"],
            stream=httpx.ByteStream(answer["body"]),
        )


def _is_fresh(stack: Any) -> bool:
    """Tell whether a stack is a tree to which nothing has happened but a snapshot."""
    is_tree = stack["stack_name"].startswith("tree")
    return is_tree and stack["stack_status"] in ("CREATE_COMPLETE", "SNAPSHOT_COMPLETE")


def _properties(operation: Operation) -> dict[str, Any]:
    for body in operation.body:
        schema = body.raw_schema if hasattr(body, "raw_schema") else body.definition["schema"]
        return dict(schema.get("properties", {}))
    return {}


def fuzzed(folder: Path) -> AbstractContextManager[StackTester]:
    """An engine and its API for the time of a test."""
    services = {"directory": Directory(folder / "objects")}
    opening = embedded(folder / "hotplate.db", services, open_database=WatchedDatabase)
    return testing(opening, StackTester)


def _run(
    name: str,
    opened: Callable[[Path], AbstractContextManager[Tester]],
    findings: Findings,
    seconds: float,
    examples: int,
) -> None:
    """Fuzz round after round, each with another seed and another engine, until time is up."""
    end = time.monotonic() + seconds
    number = ROUNDS_SEED
    while time.monotonic() < end and not findings.failures:
        with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as tester:
            tester.findings = findings
            for operation in tester.operations:
                if time.monotonic() < end:
                    tester.fuzz(operation, examples, number)
        print(
            f"{name}, seed {number}: {findings.requests} requests, "
            f"{len(findings.failures)} failures",
            flush=True,
        )
        number += 1


def main() -> int:
    """Fuzz for as long as the command line says; the exit code tells whether all was well."""
    parser = argparse.ArgumentParser(description="Fuzz both APIs from their OpenAPI documents.")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--examples", type=int, default=100, help="requests per operation and seed")
    given_options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    findings = Findings()
    half, examples = given_options.seconds / 2, given_options.examples
    _run("stacks", fuzzed, findings, half, examples)
    _run("workflows", fuzzed_workflows, findings, half, examples)
    for status, count in sorted(findings.statuses.items()):
        print(f"  {status}: {count}")
    for failure in dict.fromkeys(findings.failures):
        print(failure)
    return 1 if findings.failures else 0


if __name__ == "__main__":
    sys.exit(main())
