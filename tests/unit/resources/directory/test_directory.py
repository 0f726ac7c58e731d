"""The directory as a provider: objects are there or not, whole, and nowhere else."""

import os
import stat
from contextvars import copy_context
from pathlib import Path

import pytest

from hotplate.resources.directory import Directory, Object, objects
from hotplate.resources.directory.directory import NotAnObject
from hotplate.resources.lease import LeaseLost, under

CREATION_TOKEN = "0f6f8f0e-1111-4222-8333-444455556666"
OTHER = "aaaaaaaa-1111-4222-8333-444455556666"


@pytest.fixture
def directory(tmp_path: Path) -> Directory:
    return Directory(tmp_path / "objects")


def an_object(
    content: str = "hello\nworld", creation_token: str = CREATION_TOKEN, label: str = "app-it"
) -> Object:
    return Object(
        Directory.id_for(label, creation_token), creation_token, "file", content, {"team": "red"}
    )


def names(directory: Directory) -> list[str]:
    return sorted(os.listdir(directory.path))


def test_an_object_is_one_file(directory: Directory) -> None:
    new = an_object()
    directory.create(new)
    assert names(directory) == [f"app-it-{CREATION_TOKEN}"]
    found = directory.read(new.id)
    assert found is not None
    assert (found.creation_token, found.kind, found.content) == (
        CREATION_TOKEN,
        "file",
        "hello\nworld",
    )
    assert (found.tags, found.size) == ({"team": "red"}, 11)
    assert found.modified > 0


def test_the_directory_is_the_owners_alone(directory: Directory) -> None:
    assert stat.S_IMODE(directory.path.stat().st_mode) == 0o700


def test_an_object_is_never_put_in_anothers_place(directory: Directory) -> None:
    directory.create(an_object())
    with pytest.raises(FileExistsError):
        directory.create(an_object("other"))
    assert [item.content for item in directory.objects()] == ["hello\nworld"]
    assert len(names(directory)) == 1


def test_an_object_is_changed_as_a_whole(directory: Directory) -> None:
    directory.create(an_object())
    directory.replace(an_object("changed"))
    assert [item.content for item in directory.objects()] == ["changed"]
    assert len(names(directory)) == 1


def test_only_what_exists_and_is_ours_is_changed(directory: Directory) -> None:
    with pytest.raises(FileNotFoundError):
        directory.replace(an_object())
    directory.create(an_object())
    theirs = Object(an_object().id, OTHER, "file", "x")
    with pytest.raises(FileNotFoundError):
        directory.replace(theirs)
    assert [item.content for item in directory.objects()] == ["hello\nworld"]


def test_deleting_twice_is_no_error(directory: Directory) -> None:
    directory.create(an_object())
    assert not directory.delete(an_object().id, OTHER)
    assert directory.delete(an_object().id, CREATION_TOKEN)
    assert not directory.delete(an_object().id, CREATION_TOKEN)
    assert names(directory) == []


def test_an_object_is_found_by_its_mark(directory: Directory) -> None:
    directory.create(an_object())
    directory.create(an_object(creation_token=OTHER))
    found = directory.find(OTHER)
    assert found is not None
    assert found.creation_token == OTHER
    assert directory.find("bbbbbbbb-1111-4222-8333-444455556666") is None


def test_what_a_dead_process_was_writing_is_no_object_and_goes(directory: Directory) -> None:
    for after in (
        lambda: directory.find(CREATION_TOKEN),
        lambda: directory.delete(an_object().id, CREATION_TOKEN),
        lambda: directory.replace(an_object("new")),
    ):
        draft = directory._draft(an_object("half"))
        assert [item.content for item in directory.objects() if item.content == "half"] == []
        if not directory.find(CREATION_TOKEN):
            directory.create(an_object())
            draft = directory._draft(an_object("half"))
        after()
        assert not draft.exists()


def test_all_objects_can_be_listed_from_outside(directory: Directory) -> None:
    directory.create(an_object(creation_token=OTHER, label="b"))
    directory.create(an_object(label="a"))
    (directory.path / "README").write_text("not an object", encoding="utf-8")
    (directory.path / "folder").mkdir()
    assert [item.id for item in objects(directory.path)] == [f"a-{CREATION_TOKEN}", f"b-{OTHER}"]


@pytest.mark.parametrize(
    "bad", ["", ".", "..", "../x", "a/b", "/etc/passwd", ".hidden", "a\0b", "-x", "x" * 201, "ä"]
)
def test_an_id_never_leads_out_of_the_directory(directory: Directory, bad: str) -> None:
    with pytest.raises(NotAnObject):
        directory.path_of(bad)
    with pytest.raises(NotAnObject):
        directory.read(bad)
    with pytest.raises(NotAnObject):
        directory.delete(bad, CREATION_TOKEN)


@pytest.mark.parametrize("label", ["../../etc/passwd", "..", ".x", "-x", "a b/ä", "x" * 300, ""])
def test_any_label_makes_an_id(directory: Directory, label: str) -> None:
    assert directory.path_of(Directory.id_for(label, CREATION_TOKEN)).parent == directory.path


def test_a_link_is_not_followed(directory: Directory, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (directory.path / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(NotAnObject):
        directory.read("link")
    assert list(directory.objects()) == []


class Ended:
    """The lease of a worker whose resources are somebody else's."""

    def confirm(self) -> None:
        raise LeaseLost

    async def hold(self) -> None:
        raise LeaseLost


def test_without_a_lease_nothing_is_changed(directory: Directory) -> None:
    """Neither an object nor a draft of one is left behind."""
    kept = an_object("kept", OTHER)
    directory.create(kept)
    with under(Ended()):
        with pytest.raises(LeaseLost):
            directory.create(an_object())
        with pytest.raises(LeaseLost):
            directory.replace(an_object("changed", OTHER))
        with pytest.raises(LeaseLost):
            directory.adopt(kept.id, CREATION_TOKEN)
        with pytest.raises(LeaseLost):
            directory.delete(kept.id, OTHER)
        with pytest.raises(LeaseLost):
            directory.find(OTHER)
    assert [(item.content, item.creation_token) for item in directory.objects()] == [
        ("kept", OTHER)
    ]
    assert names(directory) == [kept.id]


def test_who_stops_right_before_the_end_makes_nothing_after_somebody_has_looked(
    directory: Directory,
) -> None:
    """The lease held when it was looked at; then the process slept, and another one looked."""

    class Sleeping(Ended):
        def confirm(self) -> None:
            copy_context().run(self.look)

        def look(self) -> None:
            with under(Awake()):
                assert directory.find(CREATION_TOKEN) is None

    class Awake(Ended):
        def confirm(self) -> None:
            pass

    with under(Sleeping()), pytest.raises(FileNotFoundError):
        directory.create(an_object())
    assert names(directory) == []
