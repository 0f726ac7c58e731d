"""Executions of workflows: on their own, and those of a stack's resources."""

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
    return answer.json() if answer.content else None


def test_the_graph_of_an_execution_has_every_task_and_every_way(
    browsing: Browsing, pictures: Path
) -> None:
    page = browsing.page
    headers = {"content-type": "text/plain"}
    mistral(browsing, "POST", "/workflows", content=DEFINITION, headers=headers)
    browsing.open("#/default/workflows")
    expect(page.get_by_role("heading", name="No workflow has run yet")).to_be_visible()
    begun = {"workflow_name": "greet", "input": {"name": "Ada"}}
    mistral(browsing, "POST", "/executions", json=begun)
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


HELD = """\
version: '2.0'
held:
  input: [name, {word: hello}]
  output: {said: <% $.said %>}
  tasks:
    begin: {action: std.noop, on-success: wait}
    wait: {action: std.async_noop, on-success: end}
    end:
      action: std.echo output=<% $.word + ' ' + $.name %>
      publish: {said: <% task().result %>}
"""


def release(browsing: Browsing) -> None:
    """Let what waits in the held workflow go on."""
    found = mistral(browsing, "GET", "/action_executions?name=std.async_noop&state=RUNNING")
    for each in found["action_executions"]:
        body = {"state": "SUCCESS", "output": {"result": 1}}
        mistral(browsing, "PUT", f"/action_executions/{each['id']}", json=body)


def test_a_workflow_is_run_with_its_input_and_followed_to_its_end(
    browsing: Browsing, pictures: Path
) -> None:
    page = browsing.page
    mistral(browsing, "POST", "/workflows", content=HELD, headers={"content-type": "text/plain"})
    browsing.open("#/default/workflows")
    page.get_by_role("button", name="Run a workflow").click()
    dialog = page.get_by_role("dialog", name="Run a workflow")
    dialog.get_by_label("Workflow").select_option("held")
    run = dialog.get_by_role("button", name="Run held")
    expect(run).to_be_disabled()
    dialog.get_by_label("name (needed)").fill("Ada")
    dialog.get_by_label("Description").fill("by hand")
    assert browsing.serious_faults() == []
    photograph(page, pictures, "workflows-run")
    run.click()
    expect(page.get_by_role("button", name="begin SUCCESS")).to_be_visible()
    expect(page.get_by_role("button", name="wait RUNNING")).to_be_visible()
    expect(page.get_by_text("by hand")).to_be_visible()
    before = len(browsing.requests)
    release(browsing)
    expect(page.get_by_role("button", name="end SUCCESS")).to_be_visible()
    expect(page.get_by_role("region", name="Output")).to_contain_text("hello Ada")
    # The tasks came by the stream: only what has come out was asked for, once for each new state.
    asked = [each for each in browsing.requests[before:] if "/v2/" in each]
    assert len(asked) <= 4, asked
    assert not any("/tasks" in each for each in asked)
    # Once more, with the same input changed.
    page.get_by_role("button", name="Run it again").click()
    dialog = page.get_by_role("dialog", name="Run a workflow")
    expect(dialog.get_by_label("name (needed)")).to_have_value("Ada")
    dialog.get_by_label("word").fill("bye")
    dialog.get_by_role("button", name="Run held").click()
    expect(page.get_by_role("button", name="wait RUNNING")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    release(browsing)
    expect(page.get_by_role("region", name="Output")).to_contain_text("bye Ada")


def test_the_list_of_executions_is_live(browsing: Browsing) -> None:
    page = browsing.page
    text = HELD.replace("held:", "listed:").replace(
        "[name, {word: hello}]", "[{name: a}, {word: b}]"
    )
    headers = {"content-type": "text/plain"}
    mistral(browsing, "POST", "/workflows", content=text, headers=headers)
    browsing.open("#/default/workflows")
    expect(page.get_by_role("heading", name="Workflows")).to_be_visible()
    expect(page.locator(".spinner")).to_have_count(0)
    before = len(browsing.requests)
    execution = mistral(browsing, "POST", "/executions", json={"workflow_name": "listed"})["id"]
    row = page.get_by_role("row").filter(has=page.locator(f'a[href$="{execution}"]'))
    expect(row).to_contain_text("RUNNING")
    release(browsing)
    expect(row).to_contain_text("SUCCESS")
    mistral(browsing, "DELETE", f"/executions/{execution}")
    expect(row).to_have_count(0)
    assert browsing.requests[before:] == []


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
