"""The pages with numbered requirements name every one of them and its test."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| ([NVME])(\d+) \| (.+?) \| ([✓~✗])([^|]*) \| `(test_\w+)` \|$", re.MULTILINE)
PAGES = [
    ("N", 22, "nested-resources.md", ["api/resources/nested/test_*.py"]),
    ("M", 31, "workflow-resources.md", ["acceptance/workflows/test_external_resource*.py"]),
    (
        "V",
        25,
        "stored-environments.md",
        [
            "api/templates/stored_environments/test_*.py",
            "acceptance/command/template_validate/test_*.py",
        ],
    ),
    (
        "E",
        30,
        "external-resources.md",
        [
            "api/external/test_resources.py",
            "api/external/test_returns.py",
            "api/external/test_plans.py",
        ],
    ),
]


@pytest.mark.parametrize(("letter", "most", "page", "modules"), PAGES)
def test_every_requirement_is_listed_with_a_test_that_carries_its_number(
    letter: str, most: int, page: str, modules: list[str]
) -> None:
    rows = ROW.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))
    assert [(row[0], int(row[1])) for row in rows] == [(letter, n + 1) for n in range(most)]
    paths = [path for pattern in modules for path in (ROOT / "tests").glob(pattern)]
    source = "".join(path.read_text(encoding="utf-8") for path in paths)
    for _, number, _, _, _, test in rows:
        assert test.startswith(f"test_{letter.lower()}{int(number):02}_")
        assert f"def {test}(" in source
