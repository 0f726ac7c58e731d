"""A group of very many members: what it tells of all of them is worked out when it is asked for."""

import json
from typing import Any

import pytest

from hotplate.document import repeated
from hotplate.engine import nested_stacks
from tests.api.conftest import Api
from tests.api.trees import changed, made

MEMBERS = 5


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested_stacks, "_MANY", MEMBERS - 2)


def group(count: int, member: str = "OS::Heat::RandomString", **more: Any) -> dict[str, Any]:
    properties = {"count": count, "resource_def": {"type": member}}
    resources = {"group": {"type": "OS::Heat::ResourceGroup", "properties": properties}}
    return {"template": {"heat_template_version": "wallaby", "resources": resources, **more}}


def kept(api: Api, path: str) -> set[str]:
    """Return the attributes that are stored with the group."""
    items = api.get(f"{path}/resources", params={"with_detail": True}).json()["resources"]
    return {name for name, value in items[0]["attributes"].items() if value is not None}


def shown(api: Api, path: str) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"{path}/resources/group").json()["resource"]["attributes"]
    return found


def test_what_nobody_asks_for_is_not_kept_but_shown(api: Api) -> None:
    path = made(api, "s", group(MEMBERS))
    assert kept(api, path) == {"removed_rsrc_list"}
    found = shown(api, path)
    assert found["removed_rsrc_list"] == []
    assert list(found["refs_map"]) == list(map(str, range(MEMBERS)))
    assert list(found["refs_map"].values()) == found["refs"]
    changed(api, path, group(MEMBERS + 1))
    assert kept(api, path) == {"removed_rsrc_list"}
    assert shown(api, path)["refs"][:-1] == found["refs"]


def test_a_template_may_ask_later(api: Api) -> None:
    path = made(api, "s", group(MEMBERS))
    outputs = {"refs": {"value": {"get_attr": ["group", "refs"]}}}
    changed(api, path, group(MEMBERS, outputs=outputs))
    assert {"refs", "refs_map"} <= kept(api, path)
    (output,) = api.get(path).json()["stack"]["outputs"]
    assert output["output_value"] == shown(api, path)["refs"]
    assert len(set(output["output_value"])) == MEMBERS
    changed(api, path, group(MEMBERS + 1, outputs=outputs))
    (output,) = api.get(path).json()["stack"]["outputs"]
    assert len(set(output["output_value"])) == MEMBERS + 1


def test_the_preview_of_a_template_that_asks_says_the_same(api: Api) -> None:
    path = made(api, "s", group(MEMBERS))
    asking = group(MEMBERS)
    value = {"list_join": [",", {"get_attr": ["group", "refs"]}]}
    asking["template"]["resources"]["joined"] = {
        "type": "OS::Heat::Value",
        "properties": {"value": value},
    }
    planned = api.put(f"{path}/preview", json=asking).json()["resource_changes"]
    assert [each["resource_name"] for each in planned["added"]] == ["joined"]
    changed(api, path, asking)
    joined = api.get(f"{path}/resources/joined").json()["resource"]["attributes"]["value"]
    assert joined.split(",") == shown(api, path)["refs"]


def test_members_that_every_update_must_visit_are_visited(api: Api) -> None:
    """Whether one of them asks for that is judged by their types, so all of these are read."""
    path = made(api, "s", group(MEMBERS, "OS::Heat::UpdateWaitConditionHandle"))
    before = shown(api, path)["refs"]
    changed(api, path, group(MEMBERS, "OS::Heat::UpdateWaitConditionHandle"))
    assert set(before).isdisjoint(shown(api, path)["refs"])


def test_a_template_that_repeats_itself_is_shown_in_full(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeated, "_MANY", 2)
    monkeypatch.setattr(repeated, "_FEWER", 2)
    path = made(api, "s", group(MEMBERS))
    members = {str(index): {"type": "OS::Heat::RandomString"} for index in range(MEMBERS)}
    (item,) = api.get(f"{path}/resources").json()["resources"]
    (link,) = (each["href"] for each in item["links"] if each["rel"] == "nested")
    address = f"{link}/template"
    found = api.get(address)
    assert found.json()["resources"] == members
    text = api.get(address, params={"as_text": True}).json()["template"]
    assert json.loads(text)["resources"] == members
    planned = api.put(f"{path}/preview", json=group(MEMBERS + 1)).json()["resource_changes"]
    assert [each["resource_name"] for each in planned["updated"]] == ["group"]
    assert not planned["unchanged"]
    listed = api.put(f"{path}/preview", params={"show_nested": True}, json=group(MEMBERS + 1))
    planned = listed.json()["resource_changes"]
    assert [each["resource_name"] for each in planned["added"]] == [str(MEMBERS)]
    assert {each["resource_name"] for each in planned["unchanged"]} == members.keys()
    before = shown(api, path)["refs"]
    changed(api, path, group(MEMBERS + 1))
    assert shown(api, path)["refs"][:-1] == before
    changed(api, path, group(MEMBERS - 1))
    assert shown(api, path)["refs"] == before[:-1]
