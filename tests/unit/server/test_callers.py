"""A token that was let in tells whose the next request is that brings it."""

from hotplate.server.callers import KnownCallers


def headers(token: str) -> list[tuple[bytes, bytes]]:
    return [(b"host", b"here"), (b"x-auth-token", token.encode())]


def test_a_token_is_known_once_it_was_let_in() -> None:
    callers = KnownCallers()
    assert callers.project_of(headers("t")) == ""
    callers.learn(headers("t"), "a")
    assert callers.project_of(headers("t")) == "a"
    assert callers.project_of(headers("u")) == ""


def test_requests_without_a_token_or_a_project_teach_nothing() -> None:
    callers = KnownCallers()
    callers.learn([(b"host", b"here")], "a")
    callers.learn(headers("t"), "")
    assert callers.project_of([(b"host", b"here")]) == ""
    assert callers.project_of(headers("t")) == ""


def test_the_oldest_are_forgotten() -> None:
    callers = KnownCallers()
    for each in range(10_001):
        callers.learn(headers(f"t{each}"), "a")
    assert [callers.project_of(headers(name)) for name in ("t0", "t1")] == ["", "a"]
