"""What the package says it needs is what its modules use."""

import ast
import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# Extras for people who work on the package, not for its modules.
TOOLS = ("build", "dev")

# Loaded by others, which are told the name.
BY_NAME = {
    "httptools": "httptools_impl import",  # by uvicorn
    "psycopg": "postgresql+psycopg",  # by SQLAlchemy
    "pymysql": "mariadb+pymysql",  # by SQLAlchemy
}


def normal(requirement: str) -> str:
    """The name in a requirement, as package indexes compare it."""
    name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


REQUIREMENTS = [
    normal(requirement)
    for requirement in [
        *PROJECT["dependencies"],
        *(
            requirement
            for extra, requirements in PROJECT["optional-dependencies"].items()
            if extra not in TOOLS
            for requirement in requirements
        ),
    ]
]
SOURCES = [path.read_text(encoding="utf-8") for path in (ROOT / "hotplate").rglob("*.py")]


def imported(source: str) -> set[str]:
    """The first part of each name that a module imports."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


@pytest.fixture(scope="module")
def used() -> set[str]:
    """The distributions that the package imports."""
    distributions = packages_distributions()
    return {
        normal(distribution)
        for name in set[str]().union(*map(imported, SOURCES))
        for distribution in distributions.get(name, ())
    }


@pytest.mark.parametrize("requirement", REQUIREMENTS)
def test_every_requirement_is_used(requirement: str, used: set[str]) -> None:
    if requirement in BY_NAME:
        assert any(BY_NAME[requirement] in source for source in SOURCES)
    else:
        assert requirement in used


def test_every_import_is_required(used: set[str]) -> None:
    assert used - {"hotplate"} <= set(REQUIREMENTS)
