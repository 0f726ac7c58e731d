import asyncio
from pathlib import Path

import pytest
from starlette.requests import Request

from hotplate.api.http.faults import Fault
from hotplate.identity import Caller
from hotplate.server.identity import anybody, read_tokens
from hotplate.server.refusal import CannotStart


def request(**headers: str) -> Request:
    raw = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    return Request({"type": "http", "headers": raw})


def tokens(folder: Path, text: str, mode: int = 0o600) -> Path:
    file = folder / "tokens"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return file


def test_anybody_is_let_into_the_project_that_the_address_names() -> None:
    assert asyncio.run(anybody(request(), "p")) == Caller("admin", "p", is_admin=True)
    named = asyncio.run(anybody(request(x_auth_user="alice", x_auth_token="any"), "p"))
    assert named.user == "alice"


def test_a_project_that_no_database_could_keep_is_refused() -> None:
    with pytest.raises(Fault) as fault:
        asyncio.run(anybody(request(), "p" * 65))
    assert fault.value.status == 400


def test_a_token_tells_who_asks(tmp_path: Path) -> None:
    identify = read_tokens(tokens(tmp_path, "# ours\n\none alice p\ntwo bob q admin\n"))
    assert asyncio.run(identify(request(x_auth_token="one"), "p")) == Caller("alice", "p")
    bob = asyncio.run(identify(request(x_auth_token="two"), "q"))
    assert bob == Caller("bob", "q", is_admin=True)


@pytest.mark.parametrize(("token", "status"), [("", 401), ("three", 401), ("two", 403)])
def test_others_are_refused(tmp_path: Path, token: str, status: int) -> None:
    identify = read_tokens(tokens(tmp_path, "one alice p\ntwo bob q\n"))
    with pytest.raises(Fault) as fault:
        asyncio.run(identify(request(x_auth_token=token), "p"))
    assert fault.value.status == status
    assert ("www-authenticate" in fault.value.headers) == (status == 401)


@pytest.mark.parametrize(
    ("text", "mode", "words"),
    [
        ("one alice p\n", 0o640, "has mode 0640"),
        ("one alice\n", 0o600, 'line 1: write "token user project"'),
        ("one alice p root\n", 0o600, "line 1: write"),
        ("one alice p\none bob q\n", 0o600, "line 2: the same token"),
        (f"one {'u' * 256} p\n", 0o600, "line 1: a user has at most 255"),
        (
            f"one alice {'p' * 65}\n",
            0o600,
            "line 1: a user has at most 255 characters and a project",
        ),
        ("# none\n", 0o600, "names no token"),
    ],
)
def test_a_file_that_is_wrong_is_refused(tmp_path: Path, text: str, mode: int, words: str) -> None:
    file = tokens(tmp_path, text, mode)
    with pytest.raises(CannotStart, match=words) as fault:
        read_tokens(file)
    assert "one" not in str(fault.value).replace("none", "").split()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="cannot be read: No such file"):
        read_tokens(tmp_path / "missing")


def test_tokens_are_not_read_through_a_link(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tokens(tmp_path, "one alice p\n"))
    with pytest.raises(CannotStart, match="holds tokens and is a symbolic link"):
        read_tokens(link)
