"""What Heat does not have: the event stream, ETags, root causes, the tree in one answer."""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from hotplate.api.http import event_waiter
from hotplate.engine.requests import listings
from hotplate.store.event_listing import Followed, follow_events
from tests.api.conftest import PROJECT, Api
from tests.api.streams import streamed
from tests.api.trees import FOUR_LEVELS, VERSION, Item, begin, changed, deleted, link, listed, made


async def read(
    api: Api,
    path: str,
    until: Callable[[Item], bool],
    last: str = "",
    query: str = "nested_depth=MAX",
) -> list[Item]:
    """Return the messages up to the one that is enough, or to the end of the stream."""
    found: list[Item] = []
    async with streamed(api, f"{path}/events/stream", last, query) as messages:
        while (message := await messages.next()) is not None:
            found.append(message)
            if until(message):
                break
    return found


def is_state(path: str, state: str, message: Item) -> bool:
    data = message["data"]
    return path.endswith(data["physical_resource_id"] or "?") and data["resource_status"] == state


def never(message: Item) -> bool:
    return False


def events(api: Api, path: str, depth: str = "MAX") -> list[Item]:
    query = {"nested_depth": depth, "sort_dir": "asc"}
    found: list[Item] = api.get(f"{path}/events", params=query).json()["events"]
    return found


def test_the_stream_tells_everything_in_order_while_it_happens(api: Api) -> None:
    path, _ = begin(api, "live", FOUR_LEVELS)
    found = api.run(read(api, path, partial(is_state, path, "CREATE_COMPLETE")))
    listed_events = events(api, path)
    assert [message["id"] for message in found] == [each["id"] for each in listed_events]
    for message, each in zip(found, listed_events, strict=True):
        assert {**each, "resource_type": message["data"]["resource_type"]} == message["data"]
        kind = "stack" if message["data"]["resource_type"] == "OS::Heat::Stack" else "resource"
        assert message["event"] == kind


def test_the_depth_of_the_stream_counts_from_the_stack_that_is_asked(api: Api) -> None:
    path = made(api, "deep", FOUR_LEVELS)
    (group,) = listed(api, path, name="group")
    inner = (link(group, "nested") or "").split(f"/v1/{PROJECT}")[1]
    for place in (path, inner):
        for depth in ("0", "1", "2", "max"):
            done = partial(is_state, place, "CREATE_COMPLETE")
            found = api.run(read(api, place, done, query=f"nested_depth={depth}"))
            assert [each["id"] for each in found] == [
                each["id"] for each in events(api, place, depth)
            ]
    assert api.get(f"{path}/events/stream?nested_depth=x").status_code == 400
    assert api.get("/stacks/deep/unknown/events/stream").status_code == 404


def test_whoever_comes_back_misses_nothing_and_hears_nothing_twice(api: Api) -> None:
    path, _ = begin(api, "broken", FOUR_LEVELS)
    found: list[Item] = []

    while not found or not is_state(path, "CREATE_COMPLETE", found[-1]):
        seen: list[Item] = []

        def note(message: Item, seen: list[Item] = seen) -> bool:
            seen.append(message)
            return len(seen) >= 3 or is_state(path, "CREATE_COMPLETE", message)

        found.extend(api.run(read(api, path, note, found[-1]["id"] if found else "")))
    assert [message["id"] for message in found] == [each["id"] for each in events(api, path)]


def test_the_stream_ends_when_the_stack_has_been_deleted(api: Api) -> None:
    path = made(api, "ending", FOUR_LEVELS)
    before = events(api, path)

    async def story() -> list[Item]:
        following = asyncio.create_task(read(api, path, never, before[-1]["id"]))
        assert (await api.client.delete(path)).status_code == 204
        return await following

    found = api.run(story())
    after = events(api, path)
    assert [message["id"] for message in found] == [each["id"] for each in after[len(before) :]]
    assert is_state(path, "DELETE_COMPLETE", found[-1])
    # Later, too: all of it, the rest of it, or nothing any more.
    assert len(api.run(read(api, path, never))) == len(after)
    assert len(api.run(read(api, path, never, after[-3]["id"]))) == 2
    assert api.run(read(api, path, never, after[-1]["id"])) == []


def test_an_abandoned_stack_has_an_end_as_well(api: Api) -> None:
    path = made(api, "left", {"template": VERSION})
    assert api.delete(f"{path}/abandon").status_code == 200
    assert len(api.run(read(api, path, never))) == 2


def test_events_of_others_do_not_keep_a_stream_busy(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(api, "quiet", {"template": VERSION})
    looks = 0

    def counted(*positional: Any, **named: Any) -> Followed:
        nonlocal looks
        looks += 1
        return follow_events(*positional, **named)

    monkeypatch.setattr(listings, "follow_events", counted)
    monkeypatch.setattr(event_waiter, "_INTERVAL", 0.001)

    async def story() -> int:
        async with streamed(api, f"{path}/events/stream", query="nested_depth=MAX") as messages:
            for _ in range(2):
                assert await messages.next()
            body = {"stack_name": "other", "template": VERSION}
            other = (await api.client.post("/stacks", json=body)).json()["stack"]["id"]
            await read(api, f"/stacks/other/{other}", partial(is_state, other, "CREATE_COMPLETE"))
            before = looks
            for _ in range(100):
                await api.client.get(path)
            after = looks
            await api.client.delete(path)
            while await messages.next():
                pass
        return after - before

    # One look for each event of the other at most; none of them wakes it again and again.
    assert api.run(story()) <= 2


CHANGE = {"files": {"a": "{}"}}


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_a_stack_that_has_moved_is_left_alone(api: Api, method: str) -> None:
    path = made(api, "moving", {"template": VERSION})
    seen = api.get(path)
    tag = seen.headers["etag"]
    changed(api, path, CHANGE)
    now = api.get(path)
    assert now.headers["etag"] != tag
    before = events(api, path)
    body = None if method == "DELETE" else {"template": VERSION + "description: new\n"}
    refused = api.request(method, path, json=body, headers={"if-match": tag})
    assert refused.status_code == 412
    assert refused.json()["title"] == "Precondition Failed"
    assert api.get(path).json() == now.json()
    assert api.get(path).headers["etag"] == now.headers["etag"]
    assert events(api, path) == before
    answer = api.request(method, path, json=body, headers={"if-match": now.headers["etag"]})
    assert answer.status_code == (204 if method == "DELETE" else 202)
    api.wait(path.rsplit("/", 1)[1])


def test_an_etag_stays_while_nothing_begins_and_others_are_refused(api: Api) -> None:
    path, stack_id = begin(api, "tagged", {"template": VERSION})
    tag = api.get(path).headers["etag"]
    api.wait(stack_id)
    assert api.get(path).headers["etag"] == tag
    for wrong in ("x", '"x"', '"1", "2"', '"-1"', '"' + "9" * 30 + '"'):
        answer = api.patch(path, json={}, headers={"if-match": wrong})
        assert answer.status_code == 400
        assert "If-Match" in answer.json()["error"]["message"]
    assert api.patch(path, json={}, headers={"if-match": tag}).status_code == 202
    assert api.patch(path, json={}, headers={"if-match": tag}).status_code == 412
    weak = f"W/{api.get(path).headers['etag']}"
    for accepted in (weak, "*", ""):
        assert api.patch(path, json={}, headers={"if-match": accepted}).status_code == 202
    api.wait(stack_id)


CONDITION = (
    VERSION
    + """
resources:
  handle: {type: OS::Heat::WaitConditionHandle}
  condition:
    type: OS::Heat::WaitCondition
    properties: {handle: {get_resource: handle}, timeout: 600}
"""
)
LONG = "the disk of the hypervisor is full: " + "a" * 3000 + " and that is all"


def test_the_root_cause_is_told_with_the_way_to_it_and_in_full(api: Api) -> None:
    def around(inner: str) -> str:
        return VERSION + f"resources: {{{inner}: {{type: {inner}.yaml}}}}\n"

    files = {"two.yaml": around("three"), "one.yaml": around("two"), "three.yaml": CONDITION}
    path, stack_id = begin(api, "failing", {"template": around("one"), "files": files})

    async def handle() -> list[Item]:
        query = {"nested_depth": "MAX", "name": "handle", "status": "CREATE_COMPLETE"}
        answer = await api.client.get(f"{path}/resources", params=query)
        found: list[Item] = answer.json()["resources"]
        return found

    (found,) = api.until(handle)
    assert "failures" not in api.get(path).json()["stack"]
    signal = {"status": "FAILURE", "reason": LONG, "id": "1"}
    answer = api.post(f"{link(found, 'self')}/signal", json=signal)
    assert answer.status_code == 200, answer.text
    assert api.wait(stack_id) == "CREATE_FAILED"

    (failure,) = api.get(path).json()["stack"]["failures"]
    assert failure["path"] == ["one", "two", "three", "condition"]
    assert LONG in failure["reason"]
    assert failure["resource_type"] == "OS::Heat::WaitCondition"
    shown = api.get(link(failure, "self") or "").json()["resource"]
    assert (shown["resource_name"], shown["resource_status"]) == ("condition", "CREATE_FAILED")
    # Asked further down, the way begins there.
    inner = api.get(link(failure, "stack") or "").json()["stack"]
    assert [each["path"] for each in inner["failures"]] == [["condition"]]

    healed = {"files": {"three.yaml": VERSION + "resources: {fine: {type: OS::Heat::None}}"}}
    changed(api, path, healed)
    assert "failures" not in api.get(path).json()["stack"]


def test_every_root_cause_is_told_not_only_the_first(api: Api) -> None:
    def waiting(name: str) -> str:
        return f"{{type: OS::Heat::TestResource, properties: {{fail: {name}}}}}"

    leaf = VERSION + f"resources: {{bad: {waiting('true')}, good: {waiting('false')}}}\n"
    template = VERSION + "resources: {a: {type: leaf.yaml}, b: {type: leaf.yaml}}\n"
    body = {"template": template, "files": {"leaf.yaml": leaf}}
    path = made(api, "twice", body, "CREATE_FAILED")
    told = api.get(path).json()["stack"]["failures"]
    assert {tuple(each["path"]) for each in told} <= {("a", "bad"), ("b", "bad")}
    assert told
    for each in told:
        assert each["reason"].endswith("Test Resource failed bad")


def flattened(stack: Item) -> dict[str, Item]:
    """Every resource of a tree by its address."""
    found: dict[str, Item] = {}
    for resource in stack["resources"]:
        inner = resource.pop("stack", None)
        found[link(resource, "self") or ""] = resource
        assert (inner is None) == (link(resource, "nested") is None)
        if inner is not None:
            assert inner["parent"] == stack["id"]
            assert inner["id"] == resource["physical_resource_id"]
            found |= flattened(inner)
    return found


def test_the_whole_tree_comes_in_one_answer(api: Api) -> None:
    path = made(api, "tree", FOUR_LEVELS)
    (group,) = listed(api, path, name="group")
    inner = (link(group, "nested") or "").split(f"/v1/{PROJECT}")[1]

    def compare(with_detail: bool) -> None:
        for place in (path, inner):
            query = {"with_detail": with_detail}
            answer = api.get(f"{place}/tree", params=query).json()["stack"]
            flat = listed(api, place, nested_depth="MAX", **query)
            assert flattened(answer) == {link(item, "self"): item for item in flat}
            assert answer["stack_name"] == place.split("/")[2]

    compare(with_detail=False)
    compare(with_detail=True)
    deleted(api, path)
    compare(with_detail=False)
    assert api.get(f"{path}/tree").json()["stack"]["stack_status"] == "DELETE_COMPLETE"


def test_the_tree_shows_the_stack_that_stands_while_another_goes(api: Api) -> None:
    inner = VERSION + "parameters: {p: {type: string}}\nresources: {x: {type: OS::Heat::None}}\n"
    template = VERSION + "resources: {r: {type: inner.yaml, properties: {p: a}}}\n"
    path = made(api, "standing", {"template": template, "files": {"inner.yaml": inner}})
    changed(api, path, {"template": template.replace("p: a", "p: b")})
    tree = api.get(f"{path}/tree").json()["stack"]
    (resource,) = tree["resources"]
    assert resource["stack"]["id"] == resource["physical_resource_id"]


def test_environment_and_files_of_a_deleted_nested_stack_are_shown(api: Api) -> None:
    inner = {"heat_template_version": "wallaby", "resources": {"a": {"type": "OS::Heat::None"}}}
    outer = {"heat_template_version": "wallaby", "resources": {"n": {"type": "inner.yaml"}}}
    body = {
        "stack_name": "s",
        "template": outer,
        "files": {"inner.yaml": json.dumps(inner)},
        "environment": {"parameter_defaults": {"p": "x"}},
    }
    made = api.post("/stacks", json=body).json()["stack"]
    assert api.wait(made["id"]) == "CREATE_COMPLETE"
    stacks = api.get("/stacks", params={"show_nested": "true"}).json()["stacks"]
    (nested,) = (each for each in stacks if each["id"] != made["id"])
    path = f"/stacks/{nested['stack_name']}/{nested['id']}"
    before = api.get(f"{path}/environment").json(), api.get(f"{path}/files").json()
    assert before[0]["parameter_defaults"] == {"p": "x"}
    api.delete(f"/stacks/s/{made['id']}")
    assert api.wait(made["id"]) == "DELETE_COMPLETE"
    assert (api.get(f"{path}/environment").json(), api.get(f"{path}/files").json()) == before


def test_the_stacks_of_a_project_are_listed_and_then_told_of_when_they_change(api: Api) -> None:
    begin(api, "first", FOUR_LEVELS)

    async def follow() -> tuple[list[Item], Item]:
        async with streamed(api, "/events/stream") as messages:
            known: list[Item] = []
            while (message := await messages.next()) is not None and message["event"] == "stack":
                known.append(message["data"])
            while (message := await messages.next()) is not None:
                if message["data"]["stack_status"] == "CREATE_COMPLETE":
                    return known, message["data"]
        raise AssertionError("the stream has ended")

    [known], changed = api.run(follow())
    assert known["stack_name"] == "first"
    assert known["stack_status"] == "CREATE_IN_PROGRESS"
    # Nested stacks are not told of by themselves, but what is in them counts.
    assert changed["id"] == known["id"]
    assert changed["progress"]["failed"] == changed["progress"]["in_progress"] == 0
    leaves = [
        each
        for each in api.get(
            f"/stacks/first/{known['id']}/resources", params={"nested_depth": "MAX"}
        ).json()["resources"]
        if not any(link["rel"] == "nested" for link in each["links"])
    ]
    assert changed["progress"]["complete"] == len(leaves)


def test_a_stream_ends_when_the_server_stops(api: Api) -> None:
    path, _ = begin(api, "stopping", FOUR_LEVELS)

    async def follow() -> Item | None:
        async with streamed(api, f"{path}/events/stream", query="nested_depth=MAX") as messages:
            message = await messages.next()
            api.app.end_streams()
            while message is not None:
                message = await messages.next()
            return message

    assert api.run(follow()) is None
