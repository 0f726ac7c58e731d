"""Workflows of the tests of the API, and their executions."""

from typing import Any

from tests.api.conftest import PROJECT, Api

FLOWS = """
version: '2.0'
quick:
  tasks: {say: {action: std.echo output=1}}
waiting:
  tasks:
    before: {action: std.noop, on-success: held}
    held: {action: std.async_noop, on-success: after}
    after: {action: std.noop}
"""
OWN = {"x-project-id": PROJECT}
"""Who asks the API of workflows says so in a header."""


def flows(api: Api, method: str, path: str, **options: Any) -> Any:
    """Ask the API of workflows."""
    headers = {**OWN, **options.pop("headers", {})}
    answer = api.request(method, f"http://testserver/v2{path}", headers=headers, **options)
    assert answer.status_code < 400, answer.text
    return answer.json() if answer.content else None


def started(api: Api, name: str) -> str:
    """Start a workflow and return the id of the execution: a quick one has ended."""
    known = {each["name"] for each in flows(api, "GET", "/workflows")["workflows"]}
    if name not in known:
        flows(api, "POST", "/workflows", content=FLOWS, headers={"content-type": "text/plain"})
    execution: str = flows(api, "POST", "/executions", json={"workflow_name": name})["id"]
    while name == "quick" and state(api, execution) == "RUNNING":
        pass
    return execution


def state(api: Api, execution: str) -> str:
    return str(flows(api, "GET", f"/executions/{execution}")["state"])


def release(api: Api, execution: str) -> None:
    """Let the held task of an execution go on."""
    found = flows(api, "GET", "/action_executions?name=std.async_noop")["action_executions"]
    tasks = {each["id"] for each in flows(api, "GET", f"/executions/{execution}/tasks")["tasks"]}
    for each in found:
        if each["task_execution_id"] in tasks:
            body = {"state": "SUCCESS", "output": {"result": 1}}
            flows(api, "PUT", f"/action_executions/{each['id']}", json=body)
