"""Outputs: whole in a pipe, their beginning on a terminal."""

from typing import Any

import pytest

from hotplate.cli.output.output import Output
from hotplate.cli.view.values import show_outputs

LONG: list[dict[str, Any]] = [
    {"output_key": "list", "output_value": [f"address {number}" for number in range(30)]},
    {"output_key": "text", "output_value": "word " * 1000},
    {"output_key": "short", "output_value": "here"},
]


def said(capsys: pytest.CaptureFixture[str]) -> str:
    show_outputs(Output(), "app", LONG)
    return capsys.readouterr().out


def test_a_pipe_gets_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys)
    assert "address 29" in text
    assert "…" not in text


def test_a_terminal_gets_the_beginning_and_the_way_to_the_rest(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Output, "width", property(lambda _: 80))
    text = said(capsys)
    assert "address 0" in text
    assert "address 29" not in text
    assert "… and 24 more lines; `hotplate outputs app list` prints all of it" in text
    assert "more characters; `hotplate outputs app text` prints all of it" in text
    assert text.rstrip().endswith("short: here")
