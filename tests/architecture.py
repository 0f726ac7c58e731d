"""Which part of hotplate may import which: the table, and the graph that is checked against it.

`python -m tests.architecture` prints the graph as docs/architecture.md shows it, and with the name
of a face (api, cli) that of its rooms; with --write it draws the pictures in that page anew.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGE: Final = ROOT / "hotplate"
MODULES: Final = sorted(PACKAGE.rglob("*.py"))
PAGE: Final = ROOT / "docs" / "architecture.md"

_LANGUAGE: Final = {
    "bounded",
    "document",
    "graph",
    "secret",
    "template",
    "environment",
    "validation",
}
_STORE: Final = {
    "store",
    "store.database",
    "store.purge",
    "store.resealing",
    "store.capacity",
    "store.fairness",
    "store.large",
    "store.monitoring",
    "store.prepared",
    "store.schema",
    "store.sealing",
    "store.upgrade",
    "store.workflows",
}
_FACTS: Final = {
    "document",
    "model",
    "plan",
    "resources",
    "resources.lease",
    "secret",
    "template",
    *_STORE,
}
_WORKFLOWS: Final = {"workflow.model", "workflow.language", "workflow.machine"}
_ENGINE: Final = {
    "bounded",
    "engine",
    "environment",
    "graph",
    "identity",
    "software",
    "dispatch",
    *_FACTS,
}

_ASKED: Final = {
    "engine",
    "engine.embedded",
    "engine.explain",
    "engine.preview",
    "engine.requests",
    "engine.worker",
    "validation.recipes",
    "validation.static",
    "workflow.actions",
    "workflow.drivers",
    "workflow.drivers.driver",
    "workflow.engine",
    "workflow.running",
    *_STORE,
}
"""What the faces ask."""

_API: Final = {
    "api.events",
    "api.http",
    "api.resources",
    "api.software",
    "api.stacks",
    "api.templates",
    "api.workflows",
}
_CLI: Final = {
    "cli.answers",
    "cli.command_line",
    "cli.following",
    "cli.input",
    "cli.output",
    "cli.progress",
    "cli.session",
    "cli.view",
}

MAY_IMPORT: Final[Mapping[str, set[str]]] = {
    # What templates and environments say. Pure.
    "bounded": set(),
    "document": set(),
    "graph": set(),
    "secret": set(),
    "template": {"bounded", "document", "graph", "secret"},
    "environment": {"bounded", "document", "template"},
    "validation": {"bounded", "document", "environment", "model", "template"},
    # Facts, and what is decided by them.
    "model": {"secret"},
    "software": {"model"},
    "identity": set(),
    "clock": set(),
    "private_file": set(),
    "policy": set(),
    "resources.lease": set(),
    "cloud": {"document", "resources.lease"},
    "authority": {"cloud", "document", "engine", "identity", "model", *_STORE},
    "resources": {
        "bounded",
        "cloud",
        "document",
        "model",
        "private_file",
        "resources.lease",
        "secret",
        "software",
        "template",
        "workflow.drivers.driver",
    },
    "plan": {"document", "graph", "model", "resources", "secret", "template"},
    "store.prepared": set(),
    "store.schema": set(),
    "store.sealing": {"private_file", "store.prepared", "store.schema"},
    "store": {"model", "store.prepared", "store.schema", "store.sealing"},
    "store.capacity": {"store.schema"},
    "store.fairness": set(),
    "store.large": {"model", "store", "store.prepared", "store.schema", "store.sealing"},
    "store.monitoring": {"model", "store", "store.prepared", "store.schema"},
    "store.workflows": {
        "model",
        "store",
        "store.prepared",
        "store.schema",
        "store.sealing",
        "workflow.model",
    },
    "store.migrations": {"store", "store.workflows"},
    "store.database": {
        "model",
        "store",
        "store.capacity",
        "store.fairness",
        "store.large",
        "store.sealing",
        "store.workflows",
    },
    "store.purge": {
        "model",
        "store",
        "store.database",
        "store.schema",
        "store.sealing",
        "store.workflows",
    },
    "store.resealing": {
        "store",
        "store.database",
        "store.schema",
        "store.sealing",
        "store.workflows",
    },
    "store.upgrade": {"store", "store.database", "store.resealing", "store.sealing"},
    "validation.static": {*_LANGUAGE, "model", "resources"},
    "dispatch": set(),
    # The engine, from what all of it shares up to the worker and the requests.
    "engine": {"bounded", "clock", "document", "environment", "identity", "software", *_FACTS},
    "engine.traversal": _ENGINE,
    "validation.recipes": _ENGINE | {"validation", "validation.static"},
    "engine.preview": _ENGINE | {"engine.traversal"},
    "engine.explain": _ENGINE | {"engine.preview"},
    "engine.check": _ENGINE | {"engine.traversal"},
    "engine.worker": _ENGINE | {"engine.check", "engine.traversal"},
    "engine.requests": _ENGINE
    | {"engine.explain", "engine.preview", "engine.traversal", "validation.recipes"},
    "engine.embedded": _ENGINE | {"engine.requests", "engine.worker"},
    # Workflows: the language and its machine are pure, the rest runs them.
    "workflow.model": set(),
    "workflow.language": {"document", "workflow.model"},
    "workflow.expressions": {"bounded"},
    "workflow.machine": {"secret", "workflow.language", "workflow.model"},
    "workflow.actions": {"workflow.machine"},
    "workflow.drivers.driver": {"document"},
    "workflow.drivers": {
        "document",
        "resources",
        "resources.lease",
        *_STORE,
        "workflow.drivers.driver",
        "workflow.engine",
    },
    "workflow.engine": {
        "bounded",
        "document",
        "engine",
        "engine.check",
        "engine.worker",
        *_STORE,
        "workflow.actions",
        "workflow.expressions",
        *_WORKFLOWS,
    },
    "workflow.running": {
        "engine",
        "engine.embedded",
        *_STORE,
        "workflow.actions",
        "workflow.drivers",
        "workflow.drivers.driver",
        "workflow.engine",
        "workflow.expressions",
        *_WORKFLOWS,
    },
    # Where a server evaluates what tenants wrote.
    "evaluation": {*_ENGINE, "engine.preview", "engine.requests", "validation.recipes"},
    # The API from the other side.
    "client": {"document", "environment", "template"},
    # The server's API: what requests and answers are made of, rooms by subject, all of them.
    "api.http": {"bounded", "document", "environment", "identity", "model", "secret", "template"}
    | _ASKED,
    "api.software": {"api.http", "model", "software", *_ASKED},
    "api.stacks": {"api.http", *_FACTS, *_ASKED, *_LANGUAGE},
    "api.resources": {"api.http", "api.software", "api.stacks", "software", *_FACTS, *_ASKED},
    "api.events": {"api.http", "model", *_ASKED},
    "api.templates": {"api.http", "api.stacks", "bounded", "client", *_FACTS, *_ASKED},
    "api.workflows": {"api.http", "document", *_ASKED, *_WORKFLOWS},
    "api": {*_API, *_ASKED, "identity", "secret"},
    # The page for people: files, and how they sign in.
    "page": {"identity"},
    # One process: engine, API and socket.
    "server": {
        "page",
        "api",
        *_API,
        "authority",
        "bounded",
        "cloud",
        "dispatch",
        "evaluation",
        "document",
        "identity",
        "model",
        "private_file",
        "policy",
        "resources",
        "secret",
        *_ASKED,
    },
    # The command: a client of the API, and the server's application in its own process.
    "cli.output": {"client", "document", "environment", "template", "validation"},
    "cli.session": {"api", *_API, "cli.output", "client", "document", "resources", *_ASKED}
    | {"server"},
    "cli.command_line": {"cli.output", "cli.session", "document"},
    "cli.input": {"cli.command_line", "cli.output", "client"},
    "cli.answers": {"cli.output", "client", "document", "environment"},
    "cli.progress": {"client"},
    "cli.view": {"cli.answers", "cli.output", "cli.progress", "client"},
    "cli.following": {
        "cli.answers",
        "cli.output",
        "cli.progress",
        "cli.session",
        "cli.view",
        "client",
    },
    "cli.commands": {*_CLI, "client", "server", *_LANGUAGE, *_STORE},
    "cli": {"cli.commands", *_CLI},
    # Simulated clock, store and cloud.
    "testing": {
        "bounded",
        "clock",
        "dispatch",
        "engine",
        "engine.requests",
        "engine.worker",
        "identity",
        "workflow.actions",
        "workflow.expressions",
        *_FACTS,
        *_WORKFLOWS,
    },
}
"""What each part may import besides itself. A module belongs to the longest name that fits."""

FACES: Final = {"api", "cli", "page", "server", "testing"}
"""They stand at the outer end: nothing but another of them imports them."""

SPEAK_NO_SQL: Final = {"api", "cli", "client"}
"""They ask what the engine offers; no connection to a database comes as far as them."""

PURE: Final = {*_LANGUAGE, *_WORKFLOWS, "identity", "model", "policy", "software"} | {
    "workflow.expressions"
}
"""They get what they need of the world as arguments."""

TOUCHES_NOTHING: Final = PURE | {"plan", "validation.static"}
"""Decides without touching anything, but knows the types that resources declare."""


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


@cache
def imports_of(path: Path) -> frozenset[str]:
    """Dotted names of all that a module imports."""
    package = ".".join(path.relative_to(ROOT).parent.parts)
    return frozenset(imported_names(path.read_text(encoding="utf-8"), package))


def module_name(path: Path) -> str:
    """The name of a module without that of the whole: "engine.check.run"."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(name: str) -> str:
    """The part that a module or something in it belongs to; empty for those at the top."""
    while name and name not in MAY_IMPORT:
        name = name.rpartition(".")[0]
    return name


def reached(path: Path) -> set[str]:
    """The parts of hotplate that a module imports, besides its own."""
    names = {name.removeprefix("hotplate.") for name in imports_of(path) if within(name)}
    return {part_of(name) for name in names} - {part_of(module_name(path)), ""}


def within(name: str, module: str = "hotplate") -> bool:
    """Tell whether a dotted name is a module or something in it."""
    return name == module or name.startswith(module + ".")


def arrows() -> dict[str, set[str]]:
    """The parts, each with those that it really imports."""
    found: dict[str, set[str]] = {part: set() for part in MAY_IMPORT}
    for path in MODULES:
        found.setdefault(part_of(module_name(path)), set()).update(reached(path))
    found.pop("", None)
    return found


def longest_chain(below: str) -> list[str]:
    """The longest chain of modules below a package in which each imports the next."""
    names = {module_name(path): path for path in MODULES if within(module_name(path), below)}
    graph = {
        name: {
            other
            for full in imports_of(path)
            for other in (full.removeprefix("hotplate."), full[9:].rpartition(".")[0])
            if other in names and other != name
        }
        for name, path in names.items()
    }
    chains: dict[str, list[str]] = {}

    def chain(name: str) -> list[str]:
        if name not in chains:
            chains[name] = []  # in case of a ring: it ends here
            chains[name] = [name, *max(map(chain, graph[name]), key=len, default=[])]
        return chains[name]

    return max(map(chain, graph), key=len)


def face_of(part: str) -> str:
    """The face that a part belongs to, empty for none."""
    return next((face for face in FACES if within(part, face)), "")


def picture(face: str = "") -> str:
    """The arrows as a Mermaid graph; those that follow from others are left out.

    Of the parts below the faces, or of the rooms of one face.
    """
    found = {
        part: {other for other in others if face_of(other) == face}
        for part, others in arrows().items()
        if face_of(part) == face
    }

    def reachable(part: str) -> set[str]:
        return found[part].union(*map(reachable, found[part]))

    lines = ["graph TD"]
    for part in sorted(found):
        indirect = set[str]().union(*map(reachable, found[part]))
        lines += [f"    {part} --> {other}" for other in sorted(found[part] - indirect)]
    return "\n".join(lines)


def with_pictures(page: str) -> str:
    """Return the page with the pictures of the code below their marks."""
    mark = re.compile(r"(<!-- picture:(.*?)-->\n\n)(?:```mermaid\n.*?```\n)?", re.DOTALL)
    return mark.sub(lambda m: f"{m[1]}```mermaid\n{picture(m[2].strip())}\n```\n", page)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(with_pictures(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(picture(*sys.argv[1:]))
