"""Groups that are made and changed in batches, with pauses between them."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hotplate.document import InvalidDocument
from hotplate.engine.embedded import Embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.acceptance import Options
from hotplate.model import Action, Status, Version
from tests.acceptance.types.groups import (
    BOX,
    complete,
    created,
    group,
    history,
    inside,
    members,
    most_at_once,
    said,
    updated,
    values,
)
from tests.acceptance.types.stories import ended, tell


async def until_paused(engine: Embedded, stack_id: str) -> None:
    """Wait until a batch is complete and the next has not begun."""
    await group_when(engine, stack_id, lambda each: "until" in (each.cookie or ()))


async def group_when(engine: Embedded, stack_id: str, holds: Callable[[Version], bool]) -> Version:
    """The group, as soon as something holds for it."""
    while True:
        version = (await engine.operations.resources(stack_id)).get("group")
        if version is not None and holds(version):
            return version
        await asyncio.sleep(0.005)


def test_a_group_is_created_in_batches(tmp_path: Path) -> None:
    policy = {"batch_create": {"max_batch_size": 2, "pause_time": 0.05}}

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(5, update_policy=policy))
        child = await inside(engine, stack_id)
        events = await history(engine, child)
        assert most_at_once(events, {Action.CREATE}) == 2
        begun = [e for e in events if e.name == (await engine.operations.stack(child)).name]
        times = [event.at for event in begun]
        actions = [event.action for event in begun if event.status is Status.IN_PROGRESS]
        assert actions == [Action.CREATE, Action.UPDATE, Action.UPDATE]
        ends = [e.at for e in begun if e.status is Status.COMPLETE]
        starts = [
            e.at for e in begun if e.status is Status.IN_PROGRESS and e.reason.endswith("started")
        ]
        pauses = [later - end for end, later in zip(ends, starts[1:], strict=False)]
        assert len(pauses) == 2
        assert min(pauses) >= 0.05, times
        own = [e.status for e in await history(engine, stack_id) if e.name == "group"]
        assert own == [Status.IN_PROGRESS, Status.COMPLETE], "one action, however many batches"
        assert len((await engine.operations.outputs(stack_id))["refs"]) == 5
        # Growing later is no creation.
        await updated(engine, stack_id, group(9, update_policy=policy))
        assert most_at_once((await history(engine, child))[len(events) :], {Action.CREATE}) == 4

    tell(tmp_path, story)


def test_members_change_in_batches_and_enough_stay_in_service(tmp_path: Path) -> None:
    policy = {"rolling_update": {"max_batch_size": 2, "min_in_service": 3}}

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(4, update_policy=policy))
        child = await inside(engine, stack_id)
        before = len(await history(engine, child))
        await updated(engine, stack_id, group(4, given=values("b"), update_policy=policy))
        assert await said(engine, stack_id) == {str(i): f"b{i}" for i in range(4)}
        events = (await history(engine, child))[before:]
        assert most_at_once(events, {Action.CREATE, Action.UPDATE}) == 2
        assert [e.name for e in events if e.action is Action.CREATE][:1] == ["4"], "one more helps"
        gone = {e.name for e in events if e.action is Action.DELETE}
        assert gone == {"4"}

    tell(tmp_path, story)


def test_members_are_replaced_in_batches(tmp_path: Path) -> None:
    policy = {"rolling_update": {"max_batch_size": 1, "pause_time": 0.02}}

    async def story(engine: Embedded) -> None:
        given = {"value": "a", "wait_secs": 0.02, "update_replace_value": "1"}
        stack_id = await created(engine, group(3, given=given, update_policy=policy))
        before = (await engine.operations.outputs(stack_id))["map"]
        child = await inside(engine, stack_id)
        past = len(await history(engine, child))
        given = {**given, "update_replace_value": "2"}
        recipe = group(
            3, given=given, update_policy=policy, removal_policies=[{"resource_list": ["0"]}]
        )
        after = (await updated(engine, stack_id, recipe))["map"]
        assert list(after) == ["1", "2", "3"]
        assert not set(after.values()) & set(before.values())
        assert most_at_once((await history(engine, child))[past:], {Action.CREATE}) == 1

    tell(tmp_path, story)


def test_members_that_have_not_changed_yet_keep_their_template(tmp_path: Path) -> None:
    policy = {"rolling_update": {"max_batch_size": 1}}

    async def story(engine: Embedded) -> None:
        given = {"word": "w%index%"}
        stack_id = await created(engine, group(3, "box.yaml", given, update_policy=policy))
        other = group(3, "other.yaml", given, {"said": ["said"]}, update_policy=policy)
        changed = BOX.replace("get_param: word", "get_param: OS::stack_name")
        recipe = Recipe(other.template, {"other.yaml": changed})
        found = await updated(engine, stack_id, recipe)
        assert all("-group-" in name for name in found["said"])

    tell(tmp_path, story)


def test_a_change_of_the_count_alone_needs_no_batches(tmp_path: Path) -> None:
    policy = {"rolling_update": {"max_batch_size": 1}}

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(1, update_policy=policy))
        child = await inside(engine, stack_id)
        past = len(await history(engine, child))
        await updated(engine, stack_id, group(4, update_policy=policy))
        assert most_at_once((await history(engine, child))[past:], {Action.CREATE}) == 3

    tell(tmp_path, story)


def test_a_failing_batch_is_the_last(tmp_path: Path) -> None:
    policy = {"rolling_update": {"max_batch_size": 1}}

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(3, update_policy=policy))
        bad = {**values("b"), "fail": True}
        await engine.operations.update(stack_id, group(3, given=bad, update_policy=policy))
        stack = await ended(engine, stack_id)
        assert stack.reason == (
            "Resource UPDATE failed: ValueError: resources.group.resources[2]: "
            "Test Resource failed 2"
        )
        assert await said(engine, stack_id) == {"0": "a0", "1": "a1", "2": "b2"}
        # The next update begins with what failed.
        child = await inside(engine, stack_id)
        past = len(await history(engine, child))
        await updated(engine, stack_id, group(3, given=values("c"), update_policy=policy))
        events = (await history(engine, child))[past:]
        actions = {Action.CREATE, Action.UPDATE}
        assert most_at_once(events, actions) == 1
        begun = [e.name for e in events if e.action in actions and e.name in "012"]
        assert list(dict.fromkeys(begun)) == ["2", "1", "0"]
        assert await said(engine, stack_id) == {"0": "c0", "1": "c1", "2": "c2"}

    tell(tmp_path, story)


def test_a_failed_batch_is_rolled_back_with_the_stack(tmp_path: Path) -> None:
    policy = {"rolling_update": {"max_batch_size": 1}}

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(3, update_policy=policy))
        bad = {**values("b"), "fail": True}
        await engine.operations.update(
            stack_id, group(3, given=bad, update_policy=policy), Options(rollback=True)
        )
        stack = await ended(engine, stack_id)
        assert (stack.action, stack.status) == (Action.ROLLBACK, Status.COMPLETE)
        assert await said(engine, stack_id) == {"0": "a0", "1": "a1", "2": "a2"}

    tell(tmp_path, story)


def test_a_pause_between_batches_outlives_the_process(tmp_path: Path) -> None:
    policy = {"batch_create": {"max_batch_size": 2, "pause_time": 1}}

    async def begin(engine: Embedded) -> None:
        await engine.operations.create("p", "root", group(3, update_policy=policy))
        await until_paused(engine, (await engine.operations.stacks("p"))[0].id)

    async def go_on(engine: Embedded) -> None:
        (stack,) = await engine.operations.stacks("p")
        assert len(await members(engine, stack.id)) == 2
        await complete(engine, stack.id)
        assert len(await members(engine, stack.id)) == 3

    tell(tmp_path, begin)
    tell(tmp_path, go_on)


def test_an_update_does_not_wait_for_a_pause(tmp_path: Path) -> None:
    policy = {"rolling_update": {"max_batch_size": 1, "pause_time": 3000}}

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(3))
        await engine.operations.update(
            stack_id, group(3, given=values("b"), update_policy=policy), Options(timeout=600)
        )
        await until_paused(engine, stack_id)
        await updated(engine, stack_id, group(2, given=values("c")))
        assert await said(engine, stack_id) == {"0": "c0", "1": "c1"}

    tell(tmp_path, story)


def test_cancelling_and_deleting_end_a_pause(tmp_path: Path) -> None:
    policy = {"rolling_update": {"max_batch_size": 1, "pause_time": 3000}}

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(2))
        recipe = group(2, given=values("b"), update_policy=policy)
        await engine.operations.update(stack_id, recipe, Options(timeout=600))
        await until_paused(engine, stack_id)
        await engine.operations.cancel(stack_id, roll_back=False)
        version = await group_when(
            engine, stack_id, lambda each: each.status is not Status.IN_PROGRESS
        )
        assert (version.action, version.status) == (Action.UPDATE, Status.FAILED)
        # The same again goes on where it was left.
        quick = group(2, given=values("b"))
        await updated(engine, stack_id, quick)
        assert await said(engine, stack_id) == {"0": "b0", "1": "b1"}
        again = group(2, given=values("c"), update_policy=policy)
        await engine.operations.update(stack_id, again, Options(timeout=600))
        await until_paused(engine, stack_id)
        await engine.operations.delete(stack_id)
        assert (await ended(engine, stack_id)).deleted_at is not None

    tell(tmp_path, story)


def test_a_creation_in_batches_that_is_overtaken_keeps_its_batches(tmp_path: Path) -> None:
    policy = {"batch_create": {"max_batch_size": 1}}

    async def story(engine: Embedded) -> None:
        stack_id = await engine.operations.create("p", "root", group(4, update_policy=policy))
        await group_when(engine, stack_id, lambda each: each.physical_id is not None)
        outputs = await updated(engine, stack_id, group(4, given=values("b"), update_policy=policy))
        assert list(outputs["map"]) == ["0", "1", "2", "3"]
        assert await said(engine, stack_id) == {str(i): f"b{i}" for i in range(4)}
        events = await history(engine, await inside(engine, stack_id))
        assert most_at_once(events, {Action.CREATE, Action.UPDATE}) == 1

    tell(tmp_path, story)


def test_pauses_longer_than_the_timeout_are_refused(tmp_path: Path) -> None:
    policy = {"batch_create": {"max_batch_size": 1, "pause_time": 30}}

    async def story(engine: Embedded) -> None:
        stack_id = await engine.operations.create(
            "p", "root", group(3, update_policy=policy), Options(timeout=1)
        )
        stack = await ended(engine, stack_id)
        assert stack.reason == (
            "Resource CREATE failed: ValueError: resources.group: "
            "The current update policy will result in stack update timeout."
        )

    tell(tmp_path, story)


@pytest.mark.parametrize(
    ("policy", "fault"),
    [
        ({"rolling_update": {"max_batch_size": 0}}, "max_batch_size"),
        ({"batch_create": {"min_in_service": 1}}, "Unknown Property min_in_service"),
        ({"rolling": {}}, "Unknown Property rolling"),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(
    tmp_path: Path, policy: dict[str, Any], fault: str
) -> None:
    async def story(engine: Embedded) -> None:
        with pytest.raises(InvalidDocument, match=fault):
            await engine.operations.create("p", "root", group(3, update_policy=policy))

    tell(tmp_path, story)
