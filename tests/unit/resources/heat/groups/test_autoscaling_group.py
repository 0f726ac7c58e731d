"""A group that scales: its size, its names, its stages, what it tells."""

from typing import Any

import pytest

from hotplate.resources import BadProperty
from hotplate.resources.heat.groups.autoscaling_group import AutoScalingGroup
from hotplate.resources.resource_type import Child, ResourceFailed
from hotplate.resources.scaling import Adjustment, Measure
from hotplate.resources.stages import Contents
from hotplate.template import ResourceData

GROUP = AutoScalingGroup()


def properties(least: int = 1, most: int = 9, word: str = "a", **more: Any) -> dict[str, Any]:
    member = {"type": "A::Thing", "properties": {"value": word}}
    return GROUP.convert({"min_size": least, "max_size": most, "resource": member, **more})


def member(word: str = "a") -> dict[str, Any]:
    return {"type": "A::Thing", "properties": {"value": word}}


def contents(*names: str, word: str = "a", **more: Any) -> Contents:
    """What is there, the oldest first."""
    definitions = {name: member(word) for name in names}
    return Contents(definitions, **{"order": names, "exists": True, "is_new": False, **more})


def rolling(given: dict[str, Any]) -> dict[str, Any]:
    return GROUP.policies(given, {})


def adjustment(amount: float, cooldown: float | None = None) -> Adjustment:
    return Adjustment("g", Measure.CHANGE, amount, f"change : {amount}", cooldown=cooldown)


def stage(given: dict[str, Any], data: dict[str, Any], there: Contents) -> tuple[list[str], Any]:
    found = GROUP.child_stage(given, {}, data, there)
    return list(found.template["resources"]), found.data


def test_names_are_random_to_look_at_and_the_same_every_time() -> None:
    names, data = stage(properties(3), {}, Contents(creation_token="m"))
    assert names == stage(properties(3), {}, Contents(creation_token="m"))[0]
    assert len(set(names)) == 3
    assert all(len(name) == 12 and name.isalnum() for name in names)
    assert not set(names) & set(stage(properties(3), {}, Contents(creation_token="other"))[0])
    more, _ = stage(properties(4), data, contents(*names, creation_token="m"))
    assert set(names) < set(more)


def test_a_name_is_not_used_again() -> None:
    names, data = stage(properties(2), {}, Contents(creation_token="m"))
    fewer = GROUP.scaled(
        properties(0), data, contents(*names, creation_token="m"), adjustment(-1), 0
    )
    assert fewer.stage is not None
    left = list(fewer.stage.template["resources"])
    assert left == names[1:]
    again, _ = stage(properties(2), fewer.stage.data or {}, contents(*left, creation_token="m"))
    assert names[0] not in again


@pytest.mark.parametrize(
    ("given", "data", "there", "size"),
    [
        (properties(2), {}, 0, 2),
        (properties(2, desired_capacity=4), {}, 0, 4),
        (properties(2, desired_capacity=4), {"capacity": 3}, 3, 4),
        (properties(2), {"capacity": 5}, 3, 5),
        (properties(6), {"capacity": 5}, 5, 6),
        (properties(0, 2), {"capacity": 5}, 5, 2),
        (properties(1), {}, 3, 3),
        (properties(0, desired_capacity=0), {"capacity": 2}, 2, 0),
    ],
)
def test_how_many_members_there_are(
    given: dict[str, Any], data: dict[str, Any], there: int, size: int
) -> None:
    names, kept = stage(given, data, contents(*"abcdefg"[:there]))
    assert len(names) == size == kept["capacity"]


def test_what_was_scaled_stays_while_the_properties_do() -> None:
    given = properties(1, desired_capacity=2)
    _, data = stage(given, {}, Contents())
    assert len(stage(given, {**data, "capacity": 5}, contents(*"abcde"))[0]) == 5


def test_what_failed_goes_first_then_the_oldest() -> None:
    there = contents(*"abcd", failed=frozenset("c"), unsettled=frozenset("c"))
    found = GROUP.scaled(properties(), {}, there, adjustment(-1), 0)
    assert found.stage is not None
    # Three of four are well, so two shall be left.
    assert sorted(found.stage.template["resources"]) == ["b", "d"]


def test_new_members_have_the_new_definition_and_old_ones_keep_theirs() -> None:
    found = GROUP.scaled(properties(word="b"), {}, contents("x"), adjustment(1), 0)
    assert found.stage is not None
    words = [each["properties"]["value"] for each in found.stage.template["resources"].values()]
    assert sorted(words) == ["a", "b"]


def test_an_adjustment_that_changes_nothing() -> None:
    found = GROUP.scaled(properties(1, 1), {}, contents("x"), adjustment(1), 0)
    assert (found.stage, found.reason) == (None, "it has 1 members already")


def test_cooldown() -> None:
    given = properties(cooldown=60)
    _, data = stage(given, {}, Contents())
    data = GROUP.child_ended(given, data, 1000) or {}
    assert GROUP.kept_metadata(data) == {
        "scaling_in_progress": False,
        "cooldown_end": {"1970-01-01T00:17:40": "ExactCapacity : 1"},
    }
    found = GROUP.scaled(given, data, contents("x"), adjustment(1), 1059)
    assert found.reason == "it cools down until 1970-01-01T00:17:40"
    found = GROUP.scaled(given, data, contents("x"), adjustment(1, cooldown=5), 1060)
    assert found.stage is not None
    data = found.stage.data or {}
    assert GROUP.kept_metadata(data)["scaling_in_progress"]
    data = GROUP.child_ended(given, data, 2000) or {}
    assert GROUP.kept_metadata(data)["cooldown_end"] == {"1970-01-01T00:33:25": "change : 1"}


def batches(given: dict[str, Any], there: Contents) -> list[dict[str, str]]:
    """The values of the members after each stage, the oldest first."""
    data: dict[str, Any] = {}
    seen = []
    policy = ""
    while True:
        found = GROUP.child_stage(given, rolling(given), data, _then(there, policy))
        data = found.data or {}
        definitions = found.template["resources"]
        old = [name for name in there.order if name in definitions]
        order = (*old, *(name for name in definitions if name not in old))
        there = Contents(definitions, order=order, exists=True, is_new=False)
        seen.append({name: definitions[name]["properties"]["value"] for name in order})
        if not found.policy:
            return seen
        policy = found.policy


def _then(there: Contents, policy: str) -> Contents:
    return Contents(
        there.definitions,
        order=there.order,
        exists=True,
        is_new=False,
        policy=policy,
        creation_token="m",
    )


def test_one_after_the_other_the_oldest_first() -> None:
    assert batches(properties(3, word="b"), contents(*"xyz")) == [
        {"x": "b", "y": "a", "z": "a"},
        {"x": "b", "y": "b", "z": "a"},
        {"x": "b", "y": "b", "z": "b"},
    ]


def test_more_for_a_while_to_leave_enough_in_service() -> None:
    pace = {"max_batch_size": 2, "min_in_service": 3, "pause_time": 0}
    given = properties(3, word="b", rolling_updates=pace)
    seen = batches(given, contents(*"xyz"))
    assert [len(each) for each in seen][:1] == [5]
    assert set(seen[-1].values()) == {"b"}
    assert len(seen[-1]) == 3
    for each in seen:
        assert len(each) >= 3


def test_it_grows_after_the_last_batch() -> None:
    seen = batches(properties(4, word="b"), contents(*"xy"))
    assert [len(each) for each in seen] == [2, 2, 4]
    assert set(seen[-1].values()) == {"b"}


def test_it_shrinks_before_it_changes() -> None:
    seen = batches(properties(0, 1, word="b"), contents(*"xyz"))
    assert seen[-1] == {"z": "b"}


def test_pauses_longer_than_the_timeout() -> None:
    given = properties(3, word="b", rolling_updates={"pause_time": 30})
    with pytest.raises(ResourceFailed, match="stack update timeout"):
        GROUP.child_stage(given, rolling(given), {}, contents(*"xyz"), 60)


def test_adopted_members_keep_their_names() -> None:
    names, data = stage(properties(1), {}, Contents(order=("one", "two")))
    assert sorted(names) == ["one", "two"]
    assert data["capacity"] == 2


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (properties(3, 2), "MinSize can not be greater than MaxSize"),
        (properties(1, 2, desired_capacity=3), "DesiredCapacity must be between"),
        (properties(1, 2, desired_capacity=0), "DesiredCapacity must be between"),
        (properties(1, 2, desired_capacity=2), ""),
    ],
)
def test_faults(given: dict[str, Any], fault: str) -> None:
    assert GROUP.validate(given).startswith(fault)


def test_a_group_has_a_bound() -> None:
    with pytest.raises(BadProperty, match="at most"):
        properties(1, 100_001)


def test_attributes() -> None:
    members = {
        "x": ResourceData("id-x", {"value": 1, "map": {"k": 2}}),
        "y": ResourceData("id-y", {"value": 3}),
    }
    wanted = [("outputs", "value"), ("outputs_list", "map", "k"), ("resource.1",), ("refs",)]
    found = GROUP.child_attributes(properties(), Child("c", "arn", {}, members), wanted)
    assert found == {
        "current_size": 2,
        "refs": ["id-x", "id-y"],
        "refs_map": {"x": "id-x", "y": "id-y"},
        '["outputs", "value"]': {"x": 1, "y": 3},
        '["outputs_list", "map", "k"]': [2, None],
        '["resource.1"]': "id-y",
    }
    assert GROUP.asked_of_members(wanted) == {"*": [["map", "k"], ["value"]]}
    assert GROUP.child_reference(Child("c", "arn", {}, members)) == "c"


@pytest.mark.parametrize("wrong", ["x", 5, [1], {"end": "x"}, {"words": 1}, None, True])
def test_what_is_kept_may_be_wrong_since_anybody_may_write_what_is_adopted(wrong: Any) -> None:
    data = {"capacity": wrong, "made": wrong, "cooldown": wrong, "adjustment": wrong}
    data["capacity"] = None if wrong == 5 else wrong
    names, kept = stage(properties(2), data, contents("one", "two"))
    assert sorted(names) == ["one", "two"]
    assert kept["capacity"] == 2
    scaled = GROUP.scaled(properties(1), data, contents("one", "two"), adjustment(1), 0)
    assert scaled.stage is not None
    ended = GROUP.child_ended(properties(), data, 0)
    assert ended is not None
    assert ended["cooldown"]["end"] == 0
    assert "cooldown_end" not in GROUP.kept_metadata(data)
