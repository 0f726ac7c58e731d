"""What commands load: only what they need, so that they begin at once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROBE = """
import sys
from hotplate.cli.main import run
code = run(sys.argv[1:])
sys.stderr.write("\\n".join(["loaded:", *sys.modules]))
sys.exit(code)
"""
ENDING = """
import atexit, gc, sys
from hotplate.cli.main import main
atexit.register(lambda: sys.stderr.write(f"frozen: {gc.get_freeze_count() > 0}"))
main()
"""
TEMPLATE = """
heat_template_version: wallaby
resources: {a: {type: OS::Heat::Value, properties: {value: x}}}
outputs: {o: {value: {get_attr: [a, value]}}}
"""
ENGINE = (
    "hotplate.engine.requests.operations",
    "hotplate.engine.worker.worker",
    "hotplate.engine.check.run",
)
LANGUAGES = ("jinja2", "yaql", "hotplate.bounded.jinja", "hotplate.bounded.query")
WORKFLOWS = ("hotplate.workflow.engine", "hotplate.workflow.language", "hotplate.workflow.machine")
IDENTITY = (
    "hotplate.policy",
    "hotplate.server.access.authorization",
    "hotplate.server.access.keystone",
    "hotplate.server.access.token_file",
    "keystoneauth1",
)
OTHERS = ("alembic", *WORKFLOWS, "uvicorn")
NEVER = (*ENGINE, *IDENTITY, *LANGUAGES, *OTHERS, "sqlalchemy.dialects.postgresql")
TYPES = ("hotplate.resources", "hotplate.plan")


def loaded(home: Path, *arguments: str) -> set[str]:
    """The modules that are there at the end of a command that works without a server."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("HOTPLATE_", "OS_"))}
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        cwd=home,
        env=clean | {"HOME": str(home), "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.partition("loaded:\n")[2].splitlines())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a stack in its database."""
    home = tmp_path_factory.mktemp("home")
    (home / "app.yaml").write_text(TEMPLATE, encoding="utf-8")
    assert "hotplate.engine.worker.worker" in loaded(home, "up", "app.yaml", "--yes")
    return home


@pytest.mark.parametrize(
    ("command", "without"),
    [
        ("ls", (*NEVER, *TYPES, "hotplate.template", "hotplate.environment")),
        ("show app", (*NEVER, *TYPES)),
        ("outputs app", (*NEVER, *TYPES)),
        ("template validate app.yaml", (*NEVER, "hotplate.api.stacks.stacks")),
    ],
)
def test_a_command_loads_what_it_needs(home: Path, command: str, without: tuple[str, ...]) -> None:
    found = loaded(home, *command.split())
    assert "hotplate.cli.session.session" in found
    assert sorted(found.intersection(without)) == []


def test_nothing_of_keystone_is_loaded_unless_it_tells_who_asks(home: Path) -> None:
    found = loaded(home, "up", "app.yaml", "--yes")
    assert sorted(found.intersection((*IDENTITY, "hotplate.cloud"))) == []
    probe = "import sys, hotplate.server.service; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert sorted(set(done.stdout.split()).intersection((*IDENTITY, "hotplate.cloud"))) == []


def test_a_list_of_no_stacks_makes_no_database_and_takes_no_steps(tmp_path: Path) -> None:
    found = loaded(tmp_path, "ls")
    assert sorted(found.intersection((*NEVER, *TYPES, "hotplate.template"))) == []
    assert list(tmp_path.rglob("*")) == []


def test_a_command_ends_without_a_last_look_for_garbage() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDING, "--help"], capture_output=True, text=True, check=True
    )
    assert "Show stacks" in done.stdout
    assert done.stderr == "frozen: True"
