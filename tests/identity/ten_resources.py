"""The life of a stack of ten resources, for those who count what it costs Keystone."""

import time
from collections.abc import Callable
from typing import Any

from tests.identity.conftest import Client

RANDOM = {"type": "OS::Heat::RandomString"}
HANDLE = {"type": "OS::Heat::WaitConditionHandle"}


def life_of_ten(
    client: Client, name: str, resource: dict[str, Any]
) -> tuple[Callable[[], None], Callable[[], None]]:
    """Return how a stack of ten resources is created, and deleted, each to the end."""
    resources = {f"r{number}": resource for number in range(10)}
    template = {"heat_template_version": "wallaby", "resources": resources}

    def until(wanted: int, state: str = "") -> None:
        end = time.monotonic() + 60
        while True:
            answer = client.get(f"/stacks/{name}")
            if answer.status_code == 302:
                answer = client.get(answer.headers["location"].partition(client.project.id)[2])
            if answer.status_code == wanted and state in answer.text:
                return
            assert time.monotonic() < end, answer.text
            time.sleep(0.1)

    def create() -> None:
        body = {"stack_name": name, "template": template}
        assert client.ask("POST", "/stacks", json=body).status_code == 201
        until(200, "CREATE_COMPLETE")

    def delete() -> None:
        answer = client.get(f"/stacks/{name}")
        path = answer.headers["location"].partition(client.project.id)[2]
        assert client.ask("DELETE", path).status_code == 204
        until(404)

    return create, delete
