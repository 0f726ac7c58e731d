"""External resources over the wire: returned to management, or not."""

from pathlib import Path

import pytest

from hotplate.resources import ResourceType
from hotplate.resources.capabilities import Adoptable
from hotplate.resources.catalogue import installed
from tests.api.conftest import Api
from tests.api.external.outside import (
    FILE,
    LOCK,
    Lock,
    Outside,
    after,
    body,
    events,
    file,
    outputs,
    preview,
    shown,
    states,
    watched,
)
from tests.api.trees import changed, deleted, made

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def api_types() -> tuple[ResourceType, ...]:
    return (Lock(),)


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outside:
    return watched(monkeypatch, tmp_path / "objects")


def test_e03_what_was_handed_over_can_be_returned(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(content="ours")))
    web = shown(api, path)["physical_resource_id"]
    changed(api, path, body(file(web)), put=True)
    outside.write(web, "changed by hand")
    changed(api, path, body(file(content="ours again")), put=True)
    assert shown(api, path)["is_external"] is False
    assert shown(api, path)["physical_resource_id"] == web
    assert outside.content(web) == "ours again"
    deleted(api, path)
    assert outside.ids == set()


def test_e10_the_page_tells_of_every_type_whether_it_can_return() -> None:
    """The table names all types that keep what nobody can recover, and why."""
    page = (ROOT / "docs" / "external-resources.md").read_text(encoding="utf-8")
    known = installed()
    for name in known:
        kind = known.get(name)
        if isinstance(kind, Adoptable) and kind.irrecoverable:
            (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
            assert kind.irrecoverable in row


def test_e10_a_type_that_keeps_what_nobody_can_recover_does_not_return(
    api: Api, outside: Outside
) -> None:
    path = made(api, "s", body(file(outside.make("lock-1"), LOCK)))
    changed(api, path, body(file(of=LOCK)), "UPDATE_FAILED", put=True)
    reason = shown(api, path)["resource_status_reason"]
    assert reason.endswith("lock-1 stays external: the key cannot be recovered")


def test_e12_a_returned_resource_is_updated_with_the_properties(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(outside.make("srv-1"), content="a", tags={"b": "c"})))
    outside.since()
    changed(api, path, body(file(content="a", tags={"b": "c"})), put=True)
    found = outside.directory.read("srv-1")
    assert found is not None
    assert (found.content, found.tags) == ("a", {"b": "c"})
    # Adopted, so that it bears our creation token, then changed: one update, no new object.
    assert outside.since() == [("adopt", "srv-1"), ("replace", "srv-1")]
    assert shown(api, path)["physical_resource_id"] == "srv-1"
    assert states(api, path)[-2:] == ["UPDATE_IN_PROGRESS", "UPDATE_COMPLETE"]
    # From here on it is like any other.
    changed(api, path, body(file(content="d", tags={"b": "c"})), put=True)
    assert outside.since() == [("replace", "srv-1")]


def test_e12_a_property_that_cannot_be_changed_makes_a_new_object(
    api: Api, outside: Outside
) -> None:
    """What was external is not ours to delete, so it stays."""
    path = made(api, "s", body(file(outside.make("srv-1", kind="disk"))))
    before = outside.bytes("srv-1")
    changed(api, path, body(file(content="new", kind="file")), put=True)
    found = shown(api, path)
    assert found["physical_resource_id"] != "srv-1"
    assert found["is_external"] is False
    assert outside.content(found["physical_resource_id"]) == "new"
    assert outside.bytes("srv-1") == before
    deleted(api, path)
    assert outside.ids == {"srv-1"}


def test_e12_an_immutable_property_that_is_equal_is_no_difference(
    api: Api, outside: Outside
) -> None:
    path = made(api, "s", body(file(outside.make("srv-1", kind="disk"))))
    changed(api, path, body(file(content="new", kind="disk")), put=True)
    assert shown(api, path)["physical_resource_id"] == "srv-1"
    assert outside.ids == {"srv-1"}


def test_e19_removing_the_id_makes_a_normal_resource(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(outside.make("srv-1"))))
    changed(api, path, body(file(content="ours")), put=True)
    found = shown(api, path)
    assert (found["is_external"], found["resource_status"]) == (False, "UPDATE_COMPLETE")
    assert outputs(api, path) == {"content": "ours", "id": "srv-1"}
    changed(api, path, body(None), put=True)
    assert outside.ids == set()


def test_e20_what_cannot_be_recovered_fails_and_stays_external(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(outside.make("lock-1"), LOCK)))
    before = outside.bytes("lock-1")
    changed(api, path, body(file(of=LOCK, content="x")), "UPDATE_FAILED", put=True)
    found = shown(api, path)
    assert (found["is_external"], found["resource_status"]) == (True, "UPDATE_FAILED")
    assert outside.bytes("lock-1") == before
    assert outside.since() == []
    deleted(api, path)
    assert outside.bytes("lock-1") == before


def test_e20_what_is_still_known_need_not_be_recovered(api: Api, outside: Outside) -> None:
    """Handed over and returned under the same id, the key has never been lost."""
    path = made(api, "s", body(file(of=LOCK, content="a")))
    lock = shown(api, path)["physical_resource_id"]
    changed(api, path, body(file(lock, LOCK)), put=True)
    changed(api, path, body(file(of=LOCK, content="b")), put=True)
    assert shown(api, path)["physical_resource_id"] == lock
    assert outside.content(lock) == "b"


def test_a_resource_whose_object_is_gone_returns_with_a_new_one(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(outside.make("srv-1"))))
    outside.remove("srv-1")
    (planned,) = preview(api, path, body(file(content="x")))["replaced"]
    assert planned["reason"] == "srv-1 is gone: a new object is made"
    changed(api, path, body(file(content="x")), put=True)
    found = shown(api, path)
    assert (found["is_external"], found["resource_status"]) == (False, "CREATE_COMPLETE")
    assert outside.ids == {found["physical_resource_id"]}
    assert ("CREATE_IN_PROGRESS", "srv-1 is gone: a new object is made") in events(api, path)
    # What comes back by that name is somebody else's still.
    outside.make("srv-1")
    deleted(api, path)
    assert outside.ids == {"srv-1"}


def test_what_cannot_be_recovered_need_not_be_once_the_object_is_gone(
    api: Api, outside: Outside
) -> None:
    path = made(api, "s", body(file(outside.make("lock-1"), LOCK)))
    changed(api, path, body(file(of=LOCK)), "UPDATE_FAILED", put=True)
    outside.remove("lock-1")
    (planned,) = preview(api, path, body(file(of=LOCK)))["replaced"]
    assert planned["reason"] == "lock-1 is gone: a new object is made"
    changed(api, path, body(file(of=LOCK)), put=True)
    found = shown(api, path)
    assert found["is_external"] is False
    assert outside.ids == {found["physical_resource_id"]}


def test_an_object_that_nobody_can_see_just_now_is_not_made_anew(
    api: Api, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(api, "s", body(file(outside.make("srv-1"))))

    def away(*given: object) -> None:
        raise OSError("the disk is away")

    with monkeypatch.context() as patch:
        patch.setattr("hotplate.resources.directory.directory.Directory.read", away)
        (planned,) = preview(api, path, body(file(content="x")))["updated"]
        assert planned["reason"].endswith("the disk is away")
        changed(api, path, body(file(content="x")), "UPDATE_FAILED", put=True)
    assert shown(api, path)["is_external"] is True
    assert outside.ids == {"srv-1"}
    changed(api, path, body(file(content="x")), put=True)
    assert outside.content("srv-1") == "x"


def test_a_restricted_replacement_holds_also_for_what_is_gone(api: Api, outside: Outside) -> None:
    limits = {
        "environment": {
            "resource_registry": {"resources": {"web": {"restricted_actions": "replace"}}}
        }
    }
    path = made(api, "s", {**body(file(outside.make("srv-1"))), **limits})
    outside.remove("srv-1")
    wanted = {**body(file(content="x")), **limits}
    (planned,) = preview(api, path, wanted)["replaced"]
    assert planned["reason"] == "replace is restricted for resource."
    changed(api, path, wanted, "UPDATE_FAILED", put=True)
    assert events(api, path)[-1][1].endswith("replace is restricted for resource.")
    assert outside.ids == set()


def test_e20_a_return_that_fails_half_way_stays_external(
    api: Api, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(api, "s", body(file(outside.make("srv-1"))))

    def refuse(*given: object) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("hotplate.resources.directory.directory.Directory.replace", refuse)
        changed(api, path, body(file(content="x")), "UPDATE_FAILED", put=True)
    found = shown(api, path)
    assert (found["is_external"], found["physical_resource_id"]) == (True, "srv-1")
    assert "the disk is full" in found["resource_status_reason"]
    deleted(api, path)
    assert outside.content("srv-1") == "theirs"


def test_e25_a_return_is_rolled_back(api: Api, outside: Outside) -> None:
    path = made(api, "s", {**body(file(outside.make("srv-1"))), "disable_rollback": False})
    wanted = {**body(file(content="x"), bad=after("web")), "disable_rollback": False}
    changed(api, path, wanted, "ROLLBACK_COMPLETE", put=True)
    assert shown(api, path)["is_external"] is True
    assert shown(api, path)["physical_resource_id"] == "srv-1"
    deleted(api, path)
    assert outside.ids == {"srv-1"}


def test_e25_a_return_that_made_a_new_object_is_rolled_back(api: Api, outside: Outside) -> None:
    first = {**body(file(outside.make("srv-1", kind="disk"))), "disable_rollback": False}
    path = made(api, "s", first)
    before = outside.bytes("srv-1")
    keeper = {"type": FILE, "properties": {"content": {"get_resource": "web"}}}
    wanted = body(file(content="x", kind="file"), keeper=keeper, bad=after("web"))
    changed(api, path, {**wanted, "disable_rollback": False}, "ROLLBACK_COMPLETE", put=True)
    assert shown(api, path)["is_external"] is True
    assert shown(api, path)["physical_resource_id"] == "srv-1"
    assert outside.ids == {"srv-1"}
    assert outside.bytes("srv-1") == before


def test_use_case_1_a_resource_is_rebuilt_behind_the_engines_back(
    api: Api, outside: Outside
) -> None:
    """Rebuilt, handed over under its new id, worked on, returned: all follow at each step."""
    copy = {"type": FILE, "properties": {"content": {"get_attr": ["web", "content"]}}}

    def what_others_see(path: str) -> tuple[str | None, str]:
        copied = shown(api, path, "copy")["physical_resource_id"]
        return outside.content(copied), outputs(api, path)["content"]

    path = made(api, "s", body(file(content="built"), copy=copy))
    first = shown(api, path)["physical_resource_id"]
    assert what_others_see(path) == ("built", "built")
    # The operator builds another one in its place and removes the old one.
    outside.make("rebuilt", "rebuilt by hand")
    outside.remove(first)
    changed(api, path, body(file("rebuilt", content="built"), copy=copy), put=True)
    assert shown(api, path)["physical_resource_id"] == "rebuilt"
    assert what_others_see(path) == ("rebuilt by hand", "rebuilt by hand")
    # Work goes on; an update of something else leaves it alone, and others follow.
    outside.write("rebuilt", "mended")
    assert outputs(api, path)["content"] == "mended"
    more = file(content="more")
    changed(api, path, body(file("rebuilt", content="built"), copy=copy, more=more), put=True)
    assert what_others_see(path) == ("mended", "mended")
    # Happy with it, the operator returns it.
    changed(api, path, body(file(content="built"), copy=copy, more=more), put=True)
    assert shown(api, path)["physical_resource_id"] == "rebuilt"
    assert shown(api, path)["is_external"] is False
    assert what_others_see(path) == ("built", "built")
    deleted(api, path)
    assert outside.ids == set()


def test_use_case_2_an_existing_object_is_read_and_nothing_else(api: Api, outside: Outside) -> None:
    before = outside.bytes(outside.make("database", "db.example.org"))
    client = {"type": FILE, "properties": {"content": {"get_attr": ["web", "content"]}}}
    path = made(api, "s", body(file("database"), client=client))
    assert outputs(api, path)["content"] == "db.example.org"
    changed(api, path, body(file("database", content="ignored"), client=client), put=True)
    deleted(api, path)
    assert outside.ids == {"database"}
    assert outside.bytes("database") == before
