"""A chain: its members and what it tells of them."""

from typing import Any

from hotplate.resources.heat.groups.resource_chain import ResourceChain
from hotplate.resources.resource_type import Child
from hotplate.template import ResourceData

CHAIN = ResourceChain()


def members(**given: Any) -> Any:
    return CHAIN.child_template(CHAIN.convert(given))["resources"]


def test_each_member_depends_on_the_one_before() -> None:
    assert members(resources=["A", "B", "C"]) == {
        "0": {"type": "A"},
        "1": {"type": "B", "depends_on": "0"},
        "2": {"type": "C", "depends_on": "1"},
    }


def test_all_members_get_the_same_properties_and_nobody_waits_if_told_so() -> None:
    given = {"resources": ["A", "B"], "concurrent": True, "resource_properties": {"x": 1}}
    assert members(**given) == {
        "0": {"type": "A", "properties": {"x": 1}},
        "1": {"type": "B", "properties": {"x": 1}},
    }


def test_only_the_list_changes_in_place() -> None:
    assert [name for name, one in CHAIN.properties.items() if one.updatable] == ["resources"]


def test_it_tells_of_its_members() -> None:
    child = Child("c", "arn", {}, {"0": ResourceData("a", {"v": 1}), "1": ResourceData("b", {})})
    wanted = [("v",), ("attributes", "v"), ("resource.0", "v"), ("resource.1",)]
    found = CHAIN.child_attributes(CHAIN.convert({"resources": []}), child, wanted)
    assert found["refs"] == ["a", "b"]
    assert found['["v"]'] == [1, None]
    assert found['["attributes", "v"]'] == {"0": 1, "1": None}
    assert found['["resource.0", "v"]'] == 1
    assert found['["resource.1"]'] == "b"
