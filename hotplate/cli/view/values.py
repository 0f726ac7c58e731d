"""Outputs and other values."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import click

from hotplate.cli.output.output import Output
from hotplate.cli.view.short_forms import counted, printable

_LINES = 8
"""Of a value on a terminal, where what comes before it must not scroll away."""


def show_outputs(output: Output, stack: str, outputs: Iterable[Mapping[str, Any]]) -> None:
    """Print the outputs of a stack with their values, or with why they have none.

    On a terminal only the beginning of a long one.
    """
    for each in outputs:
        name = click.style(str(each["output_key"]), bold=True)
        if each.get("output_error"):
            output.say(f"  {name}: {click.style('no value', fg='red')}: {each['output_error']}")
            continue
        text, left = _beginning(shown(each.get("output_value")), output.width)
        output.say(f"  {name}: {_indented(text)}")
        if left:
            way = f"`hotplate outputs {stack} {each['output_key']}`"
            output.say(f"    … and {left}; {way} prints all of it")


def _beginning(text: str, width: int | None) -> tuple[str, str]:
    """Return what is shown of a text, and how much is not; all of it where there is no terminal."""
    if width is None:
        return text, ""
    lines = text.rstrip("\n").split("\n")
    most = _LINES * max(width, 40)
    kept: list[str] = []
    for line in lines[:_LINES]:
        room = most - sum(map(len, kept))
        kept.append(line[:room])
        if len(line) > room:
            break
    shown_part = "\n".join(kept)
    missing = len(text.rstrip("\n")) - len(shown_part)
    if not missing:
        return text, ""
    more = len(lines) - len(kept)
    return shown_part, counted(more, "more line") if more else counted(missing, "more character")


def shown(value: Any) -> str:
    """Return a value as text: texts as they are, the rest as JSON."""
    if isinstance(value, str):
        return printable(value)
    return printable(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def _indented(text: str) -> str:
    return text.rstrip("\n").replace("\n", "\n    ")


def as_yaml(document: Any) -> str:
    """Return a document as YAML."""
    import yaml

    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, default_flow_style=False)
