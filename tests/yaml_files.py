"""Test data in YAML, read by the parser in C: the pages of cases are long."""

from pathlib import Path
from typing import Any

import yaml


def read_yaml(path: Path) -> Any:
    """Return what a file holds."""
    return parse_yaml(path.read_text(encoding="utf-8"))


def parse_yaml(text: str) -> Any:
    """Return what a text holds."""
    return yaml.load(text, Loader=yaml.CSafeLoader)
