"""`hotplate template validate`: JSON, colours, help, and what wrong usage is told."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.command.template_validate.validation import NUMBERS, VERSION, Validate, Write

COMMAND = Path(sys.executable).with_name("hotplate")


def test_json_output_has_the_documented_shape(write: Write, validate: Validate) -> None:
    write("t.yaml", NUMBERS + "resources: {}\nresources: {r: {type: X}}\n")
    answer = validate("t.yaml", "--parameter", "m=x", "--output", "json")
    assert answer.code == 1
    assert answer.problems == []
    assert answer.data["valid"] is False
    assert answer.data["errors"] == [
        {
            "file": "explicit parameters",
            "line": None,
            "column": None,
            "path": "parameters.m",
            "message": "the value of m is invalid: 'x' is not a number",
            "hint": "",
        }
    ]
    assert answer.data["warnings"] == [
        {
            "file": "t.yaml",
            "line": 4,
            "column": 1,
            "path": "resources",
            "message": 'the key "resources" is given twice',
            "hint": "the last one counts; remove the other",
        }
    ]


def test_json_output_of_a_valid_template(write: Write, validate: Validate) -> None:
    write("t.yaml", NUMBERS)
    answer = validate("t.yaml", "--output", "json")
    assert answer.code == 0
    assert answer.data == {
        "valid": True,
        "errors": [],
        "warnings": [],
        "missing_parameters": ["n"],
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Missing argument 'FILE'"),
        (["t.yaml", "--parameter", "n"], '"n" is not of the form NAME=VALUE'),
        (["t.yaml", "--parameter", "=5"], '"=5" is not of the form NAME=VALUE'),
        (["t.yaml", "--output", "xml"], "'xml' is not one of 'text', 'json'"),
        (["t.yaml", "--zebra"], "No such option"),
        (["t.yaml", "more.yaml"], "Got unexpected extra argument (more.yaml)"),
    ],
)
def test_wrong_usage_exits_with_2(
    write: Write, validate: Validate, arguments: list[str], words: str
) -> None:
    write("t.yaml", NUMBERS)
    answer = validate(*arguments)
    assert answer.code == 2
    assert words in answer.problems[-1]


def test_there_are_no_colours_where_there_is_no_terminal(write: Write, validate: Validate) -> None:
    write("t.yaml", VERSION + "zebra: 1\n")
    answer = validate("t.yaml")
    assert "\x1b" not in answer.out + "".join(answer.problems)


@pytest.mark.parametrize(("no_color", "coloured"), [(None, True), ("1", False), ("", True)])
def test_colours_on_a_terminal_can_be_switched_off(
    write: Write, tmp_path: Path, no_color: str | None, coloured: bool
) -> None:
    write("t.yaml", VERSION + "zebra: 1\n")
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    if no_color is not None:
        environment["NO_COLOR"] = no_color
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [COMMAND, "template", "validate", "t.yaml"],
            cwd=tmp_path,
            env=environment,
            stdout=theirs,
            stderr=theirs,
            check=False,
        )
        printed = os.read(ours, 10_000).decode()
    finally:
        os.close(theirs)
        os.close(ours)
    assert done.returncode == 1
    assert "t.yaml:2:1: zebra: unknown section" in printed
    assert ("\x1b[" in printed) is coloured


def test_help_explains_every_option(validate: Validate) -> None:
    answer = validate("--help")
    assert answer.code == 0
    for option in ("--environment", "--parameter", "--language-only", "--output"):
        assert option in answer.out
