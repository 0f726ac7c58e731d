"""The examples do what their first lines say, run by the real command."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hotplate.document import parse
from hotplate.environment import merge
from hotplate.environment import parse as parse_environment
from hotplate.template import compile_template, parameter_values
from tests.acceptance import warm_command

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"

FILES = sorted(path for path in EXAMPLES.rglob("*") if path.suffix in (".yaml", ".template"))
TEMPLATES = [path for path in FILES if not path.name.endswith(".env.yaml")]
BROKEN = EXAMPLES / "broken.yaml"


def head_of(path: Path) -> str:
    """The comment that a file begins with, without its marks."""
    head = re.match(r"(#.*\n)+", path.read_text(encoding="utf-8"))
    return re.sub(r"^# ?", "", head[0], flags=re.MULTILINE) if head else ""


def commands_of(path: Path) -> list[str]:
    """The commands that the first lines of an example tell the reader to check it with."""
    joined = re.sub(r"\\\n\s*", "", head_of(path))
    return re.findall(r"^ +(hotplate template validate .*)$", joined, re.MULTILINE)


def run(command: str, *more: str) -> subprocess.CompletedProcess[str]:
    arguments = shlex.split(command)[1:]
    return warm_command.run([*arguments, *more], os.environ, ROOT)


def name(path: Path) -> str:
    return path.relative_to(EXAMPLES).as_posix()


@pytest.mark.parametrize("path", FILES, ids=name)
def test_an_example_begins_with_what_it_shows(path: Path) -> None:
    assert re.match(r"[A-Z].*[.:]", head_of(path))


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
def test_a_template_says_how_to_run_it(path: Path) -> None:
    commands = commands_of(path)
    assert commands
    assert all(str(path.relative_to(ROOT)) in shlex.split(command) for command in commands)


@pytest.mark.parametrize(
    "command",
    [command for path in TEMPLATES if path != BROKEN for command in commands_of(path)],
)
def test_an_example_is_valid_without_warnings(command: str) -> None:
    result = run(command)
    assert (result.returncode, result.stderr) == (0, "")
    assert ": valid" in result.stdout


def test_every_example_but_the_broken_one_can_be_run_with_all_its_values() -> None:
    for path in TEMPLATES:
        if path == BROKEN:
            continue
        reports = [json.loads(run(c, "--output", "json").stdout) for c in commands_of(path)]
        complete = [report for report in reports if not report["missing_parameters"]]
        assert complete or path.name == "web.yaml", f"{name(path)} is never looked at as a whole"


def test_the_broken_example_tells_each_mistake_with_its_place() -> None:
    (command,) = commands_of(BROKEN)
    result = run(command)
    lines = result.stderr.splitlines()
    assert result.returncode == 1
    errors = [line for line in lines if line.startswith("error: ")]
    assert result.stdout.startswith(f"examples/broken.yaml: not valid, {len(errors)} errors")
    assert len(errors) >= 6
    place = r"(error|warning): examples/broken\.yaml:\d+:\d+: \w"
    assert all(re.match(place, line) for line in lines)


def test_the_environments_merge_into_what_the_example_says() -> None:
    folder = EXAMPLES / "environments"

    def document(file: str) -> Any:
        return parse((folder / file).read_text(encoding="utf-8"), file)

    template = compile_template(document("app.yaml"))
    types = {name: parameter.type for name, parameter in template.parameters.items()}
    files = [parse_environment(document(f"{file}.env.yaml")) for file in ("base", "site")]
    values = parameter_values(template, merge(files, types=types).parameters)
    told = re.findall(r"^ +(\w+) {2,}(\S.*?) {2,}", head_of(folder / "app.yaml"), re.MULTILINE)
    assert told
    assert {name: parse(text, "head").data for name, text in told} == {
        name: values[name] for name in template.parameters
    }


def test_every_example_is_listed() -> None:
    listed = re.findall(r"\]\(([\w/.]+)\)", (EXAMPLES / "README.md").read_text(encoding="utf-8"))
    expected = {name(path) for path in TEMPLATES} - {
        f"{folder}/{file}"
        for folder in ("nested", "shop")
        for file in ("web.yaml", "database.yaml")
    }
    assert expected <= set(listed)
