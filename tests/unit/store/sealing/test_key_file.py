"""The file of the master keys: made once, for its owner only, and refused otherwise."""

import base64
import os
from pathlib import Path

import pytest

from hotplate.store.sealing import KeyFile, KeyRefused

KEY = base64.b64encode(b"k" * 32).decode()


def written(path: Path, text: str, mode: int = 0o600) -> KeyFile:
    path.write_text(text)
    path.chmod(mode)
    return KeyFile(path)


def test_the_file_is_made_once_and_read_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "keys"
    assert KeyFile(path).keys == {}
    first = KeyFile(path).make()
    assert KeyFile(path).make() == first
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [file.name for file in path.parent.iterdir()] == ["keys"]
    assert [len(key) for key in KeyFile(path).keys.values()] == [32]


def test_a_new_key_comes_first_and_the_old_ones_stay(tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "keys")
    old = file.make()
    new = file.add()
    assert list(KeyFile(file.path).keys) == [new, old]
    assert file.first[0] == new
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_comments_and_empty_lines_are_skipped(tmp_path: Path) -> None:
    file = written(tmp_path / "keys", f"# why\n\n a = {KEY}\nb={KEY}\n")
    assert file.keys == {"a": b"k" * 32, "b": b"k" * 32}


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_file_that_others_read_is_refused(tmp_path: Path, mode: int) -> None:
    file = written(tmp_path / "keys", f"a = {KEY}\n", mode)
    with pytest.raises(KeyRefused, match=r"others can (read|write) it; run: chmod 0600"):
        _ = file.keys


def test_a_link_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "real", f"a = {KEY}\n")
    (tmp_path / "keys").symlink_to(tmp_path / "real")
    with pytest.raises(KeyRefused, match="is a symbolic link"):
        _ = KeyFile(tmp_path / "keys").keys


def test_a_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path / "keys", f"a = {KEY}\n")
    monkeypatch.setattr(
        os, "fstat", lambda _: os.stat_result((0o100600, 0, 0, 1, 4711, 0, *[0] * 4))
    )
    with pytest.raises(KeyRefused, match="belongs to another user"):
        _ = file.keys


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no keys"),
        ("a = short\n", "line 1 of the key file"),
        (f"# x\na = {KEY}\na = {KEY}\n", "line 3 of the key file"),
        (f"a b = {KEY}\n", "line 1 of the key file"),
    ],
)
def test_nonsense_is_refused_and_not_quoted(tmp_path: Path, text: str, said: str) -> None:
    file = written(tmp_path / "keys", text)
    with pytest.raises(KeyRefused, match=said) as refused:
        _ = file.keys
    assert KEY not in str(refused.value)
