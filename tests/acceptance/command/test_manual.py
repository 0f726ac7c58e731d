"""The help of the command: complete, and the same in the pages."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from hotplate.cli.command_line.lazy_commands import ExampleCommand
from hotplate.cli.main import group
from hotplate.cli.manual import manual
from tests.acceptance.command.shop import write_shop
from tests.acceptance.command.terminal import COMMAND, environment, piped

ROOT = Path(__file__).resolve().parents[3]


def every(command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None, f"{context.command_path} {name}"
            yield from every(inner, click.Context(inner, info_name=name, parent=context))
    else:
        yield context.command_path, command


COMMANDS = list(every(group, click.Context(group, info_name="hotplate")))


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[path for path, _ in COMMANDS])
def test_every_command_explains_itself_with_examples(path: str, command: click.Command) -> None:
    assert command.help
    assert isinstance(command, ExampleCommand)
    assert command.examples
    names = ("template", "snapshot", "environment", "db", "stack")
    for line, _ in command.examples:
        assert "hotplate " in line
        if path.split()[1] not in names:
            assert path in line
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help or option.name == "minutes"


EXAMPLES = [
    line
    for path, command in COMMANDS
    if isinstance(command, ExampleCommand)
    for line, _ in command.examples
]


@pytest.mark.parametrize("line", EXAMPLES)
def test_every_example_can_be_typed(line: str) -> None:
    words = shlex.split(line.removeprefix('eval "$(').removesuffix(')"'))
    ends = [words.index(sign) for sign in ("|", "||", "&&", ">", "<") if sign in words]
    arguments = words[words.index("hotplate") + 1 : min(ends, default=None)]
    command: click.Command = group
    context = click.Context(group, info_name="hotplate")
    while isinstance(command, click.Group):
        name, inner, arguments = command.resolve_command(context, arguments)
        assert inner is not None
        command = inner
        context = click.Context(inner, info_name=name, parent=context)
    command.make_context(command.name or "", arguments)


def test_the_reference_is_fresh() -> None:
    page = (ROOT / "docs" / "command-reference.md").read_text(encoding="utf-8")
    assert page == manual(), "run make manual"


def test_help_is_printed_with_all_commands() -> None:
    done = subprocess.run([COMMAND, "--help"], capture_output=True, text=True, check=True)
    for name in group.lazy:
        assert f"\n  {name} " in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed(shell: str, tmp_path: Path) -> None:
    done = piped("completion", shell, home=tmp_path)
    assert done.returncode == 0
    assert f"{shell}_complete" in done.stdout
    assert "_HOTPLATE_COMPLETE" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_stacks_and_resources_are_completed(shell: str, tmp_path: Path) -> None:
    write_shop(tmp_path)
    made = piped("up", "app.yaml", "--yes", "--parameter", "pace=0", home=tmp_path)
    assert made.returncode == 0

    def completed(line: str) -> list[str]:
        words = line.split(" ")
        done = piped(
            home=tmp_path,
            more={
                "_HOTPLATE_COMPLETE": f"{shell}_complete",
                "COMP_WORDS": line,
                "COMP_CWORD": words[-1] if shell == "fish" else str(len(words) - 1),
            },
        )
        assert done.stderr == ""
        lines = done.stdout.splitlines()
        if shell == "zsh":
            return lines[1::3]  # the kind, the name, and what is told of it
        return [each.partition(",")[2].partition("\t")[0] for each in lines if each]

    assert completed("hotplate sh") == ["show"]
    assert completed("hotplate down a") == ["app"]
    assert completed("hotplate why app web.0") == ["web.0", "web.0.server"]
    assert completed("hotplate why nothing x") == []
    assert completed("hotplate outputs app m") == ["map"]
    assert completed("hotplate up app.yaml --parameter w") == ["word="]
    assert completed("hotplate types OS::Heat::RandomS") == ["OS::Heat::RandomString"]
    # The shell completes files itself.
    assert completed("hotplate up ap") == ["ap"]
    assert completed("hotplate up app.yaml -e ne") == ["ne"]


def test_bash_puts_in_what_comes_after_a_colon(tmp_path: Path) -> None:
    write_shop(tmp_path)
    script = r"""
        eval "$(hotplate completion bash)"
        compopt() { echo "$@"; }
        try() {
            COMP_LINE=$1; COMP_POINT=${#1}
            _hotplate_completion hotplate
            echo "${COMPREPLY[@]}"
        }
        try "hotplate types OS::Heat::RandomS"
        try "hotplate up "
        try "hotplate up app.yaml --parameter wo"
        try "hotplate up app.yaml --parameter-file word=ap"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=environment(tmp_path, PATH=f"{COMMAND.parent}:{os.environ['PATH']}"),
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "RandomString",
        "-o default",
        "",
        "-o nospace",
        "word=",
        "-o default",
        "",
    ]


def test_nothing_heavy_is_imported_for_help() -> None:
    code = (
        "import sys; from hotplate.cli.main import run; run(['--help']);"
        "print([n for n in ('sqlalchemy', 'httpx', 'rich', 'yaml', 'asyncio') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.splitlines()[-1] == "[]"
