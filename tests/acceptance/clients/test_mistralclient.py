"""python-mistralclient defines, runs, watches and steers workflows on the real server."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mistralclient.api.base import APIException
from mistralclient.api.v2.client import Client

from tests.acceptance.serving import Served, serving

WORKFLOWS = """
version: '2.0'
greet:
  description: Says hello.
  tags: [polite]
  input: [name, word: hello]
  output: {said: <% $.said %>}
  tasks:
    say:
      action: std.echo output=<% $.word + ' ' + $.name %>
      publish: {said: <% task().result %>}
      on-success: repeat
    repeat:
      with-items: i in [1, 2]
      action: std.echo output=<% $.i %>
      on-success: below
    below: {workflow: inner}
inner:
  tasks:
    nothing: {action: std.noop}
outside:
  output: {told: <% $.told %>}
  tasks:
    wait:
      action: std.async_noop
      publish: {told: <% task().result %>}
picky:
  tasks:
    pick:
      action: std.fail
      on-success: after
    after: {action: std.noop}
needy:
  output: {place: <% env().place %>}
  tasks:
    look: {action: std.noop}
"""
PATIENCE = 30.0


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving() as server:
        yield server


def client_of(served: Served, project: str) -> Any:
    return Client(mistral_url=f"{served.url}/v2", auth_token="", project_id=project)


@pytest.fixture
def mistral(served: Served, request: pytest.FixtureRequest) -> Any:
    """A client with a project for each test, and the workflows in it."""
    client = client_of(served, request.node.name.removeprefix("test_"))
    client.workflows.create(WORKFLOWS)
    return client


def ended(mistral: Any, execution_id: str) -> Any:
    end = time.monotonic() + PATIENCE
    while True:
        found = mistral.executions.get(execution_id)
        if found.state not in ("IDLE", "RUNNING"):
            return found
        assert time.monotonic() < end
        time.sleep(0.05)


def test_workflows_are_defined_listed_changed_and_deleted(mistral: Any) -> None:
    names = [each.name for each in mistral.workflows.list(sort_keys="name")]
    assert names == ["greet", "inner", "needy", "outside", "picky"]
    found = mistral.workflows.get("greet")
    assert (found.input, found.tags) == ('name, word="hello"', ["polite"])
    assert json.loads(found.interface)["output"] == ["said"]
    assert mistral.workflows.get(found.id).name == "greet"
    (changed,) = mistral.workflows.update(
        "version: '2.0'\ninner: {tasks: {other: {action: std.noop}}}\n"
    )
    assert "other" in mistral.workflows.get("inner").definition
    assert changed.id == mistral.workflows.get("inner").id
    mistral.workflows.delete("inner")
    with pytest.raises(APIException, match="Workflow not found") as refused:
        mistral.workflows.get("inner")
    assert refused.value.error_code == 404
    with pytest.raises(APIException, match="Duplicate entry") as refused:
        mistral.workflows.create(WORKFLOWS)
    assert refused.value.error_code == 409


def test_a_definition_is_checked(mistral: Any) -> None:
    assert mistral.workflows.validate(WORKFLOWS) == {"valid": True}
    wrong = "version: '2.0'\nw:\n  tasks: {a: {actoin: std.noop}}\n"
    answer = mistral.workflows.validate(wrong)
    assert answer["valid"] is False
    assert "w.tasks.a.actoin" in answer["error"]
    with pytest.raises(APIException, match="Invalid DSL"):
        mistral.workflows.create(wrong)


def test_pages_of_a_list(mistral: Any) -> None:
    first = mistral.workflows.list(sort_keys="name", limit=2)
    rest = mistral.workflows.list(sort_keys="name", limit=9, marker=first[-1].id)
    assert [each.name for each in [*first, *rest]] == [
        "greet", "inner", "needy", "outside", "picky",
    ]  # fmt: skip
    assert [each.name for each in mistral.workflows.list(name="has:ee")] == ["greet", "needy"]
    (chosen,) = mistral.workflows.list(fields=["name"], name="inner")
    assert set(chosen.to_dict()) == {"id", "name"}


def test_an_execution_from_start_to_end(mistral: Any) -> None:
    begun = mistral.executions.create("greet", workflow_input={"name": "Ada"}, description="try")
    found = ended(mistral, begun.id)
    assert (found.state, found.description) == ("SUCCESS", "try")
    assert json.loads(found.output) == {"said": "hello Ada"}
    tasks = {each.name: each for each in mistral.tasks.list(begun.id)}
    assert {name: each.state for name, each in tasks.items()} == dict.fromkeys(
        ("say", "repeat", "below"), "SUCCESS"
    )
    shown = mistral.tasks.get(tasks["repeat"].id)
    assert json.loads(shown.result) == [1, 2]
    assert json.loads(mistral.tasks.get(tasks["say"].id).published) == {"said": "hello Ada"}
    actions = mistral.action_executions.list(tasks["repeat"].id)
    assert [json.loads(each.input)["output"] for each in actions] == [1, 2]
    assert json.loads(mistral.action_executions.get(actions[0].id).output) == {"result": 1}
    (child,) = mistral.executions.list(task=tasks["below"].id)
    assert (child.workflow_name, child.root_execution_id) == ("inner", begun.id)
    below = mistral.executions.get_ex_sub_executions(begun.id)
    assert [each.workflow_name for each in below] == ["greet", "inner"]
    assert [each.id for each in mistral.tasks.get_task_sub_executions(tasks["below"].id)] == [
        child.id
    ]
    report = mistral.executions.get_report(begun.id, errors_only=False)
    assert report["statistics"]["success_tasks_count"] == 4
    roots = mistral.executions.list(nulls="task_execution_id")
    assert [each.id for each in roots] == [begun.id]
    mistral.executions.delete(begun.id)
    assert mistral.executions.list() == []
    assert mistral.tasks.list() == []


def test_input_that_does_not_fit(mistral: Any) -> None:
    for given, words in (({}, "missing"), ({"name": "a", "x": 1}, "unexpected")):
        with pytest.raises(APIException, match=words) as refused:
            mistral.executions.create("greet", workflow_input=given)
        assert refused.value.error_code == 400
    with pytest.raises(APIException, match="Workflow not found") as refused:
        mistral.executions.create("nothing")
    assert refused.value.error_code == 404


def test_a_client_chooses_the_id_and_asks_twice(mistral: Any) -> None:
    body = {"id": "11111111-2222-4333-8444-555555555555", "workflow_name": "outside"}
    first = mistral.executions._create("/executions", body)
    again = mistral.executions._create("/executions", body)
    assert first.id == again.id == body["id"]
    assert len(mistral.executions.list()) == 1


def test_pause_resume_cancel(mistral: Any) -> None:
    begun = mistral.executions.create("outside")
    assert mistral.executions.update(begun.id, "PAUSED").state == "PAUSED"
    assert mistral.executions.update(begun.id, "RUNNING").state == "RUNNING"
    assert mistral.executions.update(begun.id, None, description="new").description == "new"
    with pytest.raises(APIException, match="Only completed") as refused:
        mistral.executions.delete(begun.id)
    assert refused.value.error_code == 403
    assert mistral.executions.update(begun.id, "CANCELLED").state == "CANCELLED"
    with pytest.raises(APIException, match="CANCELLED to PAUSED"):
        mistral.executions.update(begun.id, "PAUSED")
    mistral.executions.delete(mistral.executions.create("outside").id, force=True)


def test_an_asynchronous_action_is_told_how_it_ended(mistral: Any) -> None:
    begun = mistral.executions.create("outside")
    (task,) = mistral.tasks.list(begun.id)
    (action,) = mistral.action_executions.list(task.id)
    assert (action.state, task.state) == ("RUNNING", "RUNNING")
    mistral.action_executions.update(action.id, state="SUCCESS", output='{"a": 1}')
    found = ended(mistral, begun.id)
    assert json.loads(found.output) == {"told": {"a": 1}}
    # Too late is no error, and changes nothing.
    mistral.action_executions.update(action.id, state="ERROR", output='"late"')
    assert mistral.executions.get(begun.id).state == "SUCCESS"


def test_a_failed_task_is_run_again(mistral: Any) -> None:
    begun = ended(mistral, mistral.executions.create("picky").id)
    assert begun.state == "ERROR"
    assert "pick" in begun.state_info
    (task,) = mistral.tasks.list(begun.id)
    mistral.tasks.rerun(task.id, reset=True)
    assert ended(mistral, begun.id).state == "ERROR"
    assert len(mistral.action_executions.list(task.id)) == 2
    mistral.tasks._update(f"/tasks/{task.id}", {"state": "SKIPPED"})
    assert ended(mistral, begun.id).state == "SUCCESS"
    with pytest.raises(APIException, match="must be in ERROR"):
        mistral.tasks.rerun(task.id)


def test_environments(mistral: Any) -> None:
    mistral.environments.create(name="home", description="ours", variables={"place": "Kyiv"})
    begun = mistral.executions.create("needy", env="home")
    assert json.loads(ended(mistral, begun.id).output) == {"place": "Kyiv"}
    mistral.environments.update(name="home", variables={"place": "Rome"})
    assert mistral.environments.get("home").variables == {"place": "Rome"}
    assert [each.name for each in mistral.environments.list()] == ["home"]
    mistral.environments.delete("home")
    with pytest.raises(APIException, match="Environment is not found"):
        mistral.executions.create("needy", env="home")


def test_workbooks_and_ad_hoc_actions(mistral: Any) -> None:
    mistral.actions.create(
        "version: '2.0'\nshout:\n  input: [word]\n  base: std.echo\n"
        "  base-input: {output: <% $.word %>}\n  output: <% $ + '!' %>\n"
    )
    mistral.workbooks.create(
        "version: '2.0'\nname: book\nworkflows:\n  w:\n    output: {said: <% $.said %>}\n"
        "    tasks:\n      a:\n        action: own\n        publish: {said: <% task().result %>}\n"
        "actions:\n  own: {base: shout, base-input: {word: hey}}\n"
    )
    found = ended(mistral, mistral.executions.create("book.w").id)
    assert json.loads(found.output) == {"said": "hey!"}
    names = {each.name for each in mistral.actions.list()}
    assert {"shout", "book.own", "std.echo"} <= names
    assert mistral.actions.get("std.http").is_system
    assert mistral.workbooks.get("book").name == "book"
    done = mistral.action_executions.create("shout", {"word": "now"})
    assert json.loads(done.output) == {"result": "now!"}
    kept = mistral.action_executions.create("shout", {"word": "later"}, save_result=True)
    end = time.monotonic() + PATIENCE
    while mistral.action_executions.get(kept.id).state == "RUNNING":
        assert time.monotonic() < end
        time.sleep(0.05)
    assert json.loads(mistral.action_executions.get(kept.id).output) == {"result": "later!"}
    mistral.action_executions.delete(kept.id)
    mistral.workbooks.delete("book")
    mistral.actions.delete("shout")
    assert "shout" not in {each.name for each in mistral.actions.list()}


def test_a_cron_trigger_starts_what_it_says_and_then_is_gone(mistral: Any) -> None:
    soon = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(time.time() + 2))
    made = mistral.cron_triggers.create("once", "inner", first_time=soon)
    assert (made.remaining_executions, made.workflow_name) == (1, "inner")
    mistral.cron_triggers.create("often", "inner", pattern="0 0 1 1 *", count=5)
    names = sorted(each.name for each in mistral.cron_triggers.list())
    assert names == ["often", "once"]
    with pytest.raises(APIException, match="pattern is not valid"):
        mistral.cron_triggers.create("bad", "inner", pattern="nonsense")
    end = time.monotonic() + PATIENCE
    while not mistral.executions.list():
        assert time.monotonic() < end
        time.sleep(0.1)
    while len(mistral.cron_triggers.list()) == 2:
        assert time.monotonic() < end
        time.sleep(0.1)
    (begun,) = mistral.executions.list()
    assert begun.workflow_name == "inner"
    mistral.cron_triggers.delete("often")
    assert mistral.cron_triggers.list() == []


def test_projects_see_nothing_of_each_other(served: Served, mistral: Any) -> None:
    begun = mistral.executions.create("outside")
    (task,) = mistral.tasks.list(begun.id)
    (action,) = mistral.action_executions.list(task.id)
    other = client_of(served, "somebody else")
    assert other.workflows.list() == []
    assert other.executions.list() == []
    assert other.tasks.list() == []
    looks: tuple[Callable[[], Any], ...] = (
        lambda: other.executions.get(begun.id),
        lambda: other.executions.update(begun.id, "CANCELLED"),
        lambda: other.executions.delete(begun.id, force=True),
        lambda: other.tasks.get(task.id),
        lambda: other.action_executions.update(action.id, state="SUCCESS", output="1"),
        lambda: other.executions.create("outside"),
    )
    for look in looks:
        with pytest.raises(APIException) as refused:
            look()
        assert refused.value.error_code == 404
    assert mistral.executions.get(begun.id).state == "RUNNING"


def test_tokens_say_whose_workflows_are_meant(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("secret-a ann red\nsecret-b bob blue\n", encoding="utf-8")
    tokens.chmod(0o600)
    with serving("--auth-tokens", str(tokens)) as server:
        ann, bob = (
            Client(mistral_url=f"{server.url}/v2", auth_token=token, project_id="ignored")
            for token in ("secret-a", "secret-b")
        )
        ann.workflows.create("version: '2.0'\nmine: {tasks: {t: {action: std.noop}}}\n")
        assert [each.name for each in ann.workflows.list()] == ["mine"]
        assert bob.workflows.list() == []
        nobody = Client(mistral_url=f"{server.url}/v2", auth_token="", project_id="red")
        with pytest.raises(APIException) as refused:
            nobody.workflows.list()
        assert refused.value.error_code == 401
