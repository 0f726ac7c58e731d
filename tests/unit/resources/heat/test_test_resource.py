"""OS::Heat::TestResource, as a running Heat 27 answered."""

import asyncio
from typing import Any

import pytest

from hotplate.resources import Done, Resource, ResourceFailed, Wait
from hotplate.resources.heat.test_resource import TestResource
from tests.unit.resources.acting import StillWorld, resource

KIND = TestResource()
ID = "app-it-0f6f8f0e1111"


def call(it: Resource, action: str) -> Any:
    return asyncio.run(getattr(KIND, action)(it))


def updating(old: dict[str, Any], new: dict[str, Any], **facts: Any) -> Resource:
    return resource(KIND, new, old_properties=KIND.convert(old), physical_id=ID, **facts)


def test_it_keeps_its_value() -> None:
    assert call(resource(KIND), "create") == Done(ID, attributes={"output": "test_string"})
    kept = call(resource(KIND, {"value": "a"}), "create")
    assert kept == Done(ID, attributes={"output": "a"})


def test_creating_waits_and_has_its_id_from_the_start() -> None:
    world = StillWorld()
    it = resource(KIND, {"wait_secs": 5}, world=world)
    assert call(it, "create") == Wait({"until": 1005.0}, 5.0, ID)
    it.cookie = {"until": 1005.0}
    world.time += 4
    assert call(it, "create") == Wait({"until": 1005.0}, 1.0, ID)
    world.time += 1
    assert call(it, "create") == Done(ID, attributes={"output": "test_string"})


def test_minus_one_waits_for_ever() -> None:
    it = resource(KIND, {"wait_secs": -1})
    assert call(it, "create") == Wait({"until": None}, None, ID)
    it.cookie = {"until": None}
    assert isinstance(call(it, "create"), Wait)


@pytest.mark.parametrize("action", ["create", "update", "delete"])
def test_an_action_can_have_a_wait_of_its_own(action: str) -> None:
    given = {"value": "b", "wait_secs": 9, "action_wait_secs": {action: 3}}
    for each in ("create", "update", "delete"):
        assert call(updating({}, given), each).seconds == (3 if each == action else 9)


def test_a_wait_of_zero_of_its_own_is_no_wait() -> None:
    it = resource(KIND, {"wait_secs": 9, "action_wait_secs": {"create": 0}})
    assert isinstance(call(it, "create"), Done)


def test_failing_comes_after_the_wait_and_leaves_no_id() -> None:
    world = StillWorld()
    it = resource(KIND, {"fail": True, "wait_secs": 2}, world=world)
    assert call(it, "create") == Wait({"until": 1002.0}, 2.0)
    it.cookie = {"until": 1002.0}
    world.time += 2
    with pytest.raises(ResourceFailed, match=r"^Test Resource failed it$"):
        call(it, "create")


def test_an_update_of_the_value_waits_and_keeps_it() -> None:
    assert call(updating({}, {"value": "b"}), "update") == Done(attributes={"output": "b"})
    assert call(updating({}, {"value": "b", "wait_secs": 2}), "update").seconds == 2


def test_other_updates_do_not_wait() -> None:
    assert call(updating({"value": "b"}, {"value": "b", "wait_secs": 9}), "update") == Done()


def test_an_update_to_the_empty_text_changes_nothing() -> None:
    assert call(updating({"value": "b"}, {"value": "", "wait_secs": 9}), "update") == Done()


@pytest.mark.parametrize("new", [{"fail": True}, {"fail": True, "value": "b"}])
def test_an_update_can_fail(new: dict[str, Any]) -> None:
    with pytest.raises(ResourceFailed, match=r"^Test Resource failed it$"):
        call(updating({}, new), "update")


def test_deleting_never_fails() -> None:
    assert call(resource(KIND, {"fail": True}), "delete") == Done()


def test_check_wants_it_to_have_been_created() -> None:
    assert call(resource(KIND, physical_id=ID), "check") == Done()
    with pytest.raises(ResourceFailed, match=r"^Resource not created$"):
        call(resource(KIND), "check")


@pytest.mark.parametrize(
    ("old", "new", "replaces"),
    [
        ({"value": "a"}, {"value": "b"}, False),
        ({"value": "a"}, {"value": "b", "update_replace": True}, True),
        ({"value": "a"}, {"value": "a", "update_replace": True}, False),
        ({"value": "a", "update_replace": True}, {"value": "b"}, False),
    ],
)
def test_a_change_of_the_value_can_replace(
    old: dict[str, Any], new: dict[str, Any], replaces: bool
) -> None:
    assert bool(KIND.replacement_reason(KIND.convert(old), KIND.convert(new))) is replaces


def test_only_update_replace_value_always_replaces() -> None:
    fixed = [name for name, declared in KIND.properties.items() if not declared.updatable]
    assert fixed == ["update_replace_value"]


@pytest.mark.parametrize("action", ["create", "update"])
def test_a_wait_whose_result_nobody_wants_has_no_end_of_its_own(action: str) -> None:
    it = updating({}, {"value": "b", "wait_secs": 5}, cookie={"until": 1005.0}, is_wanted=False)
    assert call(it, action) == Wait({"until": 1005.0}, None)


def test_a_deletion_takes_as_long_as_it_is_told() -> None:
    it = updating({}, {"wait_secs": 5}, cookie={"until": 1005.0}, is_wanted=False)
    assert isinstance(call(it, "delete"), Wait)
