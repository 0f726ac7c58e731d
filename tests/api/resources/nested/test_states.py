"""Every resource in one call: during creations, updates and deletions, and after them."""

import json
from itertools import pairwise
from typing import Any

from tests.api.conftest import Api
from tests.api.trees import (
    FOUR_LEVELS,
    NESTED_FIELDS,
    ROOT,
    Item,
    addresses,
    begin,
    changed,
    deleted,
    inside,
    link,
    listed,
    made,
)


def address(item: Item) -> str:
    return link(item, "self") or ""


def states(items: list[Item]) -> dict[str, str]:
    return {
        address.split("/stacks/")[1]: item["resource_status"]
        for address, item in zip(addresses(items), items, strict=True)
    }


def test_n02_what_is_listed_before_a_deletion_is_what_goes(api: Api) -> None:
    path = made(api, "going", FOUR_LEVELS)
    before = listed(api, path, nested_depth="MAX")
    deleted(api, path)
    events = api.get(f"{path}/events", params={"nested_depth": "MAX"}).json()["events"]
    gone = {
        link(each, "resource")
        for each in events
        if each["resource_status"] == "DELETE_COMPLETE"
        and each["physical_resource_id"] not in (link(each, "stack") or "")
    }
    assert gone == set(addresses(before))
    kinds = {item["resource_type"] for item in before}
    assert {"OS::Heat::ResourceGroup", "My::Type", "middle.yaml", "leaf.yaml"} <= kinds


def test_n02_a_deleted_stack_still_lists_what_was_deleted(api: Api) -> None:
    path = made(api, "gone", FOUR_LEVELS)
    part = inside(api, path, "group", "0")
    before, part_before = (listed(api, each, nested_depth="MAX") for each in (path, part))
    deleted(api, path)
    after, part_after = (listed(api, each, nested_depth="MAX") for each in (path, part))
    assert {item["resource_status"] for item in after} == {"DELETE_COMPLETE"}
    same = ("physical_resource_id", "resource_type", *NESTED_FIELDS)
    for old, new in ((before, after), (part_before, part_after)):
        assert [{field: was.get(field) for field in same} for was in sorted(old, key=address)] == [
            {field: each.get(field) for field in same} for each in sorted(new, key=address)
        ]
    assert listed(api, path, nested_depth="MAX") == after
    assert listed(api, path) == [item for item in after if "parent" not in item]
    (leaf,) = (item for item in part_after if item["resource_name"] == "leaf")
    wanted = leaf["physical_resource_id"]
    assert listed(api, path, nested_depth=9, physical_resource_id=wanted) == [leaf]


def test_n02_what_an_update_removed_is_no_part_of_a_later_deletion(api: Api) -> None:
    path = made(api, "shrunk", FOUR_LEVELS)
    changed(api, path, {"template": ROOT.replace("count: 2", "count: 1")})
    before = listed(api, path, nested_depth="MAX")
    assert len(before) == 4 + 1 + 2 + 1 + 1 + 1
    deleted(api, path)
    assert sorted(addresses(listed(api, path, nested_depth="MAX"))) == sorted(addresses(before))


def waiting_in(action: str) -> dict[str, Any]:
    """A tree whose leaves never end an action, unless they are told to."""
    body = json.loads(json.dumps(FOUR_LEVELS))
    body["environment"]["parameter_defaults"] = {"waits": {action: -1}}
    return body


def followed(api: Api, path: str, state: str) -> dict[str, str]:
    """Look until the leaves are in a state; return the states of everything."""

    async def look() -> list[Item]:
        answer = await api.client.get(f"{path}/resources", params={"nested_depth": "MAX"})
        found: list[Item] = answer.json()["resources"]
        return found

    def is_enough(items: list[Item]) -> bool:
        leaves = [item for item in items if item["resource_name"] == "leaf"]
        return len(leaves) == 3 and all(item["resource_status"] == state for item in leaves)

    return states(api.until(look, is_enough))


def test_n03_every_state_is_seen_during_a_creation_an_update_and_a_deletion(api: Api) -> None:
    path, stack_id = begin(api, "followed", waiting_in("create"))
    seen = followed(api, path, "CREATE_IN_PROGRESS")
    of = {address.rsplit("/", 1)[1]: state for address, state in seen.items()}
    assert of["group"] == of["deep"] == of["0"] == of["provided"] == "CREATE_IN_PROGRESS"
    assert (of["first"], of["beside"], of["last"]) == ("CREATE_COMPLETE", *["INIT_COMPLETE"] * 2)

    api.delete(path)
    assert api.wait(stack_id) == "DELETE_COMPLETE"

    path = made(api, "followed", waiting_in("update"))
    loud = {"environment": {"parameter_defaults": {"value": "loud", "waits": {"update": -1}}}}
    assert api.patch(path, json=loud).status_code == 202
    seen = followed(api, path, "UPDATE_IN_PROGRESS")
    assert {state for at, state in seen.items() if at.endswith(("/deep", "/group"))} == {
        "UPDATE_IN_PROGRESS"
    }
    assert len(seen) == 15


def test_n03_nothing_drops_out_of_the_list_while_a_stack_is_deleted(api: Api) -> None:
    path = made(api, "shrinking", FOUR_LEVELS)
    everything = set(addresses(listed(api, path, nested_depth="MAX")))
    seen: list[dict[str, str]] = []

    async def look() -> bool:
        answer = await api.client.get(f"{path}/resources", params={"nested_depth": "MAX"})
        items = answer.json()["resources"]
        assert set(addresses(items)) == everything
        seen.append(states(items))
        return set(seen[-1].values()) == {"DELETE_COMPLETE"}

    api.delete(path)
    api.until(look)
    # What was seen to be gone does not come back.
    for before, after in pairwise(seen):
        gone = {at for at, state in before.items() if state == "DELETE_COMPLETE"}
        assert gone <= {at for at, state in after.items() if state == "DELETE_COMPLETE"}
