"""Old versions that still have objects: lists, trees, failures and causes tell of them."""

from typing import Any

import pytest

from hotplate.resources import Done, Resource, ResourceFailed, ResourceType, Result, Wait
from hotplate.resources.property import Property
from hotplate.resources.resource_type import Creation
from tests.api.conftest import Api
from tests.api.heat_client import heat_client
from tests.api.trees import VERSION, Item, begin, changed, deleted, link, listed, made


class Clinging(ResourceType):
    """A change of its value replaces it. Its objects end as ``ends`` says, or stay for ever."""

    name = "Test::Clinging"
    creation = Creation.REPEATABLE
    properties = {"value": Property(default=""), "ends": Property(default="well", updatable=True)}
    attributes = {}

    async def create(self, resource: Resource) -> Result:
        return Done(f"object-{resource.creation_token}")

    async def update(self, resource: Resource) -> Result:
        return Done()

    async def delete(self, resource: Resource) -> Result:
        ends = resource.properties["ends"]
        if ends == "badly":
            raise ResourceFailed("the object clings to its life")
        return Wait({}, None) if ends == "never" else Done()


@pytest.fixture
def api_types() -> tuple[ResourceType, ...]:
    return (Clinging(),)


def clinging(value: str, ends: str) -> str:
    return f"""{VERSION}
resources:
  base: {{type: Test::Clinging, properties: {{value: {value}, ends: {ends}}}}}
  user: {{type: OS::Heat::Value, properties: {{value: {{get_resource: base}}}}}}
"""


def replaced(api: Api, ends: str, state: str) -> tuple[str, str]:
    """Replace ``base``, whose old object ends like this; return the path and the old object."""
    path = made(api, "replaced", {"template": clinging("one", ends)})
    (base, _) = listed(api, path)
    assert api.patch(path, json={"template": clinging("two", ends)}).status_code == 202
    reached(api, path, state)
    return path, base["physical_resource_id"]


def reached(api: Api, path: str, state: str) -> None:
    """Wait until an old version is in a state."""

    async def look() -> list[str]:
        answer = await api.client.get(f"{path}/resources", params={"nested_depth": 1})
        return [r["resource_status"] for r in answer.json()["resources"] if r["is_old"]]

    api.until(look, lambda seen: state in seen)


def rows(items: list[Item]) -> list[tuple[str, str, bool]]:
    return [(each["resource_name"], each["resource_status"], each["is_old"]) for each in items]


def causes(api: Api, path: str, name: str) -> list[tuple[int, str]]:
    found = api.get(f"{path}/resources/{name}/why").json()["why"]["causes"]
    return [(each["level"], each["text"]) for each in found]


def test_an_old_version_that_is_being_deleted_is_listed_with_any_depth(api: Api) -> None:
    path, old = replaced(api, "never", "DELETE_IN_PROGRESS")
    assert api.get(path).json()["stack"]["stack_status"] == "UPDATE_IN_PROGRESS"
    items = listed(api, path, nested_depth=1)
    assert rows(items) == [
        ("base", "CREATE_COMPLETE", False),
        ("base", "DELETE_IN_PROGRESS", True),
        ("user", "UPDATE_COMPLETE", False),
    ]
    assert items[1]["physical_resource_id"] == old != items[0]["physical_resource_id"]
    assert listed(api, path, nested_depth="MAX") == items == listed(api, path, with_old=True)
    # Clients expect one row for each name where they have not asked for levels.
    assert listed(api, path) == [items[0], items[2]]
    assert listed(api, path, nested_depth=1, with_old=False) == [items[0], items[2]]
    assert listed(api, path, nested_depth=1, status="IN_PROGRESS") == [items[1]]
    assert api.get(f"{path}/resources/base").json()["resource"]["is_old"] is False


def test_a_filter_finds_an_old_version_where_no_newer_one_fits(api: Api) -> None:
    path, old = replaced(api, "badly", "DELETE_FAILED")
    assert api.wait(path.rsplit("/", 1)[1]) == "UPDATE_FAILED"
    (failed,) = listed(api, path, status="FAILED")
    assert (failed["physical_resource_id"], failed["is_old"]) == (old, True)
    assert [each["is_old"] for each in listed(api, path, name="base")] == [False]
    assert listed(api, path, status="FAILED", with_old=False) == []
    assert listed(api, path, status="FAILED", nested_depth="MAX") == [failed]


def test_a_stack_that_failed_to_remove_an_old_version_says_so(api: Api) -> None:
    path, old = replaced(api, "badly", "DELETE_FAILED")
    api.wait(path.rsplit("/", 1)[1])
    stack = api.get(path).json()["stack"]
    assert "clings to its life" in stack["stack_status_reason"]
    (failure,) = stack["failures"]
    assert failure["path"] == ["base"]
    assert (failure["physical_resource_id"], failure["is_old"]) == (old, True)
    tree = api.get(f"{path}/tree").json()["stack"]
    assert rows(tree["resources"])[1] == ("base", "DELETE_FAILED", True)


def test_why_tells_of_an_old_version_that_goes(api: Api) -> None:
    path, old = replaced(api, "never", "DELETE_IN_PROGRESS")
    found = causes(api, path, "base")
    assert found[0] == (0, "base is CREATE_COMPLETE")
    assert (1, f"an old version of it, {old}, is DELETE_IN_PROGRESS") in found
    for name in ("base", "user"):
        assert not any("nothing waits" in text for _, text in causes(api, path, name))
    assert (2, f"an old version of base, {old}, is DELETE_IN_PROGRESS") in causes(api, path, "user")


def test_why_tells_of_an_old_version_that_could_not_be_removed(api: Api) -> None:
    path, old = replaced(api, "badly", "DELETE_FAILED")
    api.wait(path.rsplit("/", 1)[1])
    found = causes(api, path, "base")
    assert (1, f"an old version of it, {old}, is DELETE_FAILED") in found
    assert any(level == 2 and "clings to its life" in text for level, text in found)
    assert not any("nothing failed" in text for _, text in found)


INNER = f"""{VERSION}
parameters: {{ends: {{type: string}}, fail: {{type: boolean}}}}
resources:
  leaf: {{type: Test::Clinging, properties: {{ends: {{get_param: ends}}}}}}
  next:
    type: OS::Heat::TestResource
    depends_on: leaf
    properties: {{fail: {{get_param: fail}}}}
"""


def chain(ends: str, fail: bool = False) -> dict[str, Any]:
    """A stack inside that every change replaces, with a stack inside that."""
    properties = {"ends": ends, "fail": fail}
    resources = {
        "chain": {
            "type": "OS::Heat::ResourceChain",
            "properties": {"resources": ["inner.yaml"], "resource_properties": properties},
        },
        "after": {"type": "OS::Heat::None", "depends_on": "chain"},
    }
    return {
        "template": {"heat_template_version": "wallaby", "resources": resources},
        "files": {"inner.yaml": INNER},
    }


def test_what_is_inside_an_old_version_is_listed_and_marked(api: Api) -> None:
    """A failed replacement: the old stack inside is there until an update succeeds."""
    path = made(api, "inside", chain("well"))
    before = listed(api, path, nested_depth="MAX")
    changed(api, path, chain("well", fail=True), "UPDATE_FAILED", put=True)
    items = listed(api, path, nested_depth="MAX")
    assert rows(items) == [
        ("chain", "CREATE_FAILED", False),
        ("chain", "CREATE_COMPLETE", True),
        ("after", "CREATE_COMPLETE", False),
        ("0", "CREATE_COMPLETE", True),
        ("leaf", "CREATE_COMPLETE", True),
        ("next", "CREATE_COMPLETE", True),
        ("0", "CREATE_FAILED", False),
        ("leaf", "CREATE_COMPLETE", False),
        ("next", "CREATE_FAILED", False),
    ]
    assert link(items[1], "nested") == link(before[0], "nested")
    assert items[3]["nested_stack_id"] == before[0]["physical_resource_id"]
    tree = api.get(f"{path}/tree").json()["stack"]["resources"]
    assert rows(tree[1]["stack"]["resources"]) == rows(items[3:4])
    assert rows(tree[0]["stack"]["resources"]) == rows(items[6:7])
    failures = api.get(path).json()["stack"]["failures"]
    assert [(each["path"], each["is_old"]) for each in failures] == [
        (["chain", "0", "next"], False)
    ]
    old = f"an old version of it, {before[0]['physical_resource_id']}, is CREATE_COMPLETE"
    assert (1, old) in causes(api, path, "chain")
    changed(api, path, chain("well"), put=True)
    after = listed(api, path, nested_depth="MAX")
    assert [each["is_old"] for each in after] == [False] * 5


def test_a_failure_inside_an_old_version_is_told_with_its_way(api: Api) -> None:
    path = made(api, "inside", chain("badly"))
    changed(api, path, chain("well"), "UPDATE_FAILED", put=True)
    (failure,) = api.get(path).json()["stack"]["failures"]
    assert (failure["path"], failure["is_old"]) == (["chain", "0", "leaf"], True)
    items = listed(api, path, nested_depth="MAX", status="FAILED")
    assert rows(items) == [(name, "DELETE_FAILED", True) for name in ("chain", "0", "leaf")]
    found = causes(api, path, "chain")
    assert any("chain/0/leaf failed in DELETE" in text for _, text in found)


def test_a_deleted_stack_tells_all_versions_that_were_deleted(api: Api) -> None:
    path = made(api, "inside", chain("well"))
    changed(api, path, chain("well", fail=True), "UPDATE_FAILED", put=True)
    before = listed(api, path, nested_depth="MAX")
    deleted(api, path)
    after = listed(api, path, nested_depth="MAX")
    assert {each["resource_status"] for each in after} == {"DELETE_COMPLETE"}
    same = ("resource_name", "physical_resource_id", "nested_stack_id", "is_old")

    def told(items: list[Item]) -> list[tuple[Any, ...]]:
        return sorted(tuple(str(each.get(key)) for key in same) for each in items)

    # What never had an object is told by the name that it would have had.
    with_object = [each for each in before if each["physical_resource_id"]]
    assert len(after) == len(before) == len(with_object) + 1
    assert set(told(with_object)) < set(told(after))
    assert [each["resource_name"] for each in listed(api, path)] == ["chain", "after"]


def test_heatclient_lists_an_old_version_with_depth_and_one_row_for_each_name_without(
    api: Api,
) -> None:
    path, old = replaced(api, "badly", "DELETE_FAILED")
    api.wait(path.rsplit("/", 1)[1])
    heat, stack = heat_client(api), path.split("/")[2]
    found = heat.resources.list(stack, nested_depth=2)
    assert [each.physical_resource_id == old for each in found] == [False, True, False]
    assert [each.resource_name for each in heat.resources.list(stack)] == ["base", "user"]
    (failed,) = heat.resources.list(stack, filters={"status": "FAILED"})
    assert failed.physical_resource_id == old


def test_a_deletion_in_mid_creation_tells_what_was_deleted_members_included(api: Api) -> None:
    inner = f"""{VERSION}
resources:
  leaf: {{type: Test::Clinging}}
  never:
    type: OS::Heat::TestResource
    depends_on: leaf
    properties: {{action_wait_secs: {{create: -1}}}}
  later: {{type: OS::Heat::None, depends_on: never}}
"""
    template = f"""{VERSION}
resources:
  own: {{type: Test::Clinging}}
  group:
    type: OS::Heat::ResourceGroup
    properties: {{count: 2, resource_def: {{type: inner.yaml}}}}
  last: {{type: OS::Heat::None, depends_on: group}}
"""
    path, stack_id = begin(api, "mid", {"template": template, "files": {"inner.yaml": inner}})

    async def look() -> list[str]:
        answer = await api.client.get(f"{path}/resources", params={"nested_depth": "MAX"})
        return [r["resource_name"] for r in answer.json()["resources"] if r["physical_resource_id"]]

    api.until(look, lambda seen: seen.count("never") == 2 and "own" in seen)
    before = [
        each for each in listed(api, path, nested_depth="MAX") if each["physical_resource_id"]
    ]
    assert len(before) == 2 + 2 + 2 * 2
    assert api.delete(path).status_code == 204
    assert api.wait(stack_id) == "DELETE_COMPLETE"
    after = listed(api, path, nested_depth="MAX")
    assert {each["resource_status"] for each in after} == {"DELETE_COMPLETE"}
    assert sorted((each["physical_resource_id"], each.get("parent")) for each in after) == sorted(
        (each["physical_resource_id"], each.get("parent")) for each in before
    )


def test_what_an_interrupted_update_had_removed_is_no_part_of_the_deletion(api: Api) -> None:
    waiting = (
        "  slow: {type: OS::Heat::TestResource, properties: {action_wait_secs: {delete: -1}}}\n"
    )
    template = f"{VERSION}resources:\n  stays: {{type: OS::Heat::None}}\n"
    going = f"  going: {{type: Test::Clinging}}\n{waiting}"
    path = made(api, "interrupted", {"template": template + going})
    assert api.patch(path, json={"template": template}).status_code == 202

    async def look() -> dict[str, str]:
        answer = await api.client.get(f"{path}/resources")
        return {r["resource_name"]: r["resource_status"] for r in answer.json()["resources"]}

    api.until(look, lambda seen: seen.get("going") == "DELETE_COMPLETE")
    assert api.delete(path).status_code == 204
    events = api.get(f"{path}/events").json()["events"]
    assert [e for e in events if e["resource_status"] == "DELETE_IN_PROGRESS"]
    items = listed(api, path, nested_depth=1)
    assert "going" not in {each["resource_name"] for each in items}
