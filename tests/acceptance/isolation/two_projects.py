"""Two projects on one server: the first has one of everything, the second has nothing."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

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


_FIRST_PIECES = 1.0
"""Seconds of silence after which a stream is left."""


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
        return self.any(method, f"/v1/{project or self.project}{path}", **more)

    def any(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Ask for any path of the server; of a stream that goes on, what comes at first."""
        request = self._http.build_request(method, f"{self._root}{path}", **more)
        if not request.url.path.endswith("/stream"):
            return self._http.send(request)
        request.extensions["timeout"] = httpx.Timeout(60, read=_FIRST_PIECES).as_dict()
        answer = self._http.send(request, stream=True)
        pieces: list[bytes] = []
        with suppress(httpx.ReadTimeout):
            for piece in answer.iter_bytes():
                pieces.append(piece)  # noqa: PERF402 (those before the silence are kept)
        answer.close()
        return httpx.Response(answer.status_code, content=b"".join(pieces), request=request)

    def flows(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self.any(method, f"/v2{path}", **more)


def ok(answer: httpx.Response) -> Any:
    """Return the body of an answer that must be a good one."""
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


class Owner:
    """The first project, with one of everything."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        name = f"{MARK}-stack"
        stack = ok(tenant.heat("POST", "/stacks", json={"stack_name": name, "template": TEMPLATE}))
        path = f"/stacks/{name}/{stack['stack']['id']}"
        self._until(path, "CREATE_COMPLETE")
        snapshot = ok(tenant.heat("POST", f"{path}/snapshots", json={"name": MARK}))
        self._until(path, "SNAPSHOT_COMPLETE")
        events = ok(tenant.heat("GET", f"{path}/resources/{MARK}_r/events"))["events"]
        config = ok(tenant.heat("POST", "/software_configs", json={"name": MARK, "config": MARK}))
        config_id = config["software_config"]["id"]
        body = {"config_id": config_id, "server_id": MARK, "input_values": {"a": MARK}}
        deployment = ok(tenant.heat("POST", "/software_deployments", json=body))
        text = {"content-type": "text/plain"}
        ok(tenant.flows("POST", "/workflows", content=WORKFLOW, headers=text))
        ok(tenant.flows("POST", "/actions", content=ACTION, headers=text))
        flow = {"workflow_name": f"{MARK}_flow"}
        execution = ok(tenant.flows("POST", "/executions", json=flow))["id"]
        task = self.task_of(execution)
        action = ok(tenant.flows("GET", f"/tasks/{task}/action_executions"))
        variables = json.dumps({"a": MARK})
        ok(
            tenant.flows(
                "POST", "/environments", json={"name": f"{MARK}_env", "variables": variables}
            )
        )
        trigger = {"name": f"{MARK}_cron", **flow, "pattern": "0 0 1 1 *"}
        ok(tenant.flows("POST", "/cron_triggers", json=trigger))
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
        self._seen = self.all()

    def _until(self, path: str, wanted: str) -> None:
        end = time.monotonic() + 60
        while (state := self._state(path)) != wanted:
            assert time.monotonic() < end, state
            time.sleep(0.05)

    def _state(self, path: str) -> str:
        return str(ok(self.tenant.heat("GET", path))["stack"]["stack_status"])

    def task_of(self, execution: str) -> str:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if ok(self.tenant.flows("GET", f"/executions/{execution}"))["state"] == "SUCCESS":
                tasks = ok(self.tenant.flows("GET", f"/executions/{execution}/tasks"))["tasks"]
                return str(tasks[0]["id"])
            time.sleep(0.05)
        raise AssertionError("the execution did not end")

    def changes(self) -> list[tuple[Any, Any]]:
        """Return what is not as it was when this was last asked: before and now."""
        before, self._seen = self._seen, self.all()
        return [(was, now) for was, now in zip(before, self._seen, strict=True) if was != now]

    def all(self) -> list[Any]:
        """Return everything that the project has, as it is shown."""
        heat = [f"{self.path}/{part}" for part in ("export", "events", "resources", "snapshots")]
        heat += ["/stacks", "/software_configs", "/software_deployments"]
        flows = ["workflows", "actions", "executions", "tasks", "action_executions"]
        flows += ["environments", "cron_triggers"]
        return [
            *(ok(self.tenant.heat("GET", path)) for path in heat),
            *(ok(self.tenant.flows("GET", f"/{path}")) for path in flows),
        ]


@contextmanager
def two_projects(folder: Path) -> Iterator[tuple[Owner, Tenant]]:
    """A server with both; the second one is a stranger to the first."""
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
