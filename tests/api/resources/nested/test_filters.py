"""Every resource in one call: filters find what fits at any depth."""

import random
from typing import Any

import pytest

from tests.api.conftest import Api
from tests.api.trees import Item, addresses, begin, link, listed, random_tree, walked


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
