"""Calls on one line."""

from typing import Any

import pytest

from hotplate.workflow.language.inline import BadCall, split_call, split_parameters


@pytest.mark.parametrize(
    ("text", "call", "parameters"),
    [
        ("std.noop", "std.noop", {}),
        ("std.echo output='a b'", "std.echo", {"output": "a b"}),
        ('std.echo output="it\'s"', "std.echo", {"output": "it's"}),
        ("std.echo output=12 delay=1.5", "std.echo", {"output": 12, "delay": 1.5}),
        ("std.echo output=-1", "std.echo", {"output": -1}),
        ("a x=true y=false z=null", "a", {"x": True, "y": False, "z": None}),
        ('a x=[1, "b", {"c": null}] y=2', "a", {"x": [1, "b", {"c": None}], "y": 2}),
        ('a x={"k": [1]}', "a", {"x": {"k": [1]}}),
        ("a x=<% $.a + ' b=3 ' %> y=1", "a", {"x": "<% $.a + ' b=3 ' %>", "y": 1}),
        ("a x={{ _.a }} y='q'", "a", {"x": "{{ _.a }}", "y": "q"}),
        ("a x=[<% $.b %>, 1]", "a", {"x": "[<% $.b %>, 1]"}),
        ("<% $.which %>", "<% $.which %>", {}),
        ("<% $.which %> a=1", "<% $.which %>", {"a": 1}),
        ("{{ _.which }} a=1", "{{ _.which }}", {"a": 1}),
        ('fail(msg="no way")', "fail", {"msg": "no way"}),
        ("fail (msg='x', code=1)", "fail", {"msg": "x", "code": 1}),
        ("fail msg=<% task() %>", "fail", {"msg": "<% task() %>"}),
        ("a break-on=<% true %>", "a", {"break-on": "<% true %>"}),
        ("a x=''", "a", {"x": ""}),
    ],
)
def test_a_call_is_split(text: str, call: str, parameters: dict[str, Any]) -> None:
    assert split_call(text) == (call, parameters)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("std.echo output=A", "must be in quotes"),
        ("std.echo output='a", "not closed"),
        ("std.echo output=<% $.a %>/b", "put the whole value in quotes"),
        ("std.echo output", "expected name=value"),
        ("std.echo output=", "must be in quotes"),
        ("=1", "does not begin with a name"),
        ("", "does not begin with a name"),
        ("fail(msg='x'", 'lacks the closing ")"'),
    ],
)
def test_what_cannot_be_understood_is_said(text: str, said: str) -> None:
    with pytest.raises(BadCall, match=said.replace("(", r"\(").replace(")", r"\)")):
        split_call(text)


def test_a_hostile_line_costs_little() -> None:
    for text in ("a " + "x=[" * 50_000, "a x=" + "<%" * 50_000, "a x=" + "[" * 100_000):
        with pytest.raises(BadCall):
            split_call(text)


def test_parameters_alone() -> None:
    assert split_parameters("count=3 delay=1") == {"count": 3, "delay": 1}
