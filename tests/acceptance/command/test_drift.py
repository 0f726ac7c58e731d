"""The real command, and objects that somebody else has changed."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.command.terminal import piped

TEMPLATE = """
heat_template_version: 2021-04-16
resources:
  page: {type: Hotplate::Directory::File, properties: {name: page, content: ours, tags: {a: "1"}}}
  pages:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def:
        {type: Hotplate::Directory::File, properties: {name: "page-%index%", content: ours}}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "app.yaml").write_text(TEMPLATE, encoding="utf-8")
    run(tmp_path, 0, "up", "app.yaml", "--yes")
    return tmp_path


def run(home: Path, code: int, *arguments: str) -> str:
    done = piped(*arguments, "--objects", str(home / "objects"), home=home)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def written(home: Path, name: str, old: str, new: str) -> Path:
    """Change an object behind the engine's back."""
    (path,) = (home / "objects").glob(f"{name}-*")
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    return path


def records(text: str, record_type: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in text.splitlines()]
    return [each for each in found if each["type"] == record_type]


def test_differences_are_printed_like_a_diff_and_brought_back(home: Path) -> None:
    assert "nothing differs in app" in run(home, 0, "check", "app", "--diff")
    page = _page(home)
    inner = written(home, "page-1", "ours", "theirs")
    text = run(home, 3, "check", "app", "--diff")
    assert "- tags.a: 1" in text
    assert "+ tags.b: 2" in text
    assert f"pages.1 (Hotplate::Directory::File) {inner.name}" in text
    assert "  - content: ours\n  + content: theirs" in text
    assert "one with --converge brings it back" in text
    assert run(home, 3, "check", "app", "--last") in text
    (one, two) = records(run(home, 3, "check", "app", "--last", "--output", "json"), "difference")
    assert (one["path"], two["path"]) == (["page"], ["pages", "1"])
    assert two["differences"] == [{"property": "content", "applied": "ours", "live": "theirs"}]

    shown = run(home, 0, "resource", "show", "app", "pages.1")
    assert "differs from what was applied\n  - content: ours\n  + content: theirs" in shown
    assert "  content: theirs" in shown.partition("attributes")[2]

    plan = run(home, 0, "preview", "app.yaml")
    assert "page differs in: tags.a, tags.b" in plan
    plan = run(home, 3, "preview", "app.yaml", "--converge")
    assert "content: theirs → ours" in plan
    run(home, 0, "up", "app.yaml", "--converge", "--yes")
    assert "ours" in inner.read_text(encoding="utf-8")
    assert '"a": "1"' in page.read_text(encoding="utf-8")
    assert "nothing differs" in run(home, 0, "check", "app", "--last")


def _page(home: Path) -> Path:
    """Change the tags of the one object that has some."""
    (path,) = (
        each
        for each in (home / "objects").iterdir()
        if '"a": "1"' in each.read_text(encoding="utf-8")
    )
    text = path.read_text(encoding="utf-8").replace('"a": "1"', '"b": "2"')
    path.write_text(text, encoding="utf-8")
    return path


def test_converge_of_a_new_stack_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "app.yaml").write_text(TEMPLATE, encoding="utf-8")
    run(tmp_path, 0, "up", "app.yaml", "--converge", "--yes")


def test_a_check_that_is_not_waited_for_shows_no_differences(home: Path) -> None:
    assert "--detach goes without" in run(home, 2, "check", "app", "--diff", "--detach")
