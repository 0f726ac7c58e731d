"""Every event in one call, as every resource."""

from typing import Any

import pytest

from tests.api.conftest import Api
from tests.api.trees import FOUR_LEVELS, VERSION, Item, deleted, inside, link, made, walked


def events_of(api: Api, path: str, **query: Any) -> list[Item]:
    answer = api.get(f"{path}/events", params={"sort_dir": "asc", **query})
    assert answer.status_code == 200, answer.text
    found: list[Item] = answer.json()["events"]
    return found


def walked_events(api: Api, path: str, depth: int) -> set[str]:
    """The ids of all events of a tree, asked of one stack at a time."""
    stacks = {path}
    for item in walked(api, path, depth - 1) if depth else ():
        stacks.add((link(item, "nested") or path).split("/v1/project")[-1])
    return {each["id"] for stack in stacks for each in events_of(api, stack)}


@pytest.mark.parametrize("place", [(), ("group",), ("group", "0")])
def test_n22_the_depth_of_events_counts_from_the_stack_that_is_asked(
    api: Api, tree: str, place: tuple[str, ...]
) -> None:
    path = inside(api, tree, *place)
    for depth in range(5):
        found = events_of(api, path, nested_depth=depth)
        assert {each["id"] for each in found} == walked_events(api, path, depth)
    everything = events_of(api, path, nested_depth="mAx")
    assert everything == events_of(api, path, nested_depth=9999)
    assert {each["id"] for each in everything} == walked_events(api, path, 99)
    root = f"http://testserver/v1/project{path}"
    assert {link(each, "root_stack") for each in everything} == {root}
    assert {link(each, "root_stack") for each in events_of(api, path)} == {None}


def test_n22_events_come_in_the_order_in_which_they_happened(api: Api, tree: str) -> None:
    events = events_of(api, tree, nested_depth="MAX")
    newest_first = events_of(api, tree, nested_depth="MAX", sort_dir="desc")
    assert newest_first == events[::-1]
    stack = [each for each in events if each["resource_name"] == "tree"]
    assert [events[0], events[-1]] == stack
    paged: list[Item] = []
    while page := events_of(
        api, tree, nested_depth="MAX", limit=7, **({"marker": paged[-1]["id"]} if paged else {})
    ):
        paged.extend(page)
    assert paged == events


def test_n22_a_stack_without_resources_has_its_own_events(api: Api) -> None:
    path = made(api, "empty", {"template": VERSION})
    events = events_of(api, path, nested_depth="MAX")
    assert [each["resource_status"] for each in events] == ["CREATE_IN_PROGRESS", "CREATE_COMPLETE"]


def test_n22_deleted_trees_keep_their_events(api: Api) -> None:
    path = made(api, "over", FOUR_LEVELS)
    part = inside(api, path, "group")
    before, part_before = (events_of(api, each, nested_depth="MAX") for each in (path, part))
    deleted(api, path)
    after, part_after = (events_of(api, each, nested_depth="MAX") for each in (path, part))
    assert after[: len(before)] == before
    assert part_after[: len(part_before)] == part_before
    assert after[-1]["resource_status"] == "DELETE_COMPLETE"
    assert after[-1]["physical_resource_id"] == path.rsplit("/", 1)[1]
    leaves = [each for each in part_after if each["resource_name"] == "leaf"]
    assert [each["resource_status"] for each in leaves].count("DELETE_COMPLETE") == 2
    filtered = events_of(api, path, nested_depth="MAX", resource_name="leaf")
    assert filtered == [each for each in after if each["resource_name"] == "leaf"]
