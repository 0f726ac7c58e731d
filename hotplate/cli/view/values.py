"""Outputs and other values."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import click

from hotplate.cli.output import Output
from hotplate.cli.view.words import printable


def show_outputs(output: Output, outputs: Iterable[Mapping[str, Any]]) -> None:
    """Print outputs with their values, or with why they have none."""
    for each in outputs:
        name = click.style(str(each["output_key"]), bold=True)
        if each.get("output_error"):
            output.say(f"  {name}: {click.style('no value', fg='red')}: {each['output_error']}")
        else:
            output.say(f"  {name}: {_indented(shown(each.get('output_value')))}")


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
