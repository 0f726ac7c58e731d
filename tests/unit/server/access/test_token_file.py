import asyncio
import logging
from pathlib import Path

import pytest
from starlette.requests import Request

from hotplate.api.http.faults import Fault
from hotplate.identity import Caller
from hotplate.server.access.token_file import TokenFile, read_tokens, watched_tokens
from hotplate.server.refusal import CannotStart

MEMBER = frozenset(("member", "reader"))


def request(**headers: str) -> Request:
    raw = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    return Request({"type": "http", "headers": raw})


def tokens(folder: Path, text: str, mode: int = 0o600) -> Path:
    file = folder / "tokens"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return file


def test_a_token_tells_who_asks(tmp_path: Path) -> None:
    identify = TokenFile(
        watched_tokens(tokens(tmp_path, "# ours\n\none alice p\ntwo bob q admin\n"))
    )
    assert asyncio.run(identify(request(x_auth_token="one"), "p")) == Caller(
        "alice", "p", roles=MEMBER
    )
    bob = asyncio.run(identify(request(x_auth_token="two"), "q"))
    assert bob == Caller("bob", "q", True, MEMBER | {"admin"})


@pytest.mark.parametrize(("token", "status"), [("", 401), ("three", 401), ("two", 403)])
def test_others_are_refused(tmp_path: Path, token: str, status: int) -> None:
    identify = TokenFile(watched_tokens(tokens(tmp_path, "one alice p\ntwo bob q\n")))
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


def test_roles_and_an_end_may_stand_behind_a_token(tmp_path: Path) -> None:
    text = "one alice p roles=Reader\ntwo bob p roles=member,audit expires=2027-01-01T00:00:00Z\n"
    file = tokens(tmp_path, text)
    now = [1_798_761_599.0]
    identify = TokenFile(watched_tokens(file), now=lambda: now[0])
    assert asyncio.run(identify(request(x_auth_token="one"), "p")).roles == {"reader"}
    bob = asyncio.run(identify(request(x_auth_token="two"), "p"))
    assert bob.roles == {"member", "reader", "audit"}
    now[0] += 1
    with pytest.raises(Fault, match="has expired") as fault:
        asyncio.run(identify(request(x_auth_token="two"), "p"))
    assert fault.value.status == 401


def test_an_administrator_is_let_into_the_project_of_the_address(tmp_path: Path) -> None:
    identify = TokenFile(watched_tokens(tokens(tmp_path, "one alice p admin\n")))
    caller = asyncio.run(identify(request(x_auth_token="one"), "q"))
    assert (caller.project, caller.is_admin) == ("q", True)


def test_the_file_is_read_again_when_it_changes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tokens(tmp_path, "one alice p\n")
    watched = watched_tokens(file)
    identify = TokenFile(watched)
    tokens(tmp_path, "two alice p\n")
    watched.check()
    assert asyncio.run(identify(request(x_auth_token="two"), "p")).user == "alice"
    with caplog.at_level(logging.ERROR):
        tokens(tmp_path, "what is this\nthree\n")
        watched.check()
    assert "what it said before stays in use" in caplog.text
    assert asyncio.run(identify(request(x_auth_token="two"), "p")).user == "alice"
    with pytest.raises(Fault):
        asyncio.run(identify(request(x_auth_token="three"), "p"))


def test_with_one_cloud_all_tokens_are_of_one_project(tmp_path: Path) -> None:
    file = tokens(tmp_path, "one alice p\ntwo bob q\n")
    with pytest.raises(CannotStart, match="has 2 projects, and one cloud"):
        watched_tokens(file, has_one_cloud=True)


def test_tokens_are_not_read_through_a_link(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tokens(tmp_path, "one alice p\n"))
    with pytest.raises(CannotStart, match="holds tokens and is a symbolic link"):
        read_tokens(link)
