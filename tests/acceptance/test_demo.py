"""The command that brings a stack up on an engine of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).with_name("hotplate")
HELLO = "examples/hello.yaml"


def demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "demo", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_events_are_printed_as_they_happen_and_the_outputs_at_the_end() -> None:
    result = demo("--delete", HELLO, "--parameter", "name=Ada")
    assert (result.returncode, result.stderr) == (0, "")
    lines = [re.sub(r"^[-\d]+ [:\d]+Z ", "", line) for line in result.stdout.splitlines()]
    assert lines[0] == "[hello]: CREATE_IN_PROGRESS  Stack CREATE started"
    assert "[hello.greeting]: CREATE_COMPLETE  state changed" in lines
    made = lines.index("[hello]: CREATE_COMPLETE  Stack CREATE completed successfully")
    assert re.fullmatch(r"greeting: Hello Ada, your lucky number is \d{4}\.", lines[made + 1])
    assert lines[made + 2] == "[hello]: DELETE_IN_PROGRESS  Stack DELETE started"
    assert lines[-1] == "[hello]: DELETE_COMPLETE  Stack DELETE completed successfully"


def test_a_stack_is_kept_where_the_user_says(tmp_path: Path) -> None:
    data = ["--data", str(tmp_path / "data")]
    first = demo(HELLO, *data)
    again = demo(HELLO, *data, "--parameter", "name=Ada")
    assert first.returncode == again.returncode == 0
    assert "UPDATE_COMPLETE" in again.stdout
    assert "CREATE" not in again.stdout
    (number,) = re.findall(r"number is (\d+)", first.stdout)
    assert f"Hello Ada, your lucky number is {number}." in again.stdout


def test_what_is_wrong_is_told_with_its_place() -> None:
    result = demo("examples/broken.yaml")
    assert result.returncode == 1
    assert re.match(r"error: examples/broken\.yaml:\d+:\d+: ", result.stderr)
    assert result.stdout.startswith("examples/broken.yaml: not valid")


def test_a_stack_that_fails_ends_the_command_with_1(tmp_path: Path) -> None:
    template = tmp_path / "bad.yaml"
    template.write_text(
        "heat_template_version: wallaby\n"
        "resources: {a: {type: OS::Heat::TestResource, properties: {fail: true}}}\n",
        encoding="utf-8",
    )
    result = demo(str(template))
    assert result.returncode == 1
    assert "[bad.a]: CREATE_FAILED" in result.stdout
    assert "Test Resource failed a" in result.stdout


def test_make_demo_brings_a_stack_up() -> None:
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        ["sh", "examples/demo.sh"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path},
    )
    assert result.returncode == 0, result.stderr
    assert "[hello]: DELETE_COMPLETE" in result.stdout
