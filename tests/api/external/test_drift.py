"""What differs from what was applied, over the wire: found by a check, brought back on request."""

from pathlib import Path
from typing import Any

import pytest

from hotplate.resources import ObjectMissing, ResourceType
from hotplate.resources.capabilities import TakesNames
from hotplate.resources.directory import File
from hotplate.resources.resource_type import World
from tests.api.conftest import Api
from tests.api.external.outside import FILE, Outside, body, file, preview, shown, watched
from tests.api.trees import changed, made

LONG = 100_000


class Tagged(File, TakesNames):
    """A file whose content and some of whose tags are names or ids of something."""

    name = "Test::Tagged"
    named = {"content": "test.thing", "tags.owner": "test.thing"}

    async def id_of(self, world: World, constraint: str, name_or_id: str) -> str:
        if name_or_id == "lost":
            raise ObjectMissing("there is none")
        if name_or_id == "silent":
            raise RuntimeError("the cloud is away")
        return name_or_id.removeprefix("name-of-")


@pytest.fixture
def api_types() -> tuple[ResourceType, ...]:
    return (Tagged(),)


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outside:
    return watched(monkeypatch, tmp_path / "objects")


def drifted(api: Api, outside: Outside, content: str = "theirs") -> str:
    """Make a stack whose object somebody else changes; return its path."""
    path = made(api, "s", body(file(content="ours")))
    outside.write(shown(api, path)["physical_resource_id"], content)
    return path


def checked(api: Api, path: str) -> str:
    assert api.post(f"{path}/actions", json={"check": None}).status_code == 200
    return api.wait(path.rsplit("/", 1)[1])


def differences(api: Api, path: str) -> list[dict[str, Any]]:
    answer = api.get(f"{path}/differences")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["differences"]
    return found


def test_a_check_finds_what_differs_and_completes(api: Api, outside: Outside) -> None:
    path = drifted(api, outside)
    assert differences(api, path) == []
    assert checked(api, path) == "CHECK_COMPLETE"
    resource = shown(api, path)
    assert resource["resource_status"] == "CHECK_COMPLETE"
    assert resource["resource_status_reason"] == "differs in: content"
    expected = [{"property": "content", "applied": "ours", "live": "theirs"}]
    assert resource["differences"] == expected
    (found,) = differences(api, path)
    assert found["path"] == ["web"]
    assert found["resource_type"] == FILE
    assert found["physical_resource_id"] == resource["physical_resource_id"]
    assert found["differences"] == expected


def test_differences_are_found_through_nested_stacks(api: Api, outside: Outside) -> None:
    group = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": 2, "resource_def": file(content="ours")},
    }
    path = made(api, "s", body(None, group=group))
    member = next(iter(sorted(outside.ids)))
    outside.write(member, "theirs")
    assert checked(api, path) == "CHECK_COMPLETE"
    (found,) = differences(api, path)
    assert found["path"][0] == "group"
    assert found["physical_resource_id"] == member
    changed(api, path, {"converge": True})
    assert outside.content(member) == "ours"


def test_a_plan_tells_what_differs_and_what_an_update_does_about_it(
    api: Api, outside: Outside
) -> None:
    path = drifted(api, outside)
    checked(api, path)
    (left,) = preview(api, path, body(file(content="ours")))["unchanged"]
    assert left["differences"] == [{"property": "content", "applied": "ours", "live": "theirs"}]
    (mended,) = preview(api, path, {**body(file(content="ours")), "converge": True})["updated"]
    (change,) = mended["changes"]
    assert (change["property"], change["old"], change["new"]) == ("content", "theirs", "ours")
    assert mended["differences"] == []
    (new,) = preview(api, path, body(file(content="new")))["updated"]
    assert new["differences"] == []


@pytest.mark.parametrize("put", [True, False])
def test_an_update_that_converges_brings_back_what_differs(
    api: Api, outside: Outside, put: bool
) -> None:
    path = drifted(api, outside)
    web = shown(api, path)["physical_resource_id"]
    same = body(file(content="ours"))
    changed(api, path, same, put=put)
    assert outside.content(web) == "theirs"
    changed(api, path, {**same, "converge": "true"}, put=put)
    assert outside.content(web) == "ours"
    assert shown(api, path)["physical_resource_id"] == web
    assert shown(api, path)["differences"] == []


def test_a_property_that_cannot_be_changed_in_place_replaces(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(content="ours")))
    web = shown(api, path)["physical_resource_id"]
    found = outside.bytes(web).replace(b'"kind": "file"', b'"kind": "disk"')
    outside.directory.path_of(web).write_bytes(found)
    same = body(file(content="ours"))
    (replaced,) = preview(api, path, {**same, "converge": True})["replaced"]
    assert replaced["changes"][0]["property"] == "kind"
    changed(api, path, {**same, "converge": True}, put=True)
    assert shown(api, path)["physical_resource_id"] != web
    assert web not in outside.ids


def test_an_object_that_is_gone_fails_the_check_and_is_made_anew(
    api: Api, outside: Outside
) -> None:
    path = drifted(api, outside)
    web = shown(api, path)["physical_resource_id"]
    outside.remove(web)
    (gone,) = preview(api, path, {**body(file(content="ours")), "converge": True})["replaced"]
    assert gone["reason"] == f"{web} is gone: a new object is made"
    assert checked(api, path) == "CHECK_FAILED"
    assert "is missing" in shown(api, path)["resource_status_reason"]
    assert differences(api, path) == []
    changed(api, path, body(file(content="ours")), put=True)
    assert shown(api, path)["physical_resource_id"] != web


def test_neither_an_old_nor_a_new_secret_is_shown(api: Api, outside: Outside) -> None:
    """Where a hidden value was applied, what is there now may be another password."""
    template = {
        "heat_template_version": "2021-04-16",
        "parameters": {"password": {"type": "string", "hidden": True}},
        "resources": {"web": file(content={"get_param": "password"})},
    }
    given = {"template": template, "parameters": {"password": "old-password"}}
    path = made(api, "s", given)
    outside.write(shown(api, path)["physical_resource_id"], "new-password")
    checked(api, path)
    (found,) = shown(api, path)["differences"]
    assert found == {"property": "content", "applied": "******", "live": "******"}
    assert "password" not in api.get(f"{path}/differences").text.replace("get_param", "")


def test_a_long_value_is_shown_in_part(api: Api, outside: Outside) -> None:
    path = drifted(api, outside, "x" * LONG)
    checked(api, path)
    (found,) = shown(api, path)["differences"]
    assert found["live"].endswith(f"… ({LONG} characters)")
    assert len(found["live"]) < 2000


def test_converge_is_for_updates_only_and_true_or_false(api: Api, outside: Outside) -> None:
    answer = api.post("/stacks", json={"stack_name": "s", "converge": True, **body(file())})
    assert answer.status_code == 400
    path = made(api, "s", body(file(content="ours")))
    answer = api.patch(path, json={"converge": "perhaps"})
    assert answer.status_code == 400
    assert '"converge"' in answer.json()["error"]["message"]


CONFIG = {
    "type": "OS::Heat::SoftwareConfig",
    "properties": {
        "group": "script",
        "config": "echo $x",
        "inputs": [{"name": "x", "type": "Number", "default": 1}, {"name": "y"}],
        "outputs": [{"name": "z"}],
    },
}
MADE = {"type": "OS::Heat::CloudConfig", "properties": {"cloud_config": {"packages": ["vim"]}}}


def test_what_nobody_has_changed_does_not_differ(api: Api, outside: Outside) -> None:
    """Also of types that cannot check, or cannot tell what a text was made of."""
    path = made(api, "s", body(file(content="ours"), config=CONFIG, made=MADE))
    assert checked(api, path) == "CHECK_COMPLETE"
    assert differences(api, path) == []
    reason = shown(api, path, "config")["resource_status_reason"]
    assert reason == "CHECK not supported for OS::Heat::SoftwareConfig"
    changed(api, path, {"converge": True})
    assert outside.since()[1:] == []


@pytest.mark.parametrize(
    ("applied", "live", "reason"),
    [
        ("name-of-x", "x", "state changed"),
        ("name-of-x", "y", "differs in: content"),
        ("lost", "x", "differs in: content"),
        ("silent", "x", "could not be compared with what was applied: the cloud is away"),
    ],
)
def test_a_name_and_its_id_do_not_differ(
    api: Api, outside: Outside, applied: str, live: str, reason: str
) -> None:
    path = made(api, "s", body(file(of="Test::Tagged", content=applied)))
    outside.write(shown(api, path)["physical_resource_id"], live)
    assert checked(api, path) == "CHECK_COMPLETE"
    assert shown(api, path)["resource_status_reason"] == reason


def test_an_object_that_has_what_is_wanted_by_its_id_is_kept(api: Api, outside: Outside) -> None:
    path = made(api, "s", body(file(of="Test::Tagged", content="name-of-x")))
    web = shown(api, path)["physical_resource_id"]
    outside.write(web, "y")
    wanted = {**body(file(of="Test::Tagged", content="name-of-y")), "converge": True}
    changed(api, path, wanted, put=True)
    assert shown(api, path)["physical_resource_id"] == web
    assert checked(api, path) == "CHECK_COMPLETE"
    assert differences(api, path) == []
