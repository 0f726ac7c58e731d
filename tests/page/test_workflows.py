"""Executions of workflows: on their own, and those of a stack's resources."""

import time
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import expect

from tests.page.browsing import Browsing
from tests.page.gestures import photograph

DEFINITION = """\
version: '2.0'
greet:
  input: [name]
  output: {said: <% $.said %>}
  tasks:
    say:
      action: std.echo output=<% 'hello ' + $.name %>
      publish: {said: <% task().result %>}
      on-success: [left, right]
    left:
      action: std.noop
      on-success: together
    right:
      with-items: i in [1, 2]
      action: std.echo output=<% $.i %>
      on-success: together
    together:
      join: all
      workflow: inner
      on-error: clean
      on-success: rest
    clean:
      action: std.noop
      on-complete: fail
    rest:
      action: std.noop
inner:
  tasks:
    broken: {action: std.fail}
"""
STACK = """\
heat_template_version: wallaby
resources:
  flow:
    type: OS::Mistral::Workflow
    properties:
      type: direct
      tasks: [{name: only, action: std.noop}]
  thing:
    type: OS::Mistral::ExternalResource
    properties:
      actions: {CREATE: {workflow: {get_resource: flow}}}
"""


def mistral(browsing: Browsing, method: str, path: str, **more: Any) -> Any:
    answer = httpx.request(method, f"{browsing.served.url}/v2{path}", timeout=30, **more)
    assert answer.status_code < 400, answer.text
    return answer.json()


def test_the_graph_of_an_execution_has_every_task_and_every_way(
    browsing: Browsing, pictures: Path
) -> None:
    page = browsing.page
    headers = {"content-type": "text/plain"}
    mistral(browsing, "POST", "/workflows", content=DEFINITION, headers=headers)
    browsing.open("#/default/workflows")
    expect(page.get_by_role("heading", name="No workflow has run yet")).to_be_visible()
    begun = {"workflow_name": "greet", "input": {"name": "Ada"}}
    execution = mistral(browsing, "POST", "/executions", json=begun)["id"]
    while mistral(browsing, "GET", f"/executions/{execution}")["state"] == "RUNNING":
        time.sleep(0.1)
    page.get_by_role("button", name="Look again").click()
    row = page.get_by_role("row").filter(has_text="greet")
    expect(row).to_contain_text("ERROR")
    assert browsing.serious_faults() == []
    photograph(page, pictures, "workflows-list")
    row.get_by_role("link", name="greet").click()
    tasks = page.get_by_role("group", name="Graph of the tasks").get_by_role("button")
    expect(tasks).to_have_count(6)
    for name in (
        "say SUCCESS leads to on-success left, on-success right",
        "left SUCCESS leads to on-success together",
        "right SUCCESS leads to on-success together",
        "together ERROR workflow leads to on-success rest, on-error clean",
        "clean SUCCESS leads to nothing",
        "rest not run leads to nothing",
    ):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    expect(page.locator(".workflows-edge.taken")).to_have_count(5)
    expect(page.locator(".workflows-edge")).to_have_count(6)
    page.get_by_role("button", name="together ERROR").click()
    panel = page.get_by_role("region", name="Task together")
    expect(panel).to_contain_text("std.fail failed")
    assert "task=together" in page.url
    assert browsing.serious_faults() == []
    photograph(page, pictures, "workflows-execution")
    panel.get_by_role("link", name="inner").click()
    expect(page.get_by_role("heading", name="inner")).to_be_visible()
    page.get_by_role("button", name="broken ERROR").click()
    page.get_by_role("button", name="Run this task again").click()
    expect(page.get_by_role("alert").or_(page.get_by_text("ERROR")).first).to_be_visible()


def test_a_stack_shows_the_executions_of_its_workflows_as_they_come(browsing: Browsing) -> None:
    page = browsing.page
    empty = {"heat_template_version": "wallaby", "resources": {}}
    made = browsing.api("POST", "/stacks", {"stack_name": "flowing", "template": empty})["stack"]
    browsing.open_stack("flowing", "workflows")
    expect(page.get_by_role("heading", name="No workflows in this stack")).to_be_visible()
    browsing.api("PATCH", f"/stacks/flowing/{made['id']}", {"template": STACK})
    row = page.get_by_role("table", name="Executions").get_by_role("row").nth(1)
    expect(row).to_contain_text("SUCCESS", timeout=20_000)
    assert browsing.serious_faults() == []
    row.get_by_role("link").click()
    expect(page.get_by_role("button", name="only SUCCESS")).to_be_visible()
