"""Every operation ends somewhere from where there is a way on."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hotplate.engine.embedded import Embedded
from hotplate.engine.operations import Options
from hotplate.engine.patch import Patch
from hotplate.engine.reading import AlreadyExists, NotFound, Refused
from hotplate.engine.recipes import Recipe
from hotplate.model import Action, Status
from tests.acceptance.test_nested_stacks import ended, tell

TEMPLATE = """
heat_template_version: wallaby
parameters:
  value: {type: string, default: one}
  fail: {type: boolean, default: false}
  seconds: {type: number, default: 0}
resources:
  secret: {type: OS::Heat::RandomString}
  thing:
    type: OS::Heat::TestResource
    properties:
      value: {get_param: value}
      fail: {get_param: fail}
      wait_secs: {get_param: seconds}
outputs:
  secret: {value: {get_attr: [secret, value]}}
  value: {value: {get_attr: [thing, output]}}
"""


def recipe(**parameters: Any) -> Recipe:
    return Recipe(TEMPLATE, parameters=parameters)


async def created(engine: Embedded, **parameters: Any) -> str:
    stack_id = await engine.operations.create("p", "app", recipe(**parameters))
    await ended(engine, stack_id)
    return stack_id


def test_a_restore_brings_back_what_the_snapshot_was_taken_of(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine)
        snapshot_id = await engine.operations.take_snapshot(stack_id, "before")
        await ended(engine, stack_id)
        (kept,) = await engine.operations.snapshots(stack_id)
        assert (kept.name, kept.status) == ("before", Status.COMPLETE)
        await engine.operations.update(stack_id, recipe(value="two"))
        await ended(engine, stack_id)
        await engine.operations.restore(stack_id, snapshot_id)
        stack = await ended(engine, stack_id)
        assert (stack.action, stack.status) == (Action.RESTORE, Status.COMPLETE)
        assert (await engine.operations.outputs(stack_id))["value"] == "one"

    tell(tmp_path, story)


def test_an_abandoned_stack_can_be_adopted_with_all_it_had(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine)
        before = await engine.operations.outputs(stack_id)
        physical = {
            name: v.physical_id for name, v in (await engine.operations.resources(stack_id)).items()
        }
        document = await engine.operations.abandon(stack_id)
        assert await engine.operations.stacks("p") == []
        adopted = await engine.operations.adopt("p", "app", recipe(), document["resources"])
        stack = await ended(engine, adopted)
        assert (stack.action, stack.status) == (Action.ADOPT, Status.COMPLETE), stack.reason
        assert await engine.operations.outputs(adopted) == before
        resources = await engine.operations.resources(adopted)
        assert {name: v.physical_id for name, v in resources.items()} == physical

    tell(tmp_path, story)


def test_an_adoption_without_a_physical_id_fails_and_says_so(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await engine.operations.adopt("p", "app", recipe(), {})
        stack = await ended(engine, stack_id)
        assert stack.status is Status.FAILED
        assert "no physical id was given" in stack.reason

    tell(tmp_path, story)


def test_a_failed_stack_can_be_tried_again_without_sending_the_template(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, fail=True)
        assert (await engine.operations.stack(stack_id)).status is Status.FAILED
        await engine.operations.retry(stack_id)
        stack = await ended(engine, stack_id)
        assert (stack.action, stack.status) == (Action.UPDATE, Status.FAILED)
        await engine.operations.roll_back(stack_id)
        stack = await ended(engine, stack_id)
        assert (stack.action, stack.status) == (Action.ROLLBACK, Status.COMPLETE)
        assert await engine.operations.resources(stack_id) == {}

    tell(tmp_path, story)


def test_a_stack_that_takes_too_long_fails_and_can_be_deleted(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await engine.operations.create(
            "p", "app", recipe(seconds=600), Options(timeout=0)
        )
        stack = await ended(engine, stack_id)
        assert (stack.status, stack.reason) == (Status.FAILED, "Timed out")
        await engine.operations.delete(stack_id)
        assert (await ended(engine, stack_id)).deleted_at is not None

    tell(tmp_path, story)


def test_what_cannot_be_done_now_is_refused_with_the_reason(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        operations = engine.operations
        stack_id = await created(engine)
        with pytest.raises(AlreadyExists):
            await operations.create("p", "app", recipe())
        with pytest.raises(Refused, match="not supported"):
            await operations.cancel(stack_id, roll_back=True)
        with pytest.raises(Refused, match="only a stack that failed"):
            await operations.retry(stack_id)
        with pytest.raises(NotFound):
            await operations.restore(stack_id, "nothing")
        with pytest.raises(NotFound):
            await operations.mark(stack_id, "nothing", unhealthy=True)
        with pytest.raises(NotFound):
            await operations.delete("nothing")
        await operations.walk(stack_id, Action.SUSPEND)
        await ended(engine, stack_id)
        with pytest.raises(Refused, match="resume it first"):
            await operations.update(stack_id, recipe())
        await operations.walk(stack_id, Action.RESUME)
        await ended(engine, stack_id)
        await operations.update(stack_id, recipe(value="two"))
        assert (await ended(engine, stack_id)).status is Status.COMPLETE

    tell(tmp_path, story)


def test_the_name_of_a_deleted_stack_is_free(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        first = await created(engine)
        await engine.operations.delete(first)
        await ended(engine, first)
        second = await created(engine)
        assert second != first
        assert (await engine.operations.find("p", "app")).id == second

    tell(tmp_path, story)


def test_a_resource_marked_unhealthy_is_replaced_by_the_next_update(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine)
        before = (await engine.operations.resources(stack_id))["thing"]
        await engine.operations.mark(stack_id, "thing", unhealthy=True, reason="it smells")
        marked = (await engine.operations.resources(stack_id))["thing"]
        assert (marked.action, marked.status, marked.reason) == (
            Action.CHECK,
            Status.FAILED,
            "it smells",
        )
        await engine.operations.update(stack_id, recipe())
        await ended(engine, stack_id)
        after = (await engine.operations.resources(stack_id))["thing"]
        assert after.physical_id != before.physical_id

    tell(tmp_path, story)


def test_racing_patches_are_both_applied(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine)
        await asyncio.gather(
            engine.operations.patch(stack_id, Patch(parameters={"value": "two"})),
            engine.operations.patch(stack_id, Patch(parameters={"seconds": 0.01})),
        )
        stack = await ended(engine, stack_id)
        assert stack.status is Status.COMPLETE, stack.reason
        assert (await engine.operations.recipe(stack_id)).parameters == {
            "value": "two",
            "seconds": 0.01,
        }
        assert (await engine.operations.outputs(stack_id))["value"] == "two"

    tell(tmp_path, story)
