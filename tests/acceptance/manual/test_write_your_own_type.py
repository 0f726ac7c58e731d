"""What docs/write-your-own-type.md shows is so."""

import importlib.metadata
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hotplate.resources import Creation, ResourceType, capabilities
from hotplate.resources.capabilities import NestedStack
from hotplate.resources.catalogue import GROUP

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "write-your-own-type.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(.*)\n((?:.*\n)*?)```$", PAGE, re.MULTILINE)
EXCERPTS = [
    (kind.removeprefix("python excerpt "), text)
    for kind, text in BLOCKS
    if kind.startswith("python excerpt ")
]


def test_every_block_is_tested() -> None:
    kinds = {kind.split(" ")[0] + " " + kind.split(" ")[1] for kind, _ in BLOCKS}
    assert kinds == {"python run", "python excerpt", "toml entry"}


def test_the_examples_run() -> None:
    names: dict[str, Any] = {"__name__": "page"}
    for kind, text in BLOCKS:
        if kind == "python run":
            exec(compile(text, "docs/write-your-own-type.md", "exec"), names)
    assert "a_lamp_is_not_made_twice" in names


@pytest.mark.parametrize(("path", "text"), EXCERPTS)
def test_an_excerpt_is_what_the_file_says(path: str, text: str) -> None:
    # The formatter takes the indentation off what stands alone in a page.
    assert _flush(text) in _flush((ROOT / path).read_text(encoding="utf-8"))


def _flush(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines())


def test_the_entry_point_is_in_the_group() -> None:
    (text,) = (text for kind, text in BLOCKS if kind == "toml entry points")
    (value,) = tomllib.loads(text)["project"]["entry-points"][GROUP].values()
    entry = importlib.metadata.EntryPoint("Example.Lamp", value, GROUP)
    assert (entry.module, entry.attr) == ("example_lamps", "Lamp")


def test_everything_that_a_type_can_declare_or_do_is_told() -> None:
    told = set(re.findall(r"`(\w+)[`(]", PAGE))
    names = _declared(ResourceType)
    for name in capabilities.__all__:
        capability = getattr(capabilities, name)
        if isinstance(capability, type):
            names.add(name)
            # How nested stacks are made is told by their docstrings.
            names |= set() if issubclass(capability, NestedStack) else _declared(capability)
    assert names <= told
    assert {each.name for each in Creation} <= set(re.findall(r"[A-Z]{4,}", PAGE))


def _declared(base: type) -> set[str]:
    names = {name for name in vars(base) if not name.startswith("_")}
    return names | set(vars(base).get("__annotations__", ()))
