"""Arrows of import point inwards to what is pure, and modules keep their size and names."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "hotplate"

# Which packages of hotplate each one may import, besides itself. A new package gets a row here.
MAY_IMPORT = {
    "bounded": set[str](),
    "document": set[str](),
    "graph": set[str](),
    "template": {"bounded", "document", "graph"},
    "environment": {"document", "template"},
    "model": set[str](),
    "software": {"model"},
    "resources": {"document", "model", "software", "template"},
    "plan": {"document", "graph", "model", "resources", "template"},
    "store": {"model", "workflow"},
    "dispatch": set[str](),
    "engine": {
        "dispatch",
        "document",
        "environment",
        "graph",
        "model",
        "plan",
        "resources",
        "software",
        "store",
        "template",
        "validation",
    },
    "flows": {
        "actions",
        "document",
        "engine",
        "resources",
        "store",
        "workflow",
    },
    "validation": {"bounded", "document", "environment", "template"},
    "client": {"document", "template", "environment"},
    "workflow": {"bounded", "document"},
    "actions": {"workflow"},
}
# The faces at the outer end may import everything.
MAY_IMPORT_EVERYTHING = {"api", "cli", "server", "testing"}

PURE = {
    "bounded",
    "document",
    "environment",
    "graph",
    "model",
    "software",
    "template",
    "validation",
    "workflow",
}
# Decides without touching anything, but knows the types that resources declare.
TOUCHES_NOTHING = PURE | {"plan"}
# Where the world comes in. Pure packages get what they need of it as arguments.
WORLD = {
    "asyncio",
    "http",
    "os",
    "pathlib",
    "random",
    "requests",
    "shutil",
    "socket",
    "subprocess",
    "tempfile",
    "_thread",
    "time",
    "urllib.request",
}

# The steps of a pattern cannot be counted, so a clock must stop it; the verdict is the only effect.
MAY_READ = {"bounded": {"time"}}

LONGEST_MODULE = 500
NAMELESS = {"utils", "helpers", "common", "manager"}

MODULES = sorted(PACKAGE.rglob("*.py"))


def imported_names(source: str, package: str) -> Iterator[str]:
    """Dotted names of all that a module of this package imports, wherever the import stands.

    `from a import b` gives "a.b", whether b is a module or not.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # One dot is the package itself, each further dot its parent.
            parents = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = [*(parents if node.level else []), *([node.module] if node.module else [])]
            yield from (".".join([*base, alias.name]) for alias in node.names)


def imports_of(path: Path) -> set[str]:
    package = ".".join(path.relative_to(ROOT).parent.parts)
    return set(imported_names(path.read_text(encoding="utf-8"), package))


def row_of(path: Path) -> str:
    """The package of hotplate that a module belongs to; empty for modules at the top."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def within(name: str, module: str) -> bool:
    return name == module or name.startswith(module + ".")


def test_imports_between_packages_follow_the_table() -> None:
    unknown = {row_of(path) for path in MODULES} - {"", *MAY_IMPORT, *MAY_IMPORT_EVERYTHING}
    assert not unknown, f"say in MAY_IMPORT what {sorted(unknown)} may import"
    faults = []
    for path in MODULES:
        row = row_of(path)
        if not row or row in MAY_IMPORT_EVERYTHING:
            continue
        reached = {name.split(".")[1] for name in imports_of(path) if name.startswith("hotplate.")}
        faults += [f"{name_of(path)}: {other}" for other in reached - MAY_IMPORT[row] - {row}]
    assert not faults, faults


def test_pure_packages_do_not_import_the_world() -> None:
    """What they need of it comes in as an argument."""
    faults = [
        f"{name_of(path)}: {name}"
        for path in MODULES
        if row_of(path) in TOUCHES_NOTHING
        for name in imports_of(path)
        for module in WORLD - MAY_READ.get(row_of(path), set())
        if within(name, module)
    ]
    assert not faults, faults


def test_modules_end_before_the_reader_tires() -> None:
    """A longer one holds a second noun."""
    lines = {name_of(path): len(path.read_text().splitlines()) for path in MODULES}
    assert not {name: length for name, length in lines.items() if length > LONGEST_MODULE}


def test_modules_and_packages_have_real_names() -> None:
    words = {name_of(path): {*path.relative_to(PACKAGE).parts, path.stem} for path in MODULES}
    assert not [name for name, parts in words.items() if NAMELESS & parts]


def test_the_table_points_one_way() -> None:
    for row, allowed in MAY_IMPORT.items():
        assert all(row not in MAY_IMPORT[other] for other in allowed)
        assert (row not in PURE) or allowed <= PURE


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import os.path as p", "os.path"),
        ("from urllib import request", "urllib.request"),
        ("def f():\n    from hotplate.graph import Graph", "hotplate.graph.Graph"),
        ("from hotplate import graph", "hotplate.graph"),
        ("from . import errors", "hotplate.template.errors"),
        ("from ..graph import Graph", "hotplate.graph.Graph"),
        ("from .. import graph", "hotplate.graph"),
    ],
)
def test_every_form_of_import_is_seen(source: str, name: str) -> None:
    assert list(imported_names(source, "hotplate.template")) == [name]
