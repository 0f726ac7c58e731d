"""Arrows of import point inwards to what is pure, and modules keep their size and names."""

from collections import Counter

import pytest

from tests.architecture import (
    MAY_IMPORT,
    MODULES,
    PACKAGE,
    PURE,
    ROOT,
    SPEAK_NO_SQL,
    TOUCHES_NOTHING,
    arrows,
    face_of,
    imported_names,
    imports_of,
    longest_chain,
    module_name,
    part_of,
    reached,
    within,
)

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
MOST_MODULES = 25
LONGEST_CHAIN = 10
NAMELESS = {"utils", "helpers", "common", "manager"}


def test_imports_between_packages_follow_the_table() -> None:
    faults = []
    for path in MODULES:
        name = module_name(path)
        part = part_of(name)
        assert part or "." not in name, f"say in tests/architecture.py what {name} may import"
        if part:
            faults += [f"{name}: {other}" for other in reached(path) - MAY_IMPORT[part]]
    assert not faults, faults


def test_the_table_and_what_is_imported_point_one_way() -> None:
    found = arrows()
    while found:
        free = {part for part, others in found.items() if not others & set(found)}
        assert free, f"a ring of imports among {sorted(found)}"
        found = {part: others for part, others in found.items() if part not in free}
    assert all(MAY_IMPORT[part] <= PURE for part in PURE)
    below = [part for part in MAY_IMPORT if not face_of(part)]
    assert not any(map(face_of, set[str]().union(*(MAY_IMPORT[part] for part in below))))


def test_pure_packages_do_not_import_the_world() -> None:
    """What they need of it comes in as an argument."""
    faults = [
        f"{module_name(path)}: {name}"
        for path in MODULES
        if part_of(module_name(path)) in TOUCHES_NOTHING
        for name in imports_of(path)
        for module in WORLD - MAY_READ.get(part_of(module_name(path)), set())
        if within(name, module)
    ]
    assert not faults, faults


def test_faces_get_no_connection_to_a_database() -> None:
    """What they ask has a name in the engine, or in what runs workflows."""
    faults = [
        f"{module_name(path)}: {name}"
        for path in MODULES
        if module_name(path).partition(".")[0] in SPEAK_NO_SQL
        for name in imports_of(path)
        if within(name, "sqlalchemy")
    ]
    assert not faults, faults


def test_modules_and_folders_end_before_the_reader_tires() -> None:
    """A longer one holds a second noun, or rooms of its own; and all have real names."""
    modules = [*MODULES, *(ROOT / "tests").rglob("*.py")]
    lines = {str(path): len(path.read_text().splitlines()) for path in modules}
    assert not {name: length for name, length in lines.items() if length > LONGEST_MODULE}
    folders = Counter(str(path.parent) for path in modules)
    assert not {name: number for name, number in folders.items() if number > MOST_MODULES}
    words = {module_name(path): {*path.relative_to(PACKAGE).parts, path.stem} for path in MODULES}
    assert not [name for name, parts in words.items() if NAMELESS & parts]


def test_one_need_not_open_many_modules_to_understand_one() -> None:
    chain = longest_chain("engine")
    print("the longest chain:", " > ".join(chain))
    assert len(chain) <= LONGEST_CHAIN, chain


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
