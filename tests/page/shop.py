"""A stack with nested stacks, groups, and a group without members; and what its API says."""

import json
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.page.browsing import Browsing

TEST = "OS::Heat::TestResource"
PATIENCE = 60

_SERVER = {
    "heat_template_version": "wallaby",
    "resources": {
        "port": {"type": TEST},
        "volume": {"type": TEST},
        "server": {"type": TEST, "depends_on": ["port", "volume"]},
    },
}
_DATABASE = {
    "heat_template_version": "wallaby",
    "resources": {
        "secret": {"type": "OS::Heat::RandomString"},
        "disks": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 8, "resource_def": {"type": TEST}},
        },
        "nothing": {
            "type": "OS::Heat::ResourceGroup",
            "depends_on": "secret",
            "properties": {"count": 0, "resource_def": {"type": TEST}},
        },
        "primary": {
            "type": TEST,
            "depends_on": ["disks", "nothing"],
            "properties": {"wait_secs": 2},
        },
    },
}
SHOP = {
    "heat_template_version": "wallaby",
    "resources": {
        "network": {"type": TEST},
        "database": {"type": "database.yaml", "depends_on": "network"},
        "web": {
            "type": "OS::Heat::ResourceGroup",
            "depends_on": "database",
            "properties": {"count": 2, "resource_def": {"type": "server.yaml"}},
        },
        "balancer": {"type": TEST, "depends_on": ["web", "network"]},
        "alarm": {"type": TEST},
    },
}
FILES = {"server.yaml": json.dumps(_SERVER), "database.yaml": json.dumps(_DATABASE)}


def make_shop(browsing: Browsing) -> None:
    """Create the stack `shop` and wait for it; nothing happens if it is there."""
    if any(each["stack_name"] == "shop" for each in browsing.api("GET", "/stacks")["stacks"]):
        return
    body = {"stack_name": "shop", "template": SHOP, "files": FILES}
    browsing.api("POST", "/stacks", body)
    wait(browsing, "shop", "CREATE_COMPLETE")


def wait(browsing: Browsing, name: str, status: str) -> None:
    """Wait until the API says that the stack has a status."""
    for _ in range(PATIENCE * 10):
        found = browsing.stack(name)["stack_status"]
        if found == status:
            return
        time.sleep(0.1)
    raise AssertionError(f"{name} is {found}, not {status}")


class Listed:
    """The flat list of a stack's resources, as a client sees it."""

    def __init__(self, browsing: Browsing, name: str) -> None:
        stack = browsing.stack(name)
        path = f"/stacks/{name}/{stack['id']}/resources?nested_depth=MAX"
        self._root = stack["id"]
        self._inside: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for each in browsing.api("GET", path)["resources"]:
            self._inside[each.get("nested_stack_id", self._root)].append(each)

    def leaves(self) -> set[str]:
        """Return the paths of everything that has nothing inside."""
        return {"/".join(path) for path, item in self._walk(self._root, ()) if not self._in(item)}

    def boxes(self) -> set[str]:
        """Return the paths of everything that has something inside."""
        return {"/".join(path) for path, item in self._walk(self._root, ()) if self._in(item)}

    def edges(self) -> set[tuple[str, str]]:
        """Return who is required by whom, from leaf to leaf through all nesting."""
        return set(self._edges(self._root, ()))

    def _walk(self, stack: str, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
        for item in self._inside[stack]:
            path = (*above, item["resource_name"])
            yield path, item
            yield from self._walk(_stack_of(item), path)

    def _in(self, item: Any) -> list[dict[str, Any]]:
        return self._inside.get(_stack_of(item), [])

    def _edges(self, stack: str, above: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        by_name = {item["resource_name"]: item for item in self._inside[stack]}
        for name, item in by_name.items():
            path = (*above, name)
            for dependant in item["required_by"]:
                after = self._ends(by_name[dependant], (*above, dependant), is_last=False)
                for last in self._ends(item, path, is_last=True):
                    yield from ((last, first) for first in after)
            yield from self._edges(_stack_of(item), path)

    def _ends(self, item: Any, path: tuple[str, ...], *, is_last: bool) -> list[str]:
        """Return the leaves that nothing inside requires, or those that require nothing inside."""
        inside = self._in(item)
        if not inside:
            return ["/".join(path)]
        required = {item["resource_name"] for item in inside if item["required_by"]}
        requiring = {name for item in inside for name in item["required_by"]}
        return [
            end
            for each in inside
            if each["resource_name"] not in (required if is_last else requiring)
            for end in self._ends(each, (*path, each["resource_name"]), is_last=is_last)
        ]


def _stack_of(item: Any) -> str:
    nested = [link["href"] for link in item["links"] if link["rel"] == "nested"]
    return str(nested[0]).rpartition("/")[2] if nested else "none"
