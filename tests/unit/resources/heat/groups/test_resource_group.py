"""A group: its members, what removal policies take out, and its stages."""

from typing import Any

import pytest

from hotplate.resources import BadProperty
from hotplate.resources.heat.groups.resource_group import ResourceGroup
from hotplate.resources.property import convert_all
from hotplate.resources.resource_type import Child
from hotplate.resources.stages import Contents
from hotplate.template import ResourceData

GROUP = ResourceGroup()
NO_POLICIES: dict[str, Any] = convert_all(GROUP.update_policies, {})


def properties(count: int = 3, word: str = "%index%", **more: Any) -> dict[str, Any]:
    member = {"type": "A::Thing", "properties": {"value": word}}
    return GROUP.convert({"count": count, "resource_def": member, **more})


def contents(count: int, **more: Any) -> Contents:
    definitions = GROUP.child_template(properties(count))["resources"]
    references = {name: f"id-{name}" for name in definitions}
    return Contents(definitions, references, **{"exists": True, "is_new": False, **more})


def removing(*entries: Any, **more: Any) -> dict[str, Any]:
    return properties(removal_policies=[{"resource_list": list(entries)}], **more)


def test_the_index_stands_in_values_but_not_in_keys_types_or_metadata() -> None:
    member = {
        "type": "%index%",
        "properties": {"a": ["x%index%", 1], "%index%": {"b": "%index%%index%"}},
        "metadata": {"m": "%index%"},
    }
    template = GROUP.child_template(GROUP.convert({"count": 2, "resource_def": member}))
    assert template["resources"]["1"] == {
        "type": "%index%",
        "properties": {"a": ["x1", 1], "%index%": {"b": "11"}},
        "metadata": {"m": "%index%"},
    }


def test_a_sample_has_one_member_or_none() -> None:
    assert list(GROUP.child_sample(properties(5))["resources"]) == ["0"]
    assert GROUP.child_sample(properties(0))["resources"] == {}


def test_a_group_has_a_bound() -> None:
    with pytest.raises(BadProperty, match="at most"):
        properties(100_001)


def test_a_plain_group_has_no_stages() -> None:
    assert not GROUP.has_stages(properties(), NO_POLICIES, {})
    assert GROUP.has_stages(properties(), NO_POLICIES, {"name_blacklist": "1"})
    assert GROUP.has_stages(removing("1"), NO_POLICIES, {})
    policies = convert_all(GROUP.update_policies, {"batch_create": {}})
    assert GROUP.has_stages(properties(), policies, {})


@pytest.mark.parametrize(
    ("entries", "removed"),
    [
        (["1"], "1"),
        ([1, "0"], "0,1"),
        (["id-2"], "2"),
        (["7", "id-7", 9], ""),
        ([], ""),
    ],
)
def test_members_are_listed_by_name_number_or_reference(entries: list[Any], removed: str) -> None:
    stage = GROUP.child_stage(removing(*entries), NO_POLICIES, {}, contents(3))
    assert (stage.data or {"name_blacklist": ""})["name_blacklist"] == removed
    names = list(stage.template["resources"])
    assert len(names) == 3
    assert not set(names) & set(removed.split(","))


def test_a_group_is_made_without_what_is_listed_from_the_beginning() -> None:
    stage = GROUP.child_stage(removing("1", 3), NO_POLICIES, {}, Contents())
    assert list(stage.template["resources"]) == ["0", "2", "4"]
    assert stage.data == {"name_blacklist": "1,3"}


def test_the_mode_decides_what_becomes_of_names_removed_earlier() -> None:
    earlier = {"name_blacklist": "0"}
    stage = GROUP.child_stage(removing("1"), NO_POLICIES, earlier, contents(3))
    assert stage.data == {"name_blacklist": "0,1"}
    again = removing("1", "0", removal_policies_mode="update")
    stage = GROUP.child_stage(again, NO_POLICIES, earlier, contents(3))
    assert stage.data == {"name_blacklist": "0,1"}
    only = removing("1", removal_policies_mode="update")
    stage = GROUP.child_stage(only, NO_POLICIES, earlier, contents(3))
    assert stage.data == {"name_blacklist": "1"}
    assert list(stage.template["resources"]) == ["0", "2", "3"]


def test_later_stages_do_not_look_at_removal_policies_again() -> None:
    policies = convert_all(GROUP.update_policies, {"rolling_update": {}})
    wanted = removing("0", word="new %index%")
    later = contents(3, policy="rolling_update")
    stage = GROUP.child_stage(wanted, policies, {}, later)
    assert "0" in stage.template["resources"]


def test_creation_and_update_go_by_their_own_policies() -> None:
    policies = convert_all(
        GROUP.update_policies,
        {"batch_create": {"max_batch_size": 2, "pause_time": 5}, "rolling_update": {}},
    )
    first = GROUP.child_stage(properties(), policies, {}, Contents())
    assert (list(first.template["resources"]), first.policy, first.pause) == (
        ["0", "1"],
        "batch_create",
        5,
    )
    more = GROUP.child_stage(properties(5), policies, {}, contents(3))
    assert (len(more.template["resources"]), more.policy) == (5, ""), "only the number changes"
    change = GROUP.child_stage(properties(word="x"), policies, {}, contents(3))
    assert (change.policy, change.pause) == ("rolling_update", 0)
    whole = GROUP.child_stage(properties(word="x"), {}, {}, contents(3))
    assert whole.template == GROUP.child_template(properties(word="x"))


def test_members_are_told_of_in_the_order_of_their_numbers() -> None:
    members = {str(n): ResourceData(f"id-{n}", {"value": {"deep": [n]}}) for n in (10, 9, 2)}
    child = Child("c", "arn", {}, members, {"name_blacklist": "0,1"})
    wanted = [
        ("value",),
        ("value", "deep", 0),
        ("attributes", "value"),
        ("attributes",),
        ("refs", 1),
    ]
    found = GROUP.child_attributes(properties(), child, wanted)
    assert found == {
        "refs": ["id-2", "id-9", "id-10"],
        "refs_map": {"2": "id-2", "9": "id-9", "10": "id-10"},
        "removed_rsrc_list": ["0", "1"],
        '["value"]': [{"deep": [2]}, {"deep": [9]}, {"deep": [10]}],
        '["value", "deep", 0]': [2, 9, 10],
        '["attributes", "value"]': {"2": {"deep": [2]}, "9": {"deep": [9]}, "10": {"deep": [10]}},
    }
