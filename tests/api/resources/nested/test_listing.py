"""Every resource in one call: N1 to N22 of docs/nested-resources.md, each by its number."""

from pathlib import Path
from typing import Any

import pytest

from hotplate.api.http.settings import Settings
from tests.api.conftest import Api
from tests.api.heat_client import heat_client
from tests.api.trees import (
    NESTED_FIELDS,
    VERSION,
    addresses,
    changed,
    inside,
    link,
    listed,
    made,
    walked,
)

EVERY_FIELD = {
    "is_external",
    "is_old",
    "resource_name",
    "links",
    "logical_resource_id",
    "resource_status",
    "resource_status_reason",
    "updated_time",
    "creation_time",
    "required_by",
    "physical_resource_id",
    "resource_type",
}


def test_n01_one_call_lists_everything_that_a_walk_finds(api: Api, tree: str) -> None:
    items = listed(api, tree, nested_depth="MAX")
    found = list(walked(api, tree))
    assert len(items) == len(found) == 4 + 2 + 2 * 2 + 1 + 2 + 2
    assert sorted(addresses(items)) == sorted(addresses(found))


def test_n04_the_tree_can_be_rebuilt_from_one_answer(api: Api, tree: str) -> None:
    items = listed(api, tree, nested_depth="MAX")
    root = tree.rsplit("/", 1)[1]
    inner: dict[str, Any] = {root: {}}
    owners: dict[str, str] = {}
    for item in items:
        at = inner.setdefault(item.get("nested_stack_id", root), {})
        at[item["resource_name"]] = inner.setdefault(item["physical_resource_id"], {})
        owners[item["physical_resource_id"]] = item["resource_name"]
    leaf: dict[str, Any] = {"leaf": {}}
    middle: dict[str, Any] = {"deep": {"0": leaf}, "beside": {}}
    group = {"0": middle, "1": middle}
    assert inner[root] == {"last": {}, "group": group, "provided": leaf, "first": {}}
    assert all(owners[item["nested_stack_id"]] == item["parent"] for item in items[4:])


def test_n04_of_a_group_that_could_not_be_replaced_both_are_listed(api: Api) -> None:
    template = f"""{VERSION}
resources:
  chain:
    type: OS::Heat::ResourceChain
    properties: {{resources: [OS::Heat::TestResource], resource_properties: {{fail: false}}}}
  user: {{type: OS::Heat::Value, properties: {{value: {{get_resource: chain}}}}}}
"""
    path = made(api, "unreplaced", {"template": template})
    failing = {"template": template.replace("fail: false", "fail: true")}
    changed(api, path, failing, "UPDATE_FAILED")
    found = listed(api, path, nested_depth="MAX", with_detail=True)
    old_chain, old_member = (each for each in found if each["is_old"])
    assert old_member["nested_stack_id"] == old_chain["physical_resource_id"]
    chain, user, member = (each for each in found if not each["is_old"])
    assert chain["resource_status"] == member["resource_status"] == "CREATE_FAILED"
    assert chain["physical_resource_id"] == member["nested_stack_id"]
    # Whoever needs it needs it by its name; what it does not have has no value.
    assert (chain["required_by"], user["required_by"]) == (["user"], [])
    assert (chain["attributes"]["refs"], member["attributes"]) == (None, {"output": None})
    changed(api, path, {"template": template})
    found = listed(api, path, nested_depth="MAX")
    assert [each["resource_name"] for each in found] == ["chain", "user", "0"]
    assert all(each["resource_status"].endswith("_COMPLETE") for each in found)


def test_n05_without_the_parameter_only_the_stacks_own_are_listed(api: Api, tree: str) -> None:
    items = listed(api, tree)
    assert {item["resource_name"] for item in items} == {"last", "group", "provided", "first"}
    assert all(set(item) == EVERY_FIELD for item in items)


def test_n06_the_stacks_own_come_in_addition(api: Api, tree: str) -> None:
    own = listed(api, tree)
    for depth in (1, 2, 3, 4, "MAX"):
        assert listed(api, tree, nested_depth=depth)[:4] == own


@pytest.mark.parametrize(("depth", "count"), [(1, 7), (2, 11), (3, 13), (4, 15), (5, 15)])
def test_n07_a_number_limits_the_depth(api: Api, tree: str, depth: int, count: int) -> None:
    items = listed(api, tree, nested_depth=depth)
    assert len(items) == count
    assert addresses(items) == addresses(list(walked(api, tree, depth)))


def test_n07_the_depth_counts_from_the_stack_that_is_asked(api: Api, tree: str) -> None:
    part = inside(api, tree, "group", "1")
    assert [item["resource_name"] for item in listed(api, part)] == ["deep", "beside"]
    assert [item["resource_name"] for item in listed(api, part, nested_depth=1)] == [
        *("deep", "beside"),
        "0",
    ]
    assert addresses(listed(api, part, nested_depth="MAX")) == addresses(list(walked(api, part)))


@pytest.mark.parametrize("place", [(), ("group",), ("group", "0", "deep")])
def test_n08_zero_is_as_good_as_nothing(api: Api, tree: str, place: tuple[str, ...]) -> None:
    path = inside(api, tree, *place)
    plain = api.get(f"{path}/resources").content
    for zero in ("0", "00", ""):
        assert api.get(f"{path}/resources?nested_depth={zero}").content == plain


@pytest.mark.parametrize("word", ["MAX", "max", "Max", "mAx"])
def test_n09_max_in_any_case_lists_all(api: Api, tree: str, word: str) -> None:
    assert listed(api, tree, nested_depth=word) == listed(api, tree, nested_depth=4)


def test_n10_nothing_goes_deeper_than_the_server_allows(api: Api, tree: str) -> None:
    narrow = Api(api._runner, api.engine, Settings(deepest_nesting=2))
    for depth in (3, 9999, 10**17, 10**30, "0" * 5000 + "9", "9" * 5000, "MAX"):
        assert len(listed(narrow, tree, nested_depth=depth)) == 11
        answer = narrow.get(f"{tree}/events", params={"nested_depth": depth}).json()
        assert "leaf" not in {
            each["resource_name"]
            for each in answer["events"]
            if "deep" in (link(each, "stack") or "")
        }
    assert len(listed(narrow, tree, nested_depth=1)) == 7
    narrow.run(narrow.client.aclose())


def test_n11_the_answer_is_one_flat_list(api: Api, tree: str) -> None:
    answer = api.get(f"{tree}/resources", params={"nested_depth": "MAX"}).json()
    assert set(answer) == {"resources"}
    for item in answer["resources"]:
        assert all(isinstance(item[field], str) for field in item if field not in _OTHERS)
        assert all(isinstance(name, str) for name in item["required_by"])


_OTHERS = {"links", "required_by", "is_external", "is_old"}


def test_n12_a_nested_item_names_its_container_and_its_parent(api: Api, tree: str) -> None:
    for item in listed(api, tree, nested_depth="MAX"):
        container = (link(item, "stack") or "").rsplit("/", 1)[1]
        if container == tree.rsplit("/", 1)[1]:
            continue
        assert item["nested_stack_id"] == container
        (owner,) = [
            each
            for each in listed(api, tree, nested_depth="MAX")
            if each["physical_resource_id"] == container
        ]
        assert item["parent"] == owner["resource_name"]


def test_n13_the_seeds_names_and_heats_are_both_there(api: Api, tree: str) -> None:
    items = listed(api, tree, nested_depth="MAX")
    for item in items[:4]:
        assert not NESTED_FIELDS & set(item)
    for item in items[4:]:
        assert set(item) == EVERY_FIELD | NESTED_FIELDS
        assert item["parent"] == item["parent_resource"]


def test_n13_an_item_says_the_same_wherever_the_listing_begins(api: Api, tree: str) -> None:
    whole = {link(item, "self"): item for item in listed(api, tree, nested_depth="MAX")}
    part = inside(api, tree, "group", "0")
    for item in listed(api, part, nested_depth="MAX"):
        assert whole[link(item, "self")] == item
    shown = api.get(f"{part}/resources/beside").json()["resource"]
    assert (shown["parent_resource"], shown["nested_stack_id"]) == ("0", part.rsplit("/", 1)[1])


def test_n14_each_item_has_all_fields_that_clients_know(api: Api, tree: str) -> None:
    for item in listed(api, tree, nested_depth="MAX"):
        assert set(item) - NESTED_FIELDS == EVERY_FIELD
        assert item["resource_name"] == item["logical_resource_id"]
    by_name = {item["resource_name"]: item for item in listed(api, tree)}
    assert by_name["group"]["required_by"] == by_name["provided"]["required_by"] == ["last"]
    assert by_name["provided"]["resource_type"] == "My::Type"
    (detailed,) = listed(api, tree, name="last", with_detail=True)
    assert set(detailed) == EVERY_FIELD | {"attributes", "description", "differences"}


def test_n15_links_can_be_walked(api: Api, tree: str) -> None:
    at = f"http://testserver/v1/project{tree}"
    for name in ("group", "1", "deep", "0", "leaf"):
        shown = api.get(f"{at}/resources/{name}").json()["resource"]
        assert api.get(link(shown, "self") or "").json()["resource"] == shown
        assert link(shown, "stack") == at
        assert (link(shown, "nested") is None) == (name == "leaf")
        at = link(shown, "nested") or at
    assert api.get(at).json()["stack"]["stack_status"] == "CREATE_COMPLETE"


@pytest.mark.parametrize("word", ["-1", "x", "1.5", "MAXIMUM", "MA", "1e3", "٣", "1_0", "+1"])
@pytest.mark.parametrize("what", ["resources", "events"])
def test_n17_anything_else_is_refused_with_a_clear_text(
    api: Api, tree: str, what: str, word: str
) -> None:
    answer = api.get(f"{tree}/{what}", params={"nested_depth": word})
    assert answer.status_code == 400
    message = answer.json()["error"]["message"]
    assert message == f'the value "{word}" of "nested_depth" must be a number or MAX, 0 or more'


def test_n19_the_order_is_always_the_same_own_resources_first_then_depth_first(
    api: Api, tree: str
) -> None:
    address = f"{tree}/resources?nested_depth=MAX"
    assert api.get(address).content == api.get(address).content
    items = listed(api, tree, nested_depth="MAX")
    assert addresses(items) == addresses(list(walked(api, tree)))
    names = [item["resource_name"] for item in items[:4]]
    # In the order in which they were made: what is required comes first.
    assert names.index("group") < names.index("last")
    assert names.index("provided") < names.index("last")


def test_n19_a_page_of_ten_members_is_in_the_order_of_their_making(api: Api) -> None:
    group = "{type: OS::Heat::ResourceGroup, properties: {count: 12, resource_def: {type: X}}}"
    template = VERSION + f"resources: {{g: {group.replace('X', 'OS::Heat::None')}}}\n"
    path = made(api, "dozen", {"template": template})
    first = listed(api, path, nested_depth=1)
    changed(api, path, {"template": template.replace("12", "14")})
    second = listed(api, path, nested_depth=1)
    assert addresses(second)[: len(first)] == addresses(first)
    assert len(second) == 15


def test_n20_heatclient_tells_the_stack_of_each_row(api: Api, tree: str) -> None:
    rows = heat_client(api).resources.list("tree", nested_depth=4)
    assert len(rows) == 15
    names = [row.stack_name for row in rows]
    assert names[:4] == ["tree"] * 4
    assert all(name.startswith("tree-") for name in names[4:])
    assert [row.parent_resource for row in rows[4:6]] == ["group", "group"]


def test_n21_the_openapi_document_lists_the_parameter(api: Api) -> None:
    document = api.get("http://testserver/openapi.json").json()
    base = "/v1/{project}/stacks/{stack_name}/{stack_id}"
    for path in ("/resources", "/events", "/events/stream"):
        parameters = document["paths"][base + path]["get"]["parameters"]
        (depth,) = [each for each in parameters if each["name"] == "nested_depth"]
        assert (depth["in"], depth["required"]) == ("query", False)
        assert "MAX" in depth["description"]
        number, word = depth["schema"]["oneOf"]
        assert (number["type"], number["minimum"], word["type"]) == ("integer", 0, "string")


def test_every_requirement_has_a_test_that_carries_its_number() -> None:
    modules = Path(__file__).parent.glob("test_*.py")
    source = "".join(path.read_text(encoding="utf-8") for path in modules)
    missing = [number for number in range(1, 23) if f"def test_n{number:02}_" not in source]
    assert missing == []
