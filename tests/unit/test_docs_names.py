"""The pages for developers name files and functions that exist, and every term once."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture import PAGE, with_pictures

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PACKAGE = ROOT / "hotplate"
PLACES = (ROOT, PACKAGE, *(path for path in PACKAGE.iterdir() if path.is_dir()))
"""Where paths in the pages may begin."""

PATH = re.compile(r"`((?:[\w-]+/)+\w+\.py)`")
NAMED = re.compile(PATH.pattern + r"((?:,? `[A-Za-z_][\w.]*`)+)")
"""A path with names right after it: ``engine/traversal/begin.py`` ``begin``, ``insert_graph``."""


def found(path: str) -> Path | None:
    return next((place / path for place in PLACES if (place / path).exists()), None)


def defined(path: Path) -> set[str]:
    """Functions, classes and constants of a module, and what is in classes as `Class.method`."""

    def names(body: list[ast.stmt], before: str) -> Iterator[str]:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield before + node.name
                yield from names(node.body, f"{before}{node.name}.")
            elif isinstance(node, ast.Assign):
                yield from (before + each.id for each in node.targets if isinstance(each, ast.Name))
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield before + node.target.id

    return set(names(ast.parse(path.read_text(encoding="utf-8")).body, ""))


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_files_and_functions_named_in_a_page_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not [path for path in PATH.findall(text) if found(path) is None]
    lacking = []
    for path, names in NAMED.findall(text):
        file = found(path)
        assert file is not None
        known = defined(file)
        lacking += [f"{path}: {n}" for n in re.findall(r"`([^`]+)`", names) if n not in known]
    assert not lacking


def test_the_pictures_of_the_architecture_are_those_of_the_code() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.count("```mermaid") == 3
    assert page == with_pictures(page), "draw them anew: python -m tests.architecture --write"


def test_the_glossary_has_every_term_once_and_in_order() -> None:
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    row = re.compile(r"^\| ([^|]+) \|", re.MULTILINE)
    subjects = [row.findall(part)[1:] for part in text.split("\n## ")[1:]]
    for terms in subjects:
        assert terms == sorted(terms)
    everything = [term for terms in subjects for term in terms]
    assert len(everything) == len(set(everything)) > 50
