"""Trees of stacks, and what can be said of them by asking one stack at a time."""

import json
import random
from collections.abc import Iterator, Mapping
from typing import Any

from tests.api.conftest import Api

VERSION = "heat_template_version: wallaby\n"
Item = dict[str, Any]

LEAF = (
    VERSION
    + """
parameters:
  value: {type: string, default: quiet}
  waits: {type: json, default: {}}
resources:
  leaf:
    type: OS::Heat::TestResource
    properties: {value: {get_param: value}, action_wait_secs: {get_param: waits}}
"""
)
MIDDLE = (
    VERSION
    + """
resources:
  deep: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: leaf.yaml}}}
  beside: {type: OS::Heat::RandomString, depends_on: deep}
"""
)
ROOT = (
    VERSION
    + """
resources:
  last: {type: OS::Heat::TestResource, depends_on: [group, provided]}
  group: {type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: middle.yaml}}}
  provided: {type: My::Type}
  first: {type: OS::Heat::Value, properties: {value: 1}}
"""
)
FOUR_LEVELS: dict[str, Any] = {
    "template": ROOT,
    "files": {"middle.yaml": MIDDLE, "leaf.yaml": LEAF},
    "environment": {"resource_registry": {"My::Type": "leaf.yaml"}},
}
"""A group of two stacks, each with a group of one stack; and a provider template."""

NESTED_FIELDS = {"parent", "nested_stack_id", "parent_resource"}
"""What a listing says in addition of a resource that is not the stack's own."""


def begin(api: Api, name: str, body: Mapping[str, Any]) -> tuple[str, str]:
    """Begin a stack; return its path and its id."""
    answer = api.post("/stacks", json={"stack_name": name, **body})
    assert answer.status_code == 201, answer.text
    stack_id: str = answer.json()["stack"]["id"]
    return f"/stacks/{name}/{stack_id}", stack_id


def made(api: Api, name: str, body: Mapping[str, Any], state: str = "CREATE_COMPLETE") -> str:
    """Make a stack and wait for it; return its path."""
    path, stack_id = begin(api, name, body)
    assert api.wait(stack_id) == state, api.get(path).text
    return path


def changed(
    api: Api, path: str, body: Mapping[str, Any], state: str = "UPDATE_COMPLETE", put: bool = False
) -> None:
    """Patch a stack, or put a whole recipe in place of the old one, and wait."""
    answer = api.request("PUT" if put else "PATCH", path, json=body)
    assert answer.status_code == 202, answer.text
    assert api.wait(path.rsplit("/", 1)[1]) == state, api.get(path).text


def deleted(api: Api, path: str) -> None:
    """Delete a stack and wait."""
    assert api.delete(path).status_code == 204
    assert api.wait(path.rsplit("/", 1)[1]) == "DELETE_COMPLETE"


def listed(api: Api, path: str, **query: Any) -> list[Item]:
    """Return the resources that one call lists."""
    answer = api.get(f"{path}/resources", params=query)
    assert answer.status_code == 200, answer.text
    found: list[Item] = answer.json()["resources"]
    return found


def link(item: Item, rel: str) -> str | None:
    """Return where a link leads to, None if there is none."""
    return next((each["href"] for each in item["links"] if each["rel"] == rel), None)


def addresses(items: list[Item]) -> list[str]:
    """Return the address of each item: no two resources have the same."""
    return [link(item, "self") or "" for item in items]


def inside(api: Api, path: str, *names: str) -> str:
    """Return the path of the stack that the names lead to."""
    for name in names:
        (item,) = [item for item in listed(api, path) if item["resource_name"] == name]
        nested = link(item, "nested")
        assert nested is not None
        path = nested.split("/v1/project")[1]
    return path


def walked(api: Api, stack: str, depth: int = 99) -> Iterator[Item]:
    """Yield what is found by going from link to link, one call for each stack: depth first."""
    items = listed(api, stack)
    yield from items
    if depth:
        for item in items:
            nested = link(item, "nested")
            if nested is not None:
                yield from walked(api, nested, depth - 1)


def random_tree(chance: random.Random) -> dict[str, Any]:
    """Return a stack of random depth and width; about one resource in twenty fails."""
    files: dict[str, str] = {}

    def template(depth: int) -> dict[str, Any]:
        resources: dict[str, Any] = {}
        for number in range(chance.randint(1, 4)):
            name = chance.choice("abcd") + str(number)
            kind = chance.choice(["plain", "plain", "file", "group"] if depth else ["plain"])
            if kind == "plain":
                resources[name] = _plain(chance)
                continue
            file = f"t{len(files)}.yaml"
            files[file] = ""
            files[file] = json.dumps(template(depth - 1))
            if kind == "file":
                resources[name] = {"type": file}
            else:
                count = chance.randint(0, 2)
                properties = {"count": count, "resource_def": {"type": file}}
                resources[name] = {"type": "OS::Heat::ResourceGroup", "properties": properties}
        return {"heat_template_version": "wallaby", "resources": resources}

    return {"template": template(4), "files": files}


def _plain(chance: random.Random) -> dict[str, Any]:
    kind = chance.choice(["TestResource", "RandomString", "None", "Delay", "Value"])
    found: dict[str, Any] = {"type": f"OS::Heat::{kind}"}
    if kind == "Value":
        found["properties"] = {"value": 1}
    if kind == "TestResource" and chance.random() < 0.2:
        found["properties"] = {"fail": True}
    return found
