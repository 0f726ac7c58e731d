import logging
from pathlib import Path

import pytest

from hotplate.identity import Caller, Credentials
from hotplate.server.access.authorization import PolicyAuthorization
from hotplate.server.access.policy_files import PolicyFiles
from hotplate.server.access.watched import Watched
from hotplate.server.refusal import CannotStart

MEMBER = Caller("alice", "p", roles=frozenset(("member", "reader")))


def watched(folder: Path) -> "tuple[Watched[object], PolicyAuthorization]":
    files = PolicyFiles(folder / "policy.yaml", lambda: frozenset(("OS::Nova::Server",)))
    found = Watched(files.files, files.load)
    return found, PolicyAuthorization(found)  # type: ignore[return-value]


def test_without_files_the_defaults_hold(tmp_path: Path) -> None:
    _, policy = watched(tmp_path)
    assert policy.allows("stacks:create", MEMBER)
    assert not policy.allows("stacks:global_index", MEMBER)
    assert policy.allows_type("OS::Nova::Server", MEMBER)
    assert not policy.allows_type("OS::Keystone::User", MEMBER)


def test_a_later_file_counts_and_changes_are_seen(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(
        '"stacks:create": "role:operator"\n"stacks:delete": "!"\n'
    )
    more = tmp_path / "policy.d"
    more.mkdir()
    (more / "b.json").write_text('{"stacks:create": "role:member"}')
    (more / "a.yaml").write_text('"stacks:create": "role:nobody"\n')
    (more / "README").write_text("no rules")
    looked, policy = watched(tmp_path)
    assert policy.allows("stacks:create", MEMBER)
    assert not policy.allows("stacks:delete", MEMBER)
    (more / "b.json").unlink()
    looked.check()
    assert not policy.allows("stacks:create", MEMBER)


def test_a_change_that_cannot_be_read_changes_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text('"stacks:create": "!"\n')
    looked, policy = watched(tmp_path)
    with caplog.at_level(logging.ERROR, "hotplate.server"):
        file.write_text('"stacks:create": "role:member and"\n')
        looked.check()
    assert "what it said before stays in use" in caplog.text
    assert not policy.allows("stacks:create", MEMBER)


def test_a_misspelt_rule_is_told_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    text = '"stacks:craete": "!"\n"resource_types:OS::Nova::Server": "role:member"\n'
    (tmp_path / "policy.yaml").write_text(text)
    with caplog.at_level(logging.WARNING, "hotplate.server"):
        watched(tmp_path)
    (record,) = caplog.records
    assert record.__dict__["rule"] == "stacks:craete"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- a\n", "is no map"),
        ("a: [\n", "cannot be read"),
        ('"stacks:create": "member"\n', 'the rule "stacks:create" cannot be read'),
    ],
)
def test_a_file_that_makes_no_sense_stops_the_start(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "policy.yaml").write_text(text)
    with pytest.raises(CannotStart, match=words):
        watched(tmp_path)


def test_rules_may_look_at_the_user(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text('"stacks:delete": "user_id:u1"\n')
    _, policy = watched(tmp_path)
    credentials = Credentials("t", 0, "u1", "alice", "default", "p")
    assert policy.allows("stacks:delete", Caller("alice", "p", credentials=credentials))
    assert not policy.allows("stacks:delete", Caller("u2", "p"))
