"""Two projects on one server: nothing of one is read, changed or guessed by the other.

Every route is tried with the objects of the other project: below its own address, and below the
other's. Whatever is answered, no word of the other's is in it, and all is afterwards as it was.
"""

import json
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from hotplate.api import ENDPOINTS, WORKFLOW_ENDPOINTS
from hotplate.api.http.endpoint import Endpoint
from tests.acceptance.serving import Served, serving

MARK = "alicesword"
"""In every name and value of the first project."""

WORKFLOW = f"""
version: '2.0'
{MARK}_flow:
  input: [word: {MARK}]
  tasks:
    say: {{action: std.echo output=<% $.word %>}}
"""
ACTION = f"version: '2.0'\n{MARK}_action: {{base: std.echo, base-input: {{output: {MARK}}}}}\n"
TEMPLATE = {
    "heat_template_version": "wallaby",
    "resources": {
        f"{MARK}_r": {"type": "OS::Heat::Value", "properties": {"value": MARK}},
        f"{MARK}_h": {"type": "OS::Heat::WaitConditionHandle"},
    },
    "outputs": {f"{MARK}_o": {"value": MARK}},
}
OPEN_NAMES = {"type_name", "template_version", "server_id"}
"""What routes name that belongs to nobody; of a server that nobody knows, a list is empty."""

FOREIGN = {
    "template": {"heat_template_version": "wallaby", "resources": {}},
    "stack_name": "mallory",
    "state": "PAUSED",
    "output": "forged",
    "mark_unhealthy": True,
    "suspend": None,
}


class Tenant:
    """A client of one project."""

    def __init__(self, served: Served, project: str, token: str) -> None:
        self.project = project
        self._root = served.url
        self._http = httpx.Client(
            headers={"x-auth-token": token, "x-project-id": project}, timeout=60
        )

    def close(self) -> None:
        self._http.close()

    def heat(self, method: str, path: str, project: str = "", **more: Any) -> httpx.Response:
        address = f"{self._root}/v1/{project or self.project}{path}"
        return self._http.request(method, address, **more)

    def flows(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self._http.request(method, f"{self._root}/v2{path}", **more)


def _ok(answer: httpx.Response) -> Any:
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


class Owner:
    """The first project, with one of everything."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        name = f"{MARK}-stack"
        stack = _ok(tenant.heat("POST", "/stacks", json={"stack_name": name, "template": TEMPLATE}))
        path = f"/stacks/{name}/{stack['stack']['id']}"
        self._until(path, "CREATE_COMPLETE")
        snapshot = _ok(tenant.heat("POST", f"{path}/snapshots", json={"name": MARK}))
        self._until(path, "SNAPSHOT_COMPLETE")
        events = _ok(tenant.heat("GET", f"{path}/resources/{MARK}_r/events"))["events"]
        config = _ok(tenant.heat("POST", "/software_configs", json={"name": MARK, "config": MARK}))
        config_id = config["software_config"]["id"]
        body = {"config_id": config_id, "server_id": MARK, "input_values": {"a": MARK}}
        deployment = _ok(tenant.heat("POST", "/software_deployments", json=body))
        text = {"content-type": "text/plain"}
        _ok(tenant.flows("POST", "/workflows", content=WORKFLOW, headers=text))
        _ok(tenant.flows("POST", "/actions", content=ACTION, headers=text))
        flow = {"workflow_name": f"{MARK}_flow"}
        execution = _ok(tenant.flows("POST", "/executions", json=flow))["id"]
        task = self._task(execution)
        action = _ok(tenant.flows("GET", f"/tasks/{task}/action_executions"))
        variables = json.dumps({"a": MARK})
        _ok(
            tenant.flows(
                "POST", "/environments", json={"name": f"{MARK}_env", "variables": variables}
            )
        )
        trigger = {"name": f"{MARK}_cron", **flow, "pattern": "0 0 1 1 *"}
        _ok(tenant.flows("POST", "/cron_triggers", json=trigger))
        self.path = path
        self.names: Mapping[str, str] = {
            "stack_name": name,
            "stack_id": stack["stack"]["id"],
            "name_or_id": stack["stack"]["id"],
            "arn:path": f"openstack:heat::{tenant.project}:stacks/{name}/{stack['stack']['id']}",
            "resource_name": f"{MARK}_r",
            "event_id": events[0]["id"],
            "snapshot_id": snapshot["id"],
            "output_key": f"{MARK}_o",
            "config_id": config_id,
            "server_id": MARK,
            "deployment_id": deployment["software_deployment"]["id"],
            "execution_id": execution,
            "task_id": task,
            "action_execution_id": action["action_executions"][0]["id"],
            "identifier": f"{MARK}_flow",
            "name": f"{MARK}_env",
            "type_name": "OS::Heat::Value",
            "template_version": "heat_template_version.wallaby",
        }
        self._seen = self._all()

    def _until(self, path: str, wanted: str) -> None:
        end = time.monotonic() + 60
        while (state := self._state(path)) != wanted:
            assert time.monotonic() < end, state
            time.sleep(0.05)

    def _state(self, path: str) -> str:
        return str(_ok(self.tenant.heat("GET", path))["stack"]["stack_status"])

    def _task(self, execution: str) -> str:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if _ok(self.tenant.flows("GET", f"/executions/{execution}"))["state"] == "SUCCESS":
                tasks = _ok(self.tenant.flows("GET", f"/executions/{execution}/tasks"))["tasks"]
                return str(tasks[0]["id"])
            time.sleep(0.05)
        raise AssertionError("the execution did not end")

    def is_unchanged(self) -> bool:
        """Tell whether everything is as it was when this was last asked."""
        before, self._seen = self._seen, self._all()
        return self._seen == before

    def _all(self) -> list[Any]:
        """Return everything that the project has, as it is shown."""
        heat = [f"{self.path}/{part}" for part in ("export", "events", "resources", "snapshots")]
        heat += ["/stacks", "/software_configs", "/software_deployments"]
        flows = ["workflows", "actions", "executions", "tasks", "action_executions"]
        flows += ["environments", "cron_triggers"]
        return [
            *(_ok(self.tenant.heat("GET", path)) for path in heat),
            *(_ok(self.tenant.flows("GET", f"/{path}")) for path in flows),
        ]


@pytest.fixture(scope="module")
def tenants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Owner, Tenant]]:
    folder: Path = tmp_path_factory.mktemp("tenancy")
    tokens = folder / "tokens"
    tokens.write_text("a-token alice first\nm-token mallory second\n", encoding="utf-8")
    tokens.chmod(0o600)
    with serving("--auth-tokens", str(tokens)) as served:
        first, second = Tenant(served, "first", "a-token"), Tenant(served, "second", "m-token")
        try:
            yield Owner(first), second
        finally:
            first.close()
            second.close()


def _filled(path: str, names: Mapping[str, str]) -> str:
    return re.sub(r"\{([^}]+)\}", lambda match: names[match[1]], path)


ROUTES = [
    *(pytest.param(each, False, id=f"{each.method} {each.path}") for each in ENDPOINTS),
    *(pytest.param(each, True, id=f"{each.method} /v2{each.path}") for each in WORKFLOW_ENDPOINTS),
]


@pytest.mark.parametrize(("endpoint", "is_flow"), ROUTES)
def test_no_route_leads_to_another_project(
    tenants: tuple[Owner, Tenant], endpoint: Endpoint, is_flow: bool
) -> None:
    owner, stranger = tenants
    path = _filled(endpoint.path, owner.names)
    more: dict[str, Any] = {}
    if endpoint.method in ("POST", "PUT", "PATCH"):
        if endpoint.takes_text:
            foreign = WORKFLOW.replace(MARK, "mallory")
            more = {"content": foreign, "headers": {"content-type": "text/plain"}}
        else:
            more = {"json": FOREIGN}
    if endpoint.path.endswith("/stream"):
        more["headers"] = {"accept": "text/event-stream"}
    names = {value for key, value in owner.names.items() if key != "type_name"}
    if is_flow:
        answers = [stranger.flows(endpoint.method, path, **more)]
    else:
        answers = [stranger.heat(endpoint.method, path, **more)]
        elsewhere = stranger.heat(endpoint.method, path, project=owner.tenant.project, **more)
        assert elsewhere.status_code == 403
        answers.append(elsewhere)
    asked_for = {each for each in names if each in path}
    for answer in answers:
        assert answer.status_code < 500, answer.text
        # What the stranger named itself may be repeated; all else is the other's.
        text = answer.text
        for each in sorted(asked_for, key=len, reverse=True):
            text = text.replace(each, "")
        assert MARK not in text
        if set(re.findall(r"\{([^}]+)\}", endpoint.path)) - OPEN_NAMES:
            assert answer.status_code in (302, 400, 403, 404), answer.text
    assert owner.is_unchanged()


def test_a_workflow_that_claims_to_be_public_runs_for_nobody_else(
    tenants: tuple[Owner, Tenant],
) -> None:
    owner, stranger = tenants
    forged = WORKFLOW.replace(MARK, "mallory").replace("mallory_flow", f"{MARK}_flow")
    text = {"content-type": "text/plain"}
    refused = stranger.flows("POST", "/workflows?scope=public", content=forged, headers=text)
    assert refused.status_code == 403
    _ok(stranger.flows("POST", "/workflows", content=forged, headers=text))
    flow = {"workflow_name": f"{MARK}_flow"}
    execution = _ok(owner.tenant.flows("POST", "/executions", json=flow))["id"]
    owner._task(execution)
    shown = owner.tenant.flows("GET", f"/executions/{execution}").text
    assert MARK in shown
    assert "mallory" not in shown
