"""A deletion policy says what stays of an object when its resource goes."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hotplate.document import InvalidDocument
from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.refusals import Refused
from hotplate.model import Action, Status
from hotplate.resources import (
    Catalogue,
    Creation,
    Done,
    Property,
    Resource,
    ResourceFailed,
    Result,
    Wait,
)
from hotplate.resources.capabilities import SnapshotsAtDeletion
from hotplate.resources.heat.value import Value
from hotplate.resources.resource_type import ObjectMissing, World
from tests.acceptance.types.stories import ended

TEMPLATE = """
heat_template_version: wallaby
resources:
  disk:
    type: Test::Disk
    deletion_policy: Snapshot
    properties: {state: STATE}
"""


class Disk(SnapshotsAtDeletion):
    """An object of which a copy can be kept, in two steps; it is deleted in two steps, too."""

    name = "Test::Disk"
    creation = Creation.REPEATABLE
    properties = {"state": Property()}
    attributes = {"state": "how it is"}

    def __init__(self) -> None:
        self.done: list[str] = []

    async def create(self, resource: Resource) -> Result:
        if resource.properties["state"] == "broken":
            if resource.physical_id is None:
                return Wait({}, 0, physical_id="disk")
            raise ResourceFailed("it is broken")
        return Done("disk", attributes={"state": resource.properties["state"]})

    async def snapshot(self, resource: Resource) -> Result:
        if resource.properties["state"] == "busy":
            raise ResourceFailed("it is busy", "Conflict")
        if resource.properties["state"] == "missing":
            raise ObjectMissing("there is no such disk")
        if resource.cookie is None:
            self.done.append("copy begun")
            return Wait({"copying": True}, 0)
        self.done.append("copied")
        return Done(data={"copy": "copy-1"})

    async def remove_snapshot(self, world: World, kept: Mapping[str, Any]) -> None:
        if self.done[-1] != "copied":
            raise ResourceFailed("the service is away")
        self.done.append(f"{kept['copy']} removed")

    async def delete(self, resource: Resource) -> Result:
        if resource.cookie is None:
            self.done.append(f"delete, kept {resource.data.get('copy')}")
            return Wait({"deleting": True}, 0)
        self.done.append("deleted")
        return Done()


def tell(path: Path, disk: Disk, story: Callable[[Embedded], Awaitable[None]]) -> None:
    async def told() -> None:
        async with (
            asyncio.timeout(60),
            embedded(path / "db", catalogue=Catalogue([disk, Value()])) as engine,
        ):
            await story(engine)

    asyncio.run(told())


async def created(engine: Embedded, state: str) -> str:
    stack_id = await engine.operations.create("p", "app", Recipe(TEMPLATE.replace("STATE", state)))
    await ended(engine, stack_id)
    return stack_id


def test_a_copy_is_kept_before_the_object_is_deleted(tmp_path: Path) -> None:
    disk = Disk()

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, "well")
        stack = await engine.operations.stack(stack_id)
        (planned,) = await engine.operations.preview_deletion(stack)
        assert planned.reason == "a snapshot is taken first: its deletion policy is Snapshot"
        await engine.operations.delete(stack_id)
        stack = await ended(engine, stack_id)
        assert (stack.action, stack.status) == (Action.DELETE, Status.COMPLETE)
        assert disk.done == ["copy begun", "copied", "delete, kept copy-1", "deleted"]

    tell(tmp_path, disk, story)


def test_of_what_was_never_complete_nothing_is_kept(tmp_path: Path) -> None:
    disk = Disk()

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, "broken")
        await engine.operations.delete(stack_id)
        stack = await ended(engine, stack_id)
        assert (stack.action, stack.status) == (Action.DELETE, Status.COMPLETE)
        assert disk.done == ["delete, kept None", "deleted"]

    tell(tmp_path, disk, story)


def test_there_is_nothing_to_keep_of_what_is_gone(tmp_path: Path) -> None:
    disk = Disk()

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, "missing")
        await engine.operations.delete(stack_id)
        stack = await ended(engine, stack_id)
        assert (stack.action, stack.status) == (Action.DELETE, Status.COMPLETE)

    tell(tmp_path, disk, story)


def test_what_cannot_be_kept_is_not_deleted(tmp_path: Path) -> None:
    disk = Disk()

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, "busy")
        await engine.operations.delete(stack_id)
        stack = await ended(engine, stack_id)
        assert (stack.action, stack.status) == (Action.DELETE, Status.FAILED)
        words = "its deletion policy is Snapshot, and no snapshot can be taken: it is busy"
        assert stack.reason == f"Resource DELETE failed: Conflict: resources.disk: {words}"
        assert disk.done == []

    tell(tmp_path, disk, story)


def test_a_type_whose_state_cannot_be_kept_refuses_the_policy(tmp_path: Path) -> None:
    template = TEMPLATE.replace("Test::Disk", "OS::Heat::Value").replace("state", "value")

    async def story(engine: Embedded) -> None:
        with pytest.raises(InvalidDocument) as refused:
            await engine.operations.create("p", "app", Recipe(template))
        assert '"Snapshot" deletion policy not supported' in str(refused.value)

    tell(tmp_path, Disk(), story)


def test_the_copies_of_a_snapshot_are_removed_with_it(tmp_path: Path) -> None:
    disk = Disk()

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, "well")
        snapshot_id = await engine.operations.take_snapshot(stack_id)
        await ended(engine, stack_id)
        await engine.operations.delete_snapshot(stack_id, snapshot_id)
        assert disk.done == ["copy begun", "copied", "copy-1 removed"]
        assert await engine.operations.snapshots(stack_id) == []

    tell(tmp_path, disk, story)


def test_a_snapshot_whose_copies_cannot_be_removed_stays(tmp_path: Path) -> None:
    disk = Disk()

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, "well")
        snapshot_id = await engine.operations.take_snapshot(stack_id)
        await ended(engine, stack_id)
        disk.done.append("gone for lunch")
        with pytest.raises(Refused) as refused:
            await engine.operations.delete_snapshot(stack_id, snapshot_id)
        assert str(refused.value) == (
            "The copy of disk in the snapshot cannot be removed: the service is away"
        )
        assert len(await engine.operations.snapshots(stack_id)) == 1

    tell(tmp_path, disk, story)


def test_the_snapshots_of_a_stack_go_with_it(tmp_path: Path) -> None:
    disk = Disk()

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, "well")
        await engine.operations.take_snapshot(stack_id)
        await ended(engine, stack_id)
        disk.done.append("gone for lunch")
        with pytest.raises(Refused, match="cannot be removed: the service is away"):
            await engine.operations.delete(stack_id)
        assert (await engine.operations.stack(stack_id)).action is Action.SNAPSHOT
        disk.done.pop()
        await engine.operations.delete(stack_id)
        stack = await ended(engine, stack_id)
        assert (stack.action, stack.status) == (Action.DELETE, Status.COMPLETE)
        assert disk.done[2] == "copy-1 removed"
        # That of the deletion policy is kept.
        assert disk.done[3:] == ["copy begun", "copied", "delete, kept copy-1", "deleted"]

    tell(tmp_path, disk, story)


def test_a_copy_in_use_does_not_keep_a_stack_from_being_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def in_use(self: Disk, world: World, kept: Mapping[str, Any]) -> None:
        raise ResourceFailed("the image is in use", "Conflict")

    monkeypatch.setattr(Disk, "remove_snapshot", in_use)

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, "well")
        await engine.operations.take_snapshot(stack_id)
        await ended(engine, stack_id)
        await engine.operations.delete(stack_id)
        stack = await ended(engine, stack_id)
        assert (stack.action, stack.status) == (Action.DELETE, Status.COMPLETE)

    tell(tmp_path, Disk(), story)
