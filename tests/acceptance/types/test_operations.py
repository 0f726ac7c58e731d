"""Every operation ends somewhere from where there is a way on."""

import asyncio
from collections.abc import Coroutine, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.refusals import (
    ActionInProgress,
    AlreadyExists,
    NotFound,
    NotSupported,
    Refused,
)
from hotplate.engine.requests.acceptance import Options
from hotplate.engine.requests.patch import Patch
from hotplate.model import Action, Status
from hotplate.resources import (
    Catalogue,
    Creation,
    Done,
    Property,
    Resource,
    Result,
)
from hotplate.resources.capabilities import Snapshots
from hotplate.store.stacks import change_stack
from tests.acceptance.types.stories import ended, tell
from tests.databases import sqlite_file

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


class Notebook(Snapshots):
    """Keeps a text. A snapshot notes it down; what is restored is written from the note."""

    name = "Test::Notebook"
    creation = Creation.REPEATABLE
    properties = {"text": Property(updatable=True), "note": Property(updatable=True)}
    attributes = {"text": "what is written"}

    async def create(self, resource: Resource) -> Result:
        return _written(resource)

    async def update(self, resource: Resource) -> Result:
        return _written(resource)

    async def snapshot(self, resource: Resource) -> Result:
        return Done(data={"note": f"{resource.properties['text']}, noted"})

    def restored(self, properties: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
        return {**properties, "note": kept["note"]}


def _written(resource: Resource) -> Done:
    text = resource.properties["note"] or resource.properties["text"]
    return Done(resource.physical_name, attributes={"text": text})


NOTEBOOK = """
heat_template_version: wallaby
parameters:
  text: {type: string, default: one}
resources:
  book: {type: Test::Notebook, properties: {text: {get_param: text}}}
outputs:
  text: {value: {get_attr: [book, text]}}
"""
SHELF = """
heat_template_version: wallaby
parameters:
  text: {type: string, default: one}
resources:
  inner: {type: notebook.yaml, properties: {text: {get_param: text}}}
outputs:
  text: {value: {get_attr: [inner, text]}}
"""


@pytest.mark.parametrize("template", [NOTEBOOK, SHELF], ids=["here", "in a stack inside"])
def test_a_type_brings_back_what_its_snapshot_kept(tmp_path: Path, template: str) -> None:
    def wanted(text: str) -> Recipe:
        return Recipe(template, {"notebook.yaml": NOTEBOOK}, parameters={"text": text})

    async def story() -> None:
        types = Catalogue([Notebook()])
        async with (
            asyncio.timeout(60),
            embedded(sqlite_file(tmp_path / "db"), catalogue=types) as engine,
        ):
            operations = engine.operations
            stack_id = await operations.create("p", "app", wanted("one"))
            await ended(engine, stack_id)
            snapshot_id = await operations.take_snapshot(stack_id)
            await ended(engine, stack_id)
            await operations.update(stack_id, wanted("two"))
            await ended(engine, stack_id)
            assert await operations.outputs(stack_id) == {"text": "two"}
            await operations.restore(stack_id, snapshot_id)
            stack = await ended(engine, stack_id)
            assert (stack.action, stack.status) == (Action.RESTORE, Status.COMPLETE), stack.reason
            assert await operations.outputs(stack_id) == {"text": "one, noted"}
            await operations.patch(stack_id, Patch(parameters={"text": "three"}))
            await ended(engine, stack_id)
            assert await operations.outputs(stack_id) == {"text": "one, noted"}
            await operations.update(stack_id, wanted("four"))
            await ended(engine, stack_id)
            assert await operations.outputs(stack_id) == {"text": "four"}

    asyncio.run(story())


def test_a_failure_tells_the_kind_of_error_the_path_and_the_words(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, fail=True)
        told = "ValueError: resources.thing: Test Resource failed thing"
        stack = await engine.operations.stack(stack_id)
        assert stack.reason == f"Resource CREATE failed: {told}"
        assert (await engine.operations.resources(stack_id))["thing"].reason == told
        assert told in [event.reason for event in await engine.operations.events(stack_id)]

    tell(tmp_path, story)


PARTLY = """
heat_template_version: wallaby
resources:
  inner: {type: inner.yaml}
"""


def test_a_check_says_which_types_cannot_be_checked(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        operations = engine.operations
        note = "Stack CHECK completed successfully. 'CHECK' not fully supported (see resources)"
        stack_id = await created(engine)
        await operations.visit(stack_id, Action.CHECK)
        stack = await ended(engine, stack_id)
        assert (stack.status, stack.reason) == (Status.COMPLETE, note)
        resources = await operations.resources(stack_id)
        assert {name: (v.action, v.status, v.reason) for name, v in resources.items()} == {
            "secret": (
                Action.CHECK,
                Status.COMPLETE,
                "CHECK not supported for OS::Heat::RandomString",
            ),
            "thing": (Action.CHECK, Status.COMPLETE, "state changed"),
        }
        await operations.update(stack_id, recipe(value="two"))
        assert (await ended(engine, stack_id)).status is Status.COMPLETE

        outer = await operations.create("p", "outer", Recipe(PARTLY, {"inner.yaml": TEMPLATE}))
        await ended(engine, outer)
        await operations.visit(outer, Action.CHECK)
        stack = await ended(engine, outer)
        assert (stack.status, stack.reason) == (Status.COMPLETE, note)

    tell(tmp_path, story)


def test_a_failure_inside_is_told_with_its_path_after_a_check(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        operations = engine.operations
        outer = await operations.create("p", "outer", Recipe(PARTLY, {"inner.yaml": TEMPLATE}))
        await ended(engine, outer)
        inner = (await operations.resources(outer))["inner"].physical_id
        assert inner
        for name in ("secret", "thing"):
            await operations.mark(inner, name, unhealthy=True, reason=f"{name} is odd; really")

        def spoil(connection: Connection) -> None:
            connection.exec_driver_sql("UPDATE version SET physical_id = NULL WHERE name = 'thing'")

        await engine.database.transact(spoil)
        await operations.visit(outer, Action.CHECK)
        stack = await ended(engine, outer)
        assert (stack.action, stack.status) == (Action.CHECK, Status.FAILED)
        assert stack.reason == (
            "Resource CHECK failed: ResourceFailed: resources.inner.resources.thing: "
            "thing is odd; really. 'CHECK' not fully supported (see resources)"
        )

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
        assert stack.reason.startswith("Resource ADOPT failed: ")
        assert stack.reason.endswith(": Resource ID was not provided.")

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
        slow = "action_wait_secs: {create: {get_param: seconds}}"
        template = TEMPLATE.replace("wait_secs: {get_param: seconds}", slow)
        stack_id = await engine.operations.create(
            "p", "app", Recipe(template, parameters={"seconds": 600}), Options(timeout=0)
        )
        stack = await ended(engine, stack_id)
        assert (stack.status, stack.reason) == (Status.FAILED, "Timed out")
        # A deletion has the stack's time as well, and this stack had none.
        await engine.database.transact(partial(change_stack, stack_id=stack_id, timeout=60))
        await engine.operations.delete(stack_id)
        assert (await ended(engine, stack_id)).deleted_at is not None

    tell(tmp_path, story)


def test_what_cannot_be_done_now_is_refused_in_the_words_that_clients_know(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        operations = engine.operations
        stack_id = await created(engine)

        async def refused(kind: type[Refused], request: Coroutine[Any, Any, object]) -> str:
            with pytest.raises(kind) as refusal:
                await request
            return str(refusal.value)

        assert await refused(AlreadyExists, operations.create("p", "app", recipe())) == (
            "The Stack (app) already exists."
        )
        assert await refused(NotSupported, operations.cancel(stack_id, roll_back=True)) == (
            "Cancelling update when stack is CREATE_COMPLETE is not supported."
        )
        assert await refused(NotSupported, operations.retry(stack_id)) == (
            "Retrying a stack that has not failed is not supported."
        )
        assert await refused(NotFound, operations.restore(stack_id, "nothing")) == (
            "The Snapshot (nothing) for Stack (app) could not be found."
        )
        assert await refused(NotFound, operations.mark(stack_id, "x", unhealthy=True)) == (
            "The Resource (x) could not be found in Stack app."
        )
        for request in (operations.delete("x"), operations.stack("x"), operations.find("p", "x")):
            assert await refused(NotFound, request) == "The Stack (x) could not be found."
        await operations.visit(stack_id, Action.SUSPEND)
        await ended(engine, stack_id)
        with pytest.raises(NotSupported) as suspended:
            await operations.update(stack_id, recipe())
        assert str(suspended.value) == "Updating a stack when it is suspended is not supported."
        assert suspended.value.hint == "resume it first"
        await operations.visit(stack_id, Action.RESUME)
        await ended(engine, stack_id)
        await operations.update(stack_id, recipe(value="two", seconds=600))
        for busy in (
            operations.visit(stack_id, Action.SUSPEND),
            operations.take_snapshot(stack_id),
            operations.mark(stack_id, "thing", unhealthy=True),
            operations.retry(stack_id),
            operations.abandon(stack_id),
        ):
            assert await refused(ActionInProgress, busy) == (
                "Stack app already has an action (UPDATE) in progress."
            )

    tell(tmp_path, story)


def test_a_snapshot_can_be_deleted_once_it_is_complete(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        operations = engine.operations
        stack_id = await created(engine)
        snapshot_id = await operations.take_snapshot(stack_id)
        await ended(engine, stack_id)
        assert (await operations.snapshot(stack_id, snapshot_id)).status is Status.COMPLETE
        await operations.delete_snapshot(stack_id, snapshot_id)
        assert await operations.snapshots(stack_id) == []
        for gone in (
            operations.snapshot(stack_id, snapshot_id),
            operations.delete_snapshot(stack_id, snapshot_id),
        ):
            with pytest.raises(NotFound, match=r"for Stack \(app\) could not be found"):
                await gone

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


def test_a_resource_is_marked_by_its_physical_id_too_and_events_tell(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine)
        physical_id = (await engine.operations.resources(stack_id))["thing"].physical_id
        assert physical_id
        await engine.operations.mark(stack_id, physical_id, unhealthy=True)
        await engine.operations.mark(stack_id, "thing", unhealthy=False)
        *_, failed, well = await engine.operations.events(stack_id)
        reason = "state changed by resource_mark_unhealthy api"
        assert [(e.name, e.action, e.status, e.reason) for e in (failed, well)] == [
            ("thing", Action.CHECK, Status.FAILED, reason),
            ("thing", Action.CHECK, Status.COMPLETE, reason),
        ]

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
