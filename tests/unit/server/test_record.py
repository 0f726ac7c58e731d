"""A server tells the commands of its machine that it is there."""

from pathlib import Path

import pytest

from hotplate.server.address import Address
from hotplate.server.configuration import Configuration
from hotplate.server.record import file_of, recorded, recorded_server

ADDRESS = Address("127.0.0.1", 8004)


def configuration(folder: Path, auth: str = "none") -> Configuration:
    return Configuration(ADDRESS, f"sqlite:///{folder / 'hotplate.db'}", auth=auth)


def test_a_server_is_found_while_it_runs(tmp_path: Path) -> None:
    database = configuration(tmp_path).database
    assert recorded_server(database) is None
    with recorded(configuration(tmp_path), ADDRESS):
        found = recorded_server(database)
        assert found is not None
        assert (found.url, found.needs_token) == ("http://127.0.0.1:8004", False)
        assert (tmp_path / "hotplate.db.server").stat().st_mode & 0o777 == 0o600
    assert recorded_server(database) is None
    assert not list(tmp_path.iterdir())


def test_a_server_on_all_addresses_is_found_on_this_machine(tmp_path: Path) -> None:
    with recorded(configuration(tmp_path, "token-file"), Address("0.0.0.0", 8004)):
        found = recorded_server(configuration(tmp_path).database)
        assert found is not None
        assert (found.url, found.needs_token) == ("http://127.0.0.1:8004", True)


def test_a_server_that_was_killed_is_none(tmp_path: Path) -> None:
    with recorded(configuration(tmp_path), ADDRESS):
        record = tmp_path / "hotplate.db.server"
        words = record.read_text(encoding="utf-8").split()
        # The last word is when the process began.
        record.write_text(" ".join(words).replace(words[-3], '1",'), encoding="utf-8")
        assert recorded_server(configuration(tmp_path).database) is None
    assert record.exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"url": "http://x"}', "\0"])
def test_a_record_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "hotplate.db.server").write_text(text, encoding="utf-8")
    assert recorded_server(configuration(tmp_path).database) is None


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("sqlite:////var/lib/my%20db", Path("/var/lib/my%20db")),
        ("sqlite:///below/file.db", Path("below/file.db")),
        ("sqlite://", None),
        ("sqlite:///:memory:", None),
        ("postgresql://user@host/name", None),
    ],
)
def test_only_files_have_something_beside_them(url: str, file: Path | None) -> None:
    assert file_of(url) == file


def test_only_a_file_of_this_user_is_believed(tmp_path: Path) -> None:
    database = configuration(tmp_path).database
    record = tmp_path / "hotplate.db.server"
    with recorded(configuration(tmp_path), ADDRESS):
        assert recorded_server(database) is not None
        record.chmod(0o622)
        assert recorded_server(database) is None
        record.chmod(0o600)
        record.rename(tmp_path / "elsewhere")
        record.symlink_to(tmp_path / "elsewhere")
        assert recorded_server(database) is None


def test_a_link_in_the_place_of_the_record_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    (tmp_path / "hotplate.db.server").symlink_to(victim)
    with recorded(configuration(tmp_path), ADDRESS):
        assert recorded_server(configuration(tmp_path).database) is not None
    assert victim.read_text(encoding="utf-8") == "mine"


def test_a_server_on_another_machine_is_not_believed(tmp_path: Path) -> None:
    with recorded(configuration(tmp_path), Address("192.0.2.1", 8004)):
        assert recorded_server(configuration(tmp_path).database) is None
