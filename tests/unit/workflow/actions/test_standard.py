"""The std actions that touch nothing."""

from typing import Any

import pytest

from hotplate.workflow.actions import Actions, ActionSettings, Pause
from hotplate.workflow.machine import Result


def at_once(name: str, **given: Any) -> Any:
    action = Actions().find(name)
    assert action is not None
    assert action.at_once is not None
    assert action.complaint(given) == ""
    return action.at_once(action.filled(given))


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("std.noop", {}, Result()),
        ("std.echo", {"output": {"a": [1]}}, Result(value={"a": [1]})),
        ("std.echo", {"output": 1, "delay": "2.5"}, Pause(2.5, Result(value=1))),
        ("std.echo", {"output": 1, "delay": -1}, Result(value=1)),
        ("std.echo", {"output": 1, "delay": "soon"}, Result(value=1)),
        ("std.sleep", {}, Pause(1)),
        ("std.sleep", {"seconds": "3"}, Pause(3)),
        ("std.sleep", {"seconds": "soon"}, Result()),
        ("std.sleep", {"seconds": -3}, Result()),
        ("std.async_noop", {}, Pause(None)),
        ("std.test_dict", {"size": 2, "key_prefix": "k", "val": "v"},
         Result(value={"k0": "v", "k1": "v"})),
        ("std.fail", {"error_data": {"code": 5}}, Result(error={"code": 5}, failed=True)),
    ],
)  # fmt: skip
def test_what_they_do(name: str, given: dict[str, Any], expected: Any) -> None:
    assert at_once(name, **given) == expected


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("std.fail", {}),
        ("std.test_dict", {"size": 10**9}),
        ("std.test_dict", {"size": "many"}),
        ("std.test_dict", {"size": 9999, "val": "x" * 10_000}),
        ("std.sleep", {"seconds": [1]}),
        ("std.echo", {"output": 1, "delay": None}),
    ],
)
def test_what_fails(name: str, given: dict[str, Any]) -> None:
    result = at_once(name, **given)
    assert result.failed
    assert result.error


def test_names_of_the_input_are_checked() -> None:
    echo = Actions().find("std.echo")
    assert echo is not None
    assert echo.complaint({"delay": 1, "colour": 2}) == (
        "Invalid input [name=std.echo, missing=['output'], unexpected=['colour']]"
    )


def test_parameters_are_written_as_in_mistrals_api() -> None:
    written = {action.name: action.signature for action in Actions()}
    assert written["std.echo"] == "output, delay=0"
    assert written["std.fail"] == "error_data=null"
    assert written["std.test_dict"] == 'size=0, key_prefix="", val=""'
    assert written["std.http"].startswith('url, method="GET", params=null')


def test_letters_and_commands_are_off_unless_allowed() -> None:
    closed, opened = Actions(), Actions(ActionSettings(may_email=True, may_ssh=True))
    for name in ("std.email", "std.ssh", "std.ssh_proxied"):
        assert closed.find(name) is None
        assert "switched off" in closed.why_not(name)
        assert opened.find(name) is not None
    assert "no scripts" in closed.why_not("std.js")
    assert closed.why_not("std.other") == "there is no action std.other"
