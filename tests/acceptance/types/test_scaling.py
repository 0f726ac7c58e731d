"""OS::Heat::AutoScalingGroup and its policies on the real engine."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from hotplate.document import InvalidDocument
from hotplate.engine.embedded import Embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.refusals import ActionInProgress, NotSupported
from hotplate.engine.requests.acceptance import Options
from hotplate.engine.requests.adoption import adopted_resources
from hotplate.engine.requests.signals import BadRequest
from hotplate.model import Action, Status
from hotplate.plan.decide import Step
from tests.acceptance.types.groups import (
    BOX,
    complete,
    created,
    history,
    inside,
    members,
    most_at_once,
    updated,
)
from tests.acceptance.types.stories import ended, tell

THING = "OS::Heat::TestResource"


def policy(kind: str = "change_in_capacity", amount: float = 1, **more: Any) -> dict[str, Any]:
    return {
        "type": "OS::Heat::ScalingPolicy",
        "properties": {
            "auto_scaling_group_id": {"get_resource": "group"},
            "adjustment_type": kind,
            "scaling_adjustment": amount,
            **more,
        },
    }


def group(
    least: int = 1,
    most: int = 5,
    member: dict[str, Any] | None = None,
    outputs: dict[str, Any] | None = None,
    resources: dict[str, Any] | None = None,
    **more: Any,
) -> Recipe:
    """A stack of one group and some policies, and what is asked of the group."""
    properties = {
        "min_size": least,
        "max_size": most,
        "resource": member or {"type": THING, "properties": {"value": "a"}},
        **more,
    }
    asked = {
        "size": ["current_size"],
        "refs": ["refs"],
        "map": ["refs_map"],
        "said": ["outputs", "output"],
        "list": ["outputs_list", "output"],
    }
    template = {
        "heat_template_version": "wallaby",
        "resources": {
            "group": {"type": "OS::Heat::AutoScalingGroup", "properties": properties},
            "up": policy(),
            "down": policy(amount=-1),
            **(resources or {}),
        },
        "outputs": {
            name: {"value": {"get_attr": ["group", *path]}}
            for name, path in {**asked, **(outputs or {})}.items()
        },
    }
    return Recipe(json.dumps(template), {"box.yaml": BOX})


def values(word: str, **more: Any) -> dict[str, Any]:
    return {"type": THING, "properties": {"value": word, **more}}


async def rested(engine: Embedded, stack_id: str, name: str = "group") -> None:
    """Wait until the group is at rest."""
    while True:
        version = (await engine.operations.resources(stack_id))[name]
        if version.status is not Status.IN_PROGRESS:
            assert version.status is Status.COMPLETE, version.reason
            return
        await asyncio.sleep(0.01)


async def sized(engine: Embedded, stack_id: str, size: int) -> None:
    """Wait until an output says that the group has a size."""
    while True:
        if (await engine.operations.outputs(stack_id))["size"] == size:
            return
        await asyncio.sleep(0.05)


async def signalled(engine: Embedded, stack_id: str, name: str) -> dict[str, Any]:
    """Send a signal, wait until what it began has ended, and return the outputs."""
    await engine.operations.signal(stack_id, name, {})
    await rested(engine, stack_id)
    return await engine.operations.outputs(stack_id)


def test_a_group_begins_with_its_least_or_its_desired_size(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        for number, (recipe, size) in enumerate(
            [
                (group(2), 2),
                (group(2, desired_capacity=4), 4),
                (group(0, desired_capacity=0), 0),
                (group(0, 0), 0),
            ]
        ):
            stack_id = await engine.operations.create("p", f"s{number}", recipe)
            await complete(engine, stack_id)
            outputs = await engine.operations.outputs(stack_id)
            assert outputs["size"] == len(outputs["refs"]) == size
            assert all(len(name) == 12 for name in outputs["map"])
            await engine.operations.delete(stack_id)
            await complete(engine, stack_id)

    tell(tmp_path, story)


def test_attributes(tmp_path: Path) -> None:
    """By name or as a list, the oldest first; members by their age."""
    asked = {
        "first": ["resource.0"],
        "value": ["resource.0.said"],
        "deep": ["resource.0", "table", "inner", "word"],
        "nobody": ["resource.7", "said"],
        "wrong": ["resource.x"],
        "none": ["outputs"],
        "words": ["outputs_list", "said"],
        "tables": ["outputs", "table", "inner"],
    }

    async def story(engine: Embedded) -> None:
        box = {"type": "box.yaml", "properties": {"word": "hi"}}
        recipe = group(2, member=box, outputs=asked)
        outputs = await _asked(engine, recipe)
        names = list(outputs["map"])
        assert outputs["first"] == outputs["refs"][0] == outputs["map"][names[0]]
        assert (outputs["value"], outputs["deep"]) == ("hi", "hi")
        assert (outputs["nobody"], outputs["wrong"], outputs["none"]) == (None, None, None)
        assert outputs["words"] == ["hi", "hi"]
        assert outputs["tables"] == {name: {"word": "hi"} for name in names}

    async def _asked(engine: Embedded, recipe: Recipe) -> dict[str, Any]:
        return await engine.operations.outputs(await created(engine, recipe))

    tell(tmp_path, story)


def test_policies_change_the_size_between_the_bounds(tmp_path: Path) -> None:
    """What was there stays, the oldest go first; the stack's own status does not change."""
    policies = {
        "all": policy("exact_capacity", 5),
        "half": policy("percent_change_in_capacity", -50),
        "some": policy("percent_change_in_capacity", 10, min_adjustment_step=2),
    }

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(1, 5, resources=policies))
        first = (await engine.operations.outputs(stack_id))["refs"]
        two = await signalled(engine, stack_id, "up")
        assert two["refs"][0] == first[0]
        assert two["size"] == 2
        assert two["list"] == ["a", "a"]
        assert (await signalled(engine, stack_id, "some"))["size"] == 4
        five = await signalled(engine, stack_id, "all")
        assert five["size"] == 5
        assert (await signalled(engine, stack_id, "up"))["refs"] == five["refs"]
        three = await signalled(engine, stack_id, "half")
        assert three["refs"] == five["refs"][2:]
        for _ in range(4):
            last = await signalled(engine, stack_id, "down")
        assert last["refs"] == five["refs"][4:]
        stack = await engine.operations.stack(stack_id)
        assert (stack.action, stack.status) == (Action.CREATE, Status.COMPLETE)
        version = (await engine.operations.resources(stack_id))["group"]
        assert (version.action, version.status) == (Action.UPDATE, Status.COMPLETE)
        events = [(e.name, e.action.value, e.reason) for e in await history(engine, stack_id)]
        assert ("up", "SIGNAL", "No signal details provided") in events
        words = "Scaling: change_in_capacity : 1, from 1 to 2 members"
        assert ("group", "UPDATE", words) in events
        # Signals that change nothing leave no trace.
        assert len([event for event in events if event[:2] == ("up", "SIGNAL")]) == 1
        await engine.operations.delete(stack_id)
        await complete(engine, stack_id)

    tell(tmp_path, story)


def test_a_scaled_group_keeps_its_size_until_its_definition_changes(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(1, 5, desired_capacity=2))
        await signalled(engine, stack_id, "up")
        other = {"other": {"type": "OS::Heat::Value", "properties": {"value": 1}}}
        outputs = await updated(engine, stack_id, group(1, 5, resources=other, desired_capacity=2))
        assert outputs["size"] == 3
        # With a desired capacity, a change brings that back; without one, the size stays.
        outputs = await updated(engine, stack_id, group(1, 6, desired_capacity=2))
        assert outputs["size"] == 2
        await signalled(engine, stack_id, "up")
        assert (await updated(engine, stack_id, group(1, 7)))["size"] == 3
        assert (await updated(engine, stack_id, group(4, 7)))["size"] == 4
        assert (await updated(engine, stack_id, group(0, 2)))["size"] == 2

    tell(tmp_path, story)


def test_a_changed_definition_is_rolled_through_the_members(tmp_path: Path) -> None:
    """One after the other unless said otherwise, in place where the type allows it."""

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(4, member=values("a", wait_secs=0.02)))
        before = await engine.operations.outputs(stack_id)
        after = await updated(engine, stack_id, group(4, member=values("b", wait_secs=0.02)))
        assert after["list"] == ["b"] * 4
        assert after["refs"] == before["refs"]
        events = await history(engine, await inside(engine, stack_id))
        assert most_at_once(events, {Action.UPDATE}) == 1
        last = len(events)
        rolling = {"max_batch_size": 3, "min_in_service": 3, "pause_time": 0.01}
        member = values("c", wait_secs=0.02)
        recipe = group(4, member=member, rolling_updates=rolling)
        outputs = await updated(engine, stack_id, recipe)
        assert outputs["list"] == ["c"] * 4
        events = (await history(engine, await inside(engine, stack_id)))[last:]
        assert 1 < most_at_once(events, {Action.UPDATE, Action.CREATE}) <= 3
        # To leave three in service there were more for a while; the oldest went.
        assert set(outputs["refs"]) != set(before["refs"])

    tell(tmp_path, story)


def test_replacements_and_growth_with_an_update(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        member = values("a", update_replace_value="x")
        stack_id = await created(engine, group(2, member=member))
        before = await engine.operations.outputs(stack_id)
        member = values("b", update_replace_value="y")
        after = await updated(engine, stack_id, group(3, member=member))
        assert after["list"] == ["b"] * 3
        assert not set(after["refs"]) & set(before["refs"])
        assert set(before["map"]) <= set(after["map"])

    tell(tmp_path, story)


def test_pauses_that_take_too_long_are_refused(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        rolling = {"pause_time": 61}
        recipe = group(3, member=values("a"), rolling_updates=rolling)
        stack_id = await engine.operations.create("p", "s", recipe, Options(timeout=2))
        await complete(engine, stack_id)
        recipe = group(3, member=values("b"), rolling_updates=rolling)
        await engine.operations.update(stack_id, recipe)
        stack = await ended(engine, stack_id)
        assert "will result in stack update timeout" in stack.reason

    tell(tmp_path, story)


def test_cooldown(tmp_path: Path) -> None:
    """After a change the size stays for a while: the policy's own time, else the group's."""
    eager = {"eager": policy(cooldown=0)}

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(1, 5, resources=eager))
        # A group that is made without a cooldown has none.
        assert (await signalled(engine, stack_id, "eager"))["size"] == 2
        assert (await updated(engine, stack_id, group(1, 5, resources=eager, cooldown=600)))[
            "size"
        ] == 2
        stack = await engine.operations.stack(stack_id)
        shown = (await engine.operations.metadata(stack, "group")).shown
        assert shown["scaling_in_progress"] is False
        assert list(shown["cooldown_end"].values()) == ["ExactCapacity : 2"]
        assert (await signalled(engine, stack_id, "eager"))["size"] == 2
        assert (await signalled(engine, stack_id, "up"))["size"] == 2

    tell(tmp_path, story)


def test_a_failed_scaling_is_told_and_the_next_signal_tries_again(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        once = {"type": THING, "properties": {"value": "a", "fail": False}}
        stack_id = await created(engine, group(1, 5, member=once))
        broken = {**once, "properties": {"value": "a", "fail": True}}
        await engine.operations.update(stack_id, group(1, 5, member=broken))
        stack = await ended(engine, stack_id)
        assert stack.status is Status.FAILED
        assert "resources.group.resources." in stack.reason
        # What is broken is not scaled.
        await engine.operations.signal(stack_id, "up", {})
        version = (await engine.operations.resources(stack_id))["group"]
        assert (version.action, version.status) == (Action.UPDATE, Status.FAILED)
        assert (await updated(engine, stack_id, group(1, 5, member=once)))["size"] == 1
        assert (await signalled(engine, stack_id, "up"))["size"] == 2

    tell(tmp_path, story)


def test_members_that_fail_while_the_group_grows(tmp_path: Path) -> None:
    """The group has failed, the stack has not; what is there stays, and an update mends it."""
    parts = {"flag": {"type": "OS::Heat::WaitConditionHandle"}}
    broken = {
        "type": "OS::Heat::WaitCondition",
        "properties": {"handle": {"get_resource": "flag"}, "timeout": 1},
    }

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(0, 3, member=broken, resources=parts))
        await engine.operations.signal(stack_id, "up", {})
        while True:
            version = (await engine.operations.resources(stack_id))["group"]
            if version.status is not Status.IN_PROGRESS:
                break
            await engine.operations.signal(stack_id, "up", {})  # it is scaling: nothing happens
            await asyncio.sleep(0.05)
        assert version.status is Status.FAILED
        assert version.reason.startswith("WaitConditionTimeout: resources.group.resources.")
        stack = await engine.operations.stack(stack_id)
        assert (stack.action, stack.status) == (Action.CREATE, Status.COMPLETE)
        outputs = await updated(engine, stack_id, group(0, 3, member=values("a")))
        assert outputs["list"] == ["a"]

    tell(tmp_path, story)


def test_a_signal_during_an_update_is_kept_until_it_is_over(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(2, 5, member=values("a", wait_secs=0.3)))
        await engine.operations.update(stack_id, group(2, 5, member=values("b", wait_secs=0.3)))
        await engine.operations.signal(stack_id, "up", {})
        await complete(engine, stack_id)
        await sized(engine, stack_id, 3)
        assert (await engine.operations.outputs(stack_id))["list"] == ["b"] * 3

    tell(tmp_path, story)


def test_an_update_during_a_change_of_the_size(tmp_path: Path) -> None:
    """It goes on from there; the member that is being made is not forgotten."""

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(1, 5, member=values("a", wait_secs=0.2)))
        await engine.operations.signal(stack_id, "up", {})
        version = (await engine.operations.resources(stack_id))["group"]
        assert version.status is Status.IN_PROGRESS
        outputs = await updated(engine, stack_id, group(1, 5, member=values("b")))
        assert outputs["list"] == ["b", "b"]

    tell(tmp_path, story)


def test_deleting_and_suspending_during_a_change_of_the_size(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(1, 5, member=values("a", wait_secs=0.2)))
        await engine.operations.signal(stack_id, "up", {})
        await engine.operations.visit(stack_id, Action.SUSPEND)
        await complete(engine, stack_id)
        assert len(await members(engine, stack_id)) == 2
        with pytest.raises(NotSupported, match="Signal resource during SUSPEND"):
            await engine.operations.signal(stack_id, "up", {})
        await engine.operations.visit(stack_id, Action.RESUME)
        await complete(engine, stack_id)
        assert (await engine.operations.outputs(stack_id))["size"] == 2
        await engine.operations.signal(stack_id, "up", {})
        await engine.operations.delete(stack_id)
        await complete(engine, stack_id)

    tell(tmp_path, story)


def test_stacks_above_hear_of_a_change_of_the_size(tmp_path: Path) -> None:
    inner = json.loads(group(1, 5).template)
    inner["outputs"] = {
        "size": {"value": {"get_attr": ["group", "current_size"]}},
        "address": {"value": {"get_attr": ["up", "alarm_url"]}},
    }
    middle = {
        "heat_template_version": "wallaby",
        "resources": {"inner": {"type": "inner.yaml"}},
        "outputs": {"size": {"value": {"get_attr": ["inner", "size"]}}},
    }
    outer = {
        "heat_template_version": "wallaby",
        "resources": {"middle": {"type": "middle.yaml"}},
        "outputs": {"size": {"value": {"get_attr": ["middle", "size"]}}},
    }

    async def story(engine: Embedded) -> None:
        files = {"inner.yaml": json.dumps(inner), "middle.yaml": json.dumps(middle)}
        stack_id = await created(engine, Recipe(json.dumps(outer), files))
        assert (await engine.operations.outputs(stack_id))["size"] == 1
        middle_id = await inside(engine, stack_id, "middle")
        inner_id = await inside(engine, middle_id, "inner")
        await engine.operations.signal(inner_id, "up", {})
        await sized(engine, stack_id, 2)

    tell(tmp_path, story)


def test_policies_change_in_place_but_for_their_group(tmp_path: Path) -> None:
    def with_policy(**more: Any) -> Recipe:
        return group(1, 9, resources={"up": policy(**more)})

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, with_policy())
        first = (await engine.operations.resources(stack_id))["up"]
        address = first.attributes["alarm_url"]
        assert "/signal/arn%3Aopenstack" in address
        assert first.attributes["signal_url"].endswith("/resources/up/signal")
        await updated(engine, stack_id, with_policy(amount=3))
        assert (await signalled(engine, stack_id, "up"))["size"] == 4
        await updated(engine, stack_id, with_policy(kind="exact_capacity", amount=2))
        assert (await signalled(engine, stack_id, "up"))["size"] == 2
        percent = {"kind": "percent_change_in_capacity", "amount": 50}
        await updated(engine, stack_id, with_policy(**percent, min_adjustment_step=3, cooldown=99))
        assert (await signalled(engine, stack_id, "up"))["size"] == 5
        assert (await signalled(engine, stack_id, "down"))["size"] == 5  # it cools down
        version = (await engine.operations.resources(stack_id))["up"]
        assert (version.uuid, version.attributes["alarm_url"]) == (first.uuid, address)
        await updated(engine, stack_id, with_policy(auto_scaling_group_id="other"))
        version = (await engine.operations.resources(stack_id))["up"]
        assert version.uuid != first.uuid
        with pytest.raises(BadRequest, match='could not find scaling group named "other"'):
            await engine.operations.signal(stack_id, "up", {})

    tell(tmp_path, story)


@pytest.mark.parametrize(
    ("recipe", "fault"),
    [
        (group(3, 2), "MinSize can not be greater than MaxSize"),
        (group(1, 2, desired_capacity=3), "DesiredCapacity must be between MinSize and MaxSize"),
        (group(-1, 2), "min_size"),
        (group(1, 100_001), "at most 100000 members"),
        (group(1, 2, member={"properties": {}}), "type"),
        (group(1, 2, member={"type": "OS::Heat::Nothing"}), "OS::Heat::Nothing"),
        (group(1, 2, rolling_updates={"max_batch_size": 0}), "max_batch_size"),
    ],
)
def test_what_is_refused(tmp_path: Path, recipe: Recipe, fault: str) -> None:
    async def story(engine: Embedded) -> None:
        with pytest.raises(InvalidDocument, match=fault):
            await engine.operations.create("p", "s", recipe)

    tell(tmp_path, story)


def test_a_preview_shows_the_members_that_stay_and_those_that_come(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(2, 5))
        await signalled(engine, stack_id, "up")
        planned = await engine.operations.preview_update(stack_id, group(4, 5, member=values("b")))
        steps = [each.step for each in planned.planned if len(each.path) == 2]
        assert sorted(str(step) for step in steps) == sorted(
            [str(Step.UPDATE)] * 3 + [str(Step.CREATE)]
        )

    tell(tmp_path, story)


def test_abandoned_and_adopted_members_keep_their_names(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        recipe = group(1, 5, member=values("a", wait_secs=0.2))
        stack_id = await created(engine, recipe)
        await engine.operations.signal(stack_id, "up", {})
        with pytest.raises(ActionInProgress):
            await engine.operations.abandon(stack_id)
        await rested(engine, stack_id)
        before = await engine.operations.outputs(stack_id)
        document = await engine.operations.abandon(stack_id)
        adopted = await engine.operations.adopt("p", "again", recipe, adopted_resources(document))
        await complete(engine, adopted)
        after = await engine.operations.outputs(adopted)
        assert after["map"] == before["map"]
        assert (await signalled(engine, adopted, "up"))["size"] == 3

    tell(tmp_path, story)
