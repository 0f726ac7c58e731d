"""OS::Heat::ResourceGroup and OS::Heat::ResourceChain on the real engine."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hotplate.document import InvalidDocument
from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.acceptance import Options
from hotplate.model import Action, Event, Stack, Status, Version
from hotplate.plan.decide import Step
from tests.databases import sqlite_file

BOX = """
heat_template_version: wallaby
parameters: {word: {type: string}}
resources:
  echo: {type: OS::Heat::Value, properties: {value: {get_param: word}}}
outputs:
  said: {value: {get_attr: [echo, value]}}
  table: {value: {inner: {word: {get_attr: [echo, value]}}}}
"""


def group(
    count: int = 3,
    kind: str = "OS::Heat::TestResource",
    given: dict[str, Any] | None = None,
    outputs: dict[str, Any] | None = None,
    update_policy: dict[str, Any] | None = None,
    **more: Any,
) -> Recipe:
    """A stack of one group, and what is asked of it."""
    member = {"type": kind, "properties": given or {"value": "a%index%", "wait_secs": 0.02}}
    resource = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": count, "resource_def": member, **more},
    }
    if update_policy is not None:
        resource["update_policy"] = update_policy
    asked = {"removed": ["removed_rsrc_list"], "refs": ["refs"], "map": ["refs_map"]}
    template = {
        "heat_template_version": "wallaby",
        "resources": {"group": resource},
        "outputs": {
            name: {"value": {"get_attr": ["group", *path]}}
            for name, path in {**asked, **(outputs or {})}.items()
        },
    }
    return Recipe(json.dumps(template), {"box.yaml": BOX})


def values(word: str) -> dict[str, Any]:
    return {"value": f"{word}%index%", "wait_secs": 0.02}


def tell(home: Path, story: Callable[[Embedded], Awaitable[None]]) -> None:
    async def told() -> None:
        async with asyncio.timeout(60), embedded(sqlite_file(home / "hotplate.db")) as engine:
            await story(engine)

    asyncio.run(told())


async def ended(engine: Embedded, stack_id: str) -> Stack:
    while True:
        stack = await engine.operations.stack(stack_id)
        if stack.status is not Status.IN_PROGRESS:
            return stack
        await asyncio.sleep(0.01)


async def complete(engine: Embedded, stack_id: str) -> Stack:
    stack = await ended(engine, stack_id)
    assert stack.status is Status.COMPLETE, stack.reason
    return stack


async def created(engine: Embedded, recipe: Recipe) -> str:
    stack_id = await engine.operations.create("p", "root", recipe)
    await complete(engine, stack_id)
    return stack_id


async def updated(engine: Embedded, stack_id: str, recipe: Recipe) -> dict[str, Any]:
    await engine.operations.update(stack_id, recipe)
    await complete(engine, stack_id)
    return await engine.operations.outputs(stack_id)


async def inside(engine: Embedded, stack_id: str, name: str = "group") -> str:
    """The id of the stack that a resource is."""
    return str((await engine.operations.resources(stack_id))[name].physical_id)


async def members(engine: Embedded, stack_id: str, name: str = "group") -> dict[str, Version]:
    return await engine.operations.resources(await inside(engine, stack_id, name))


async def said(engine: Embedded, stack_id: str) -> dict[str, str]:
    """What each member was given last, by name."""
    found = await members(engine, stack_id)
    return {name: found[name].definition.properties["value"] for name in sorted(found)}


def most_at_once(events: list[Event], actions: set[Action]) -> int:
    """How many members were being made or changed at the same time."""
    busy: set[str] = set()
    most = 0
    for event in events:
        if event.type == "OS::Heat::Stack" or event.action not in actions:
            continue
        if event.status is Status.IN_PROGRESS:
            busy.add(event.name)
        else:
            busy.discard(event.name)
        most = max(most, len(busy))
    return most


async def history(engine: Embedded, stack_id: str) -> list[Event]:
    return sorted(await engine.operations.events(stack_id), key=lambda event: event.number)


def test_growing_takes_the_next_names_and_shrinking_the_highest(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(2))
        for count in (4, 1, 0, 3):
            outputs = await updated(engine, stack_id, group(count))
            assert list(outputs["map"]) == [str(index) for index in range(count)]
            assert outputs["refs"] == list(outputs["map"].values())
            assert outputs["removed"] == []

    tell(tmp_path, story)


def test_a_listed_member_goes_and_its_name_is_not_used_again(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(3))
        before = (await engine.operations.outputs(stack_id))["map"]
        gone = [{"resource_list": [0, "1", "nobody"]}]
        outputs = await updated(engine, stack_id, group(3, removal_policies=gone))
        assert list(outputs["map"]) == ["2", "3", "4"]
        assert outputs["map"]["2"] == before["2"]
        assert outputs["removed"] == ["0", "1"]
        # Without a policy, and with another one, they stay away.
        outputs = await updated(engine, stack_id, group(4))
        assert list(outputs["map"]) == ["2", "3", "4", "5"]
        by_reference = [{"resource_list": [outputs["map"]["3"]]}]
        outputs = await updated(engine, stack_id, group(3, removal_policies=by_reference))
        assert (list(outputs["map"]), outputs["removed"]) == (["2", "4", "5"], ["0", "1", "3"])
        # The other mode forgets what is not listed now.
        again = group(3, removal_policies=gone[:0], removal_policies_mode="update")
        outputs = await updated(engine, stack_id, again)
        assert (list(outputs["map"]), outputs["removed"]) == (["0", "1", "2"], [])

    tell(tmp_path, story)


def test_a_preview_knows_what_removal_policies_do(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(3))
        recipe = group(3, removal_policies=[{"resource_list": ["1"]}])
        planned = (await engine.operations.preview_update(stack_id, recipe)).planned
        steps = {".".join(entry.path): entry.step for entry in planned}
        assert steps == {
            "group": Step.UPDATE,
            "group.0": Step.LEAVE,
            "group.2": Step.LEAVE,
            "group.3": Step.CREATE,
            "group.1": None,
        }
        assert list((await updated(engine, stack_id, recipe))["map"]) == ["0", "2", "3"]

    tell(tmp_path, story)


def test_a_group_with_removed_names_can_be_adopted(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(2))
        recipe = group(2, removal_policies=[{"resource_list": ["0"]}])
        before = await updated(engine, stack_id, recipe)
        document = await engine.operations.abandon(stack_id)
        adopted = await engine.operations.adopt("p", "root", recipe, document["resources"])
        await complete(engine, adopted)
        assert await engine.operations.outputs(adopted) == before

    tell(tmp_path, story)


def test_the_index_is_put_into_the_values_of_properties_only(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        given: dict[str, Any] = {"value": {"list": ["x@@@", 1, None], "@@@": "key"}}
        recipe = group(
            2, "OS::Heat::Value", given, {"values": ["attributes", "value"]}, index_var="@@@"
        )
        stack_id = await created(engine, recipe)
        assert (await engine.operations.outputs(stack_id))["values"] == {
            "0": {"list": ["x0", 1, None], "@@@": "key"},
            "1": {"list": ["x1", 1, None], "@@@": "key"},
        }
        first = await inside(engine, stack_id)
        given = {"value": "###"}
        await updated(engine, stack_id, group(2, "OS::Heat::Value", given, index_var="###"))
        assert await inside(engine, stack_id) != first, "another variable replaces the group"

    tell(tmp_path, story)


def test_attributes_of_members_with_and_without_paths(tmp_path: Path) -> None:
    asked = {
        "said": ["said"],
        "table": ["table"],
        "deep": ["table", "inner", "word"],
        "by_name": ["attributes", "table", "inner"],
        "one": ["resource.1"],
        "of_one": ["resource.1.said"],
        "path_of_one": ["resource.1", "table", "inner", "word"],
        "nobody": ["resource.7.said"],
        "second": ["refs", 1],
        "named": ["refs_map", "0"],
        "unknown": ["nothing"],
    }

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(2, "box.yaml", {"word": "w%index%"}, asked))
        found = await engine.operations.outputs(stack_id)
        assert found["said"] == ["w0", "w1"]
        assert found["table"] == [{"inner": {"word": "w0"}}, {"inner": {"word": "w1"}}]
        assert found["deep"] == ["w0", "w1"]
        assert found["by_name"] == {"0": {"word": "w0"}, "1": {"word": "w1"}}
        assert found["one"] == found["refs"][1] == found["second"]
        assert found["of_one"] == found["path_of_one"] == "w1"
        assert found["nobody"] is None
        assert found["named"] == found["map"]["0"]
        assert found["unknown"] == [None, None]

    tell(tmp_path, story)


def test_attributes_are_found_through_groups_of_groups(tmp_path: Path) -> None:
    inner = {
        "count": 2,
        "index_var": "%inner%",
        "resource_def": {"type": "box.yaml", "properties": {"word": "%index%-%inner%"}},
    }
    asked = {
        "all": ["said"],
        "first": ["resource.1.said"],
        "one": ["resource.1", "resource.0.said"],
        "path": ["resource.0", "resource.1", "table", "inner", "word"],
        "refs_of_all": ["attributes", "refs"],
    }

    async def story(engine: Embedded) -> None:
        plain = group(2, "OS::Heat::ResourceGroup", inner)
        stack_id = await created(engine, plain)
        # What is asked for only now is found without touching anything.
        recipe = group(2, "OS::Heat::ResourceGroup", inner, asked)
        found = await updated(engine, stack_id, recipe)
        assert found["all"] == [["0-0", "0-1"], ["1-0", "1-1"]]
        assert found["first"] == ["1-0", "1-1"]
        assert found["one"] == "1-0"
        assert found["path"] == "0-1"
        assert [len(refs) for refs in found["refs_of_all"].values()] == [2, 2]

    tell(tmp_path, story)


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


def test_a_group_made_with_removal_policies_never_has_those_members(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        policies = [{"resource_list": ["0", 2]}]
        recipe = group(2, removal_policies=policies)
        planned = (await engine.operations.preview_create("p", "root", recipe)).planned
        assert [entry.path[-1] for entry in planned] == ["group", "1", "3"]
        stack_id = await created(engine, recipe)
        outputs = await engine.operations.outputs(stack_id)
        assert (list(outputs["map"]), outputs["removed"]) == (["1", "3"], ["0", "2"])

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


def test_an_unhealthy_member_deep_inside_is_replaced_by_the_next_update(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        recipe = group(2, "box.yaml", {"word": "a"})
        stack_id = await created(engine, recipe)
        before = await members(engine, stack_id)
        await engine.operations.mark(str(before["1"].physical_id), "echo", True, "it smokes")
        await updated(engine, stack_id, recipe)
        after = await members(engine, stack_id)
        assert {name: each.id for name, each in after.items()} == {
            name: each.id for name, each in before.items()
        }
        echo = (await engine.operations.resources(str(after["1"].physical_id)))["echo"]
        assert (echo.action, echo.status) == (Action.CREATE, Status.COMPLETE)
        # Once is enough: then nothing is left to be done inside.
        await updated(engine, stack_id, recipe)
        assert (await members(engine, stack_id))["1"].updated_at == after["1"].updated_at

    tell(tmp_path, story)


def test_a_failing_member_stops_what_its_siblings_have_not_begun(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        recipe = group(3, "bad.yaml", {"bad": "%index%"})
        recipe = Recipe(recipe.template, {"bad.yaml": BAD})
        stack_id = await engine.operations.create("p", "root", recipe)
        stack = await ended(engine, stack_id)
        assert stack.reason == (
            "Resource CREATE failed: ValueError: resources.group.resources[1].resources.fail: "
            "Test Resource failed fail"
        )
        await asyncio.sleep(0.5)
        for member in (await members(engine, stack_id)).values():
            found = await engine.operations.resources(str(member.physical_id))
            assert "second" not in found or found["second"].action is Action.INIT

    tell(tmp_path, story)


BAD = """
heat_template_version: wallaby
parameters: {bad: {type: string}}
conditions: {is_bad: {equals: [{get_param: bad}, "1"]}}
resources:
  first: {type: OS::Heat::TestResource, properties: {wait_secs: 0.3}}
  second: {type: OS::Heat::RandomString, depends_on: first}
  fail: {type: OS::Heat::TestResource, condition: is_bad, properties: {fail: true}}
"""


def chain(*kinds: str, **more: Any) -> Recipe:
    template = {
        "heat_template_version": "wallaby",
        "resources": {
            "chain": {
                "type": "OS::Heat::ResourceChain",
                "properties": {"resources": list(kinds), **more},
            }
        },
        "outputs": {
            "refs": {"value": {"get_attr": ["chain", "refs"]}},
            "said": {"value": {"get_attr": ["chain", "value"]}},
            "by_name": {"value": {"get_attr": ["chain", "attributes", "value"]}},
            "one": {"value": {"get_attr": ["chain", "resource.0"]}},
            "of_one": {"value": {"get_attr": ["chain", "resource.0", "value"]}},
        },
    }
    alias = {"resource_registry": {"My::Word": "OS::Heat::Value"}}
    return Recipe(json.dumps(template), environment=json.dumps(alias))


def test_the_members_of_a_chain_are_made_one_after_the_other(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        given = {"value": "x"}
        recipe = chain("My::Word", "OS::Heat::TestResource", resource_properties=given)
        stack_id = await created(engine, recipe)
        found = await engine.operations.outputs(stack_id)
        assert len(found["refs"]) == 2
        assert found["said"] == ["x", None]
        assert found["by_name"] == {"0": "x", "1": None}
        assert (found["one"], found["of_one"]) == (found["refs"][0], "x")
        versions = await members(engine, stack_id, "chain")
        assert [v.type for v in versions.values()] == ["My::Word", "OS::Heat::TestResource"]
        assert versions["1"].requires == [versions["0"].id]
        # Its list can change, nothing else.
        child = await inside(engine, stack_id, "chain")
        recipe = chain("OS::Heat::TestResource", resource_properties=given)
        assert (await updated(engine, stack_id, recipe))["said"] == [None]
        assert await inside(engine, stack_id, "chain") == child
        recipe = chain("OS::Heat::TestResource", resource_properties=given, concurrent=True)
        await updated(engine, stack_id, recipe)
        assert await inside(engine, stack_id, "chain") != child
        await engine.operations.delete(stack_id)
        assert (await ended(engine, stack_id)).deleted_at is not None

    tell(tmp_path, story)


def test_the_members_of_a_concurrent_chain_do_not_wait(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        kinds = ["OS::Heat::TestResource"] * 3
        recipe = chain(*kinds, concurrent=True, resource_properties={"wait_secs": 0.1})
        stack_id = await created(engine, recipe)
        events = await history(engine, await inside(engine, stack_id, "chain"))
        assert most_at_once(events, {Action.CREATE}) == 3

    tell(tmp_path, story)


def test_a_failing_member_ends_a_chain(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        recipe = chain(*["OS::Heat::TestResource"] * 2, resource_properties={"fail": True})
        stack = await ended(engine, await engine.operations.create("p", "root", recipe))
        assert stack.reason == (
            "Resource CREATE failed: ValueError: resources.chain.resources[0]: "
            "Test Resource failed 0"
        )
        assert (await members(engine, stack.id, "chain"))["1"].action is Action.INIT

    tell(tmp_path, story)


def test_an_unknown_type_in_a_chain_is_refused_at_once(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        with pytest.raises(InvalidDocument, match="OS::Heat::Nothing"):
            await engine.operations.create("p", "root", chain("OS::Heat::Nothing"))

    tell(tmp_path, story)


def test_a_group_that_is_kept(tmp_path: Path) -> None:
    """Its stack goes on without the one around it."""

    async def story(engine: Embedded) -> None:
        recipe = group(count=1)
        template = json.loads(recipe.template)
        template["resources"]["group"]["deletion_policy"] = "Retain"
        stack_id = await created(engine, replace(recipe, template=json.dumps(template)))
        kept = await inside(engine, stack_id)
        await engine.operations.delete(stack_id)
        await complete(engine, stack_id)
        assert (await engine.operations.stack(kept)).status is Status.COMPLETE

    tell(tmp_path, story)
