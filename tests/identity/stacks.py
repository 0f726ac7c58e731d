"""Stacks that are made over the API and looked at until they are what they should be."""

import time
from collections.abc import Callable
from typing import Any, Final

from tests.identity.conftest import Client

PATIENCE = 90.0
GROUP_OF_VALUES: Final = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "group": {
            "type": "OS::Heat::AutoScalingGroup",
            "properties": {
                "min_size": 1,
                "max_size": 3,
                "resource": {"type": "OS::Heat::Value", "properties": {"value": "x"}},
            },
        }
    },
}
"""It acts later as any group does, and needs no service for its members."""


class Stack:
    def __init__(self, client: Client, name: str, template: Any) -> None:
        self.name = name
        body = {"stack_name": name, "template": template}
        answer = client.ask("POST", "/stacks", json=body)
        assert answer.status_code == 201, answer.text
        self.path = f"/stacks/{name}/{answer.json()['stack']['id']}"

    def status(self, client: Client) -> str:
        answer = client.get(self.path)
        return "" if answer.status_code == 404 else answer.json()["stack"]["stack_status"]

    def reason(self, client: Client, resource: str) -> str:
        found = client.get(f"{self.path}/resources/{resource}").json()
        return str(found["resource"]["resource_status_reason"])

    def until(self, client: Client, *wanted: str) -> None:
        wait(lambda: self.status(client) in wanted)


def wait(goal: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not goal():
        assert time.monotonic() < end
        time.sleep(0.2)
