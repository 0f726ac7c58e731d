"""Stacks inside stacks on the real engine: provider templates and resource groups."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hotplate.document import InvalidDocument
from hotplate.engine.embedded import Embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.acceptance import Options
from hotplate.model import Action, Stack, Status
from hotplate.plan.decide import Step
from hotplate.store.stacks import stacks_of_root
from tests.acceptance.types.stories import ended, tell

CHILD = """
heat_template_version: wallaby
parameters: {word: {type: string}, fail: {type: boolean, default: false}}
resources:
  random: {type: OS::Heat::RandomString}
  echo:
    type: OS::Heat::TestResource
    properties: {value: {get_param: word}, fail: {get_param: fail}, wait_secs: 0.05}
outputs:
  said: {value: {get_attr: [echo, output]}}
"""
MIDDLE = """
heat_template_version: wallaby
parameters: {word: {type: string}, fail: {type: boolean, default: false}}
resources:
  inner:
    type: child.yaml
    properties: {word: {get_param: word}, fail: {get_param: fail}}
outputs:
  said: {value: {get_attr: [inner, said]}}
"""
ROOT = """
heat_template_version: wallaby
parameters:
  word: {type: string, default: hello}
  count: {type: number, default: 2}
  fail: {type: boolean, default: false}
resources:
  middle: {type: My::Middle, properties: {word: {get_param: word}, fail: {get_param: fail}}}
  sibling: {type: OS::Heat::Value, properties: {value: {get_attr: [middle, said]}}}
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: {get_param: count}
      resource_def: {type: child.yaml, properties: {word: "member %index%"}}
outputs:
  said: {value: {get_attr: [sibling, value]}}
  deep: {value: {get_attr: [middle, resource.inner, said]}}
  members: {value: {get_attr: [group, said]}}
  one: {value: {get_attr: [group, resource.1.said]}}
"""
FILES = {"child.yaml": CHILD, "middle.yaml": MIDDLE}
REGISTRY = '{"resource_registry": {"My::Middle": "middle.yaml"}}'


def recipe(**parameters: Any) -> Recipe:
    return Recipe(ROOT, FILES, environment=REGISTRY, parameters=parameters)


async def tree(engine: Embedded, stack: Stack) -> list[Stack]:
    return await engine.database.transact(lambda c: stacks_of_root(c, stack.id))


async def created(engine: Embedded, **parameters: Any) -> Stack:
    stack = await ended(engine, await engine.operations.create("p", "root", recipe(**parameters)))
    assert stack.status is Status.COMPLETE, stack.reason
    return stack


def test_an_abandoned_tree_can_be_adopted_with_all_it_had(tmp_path: Path) -> None:
    async def objects(engine: Embedded, stack: Stack) -> set[str | None]:
        stacks = [s.id for s in await tree(engine, stack) if s.deleted_at is None]
        found = [await engine.operations.resources(each) for each in stacks]
        return {
            v.physical_id for named in found for v in named.values() if v.physical_id not in stacks
        }

    async def story(engine: Embedded) -> None:
        stack = await created(engine)
        said = await engine.operations.outputs(stack.id)
        before = await objects(engine, stack)
        document = await engine.operations.abandon(stack.id)
        for name in ("root", "twin"):
            stack_id = await engine.operations.adopt("p", name, recipe(), document["resources"])
            adopted = await ended(engine, stack_id)
            assert (adopted.action, adopted.status) == (Action.ADOPT, Status.COMPLETE)
            assert await engine.operations.outputs(stack_id) == said
            assert await objects(engine, adopted) == before
            assert {s.action for s in await tree(engine, adopted)} == {Action.ADOPT}
            rival_id = await engine.operations.adopt("p", "rival", recipe(), document["resources"])
            rival = await ended(engine, rival_id)
            assert rival.status is Status.FAILED
            assert "is managed by the resource" in rival.reason
            await engine.operations.abandon(rival_id)
            document = await engine.operations.abandon(stack_id)
        stray = await ended(engine, await engine.operations.adopt("p", "stray", recipe(), {}))
        assert stray.status is Status.FAILED
        assert "Resource ID was not provided." in stray.reason

    tell(tmp_path, story)


def test_the_id_of_a_stack_elsewhere_is_not_taken_over(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack = await created(engine)
        victims = await engine.operations.resources(stack.id)
        thief = await engine.operations.adopt(
            "q",
            "thief",
            recipe(word="mine"),
            {name: {"resource_id": v.physical_id} for name, v in victims.items()},
        )
        assert (await ended(engine, thief)).status is Status.FAILED
        assert (await engine.operations.outputs(stack.id))["said"] == "hello"
        assert {s.action for s in await tree(engine, stack)} == {Action.CREATE}

    tell(tmp_path, story)


def test_values_travel_down_and_up_the_tree(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack = await created(engine)
        assert await engine.operations.outputs(stack.id) == {
            "said": "hello",
            "deep": "hello",
            "members": ["member 0", "member 1"],
            "one": "member 1",
        }
        stacks = await tree(engine, stack)
        assert sorted(s.depth for s in stacks) == [0, 1, 1, 2, 2, 2]
        before = {s.id for s in stacks}
        await engine.operations.update(stack.id, recipe(word="bye"))
        assert (await ended(engine, stack.id)).status is Status.COMPLETE
        assert (await engine.operations.outputs(stack.id))["said"] == "bye"
        assert {s.id for s in await tree(engine, stack)} == before, "nested stacks are kept"

    tell(tmp_path, story)


def test_the_whole_tree_was_made_by_who_made_the_root(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        by_ann = Options(username="ann")
        stack_id = await engine.operations.create("p", "root", recipe(), by_ann)
        stack = await ended(engine, stack_id)
        await engine.operations.update(stack_id, recipe(count=4), Options(username="bob"))
        assert (await ended(engine, stack_id)).status is Status.COMPLETE
        stacks = await tree(engine, stack)
        assert len(stacks) == 8
        assert {each.username for each in stacks} == {"ann"}

    tell(tmp_path, story)


def test_a_group_grows_and_shrinks_by_its_count(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack = await created(engine)
        for count in (4, 1):
            await engine.operations.update(stack.id, recipe(count=count))
            assert (await ended(engine, stack.id)).status is Status.COMPLETE
            members = (await engine.operations.outputs(stack.id))["members"]
            assert members == [f"member {index}" for index in range(count)]

    tell(tmp_path, story)


def test_an_unchanged_tree_is_left_alone(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack = await created(engine)
        before = len(await engine.operations.events(stack.id))
        await engine.operations.update(stack.id, recipe())
        await ended(engine, stack.id)
        assert len(await engine.operations.events(stack.id)) == before + 2

    tell(tmp_path, story)


def test_deleting_removes_the_whole_tree(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack = await created(engine)
        await engine.operations.delete(stack.id)
        gone = await ended(engine, stack.id)
        assert (gone.action, gone.status) == (Action.DELETE, Status.COMPLETE)
        assert await tree(engine, stack) == []

    tell(tmp_path, story)


def test_the_words_of_a_leaf_reach_the_root_with_their_path(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await engine.operations.create("p", "root", recipe(fail=True))
        stack = await ended(engine, stack_id)
        assert stack.status is Status.FAILED
        assert stack.reason == (
            "Resource CREATE failed: ValueError: resources.middle.resources.inner.resources.echo: "
            "Test Resource failed echo"
        )
        await engine.operations.update(stack_id, recipe())
        assert (await ended(engine, stack_id)).status is Status.COMPLETE
        assert (await engine.operations.outputs(stack_id))["deep"] == "hello"

    tell(tmp_path, story)


def test_a_failure_below_rolls_the_root_back(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack = await created(engine)
        await engine.operations.update(
            stack.id, recipe(word="bye", fail=True), Options(rollback=True)
        )
        after = await ended(engine, stack.id)
        assert (after.action, after.status) == (Action.ROLLBACK, Status.COMPLETE)
        assert (await engine.operations.outputs(stack.id))["said"] == "hello"

    tell(tmp_path, story)


def test_an_update_that_comes_during_creation_is_told_to_the_children(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await engine.operations.create("p", "root", recipe())
        await engine.operations.update(stack_id, recipe(word="bye", count=3))
        after = await ended(engine, stack_id)
        assert (after.action, after.status) == (Action.UPDATE, Status.COMPLETE), after.reason
        outputs = await engine.operations.outputs(stack_id)
        assert (outputs["said"], len(outputs["members"])) == ("bye", 3)

    tell(tmp_path, story)


def test_deleting_during_creation_leaves_nothing(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await engine.operations.create("p", "root", recipe())
        await asyncio.sleep(0.03)
        await engine.operations.delete(stack_id)
        gone = await ended(engine, stack_id)
        assert gone.deleted_at is not None
        assert await tree(engine, gone) == []

    tell(tmp_path, story)


def test_cancelling_goes_down_the_tree(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack = await created(engine)
        await engine.operations.update(stack.id, recipe(word="bye"))
        await engine.operations.cancel(stack.id, roll_back=False)
        stacks = await tree(engine, stack)
        assert (await engine.operations.stack(stack.id)).status is Status.FAILED
        assert all(s.status is not Status.IN_PROGRESS for s in stacks)
        await engine.operations.update(stack.id, recipe(word="again"))
        assert (await ended(engine, stack.id)).status is Status.COMPLETE
        assert (await engine.operations.outputs(stack.id))["said"] == "again"

    tell(tmp_path, story)


def test_suspend_resume_and_check_visit_the_whole_tree(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack = await created(engine)
        for action in (Action.SUSPEND, Action.RESUME, Action.CHECK):
            await engine.operations.visit(stack.id, action)
            await ended(engine, stack.id)
            states = {(s.action, s.status) for s in await tree(engine, stack)}
            assert states == {(action, Status.COMPLETE)}

    tell(tmp_path, story)


def test_a_template_that_contains_itself_is_refused_before_anything_starts(
    tmp_path: Path,
) -> None:
    async def story(engine: Embedded) -> None:
        loop = {"loop.yaml": "{heat_template_version: wallaby, resources: {a: {type: loop.yaml}}}"}
        with pytest.raises(InvalidDocument, match="cannot contain itself"):
            await engine.operations.create(
                "p", "loop", Recipe(loop["loop.yaml"].replace("{a:", "{b:"), loop)
            )
        assert await engine.operations.stacks("p") == []

    tell(tmp_path, story)


def test_a_preview_says_through_all_nesting_what_the_update_then_does(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack = await created(engine)
        plan = (
            await engine.operations.preview_update(stack.id, recipe(word="bye", count=1))
        ).planned
        steps = {".".join(entry.path): entry.step for entry in plan}
        assert steps["middle.inner.echo"] is Step.UPDATE
        assert steps["middle.inner.random"] is Step.LEAVE
        assert steps["group.0"] is Step.LEAVE
        assert steps["group.1"] is None
        assert steps["group.1.random"] is None
        sibling = next(entry for entry in plan if entry.path == ("sibling",))
        assert (sibling.step, sibling.certain) == (Step.UPDATE, False)
        before = {s.id for s in await tree(engine, stack)}
        await engine.operations.update(stack.id, recipe(word="bye", count=1))
        await ended(engine, stack.id)
        assert len(before - {s.id for s in await tree(engine, stack)}) == 1

    tell(tmp_path, story)


def test_a_preview_changes_nothing(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack = await created(engine)
        events = await engine.operations.events(stack.id)
        await engine.operations.preview_update(stack.id, recipe(word="bye"))
        await engine.operations.preview_create("p", "other", recipe())
        gone = await engine.operations.preview_delete(stack.id)
        assert all(entry.step is None for entry in gone)
        assert len(gone) == 12
        assert await engine.operations.events(stack.id) == events
        assert len(await engine.operations.stacks("p")) == 1

    tell(tmp_path, story)
