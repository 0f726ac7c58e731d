"""Objects of each project are in a folder of its own."""

from pathlib import Path

import pytest

from hotplate.resources.directory.directory import Directory, Object


@pytest.fixture
def root(tmp_path: Path) -> Directory:
    return Directory(tmp_path / "objects", by_project=True)


def test_a_project_does_not_see_the_objects_of_another(root: Directory) -> None:
    mine = root.of("mine")
    mine.create(Object("o-1", "1", "kind", "content"))
    assert mine.read("o-1") is not None
    assert root.of("other").read("o-1") is None
    assert root.of("other").find("1") is None
    assert not root.of("other").delete("o-1", "1")
    assert list(root.objects()) == []


@pytest.mark.parametrize("project", ["..", ".", "../../etc", "a/b", "", "\u00e4", "a\nb"])
def test_no_name_of_a_project_leads_elsewhere(root: Directory, project: str) -> None:
    own = root.of(project).path
    assert own.parent == root.path
    assert own.resolve().parent == root.path.resolve()


def test_only_the_owner_can_read_the_files(root: Directory) -> None:
    mine = root.of("mine")
    mine.create(Object("o-1", "1", "kind", "content"))
    assert mine.path_of("o-1").stat().st_mode & 0o777 == 0o600
    assert mine.path.stat().st_mode & 0o777 == 0o700


def test_an_object_from_before_moves_to_its_owner_and_to_nobody_else(tmp_path: Path) -> None:
    Directory(tmp_path).create(Object("o-1", "1", "kind", "content"))
    root = Directory(tmp_path, by_project=True)
    assert root.of("other", "o-1", "2").read("o-1") is None
    assert root.of("mine", "o-1", "1").read("o-1") is not None
    assert not (tmp_path / "o-1").exists()
    assert root.of("mine", "o-1", "1").delete("o-1", "1")
