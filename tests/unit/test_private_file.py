"""Files with keys and tokens are believed only if they are this user's alone."""

import os
from pathlib import Path

import pytest

from hotplate.private_file import NotPrivate, read_private


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_text("words")
    path.chmod(0o600)
    return path


def test_the_beginning_of_a_private_file_is_read(file: Path) -> None:
    assert read_private(file) == b"words"
    assert read_private(file, 3) == b"wor"


@pytest.mark.parametrize(
    ("mode", "readable", "words"),
    [
        (0o644, False, "has mode 0644, so others can read it; run: chmod 0600"),
        (0o640, False, "so others can read it"),
        (0o620, True, "has mode 0620, so others can write it"),
        (0o602, False, "so others can write it"),
    ],
)
def test_what_others_can_read_or_write_is_refused(
    file: Path, mode: int, readable: bool, words: str
) -> None:
    file.chmod(mode)
    with pytest.raises(NotPrivate, match=words):
        read_private(file, readable=readable)


def test_what_may_be_read_by_others_is_read(file: Path) -> None:
    file.chmod(0o644)
    assert read_private(file, readable=True) == b"words"


def test_links_folders_and_pipes_are_refused(file: Path) -> None:
    link, pipe = file.with_name("link"), file.with_name("pipe")
    link.symlink_to(file)
    os.mkfifo(pipe, 0o600)
    with pytest.raises(NotPrivate, match="is a symbolic link"):
        read_private(link)
    for each in (pipe, file.parent):
        with pytest.raises(NotPrivate, match="is no file"):
            read_private(each)
    with pytest.raises(FileNotFoundError):
        read_private(file.with_name("nothing"))


def test_files_of_other_users_are_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = file.stat().st_uid
    real = os.fstat

    def another(descriptor: int) -> os.stat_result:
        found = list(real(descriptor))
        found[4] = owner + 1000
        return os.stat_result(found)

    monkeypatch.setattr(os, "fstat", another)
    with pytest.raises(NotPrivate, match="belongs to another user"):
        read_private(file)
