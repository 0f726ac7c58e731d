"""Every resource in one call: N1 to N22 of docs/nested-resources.md, each by its number."""

import json
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.pool import Pool

from hotplate.api.http.settings import Settings
from tests.api.conftest import Api
from tests.api.heat_client import heat_client
from tests.api.shared_api import shared_api
from tests.api.trees import (
    FOUR_LEVELS,
    ROOT,
    VERSION,
    Item,
    addresses,
    begin,
    changed,
    deleted,
    link,
    listed,
    made,
    random_tree,
    walked,
)

NESTED_FIELDS = {"parent", "nested_stack_id", "parent_resource"}
EVERY_FIELD = {
    "is_external",
    "is_old",
    "resource_name",
    "links",
    "logical_resource_id",
    "resource_status",
    "resource_status_reason",
    "updated_time",
    "creation_time",
    "required_by",
    "physical_resource_id",
    "resource_type",
}


class Statements:
    """What connections that only read have been asked, below everything that could hide it."""

    def __init__(self) -> None:
        self.said: list[tuple[int, str]] = []
        self._readers: set[int] = set()

    def watch(self, connection: Any, record: Any) -> None:
        number = id(connection)

        def trace(statement: str) -> None:
            if statement == "PRAGMA query_only=ON":
                self._readers.add(number)
            elif statement.startswith(("SELECT", "WITH")):
                self.said.append((number, statement))

        connection.set_trace_callback(trace)

    def during(self, api: Api, address: str) -> list[str]:
        """Return what one request asks of the database."""
        self.said.clear()
        assert api.get(address).status_code == 200
        return [statement for number, statement in self.said if number in self._readers]


@pytest.fixture(scope="module")
def statements() -> Iterator[Statements]:
    watched = Statements()
    event.listen(Pool, "connect", watched.watch)
    yield watched
    event.remove(Pool, "connect", watched.watch)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory, statements: Statements) -> Iterator[Api]:
    with shared_api(tmp_path_factory.mktemp("api"), Settings()) as api:
        yield api


@pytest.fixture(scope="module")
def tree(api: Api) -> str:
    """A tree of four levels that nobody changes."""
    return made(api, "tree", FOUR_LEVELS)


def inside(api: Api, path: str, *names: str) -> str:
    """Return the path of the stack that the names lead to."""
    for name in names:
        (item,) = [item for item in listed(api, path) if item["resource_name"] == name]
        nested = link(item, "nested")
        assert nested is not None
        path = nested.split("/v1/project")[1]
    return path


def address(item: Item) -> str:
    return link(item, "self") or ""


def states(items: list[Item]) -> dict[str, str]:
    return {
        address.split("/stacks/")[1]: item["resource_status"]
        for address, item in zip(addresses(items), items, strict=True)
    }


def test_n01_one_call_lists_everything_that_a_walk_finds(api: Api, tree: str) -> None:
    items = listed(api, tree, nested_depth="MAX")
    found = list(walked(api, tree))
    assert len(items) == len(found) == 4 + 2 + 2 * 2 + 1 + 2 + 2
    assert sorted(addresses(items)) == sorted(addresses(found))


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


def test_n04_the_tree_can_be_rebuilt_from_one_answer(api: Api, tree: str) -> None:
    items = listed(api, tree, nested_depth="MAX")
    root = tree.rsplit("/", 1)[1]
    inner: dict[str, Any] = {root: {}}
    owners: dict[str, str] = {}
    for item in items:
        at = inner.setdefault(item.get("nested_stack_id", root), {})
        at[item["resource_name"]] = inner.setdefault(item["physical_resource_id"], {})
        owners[item["physical_resource_id"]] = item["resource_name"]
    leaf: dict[str, Any] = {"leaf": {}}
    middle: dict[str, Any] = {"deep": {"0": leaf}, "beside": {}}
    group = {"0": middle, "1": middle}
    assert inner[root] == {"last": {}, "group": group, "provided": leaf, "first": {}}
    assert all(owners[item["nested_stack_id"]] == item["parent"] for item in items[4:])


def test_n04_of_a_group_that_could_not_be_replaced_both_are_listed(api: Api) -> None:
    template = f"""{VERSION}
resources:
  chain:
    type: OS::Heat::ResourceChain
    properties: {{resources: [OS::Heat::TestResource], resource_properties: {{fail: false}}}}
  user: {{type: OS::Heat::Value, properties: {{value: {{get_resource: chain}}}}}}
"""
    path = made(api, "unreplaced", {"template": template})
    failing = {"template": template.replace("fail: false", "fail: true")}
    changed(api, path, failing, "UPDATE_FAILED")
    found = listed(api, path, nested_depth="MAX", with_detail=True)
    old_chain, old_member = (each for each in found if each["is_old"])
    assert old_member["nested_stack_id"] == old_chain["physical_resource_id"]
    chain, user, member = (each for each in found if not each["is_old"])
    assert chain["resource_status"] == member["resource_status"] == "CREATE_FAILED"
    assert chain["physical_resource_id"] == member["nested_stack_id"]
    # Whoever needs it needs it by its name; what it does not have has no value.
    assert (chain["required_by"], user["required_by"]) == (["user"], [])
    assert (chain["attributes"]["refs"], member["attributes"]) == (None, {"output": None})
    changed(api, path, {"template": template})
    found = listed(api, path, nested_depth="MAX")
    assert [each["resource_name"] for each in found] == ["chain", "user", "0"]
    assert all(each["resource_status"].endswith("_COMPLETE") for each in found)


def test_n05_without_the_parameter_only_the_stacks_own_are_listed(api: Api, tree: str) -> None:
    items = listed(api, tree)
    assert {item["resource_name"] for item in items} == {"last", "group", "provided", "first"}
    assert all(set(item) == EVERY_FIELD for item in items)


def test_n06_the_stacks_own_come_in_addition(api: Api, tree: str) -> None:
    own = listed(api, tree)
    for depth in (1, 2, 3, 4, "MAX"):
        assert listed(api, tree, nested_depth=depth)[:4] == own


@pytest.mark.parametrize(("depth", "count"), [(1, 7), (2, 11), (3, 13), (4, 15), (5, 15)])
def test_n07_a_number_limits_the_depth(api: Api, tree: str, depth: int, count: int) -> None:
    items = listed(api, tree, nested_depth=depth)
    assert len(items) == count
    assert addresses(items) == addresses(list(walked(api, tree, depth)))


def test_n07_the_depth_counts_from_the_stack_that_is_asked(api: Api, tree: str) -> None:
    part = inside(api, tree, "group", "1")
    assert [item["resource_name"] for item in listed(api, part)] == ["deep", "beside"]
    assert [item["resource_name"] for item in listed(api, part, nested_depth=1)] == [
        *("deep", "beside"),
        "0",
    ]
    assert addresses(listed(api, part, nested_depth="MAX")) == addresses(list(walked(api, part)))


@pytest.mark.parametrize("place", [(), ("group",), ("group", "0", "deep")])
def test_n08_zero_is_as_good_as_nothing(api: Api, tree: str, place: tuple[str, ...]) -> None:
    path = inside(api, tree, *place)
    plain = api.get(f"{path}/resources").content
    for zero in ("0", "00", ""):
        assert api.get(f"{path}/resources?nested_depth={zero}").content == plain


@pytest.mark.parametrize("word", ["MAX", "max", "Max", "mAx"])
def test_n09_max_in_any_case_lists_all(api: Api, tree: str, word: str) -> None:
    assert listed(api, tree, nested_depth=word) == listed(api, tree, nested_depth=4)


def test_n10_nothing_goes_deeper_than_the_server_allows(api: Api, tree: str) -> None:
    narrow = Api(api._runner, api.engine, Settings(deepest_nesting=2))
    for depth in (3, 9999, 10**17, 10**30, "0" * 5000 + "9", "9" * 5000, "MAX"):
        assert len(listed(narrow, tree, nested_depth=depth)) == 11
        answer = narrow.get(f"{tree}/events", params={"nested_depth": depth}).json()
        assert "leaf" not in {
            each["resource_name"]
            for each in answer["events"]
            if "deep" in (link(each, "stack") or "")
        }
    assert len(listed(narrow, tree, nested_depth=1)) == 7
    narrow.run(narrow.client.aclose())


def test_n11_the_answer_is_one_flat_list(api: Api, tree: str) -> None:
    answer = api.get(f"{tree}/resources", params={"nested_depth": "MAX"}).json()
    assert set(answer) == {"resources"}
    for item in answer["resources"]:
        assert all(isinstance(item[field], str) for field in item if field not in _OTHERS)
        assert all(isinstance(name, str) for name in item["required_by"])


_OTHERS = {"links", "required_by", "is_external", "is_old"}


def test_n12_a_nested_item_names_its_container_and_its_parent(api: Api, tree: str) -> None:
    for item in listed(api, tree, nested_depth="MAX"):
        container = (link(item, "stack") or "").rsplit("/", 1)[1]
        if container == tree.rsplit("/", 1)[1]:
            continue
        assert item["nested_stack_id"] == container
        (owner,) = [
            each
            for each in listed(api, tree, nested_depth="MAX")
            if each["physical_resource_id"] == container
        ]
        assert item["parent"] == owner["resource_name"]


def test_n13_the_seeds_names_and_heats_are_both_there(api: Api, tree: str) -> None:
    items = listed(api, tree, nested_depth="MAX")
    for item in items[:4]:
        assert not NESTED_FIELDS & set(item)
    for item in items[4:]:
        assert set(item) == EVERY_FIELD | NESTED_FIELDS
        assert item["parent"] == item["parent_resource"]


def test_n13_an_item_says_the_same_wherever_the_listing_begins(api: Api, tree: str) -> None:
    whole = {link(item, "self"): item for item in listed(api, tree, nested_depth="MAX")}
    part = inside(api, tree, "group", "0")
    for item in listed(api, part, nested_depth="MAX"):
        assert whole[link(item, "self")] == item
    shown = api.get(f"{part}/resources/beside").json()["resource"]
    assert (shown["parent_resource"], shown["nested_stack_id"]) == ("0", part.rsplit("/", 1)[1])


def test_n14_each_item_has_all_fields_that_clients_know(api: Api, tree: str) -> None:
    for item in listed(api, tree, nested_depth="MAX"):
        assert set(item) - NESTED_FIELDS == EVERY_FIELD
        assert item["resource_name"] == item["logical_resource_id"]
    by_name = {item["resource_name"]: item for item in listed(api, tree)}
    assert by_name["group"]["required_by"] == by_name["provided"]["required_by"] == ["last"]
    assert by_name["provided"]["resource_type"] == "My::Type"
    (detailed,) = listed(api, tree, name="last", with_detail=True)
    assert set(detailed) == EVERY_FIELD | {"attributes", "description", "differences"}


def test_n15_links_can_be_walked(api: Api, tree: str) -> None:
    at = f"http://testserver/v1/project{tree}"
    for name in ("group", "1", "deep", "0", "leaf"):
        shown = api.get(f"{at}/resources/{name}").json()["resource"]
        assert api.get(link(shown, "self") or "").json()["resource"] == shown
        assert link(shown, "stack") == at
        assert (link(shown, "nested") is None) == (name == "leaf")
        at = link(shown, "nested") or at
    assert api.get(at).json()["stack"]["stack_status"] == "CREATE_COMPLETE"


def test_n16_the_number_of_queries_does_not_depend_on_the_tree(
    api: Api, tree: str, statements: Statements
) -> None:
    def group(count: int) -> dict[str, Any]:
        template = ROOT.replace("count: 2", f"count: {count}")
        return {**FOUR_LEVELS, "template": template}

    one, fifty = made(api, "one", group(1)), made(api, "fifty", group(25))
    counts = set()
    for path in (one, fifty, inside(api, fifty, "group"), inside(api, fifty, "group", "3")):
        for depth in ("0", "1", "MAX"):
            for filters in ("", "&name=leaf", "&with_detail=true"):
                asked = statements.during(api, f"{path}/resources?nested_depth={depth}{filters}")
                if "with_detail" not in filters:
                    counts.add(len(asked))
                assert len([each for each in asked if each.startswith("WITH RECURSIVE")]) == 1
    # The stack of the address, once before and once with the listing; the listing.
    assert counts == {3}
    assert len(listed(api, fifty, nested_depth="MAX")) == 4 + 25 + 1 + 4 * 25
    events = {
        len(statements.during(api, f"{path}/events?nested_depth=MAX")) for path in (one, fifty)
    }
    assert events == {2}
    for path in (one, fifty):
        deleted(api, path)
    gone = {
        len(statements.during(api, f"{path}/resources?nested_depth=MAX")) for path in (one, fifty)
    }
    assert len(gone) == 1
    assert max(gone) <= 5


@pytest.mark.parametrize("word", ["-1", "x", "1.5", "MAXIMUM", "MA", "1e3", "٣", "1_0", "+1"])
@pytest.mark.parametrize("what", ["resources", "events"])
def test_n17_anything_else_is_refused_with_a_clear_text(
    api: Api, tree: str, what: str, word: str
) -> None:
    answer = api.get(f"{tree}/{what}", params={"nested_depth": word})
    assert answer.status_code == 400
    message = answer.json()["error"]["message"]
    assert message == f'the value "{word}" of "nested_depth" must be a number or MAX, 0 or more'


def passes(item: Item, filters: dict[str, list[str]]) -> bool:
    action, status = item["resource_status"].split("_", 1)
    return all(
        {
            "type": any(value in item["resource_type"] for value in values),
            "status": bool({status, item["resource_status"]} & set(values)),
            "name": item["resource_name"] in values,
            "action": action in values,
            "physical_resource_id": item["physical_resource_id"] in values,
        }[name]
        for name, values in filters.items()
    )


@pytest.mark.parametrize("seed", range(8))
def test_n18_filters_show_what_fits_wherever_it_is(api: Api, seed: int) -> None:
    chance = random.Random(seed)
    path, stack_id = begin(api, f"random-{seed}", random_tree(chance))
    api.wait(stack_id)
    stacks = [path, *filter(None, (link(item, "nested") for item in walked(api, path)))]
    hits = 0
    depths: list[Any] = [0, 1, 2, 3, "MAX"]
    for _ in range(30):
        place, depth = chance.choice(stacks), chance.choice(depths)
        everything = listed(api, place, nested_depth=depth)
        assert addresses(everything) == addresses(
            list(walked(api, place, 99 if depth == "MAX" else depth))
        )
        every = listed(api, path, nested_depth="MAX")
        values = {
            "type": [item["resource_type"] for item in every] + ["Heat", "None", "yaml"],
            "status": ["COMPLETE", "FAILED", "INIT_COMPLETE", "CREATE_FAILED", "NONSENSE"],
            "name": [item["resource_name"] for item in every],
            "action": ["CREATE", "INIT", "DELETE"],
            "physical_resource_id": [item["physical_resource_id"] or "x" for item in every],
        }
        filters = {
            name: chance.sample(values[name], k=min(len(values[name]), chance.randint(1, 3)))
            for name in chance.sample(sorted(values), k=chance.randint(1, 2))
        }
        found = listed(api, place, nested_depth=depth, **filters)
        assert found == [item for item in everything if passes(item, filters)]
        hits += len(found)
    assert hits


def test_n18_a_match_at_the_bottom_is_found_although_its_holders_do_not_match(
    api: Api, tree: str
) -> None:
    found = listed(api, tree, nested_depth="MAX", type="TestResource")
    assert [item["resource_name"] for item in found] == ["last", "leaf", "leaf", "leaf"]
    assert [item["resource_name"] for item in listed(api, tree, nested_depth="MAX", name="leaf")]
    assert listed(api, tree, nested_depth=0, name="leaf") == []


def test_n18_an_unknown_filter_is_refused(api: Api, tree: str) -> None:
    answer = api.get(f"{tree}/resources", params={"nested_depth": "MAX", "colour": "red"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "Invalid filter parameters ['colour']"


def test_n19_the_order_is_always_the_same_own_resources_first_then_depth_first(
    api: Api, tree: str
) -> None:
    address = f"{tree}/resources?nested_depth=MAX"
    assert api.get(address).content == api.get(address).content
    items = listed(api, tree, nested_depth="MAX")
    assert addresses(items) == addresses(list(walked(api, tree)))
    names = [item["resource_name"] for item in items[:4]]
    # In the order in which they were made: what is required comes first.
    assert names.index("group") < names.index("last")
    assert names.index("provided") < names.index("last")


def test_n19_a_page_of_ten_members_is_in_the_order_of_their_making(api: Api) -> None:
    group = "{type: OS::Heat::ResourceGroup, properties: {count: 12, resource_def: {type: X}}}"
    template = VERSION + f"resources: {{g: {group.replace('X', 'OS::Heat::None')}}}\n"
    path = made(api, "dozen", {"template": template})
    first = listed(api, path, nested_depth=1)
    changed(api, path, {"template": template.replace("12", "14")})
    second = listed(api, path, nested_depth=1)
    assert addresses(second)[: len(first)] == addresses(first)
    assert len(second) == 15


def test_n20_heatclient_tells_the_stack_of_each_row(api: Api, tree: str) -> None:
    rows = heat_client(api).resources.list("tree", nested_depth=4)
    assert len(rows) == 15
    names = [row.stack_name for row in rows]
    assert names[:4] == ["tree"] * 4
    assert all(name.startswith("tree-") for name in names[4:])
    assert [row.parent_resource for row in rows[4:6]] == ["group", "group"]


def test_n21_the_openapi_document_lists_the_parameter(api: Api) -> None:
    document = api.get("http://testserver/openapi.json").json()
    base = "/v1/{project}/stacks/{stack_name}/{stack_id}"
    for path in ("/resources", "/events", "/events/stream"):
        parameters = document["paths"][base + path]["get"]["parameters"]
        (depth,) = [each for each in parameters if each["name"] == "nested_depth"]
        assert (depth["in"], depth["required"]) == ("query", False)
        assert "MAX" in depth["description"]
        number, word = depth["schema"]["oneOf"]
        assert (number["type"], number["minimum"], word["type"]) == ("integer", 0, "string")


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


def test_every_requirement_has_a_test_that_carries_its_number() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    missing = [number for number in range(1, 23) if f"def test_n{number:02}_" not in source]
    assert missing == []
