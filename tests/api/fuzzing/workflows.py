"""Requests to the workflow API that schemathesis makes up, with things in it that exist."""

import asyncio
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hotplate.api.openapi import openapi_document
from hotplate.api.workflows.endpoints import WORKFLOW_ENDPOINTS
from hotplate.engine.embedded import Embedded, embedded
from hotplate.workflow.running import workflows
from tests.api.conftest import WatchedDatabase
from tests.api.fuzzing.harness import AnyCase, Tester, testing

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


class WorkflowTester(Tester):
    """Fuzzes the workflow API."""

    renewing = frozenset(("PUT", "DELETE"))

    def __init__(self, runner: asyncio.Runner, engine: Embedded) -> None:
        super().__init__(runner, engine, openapi_document((), (), WORKFLOW_ENDPOINTS))
        self._known: dict[str, list[str]] = {}
        self._variables: dict[str, list[str]] = {}

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

    def _renew(self) -> None:
        """See to it that there is one of everything, and know its name."""
        self._count += 1
        n = self._count
        for kind, text in _TEXTS.items():
            self._ask("POST", f"/v2/{kind}", content=text.format(n=n), headers=_TEXT)
        names = [f"{name}{n}" for name in ("flow", "inner", "failing", "outside")]
        begun = [
            self._ask("POST", "/v2/executions", json={"workflow_name": name})["id"]
            for name in names
        ]
        tasks = [
            task["id"]
            for each in begun
            for task in self._ask("GET", f"/v2/executions/{each}/tasks")["tasks"]
        ]
        failed = self._ask("GET", f"/v2/executions/{begun[2]}/tasks")["tasks"][0]["id"]
        performed = self._ask(
            "GET", "/v2/action_executions?limit=5&sort_dirs=desc&sort_keys=created_at"
        )
        lone = self._ask(
            "POST",
            "/v2/action_executions",
            json={"name": "std.noop", "params": {"save_result": True}},
        )["id"]
        while self._ask("GET", f"/v2/action_executions/{lone}")["state"] == "RUNNING":
            continue
        self._ask("POST", "/v2/environments", json={"name": f"e{n}", "variables": {}})
        body = {"name": f"c{n}", "workflow_name": names[1], "pattern": "0 0 1 1 *"}
        self._ask("POST", "/v2/cron_triggers", json=body)
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


def fuzzed_workflows(folder: Path) -> AbstractContextManager[WorkflowTester]:
    """An engine that runs workflows, and its API, for the time of a test."""
    opening = embedded(folder / "hotplate.db", open_database=WatchedDatabase, extend=workflows())
    return testing(opening, WorkflowTester)
