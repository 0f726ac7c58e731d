"""The real command through pipes: lines for people, objects for programs, exit codes, refusals."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.command.shop import write_shop
from tests.acceptance.command.terminal import COMMAND, environment, piped
from tests.acceptance.serving import serving

FAST = ("--parameter", "pace=0")
MADE = (*FAST, "--environment-list", "many.list")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the stack `app`, made of both environments."""
    folder = tmp_path_factory.mktemp("home")
    write_shop(folder)
    made = piped("up", "app.yaml", "--yes", *MADE, home=folder)
    assert made.returncode == 0, made.stderr
    return folder


def run(home: Path, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    done = piped(*arguments, home=home, **more)
    assert "Traceback" not in done.stderr + done.stdout
    return done


def records(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """The objects that a command has written, one to a line, and nothing beside them."""
    assert done.stderr == ""
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(isinstance(each["type"], str) for each in found)
    return found


def test_a_stack_is_created_with_lines_and_changed_with_objects(tmp_path: Path) -> None:
    home = tmp_path
    write_shop(home)
    created = run(home, "up", "app.yaml", "--yes", *FAST)
    assert (created.returncode, created.stderr) == (0, "")
    lines = created.stdout.splitlines()
    assert lines[0] == "Plan for the new stack app: 7 to create"
    assert any(line[10:].startswith("CREATE_COMPLETE       web.1.server") for line in lines)
    assert "\x1b" not in created.stdout
    assert "  word: one" in lines

    changed = records(
        run(
            home,
            "up",
            "app.yaml",
            "--yes",
            *FAST,
            "--environment-list",
            "many.list",
            "--output",
            "json",
        )
    )
    plan, *events, result = changed
    assert plan["type"] == "plan"
    assert plan["counts"]["replace"] == 2
    (step,) = [each for each in plan["steps"] if each["path"] == ["web", "0", "server"]]
    assert step["step"] == "replace"
    (change,) = step["changes"]
    sources = change.pop("sources")
    assert change == {
        "property": "update_replace_value",
        "old": "old",
        "new": "newer",
        "is_in_place": False,
    }
    assert {"kind": "environment", "name": "image", "file": "two.env.yaml", "line": 1} in [
        {key: each[key] for key in ("kind", "name", "file", "line")} for each in sources
    ]
    assert {each["type"] for each in events} == {"event"}
    assert any(each["path"] == ["web", "0", "server"] for each in events)
    assert result | {"seconds": 0, "stack_id": ""} == {
        "type": "result",
        "stack_name": "app",
        "stack_id": "",
        "status": "UPDATE_COMPLETE",
        "reason": "Stack UPDATE completed successfully",
        "seconds": 0,
        "outputs": [
            {"output_key": "word", "description": "No description given", "output_value": "two"},
            {
                "output_key": "map",
                "description": "No description given",
                "output_value": {"a": [1, "two"]},
            },
        ],
        "failures": [],
        "exit_code": 0,
    }


def test_what_there_is_can_be_read_in_many_ways(home: Path) -> None:
    (stack,) = records(run(home, "ls", "--output", "json"))
    assert (stack["type"], stack["stack_name"]) == ("stack", "app")
    assert run(home, "outputs", "app", "word").stdout == "two\n"
    assert json.loads(run(home, "outputs", "app", "map").stdout) == {"a": [1, "two"]}
    tree = run(home, "tree", "app").stdout
    assert "app  CREATE_COMPLETE  (7 done)" in tree
    assert "   └─ server" in tree
    resources = records(run(home, "resources", "app", "-n", "MAX", "--output", "json"))
    assert len(resources) == 7
    (first, second) = [each for each in resources if each["resource_name"] == "server"]
    assert {first["parent"], second["parent"]} == {"0", "1"}
    assert first["stack_name"].startswith("app-web-")
    assert "PARENT" in run(home, "resources", "app", "-n", "1").stdout
    assert len(records(run(home, "resources", "app", "--output", "json"))) == 3
    events = records(run(home, "events", "app", "-n", "MAX", "--limit", "3", "--output", "json"))
    assert [each["is_of_stack"] for each in events][-1] is True
    assert len(events) == 3
    shown = run(home, "show", "app").stdout
    assert "secret: ******" in shown
    assert "hunter2" not in shown
    origins = run(home, "environment", "show", "app", "--origins").stdout
    assert "instead of new from " in origins
    assert origins.startswith("# 1. ")
    assert run(home, "stack", "list").stdout == run(home, "ls").stdout
    assert "heat_template_version: wallaby" in run(home, "template", "show", "app").stdout
    assert "OS::Heat::RandomString\n" in run(home, "types").stdout
    assert "OS::Heat::RandomString" in run(home, "types", "OS::Heat::RandomString").stdout


def test_a_preview_tells_by_its_exit_code_whether_there_is_something_to_do(home: Path) -> None:
    assert run(home, "preview", "app.yaml", *MADE).returncode == 0
    changing = run(home, "preview", "app.yaml", *FAST)
    assert changing.returncode == 3
    assert "2 to replace" in changing.stdout
    assert run(home, "up", "--preview", "app.yaml", *FAST).returncode == 3


def test_where_nobody_can_be_asked_nothing_is_done(home: Path) -> None:
    asked = run(home, "up", "app.yaml", *FAST)
    assert asked.returncode == 2
    assert "--yes" in asked.stderr
    (_, error) = records(run(home, "down", "app", "--output", "json"))
    assert error["exit_code"] == 2


def test_a_stack_that_has_moved_is_left_alone_if_asked(home: Path) -> None:
    with serving(database=f"sqlite:///{home / 'moved.db'}") as served:
        where = ("--url", served.url)
        assert run(home, "up", "app.yaml", "--yes", *FAST, *where).returncode == 0
        same = run(home, "up", "app.yaml", "--yes", "--only-if-unchanged", *FAST, *where)
        assert same.returncode == 0


def test_snapshots_suspension_checks_and_signals(tmp_path: Path) -> None:
    home = tmp_path
    write_shop(home)
    assert run(home, "up", "app.yaml", "--yes", *FAST).returncode == 0
    assert run(home, "snapshot", "create", "app", "--name", "first").returncode == 0
    (snapshot,) = records(run(home, "snapshot", "list", "app", "--output", "json"))
    assert (snapshot["name"], snapshot["status"]) == ("first", "COMPLETE")
    assert "SUSPEND_COMPLETE" in run(home, "suspend", "app").stdout
    assert "RESUME_COMPLETE" in run(home, "resume", "app").stdout
    assert "CHECK_COMPLETE" in run(home, "check", "app").stdout
    assert run(home, "snapshot", "restore", "app", "first", "--yes").returncode == 0
    assert run(home, "snapshot", "delete", "app", "first", "--yes").returncode == 0
    assert run(home, "signal", "app", "network").returncode == 5


def test_a_stack_goes_to_another_place_with_its_objects(tmp_path: Path) -> None:
    write_shop(tmp_path)
    assert run(tmp_path, "up", "app.yaml", "--yes", *FAST).returncode == 0
    before = records(run(tmp_path, "resources", "app", "-n", "MAX", "--output", "json"))
    assert run(tmp_path, "abandon", "app", "--yes", "--output-file", "app.json").returncode == 0
    assert (tmp_path / "app.json").stat().st_mode & 0o777 == 0o600
    assert run(tmp_path, "show", "app").returncode == 5
    assert run(tmp_path, "adopt", "again", "app.json").returncode == 0
    after = records(run(tmp_path, "resources", "again", "-n", "MAX", "--output", "json"))

    def leaves(found: list[dict[str, Any]]) -> set[str]:
        return {each["physical_resource_id"] for each in found if each["resource_name"] == "server"}

    assert leaves(before) == leaves(after)
    assert run(tmp_path, "stack", "delete", "--yes", "--wait", "again").returncode == 0


def test_the_names_of_the_openstack_client_work(tmp_path: Path) -> None:
    write_shop(tmp_path)
    made = run(tmp_path, "stack", "create", "-t", "app.yaml", *FAST, "--wait", "mine")
    assert "mine: CREATE_COMPLETE" in made.stdout
    assert (
        run(tmp_path, "stack", "update", "-t", "app.yaml", "--dry-run", *FAST, "mine").returncode
        == 0
    )
    assert "server" in run(tmp_path, "stack", "resource", "list", "-n", "5", "mine").stdout
    assert "CREATE_COMPLETE" in run(tmp_path, "stack", "event", "list", "mine").stdout
    assert run(tmp_path, "stack", "output", "show", "mine", "word").stdout == "one\n"


def test_detaching_needs_a_server(tmp_path: Path) -> None:
    write_shop(tmp_path)
    done = run(tmp_path, "up", "app.yaml", "--yes", "--detach")
    assert done.returncode == 5
    assert done.stderr.startswith("hotplate: --detach needs a server")
    assert "hotplate serve" in done.stderr


def test_a_reader_that_has_seen_enough_is_no_error(home: Path) -> None:
    done = subprocess.run(
        f"'{COMMAND}' events app -n MAX | head -n 1",
        shell=True,
        cwd=home,
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


def test_looking_makes_nothing(tmp_path: Path) -> None:
    assert "no stacks yet" in run(tmp_path, "ls").stderr
    assert run(tmp_path, "show", "app").returncode == 5
    named = run(tmp_path, "ls", "--database", f"sqlite:///{tmp_path / 'none' / 'x.db'}")
    assert (named.returncode, "there is no database" in named.stderr) == (5, True)
    assert list(tmp_path.iterdir()) == []


def test_what_is_odd_in_any_template_is_told_before_the_plan(tmp_path: Path) -> None:
    write_shop(tmp_path)
    text = (tmp_path / "server.yaml").read_text(encoding="utf-8")
    odd = f"{text}outputs: {{x: {{value: {{get_prm: image}}}}}}\n"
    (tmp_path / "server.yaml").write_text(odd, encoding="utf-8")
    wanted = "warning: server.yaml:13:23: outputs.x.value.get_prm: get_prm is not a function"
    planned = run(tmp_path, "preview", "app.yaml", *FAST)
    assert planned.returncode == 3
    assert wanted in planned.stderr
    checked = run(tmp_path, "template", "validate", "app.yaml")
    assert (checked.returncode, wanted in checked.stderr) == (0, True)


def test_what_was_in_hand_when_the_stack_failed_is_brought_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "app.yaml").write_text(
        "heat_template_version: wallaby\nresources:\n"
        "  a: {type: OS::Heat::TestResource, properties: {fail: true, wait_secs: 0.2}}\n"
        "  b: {type: OS::Heat::TestResource, properties: {wait_secs: 2}}\n",
        encoding="utf-8",
    )
    assert run(tmp_path, "up", "app.yaml", "--yes").returncode == 1
    assert "b  CREATE_COMPLETE" in run(tmp_path, "tree", "app").stdout


def test_why_it_went_back_is_told(home: Path) -> None:
    broken = ("--parameter", "broken=true", "--rollback")
    done = run(home, "up", "app.yaml", "--yes", *MADE, *broken)
    assert done.returncode == 1
    end = done.stdout[done.stdout.index("app: ROLLBACK_COMPLETE") :]
    assert "the update had failed:\n  Test Resource failed server\n    at web." in end
    again = run(home, "up", "app.yaml", "--yes", *MADE)
    assert again.stdout.startswith("Plan for the stack app: 7 unchanged\napp: UPDATE_COMPLETE")


def test_a_creation_that_is_cancelled_has_nothing_to_go_back_to(tmp_path: Path) -> None:
    write_shop(tmp_path)
    with serving(database=f"sqlite:///{tmp_path / 'cancelled.db'}") as served:
        where = ("--url", served.url)
        slowly = ("--parameter", "pace=30", "--detach")
        assert run(tmp_path, "up", "app.yaml", "--yes", *slowly, *where).returncode == 0
        refused = run(tmp_path, "cancel", "app", *where)
        assert refused.returncode == 5
        assert "`hotplate cancel app --no-rollback` stops it where it is" in refused.stderr
        stopped = run(tmp_path, "cancel", "app", "--no-rollback", *where)
        assert stopped.returncode == 0


FLOW = """\
heat_template_version: wallaby
parameters:
  word: {type: string, default: hunter2, hidden: true}
resources:
  maker:
    type: OS::Mistral::Workflow
    properties:
      name: make_record
      type: direct
      input: {host: none, word: none}
      tasks:
        - {name: refuse, action: std.fail}
  record:
    type: OS::Mistral::ExternalResource
    properties:
      actions: {CREATE: {workflow: {get_resource: maker}, params: {}}}
      input: {host: db1, word: {get_param: word}}
"""


def test_a_workflow_that_failed_is_told_in_a_sentence_and_can_be_looked_at(tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(FLOW, encoding="utf-8")
    failed = run(tmp_path, "up", "flow.yaml", "--yes")
    assert failed.returncode == 1
    words = "the CREATE workflow make_record failed: the task refuse failed: std.fail failed"
    assert words in failed.stdout
    assert "its workflow was given host: db1, word: ******" in failed.stdout
    (found,) = records(run(tmp_path, "executions", "--output", "json"))
    assert (found["type"], found["workflow_name"], found["state"]) == (
        "execution",
        "make_record",
        "ERROR",
    )
    shown = run(tmp_path, "executions", found["id"][:12])
    assert '"host": "db1"' in shown.stdout
    assert run(tmp_path, "executions", "nothing").returncode == 5


def test_the_settings_of_providers_count_in_plans(tmp_path: Path) -> None:
    objects = tmp_path / "objects"
    (tmp_path / "file.yaml").write_text(
        "heat_template_version: wallaby\n"
        "resources:\n"
        "  f: {type: Hotplate::Directory::File, external_id: nothing.txt}\n",
        encoding="utf-8",
    )
    off = run(tmp_path, "preview", "file.yaml")
    assert 'the service "directory" is not enabled here' in off.stdout
    on = run(tmp_path, "preview", "file.yaml", "--objects", str(objects))
    assert "there is no object nothing.txt" in on.stdout
    assert not objects.exists()
