"""The real command, and a template of objects that exist already."""

import json
from pathlib import Path

import pytest

from hotplate.resources.directory import Directory, Object
from tests.acceptance.command.terminal import piped

FILE = "Hotplate::Directory::File"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    directory = Directory(tmp_path / "objects")
    directory.create(Object("srv-1", "mark-1", "file", "theirs\ntwo lines", {"owner": "shop"}))
    directory.create(Object("srv-2", "mark-2", "disk", ""))
    return tmp_path


def run(home: Path, code: int, *arguments: str) -> str:
    done = piped(*arguments, "--objects", str(home / "objects"), home=home)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def content(home: Path, object_id: str) -> Object:
    found = Directory(home / "objects").read(object_id)
    assert found is not None
    return found


def test_a_template_has_what_is_not_the_default_and_names_what_cannot_be_read(home: Path) -> None:
    text = run(home, 0, "import", FILE, "srv-1", "srv-2")
    one, two = text.split("  file_1:\n")[1].split("  file_2:\n")
    assert "    type: Hotplate::Directory::File\n    external_id: srv-1\n" in one
    assert "# cannot be read: name" in one
    assert "owner: shop" in one
    assert "kind" not in one
    assert "kind: disk" in two
    assert "content" not in two


def test_an_object_is_used_and_then_managed(home: Path) -> None:
    """First nothing changes; without its external_id it is the same object, managed."""
    file = home / "app.yaml"
    run(home, 0, "import", FILE, "srv-1", "--output-file", "app.yaml")
    before = content(home, "srv-1")
    run(home, 0, "up", "app.yaml", "--yes")
    assert content(home, "srv-1") == before
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("    external_id: srv-1\n", ""), encoding="utf-8")
    assert "return to management" in run(home, 3, "preview", "app.yaml")
    run(home, 0, "up", "app.yaml", "--yes")
    after = content(home, "srv-1")
    assert (after.content, after.tags) == (before.content, before.tags)
    assert after.creation_token != before.creation_token
    assert "nothing differs" in run(home, 0, "check", "app", "--diff")


def test_programs_get_an_object_for_each(home: Path) -> None:
    text = run(home, 0, "import", FILE, "srv-2", "srv-2", "--output", "json")
    (found,) = map(json.loads, text.splitlines())
    assert found == {
        "type": "object",
        "resource_name": "file",
        "resource_type": FILE,
        "physical_resource_id": "srv-2",
        "properties": {"kind": "disk"},
        "unread": ["name"],
        "required": [],
    }


def test_what_cannot_be_imported_is_refused_with_its_reason(home: Path) -> None:
    assert "did you mean" in run(home, 5, "import", "Hotplate::Directory::Fil", "srv-1")
    assert "there is no Hotplate::Directory::File srv-3" in run(home, 5, "import", FILE, "srv-3")
    for type_name in ("OS::Heat::RandomString", "OS::Heat::ResourceGroup", "OS::Heat::None"):
        text = run(home, 5, "import", type_name, "x")
        assert f"Importing objects of the type {type_name} is not supported" in text
    run(home, 2, "import", FILE)
    text = run(home, 2, "import", FILE, "srv-1", "--output-file", "missing/app.yaml")
    assert "cannot be written" in text
