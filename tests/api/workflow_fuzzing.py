"""Requests to the workflow API that schemathesis makes up, with things in it that exist."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import httpx
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.result import Ok

from hotplate.api.openapi import openapi_document
from hotplate.api.settings import Settings
from hotplate.api.workflows.endpoints import WORKFLOW_ENDPOINTS
from hotplate.engine.embedded import Embedded, embedded
from hotplate.flows.running import workflows
from tests.api.conftest import Api, WatchedDatabase
from tests.api.fuzzing import (
    CHECKS,
    AnyCase,
    Findings,
    Operation,
    cases_of,
    request_of,
    words_of,
)

_HOST = "http://testserver"
_TEXT = {"content-type": "text/plain"}
_FLOWS = """
version: '2.0'
flow{n}:
  input: [a: 1]
  tasks:
    t: {{action: std.echo output=<% $.a %>, on-success: below}}
    below: {{workflow: inner{n}}}
inner{n}:
  tasks:
    i: {{action: std.noop}}
failing{n}:
  tasks:
    f: {{action: std.fail}}
outside{n}:
  tasks:
    o: {{action: std.async_noop}}
"""
_ACTION = "version: '2.0'\nadhoc{n}: {{base: std.noop}}\n"
_BOOK = "version: '2.0'\nname: book{n}\nworkflows: {{w: {{tasks: {{t: {{action: std.noop}}}}}}}}\n"
_TEXTS = {"workflows": _FLOWS, "actions": _ACTION, "workbooks": _BOOK}


class WorkflowTester:
    """Fuzzes the workflow API of an engine of its own, in this process and without a socket."""

    def __init__(self, runner: asyncio.Runner, engine: Embedded) -> None:
        self._runner = runner
        self._api = Api(runner, engine, Settings())
        transport = httpx.ASGITransport(self._api.app, raise_app_exceptions=False)
        self._client = httpx.AsyncClient(transport=transport, timeout=None, base_url=_HOST)
        self._count = 0
        self._known: dict[str, list[str]] = {}
        self._variables: dict[str, list[str]] = {}
        self.findings = Findings()
        document = openapi_document((), (), WORKFLOW_ENDPOINTS)
        self._schema = schemathesis.openapi.from_dict(json.loads(json.dumps(document)))

    @property
    def operations(self) -> list[Operation]:
        """All operations of the workflow API."""
        results = self._schema.get_all_operations()
        return [result.ok() for result in results if isinstance(result, Ok)]

    def fuzz(self, operation: Operation, examples: int, number: int) -> None:
        """Send so many made-up requests, the same ones for the same number."""
        self._renew()
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
            chosen = mixed.getrandbits(32)
            if chosen % 4:
                self._make_real(case, chosen // 4)
            self._check(case)

        send()

    def _check(self, case: AnyCase) -> None:
        options = case.as_transport_kwargs(base_url=_HOST)
        options.pop("cookies", None)
        request = request_of(options)
        if request is None:
            return
        response = self._runner.run(self._client.send(request))
        self.findings.requests += 1
        self.findings.statuses[response.status_code] += 1
        if response.status_code < 400:
            self.findings.accepted.add(case.operation.label)
            if case.method != "GET":
                self._renew()
        try:
            case.validate_response(response, checks=CHECKS)
        except (Failure, FailureGroup) as failure:
            self.findings.failures.append(f"{case.operation.label}: {words_of(failure)}")

    def _make_real(self, case: AnyCase, chance: int) -> None:
        """Put names of things that exist into the address, and a body that makes sense."""
        kind = case.path.split("/")[2]
        values = dict(self._variables)
        values["identifier"] = self._known.get(kind, [])
        for variable in case.path_parameters:
            found = values.get(variable)
            if found:
                case.path_parameters[variable] = quote(found[chance // 7 % len(found)], safe="")
        if chance // 13 % 2:
            case.query = {}
        if case.method in ("POST", "PUT") and kind in _TEXTS:
            if case.method == "POST":
                self._count += 1
            case.query = {}
            case.body = _TEXTS[kind].format(n=self._count)
            if case.path_parameters:
                case.body = f"version: '2.0'\nflow{self._count}: {{tasks: {{t: {{action: a}}}}}}\n"
        elif isinstance(case.body, dict) and chance % 5:
            case.body = {**case.body, **self._body(case, kind, chance)}

    def _body(self, case: AnyCase, kind: str, chance: int) -> dict[str, Any]:
        self._count += 1
        n = self._count
        if kind == "executions":
            if case.method == "PUT":
                states = ("PAUSED", "RUNNING", "CANCELLED", "SUCCESS", "FOO")
                change = {"state": states[chance % 5], "description": "", "params": {}}
                return change if chance % 3 else {"state": "", "description": "d", "params": {}}
            return {
                "id": "",
                "workflow_id": "",
                "workflow_name": self._known["workflows"][chance % 4],
                "workflow_namespace": "",
                "source_execution_id": "",
                "input": {},
                "params": {},
            }
        if kind == "tasks":
            return {
                "name": "", "workflow_name": "", "env": {}, "reset": True,
                "state": "RUNNING" if chance % 2 else "SKIPPED",
            }  # fmt: skip
        if kind == "action_executions":
            if case.method == "PUT":
                return {"state": ("SUCCESS", "ERROR", "CANCELLED")[chance % 3], "output": {"a": 1}}
            return {"name": "std.echo", "input": {"output": n}, "params": {"save_result": n % 2}}
        if kind == "environments":
            name = f"env{n}" if case.method == "POST" else self._known["environments"][0]
            return {"name": name, "variables": {"a": n}, "scope": "private"}
        return {
            "name": f"trigger{n}", "workflow_name": self._known["workflows"][0], "workflow_id": "",
            "workflow_input": {}, "workflow_params": {}, "pattern": "0 0 1 1 *",
            "first_execution_time": "", "remaining_executions": 2,
        }  # fmt: skip

    def _ask(self, method: str, path: str, **options: Any) -> Any:
        response = self._runner.run(self._client.request(method, f"/v2{path}", **options))
        assert response.status_code < 400, response.text
        return response.json()

    def _renew(self) -> None:
        """See to it that there is one of everything, and know its name."""
        self._count += 1
        n = self._count
        for kind, text in _TEXTS.items():
            self._ask("POST", f"/{kind}", content=text.format(n=n), headers=_TEXT)
        names = [f"{name}{n}" for name in ("flow", "inner", "failing", "outside")]
        begun = [
            self._ask("POST", "/executions", json={"workflow_name": name})["id"] for name in names
        ]
        tasks = [
            task["id"]
            for each in begun
            for task in self._ask("GET", f"/executions/{each}/tasks")["tasks"]
        ]
        failed = self._ask("GET", f"/executions/{begun[2]}/tasks")["tasks"][0]["id"]
        performed = self._ask(
            "GET", "/action_executions?limit=5&sort_dirs=desc&sort_keys=created_at"
        )
        lone = self._ask(
            "POST",
            "/action_executions",
            json={"name": "std.noop", "params": {"save_result": True}},
        )["id"]
        while self._ask("GET", f"/action_executions/{lone}")["state"] == "RUNNING":
            continue
        self._ask("POST", "/environments", json={"name": f"e{n}", "variables": {}})
        body = {"name": f"c{n}", "workflow_name": names[1], "pattern": "0 0 1 1 *"}
        self._ask("POST", "/cron_triggers", json=body)
        self._known = {
            "workflows": names,
            "actions": [f"adhoc{n}"],
            "workbooks": [f"book{n}"],
            "environments": [f"e{n}"],
            "cron_triggers": [f"c{n}"],
        }
        self._variables = {
            "execution_id": begun,
            "task_id": [failed, *tasks],
            "action_execution_id": [
                lone, lone, lone, *(each["id"] for each in performed["action_executions"]),
            ],
            "name": [f"e{n}"],
        }  # fmt: skip

    def close(self) -> None:
        self._runner.run(self._client.aclose())
        self._runner.run(self._api.client.aclose())


@contextmanager
def fuzzed_workflows(folder: Path) -> Iterator[WorkflowTester]:
    """An engine that runs workflows, and its API, for the time of a test."""
    stack = AsyncExitStack()
    with asyncio.Runner() as runner:
        opening = embedded(
            folder / "hotplate.db", open_database=WatchedDatabase, extend=workflows()
        )
        engine = runner.run(stack.enter_async_context(opening))
        tester = WorkflowTester(runner, engine)
        try:
            yield tester
        finally:
            tester.close()
            runner.run(stack.aclose())
