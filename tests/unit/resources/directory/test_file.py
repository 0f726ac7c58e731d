"""Hotplate::Directory::File."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hotplate.resources import BadProperty, Creation, Done, Resource, ResourceFailed
from hotplate.resources.directory import Directory, File, objects
from tests.unit.resources.acting import StillWorld, resource

KIND = File()


@pytest.fixture
def world(tmp_path: Path) -> StillWorld:
    return StillWorld({"directory": Directory(tmp_path)})


def call(it: Resource, action: str) -> Any:
    return asyncio.run(getattr(KIND, action)(it))


def created(world: StillWorld, given: dict[str, Any]) -> tuple[Resource, Done]:
    it = resource(KIND, given, world=world)
    done = call(it, "create")
    return replace(it, physical_id=done.physical_id), done


def changed(it: Resource, given: dict[str, Any]) -> Resource:
    return replace(it, properties=KIND.convert(given), old_properties=it.properties)


def test_creating_writes_the_file_and_tells_of_it(world: StillWorld, tmp_path: Path) -> None:
    it, done = created(world, {"content": "hello", "kind": "note", "tags": {"n": 1}})
    (found,) = objects(tmp_path)
    assert (found.id, found.creation_token, found.kind) == (
        done.physical_id,
        it.creation_token,
        "note",
    )
    assert (found.content, found.tags) == ("hello", {"n": "1"})
    attributes = done.attributes or {}
    assert attributes["path"] == str(tmp_path / f"app-it-{it.creation_token}")
    assert (attributes["content"], attributes["size"]) == ("hello", 5)
    assert str(attributes["modified"]).endswith("Z")
    assert set(attributes) == set(KIND.attributes)


def test_a_name_can_be_given(world: StillWorld) -> None:
    it, done = created(world, {"name": "../motd"})
    assert done.physical_id == f"_._motd-{it.creation_token}"


def test_what_was_created_is_found_by_its_mark(world: StillWorld) -> None:
    assert KIND.creation is Creation.FINDABLE
    assert call(resource(KIND, world=world), "find") is None
    it, done = created(world, {})
    assert call(it, "find") == done.physical_id


def test_a_creation_that_came_through_after_all_is_taken_up(
    world: StillWorld, tmp_path: Path
) -> None:
    _, first = created(world, {"content": "old"})
    _, again = created(world, {"content": "new"})
    assert first.physical_id == again.physical_id
    assert [item.content for item in objects(tmp_path)] == ["new"]


def test_creating_what_was_found_makes_no_second_one(world: StillWorld, tmp_path: Path) -> None:
    it, done = created(world, {"name": "a", "content": "old"})
    found = replace(it, properties=KIND.convert({"name": "b", "content": "new"}))
    assert call(found, "create").physical_id == done.physical_id
    assert [item.content for item in objects(tmp_path)] == ["new"]


def test_content_and_tags_are_changed_in_place(world: StillWorld, tmp_path: Path) -> None:
    it, _ = created(world, {"content": "a"})
    done = call(changed(it, {"content": "b", "tags": {"x": "y"}}), "update")
    (found,) = objects(tmp_path)
    assert (found.id, found.content, found.tags) == (it.physical_id, "b", {"x": "y"})
    assert done.attributes["content"] == "b"
    fixed = [name for name, declared in KIND.properties.items() if not declared.updatable]
    assert fixed == ["name", "kind"]


def test_deleting_can_be_done_again(world: StillWorld, tmp_path: Path) -> None:
    it, _ = created(world, {})
    assert call(it, "delete") == call(it, "delete") == Done()
    assert objects(tmp_path) == []


@pytest.mark.parametrize("action", ["check", "update", "snapshot"])
def test_a_file_that_is_gone_is_noticed(world: StillWorld, tmp_path: Path, action: str) -> None:
    it, _ = created(world, {})
    next(tmp_path.iterdir()).unlink()
    with pytest.raises(ResourceFailed, match="is missing or belongs to another resource"):
        call(it, action)


def test_a_file_of_another_is_left_alone(world: StillWorld, tmp_path: Path) -> None:
    it, _ = created(world, {"content": "theirs"})
    stranger = replace(it, creation_token="bbbbbbbb-1111-4222-8333-444455556666")
    for action in ("check", "update"):
        with pytest.raises(ResourceFailed):
            call(stranger, action)
    assert call(stranger, "delete") == Done()
    assert [item.content for item in objects(tmp_path)] == ["theirs"]


def test_check_tells_what_is_there(world: StillWorld) -> None:
    it, done = created(world, {"content": "x"})
    assert call(it, "check") == done


def test_a_file_that_exists_can_be_taken_over(world: StillWorld) -> None:
    it, _ = created(world, {"content": "x"})
    other = replace(it, creation_token="bbbbbbbb-1111-4222-8333-444455556666")
    assert call(other, "adopt").attributes["content"] == "x"
    assert call(other, "check").physical_id == it.physical_id
    with pytest.raises(ResourceFailed, match="belongs to another"):
        call(it, "check")
    call(other, "delete")
    with pytest.raises(ResourceFailed, match="is missing"):
        call(other, "adopt")


def test_a_snapshot_keeps_the_content_and_restoring_is_an_update(
    world: StillWorld, tmp_path: Path
) -> None:
    it, _ = created(world, {"content": "before", "tags": {"n": "1"}})
    kept = call(it, "snapshot").data
    it = changed(it, {"content": "after"})
    call(it, "update")
    call(changed(it, KIND.restored({"content": "after"}, kept)), "update")
    (found,) = objects(tmp_path)
    assert (found.content, found.tags) == ("before", {"n": "1"})


@pytest.mark.parametrize(
    "given", [{"name": ""}, {"name": "x" * 101}, {"content": "x" * (2**20 + 1)}, {"tags": []}]
)
def test_a_wrong_property_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BadProperty):
        KIND.convert(given)
