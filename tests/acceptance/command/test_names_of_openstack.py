"""`hotplate stack …`: every command and option that users of `openstack stack` know."""

import json
import subprocess
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import click
import pytest

from hotplate.cli.main import group
from tests.acceptance.command.shop import write_shop
from tests.acceptance.command.terminal import piped, terminal
from tests.acceptance.serving import Served, serving

FAST = ("--parameter", "pace=0")
THEIRS = sorted(
    (each for each in entry_points(group="openstack.orchestration.v1") if "stack_" in each.name),
    key=lambda each: each.name,
)
NOT_HERE = {
    # How the table is printed: here that is --output json, or the terminal's width.
    "-f", "--format", "-c",
    "--column", "--noindent", "--prefix", "--variable", "--quote", "--max-width",
    "--fit-width", "--print-empty", "--sort-column", "--sort-ascending", "--sort-descending",
    "-h",
    # There is no object store.
    "-s", "--files-container",
    # Listing: the time is always shown, and a project has no domain here.
    "--short", "--long", "--project-domain",
    # Events come in their order.
    "--sort", "--filter",
    # What is adopted brings its environment and its values along.
    "--environment", "-e", "--parameter",
}  # fmt: skip
DEPLOYED = """\
heat_template_version: wallaby
resources:
  config: {type: OS::Heat::SoftwareConfig, properties: {group: script, config: "false"}}
  deployment:
    type: OS::Heat::SoftwareDeployment
    properties: {config: {get_resource: config}, server: some-server, signal_transport: HEAT_SIGNAL}
"""


def found(words: list[str]) -> click.Command | None:
    command: click.Command = group
    context = click.Context(group, info_name="hotplate")
    for word in words:
        if not isinstance(command, click.Group):
            return None
        inner = command.get_command(context, word)
        if inner is None:
            return None
        command, context = inner, click.Context(inner, info_name=word, parent=context)
    return command


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of their own modules
@pytest.mark.parametrize("theirs", THEIRS, ids=[each.name for each in THEIRS])
def test_every_command_is_there_with_its_options(theirs: EntryPoint) -> None:
    ours = found(theirs.name.split("_"))
    assert ours is not None
    assert not isinstance(ours, click.Group)
    taken = {text for option in ours.params for text in option.opts}
    if theirs.name == "stack_event_list":
        assert {"--nested-depth", "--follow", "--limit", "--marker", "--resource"} <= taken
    parser = theirs.load()(None, None).get_parser("x")
    wanted = {text for action in parser._actions for text in action.option_strings}
    if theirs.name in ("stack_create", "stack_update"):
        assert {"-e", "--environment", "--parameter"} <= taken
    if theirs.name == "stack_list":
        assert "--sort" in taken
    assert wanted - taken - NOT_HERE - {"--help", "--project"} == set()


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = piped(*arguments, home=home)
    assert "Traceback" not in done.stderr + done.stdout
    return done


def records(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with serving(database=f"sqlite:///{folder / 'names.db'}") as served:
        yield served


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_shop(tmp_path)
    return tmp_path


def test_a_stack_lives_under_the_names_that_are_known(home: Path, served: Served) -> None:
    where = ("--url", served.url)
    stack = ("stack",)
    made = run(home, *stack, "create", "-t", "app.yaml", *FAST, "mine", *where)
    assert (made.returncode, made.stderr) == (0, "")
    assert "mine: CREATE has begun" in made.stdout  # with a server nobody has to wait
    assert run(home, "attach", "mine", *where).returncode == 0

    again = run(home, *stack, "create", "-t", "app.yaml", *FAST, "mine", *where)
    assert again.returncode == 5
    assert "the stack mine exists already" in again.stderr
    other = run(home, *stack, "update", "-t", "app.yaml", *FAST, "mien", *where)
    assert other.returncode == 5
    assert 'there is no stack "mien"; did you mean "mine"?' in other.stderr

    changed = run(
        home, *stack, "update", "--existing", "--parameter", "word=two", "--wait", "mine", *where
    )
    assert changed.returncode == 0
    assert run(home, *stack, "output", "show", "mine", "word", *where).stdout == "two\n"
    assert "or --existing" in run(home, *stack, "update", "mine", *where).stderr
    cleared = ("--existing", "--clear-parameter", "word", "--wait")
    assert run(home, *stack, "update", *cleared, "mine", *where).returncode == 0
    assert run(home, *stack, "output", "show", "mine", "word", *where).stdout == "one\n"

    (home / "later").mkdir()
    (home / "later" / "more.yaml").write_text("parameters: {word: later}\n", encoding="utf-8")
    more = ("--existing", "-t", "app.yaml", "-e", "later/more.yaml", "--wait")
    assert run(home, *stack, "update", *more, "mine", *where).returncode == 0
    assert run(home, *stack, "output", "show", "mine", "word", *where).stdout == "later\n"
    named = run(home, *stack, "environment", "show", "mine", *where).stdout
    assert "later/more.yaml\n" in named
    without = ("--existing", "--clear-environment", "later/more.yaml", "--wait")
    assert run(home, *stack, "update", *without, "mine", *where).returncode == 0
    assert run(home, *stack, "output", "show", "mine", "word", *where).stdout == "one\n"

    shown = run(home, *stack, "resource", "show", "mine", "web.1.server", *where)
    assert "  type: OS::Heat::TestResource\n" in shown.stdout
    assert run(home, *stack, "resource", "metadata", "mine", "kept", *where).stdout == "{}\n"
    files = run(home, *stack, "file", "list", "mine", *where)
    assert "server.yaml" in files.stdout
    listed = records(run(home, *stack, "event", "list", "mine", *where, "--output", "json"))
    event = next(each for each in listed if each["resource_name"] == "kept")
    one = run(home, *stack, "event", "show", "mine", "kept", event["id"], *where)
    assert f"id: {event['id']}" in one.stdout
    exported = json.loads(run(home, *stack, "export", "mine", *where).stdout)
    assert exported["resources"].keys() == {"network", "web", "kept"}
    for action in ("check", "suspend", "resume"):
        done = run(home, *stack, action, "mine", "--wait", *where)
        assert f"mine: {action.upper()}_COMPLETE" in done.stdout
    assert run(home, *stack, "delete", "-y", "--wait", "mine", *where).returncode == 0


def test_what_waits_at_a_hook_is_listed_and_let_go(home: Path, served: Served) -> None:
    where = ("--url", served.url)
    hooks = ("--pre-create", "kept", "--pre-create", "web/*")
    made = run(home, "stack", "create", "-t", "app.yaml", *FAST, *hooks, "hooked", *where)
    assert made.returncode == 0
    with terminal("attach", "hooked", *where, home=home, columns=120) as attached:
        attached.until("waiting to create at its hook pre-create")
        attached.until("3 wait at hooks; `hotplate hook clear hooked RESOURCE` lets go on")
        refused = run(home, "stack", "hook", "clear", "hooked", "network", *where)
        assert refused.returncode == 5
        assert (
            'no resource "network" waits at such a hook; these wait: web.0 (pre-create)'
            in refused.stderr
        )
        waiting = records(run(home, "hook", "poll", "hooked", *where, "--output", "json"))
        assert waiting[0]["hook"] == "pre-create"
        assert (
            "waits until its hook pre-create is cleared"
            in run(home, "tree", "hooked", *where).stdout
        )
        cleared = run(home, "stack", "hook", "clear", "hooked", "kept", "web/*", *where)
        assert "kept goes on from pre-create" in cleared.stdout
        assert "web.0 goes on from pre-create" in cleared.stdout
        assert attached.end() == 0
    assert "nothing of hooked waits" in run(home, "hook", "poll", "hooked", *where).stderr
    assert run(home, "down", "hooked", "--yes", *where).returncode == 0


def test_what_a_script_printed_is_told_with_its_failure(home: Path, served: Served) -> None:
    where = ("--url", served.url)
    (home / "deployed.yaml").write_text(DEPLOYED, encoding="utf-8")
    assert run(home, "stack", "create", "-t", "deployed.yaml", "deployed", *where).returncode == 0
    lines = "\n".join(f"line {number}" for number in range(30))
    data = {"deploy_status_code": 7, "deploy_stderr": lines, "deploy_stdout": "begun"}
    tell = ("signal", "deployed", "deployment", "--data", json.dumps(data))
    assert run(home, "stack", "resource", *tell, *where).returncode == 0
    assert run(home, "attach", "deployed", *where).returncode == 1
    short = run(home, "stack", "failures", "list", "deployed", *where).stdout
    assert "deploy_stdout:\n      begun\n" in short
    assert "line 29" in short
    assert "line 3\n" not in short
    assert "line 3\n" in run(home, "failures", "deployed", "--long", *where).stdout
    assert run(home, "down", "deployed", "--yes", *where).returncode == 0


def test_a_resource_that_somebody_marks_is_made_anew(home: Path, served: Served) -> None:
    where = ("--url", served.url)
    assert run(home, "up", "app.yaml", "--yes", *FAST, *where).returncode == 0
    marked = run(home, "stack", "resource", "mark", "unhealthy", "app", "network", "worn", *where)
    assert marked.stdout == "network is marked; the next update makes a new one\n"
    assert "worn" in run(home, "failures", "app", *where).stdout
    assert "1 to replace" in run(home, "preview", "app.yaml", *FAST, *where).stdout
    reset = ("resource", "mark-unhealthy", "app", "network", "--reset")
    assert run(home, *reset, *where).returncode == 0
    assert run(home, "preview", "app.yaml", *FAST, *where).returncode == 0
    assert run(home, "down", "app", "--yes", *where).returncode == 0
