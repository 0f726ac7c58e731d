"""How often Keystone is asked. Figures are printed: `make test-identity PYTEST_FLAGS=-s`."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.acceptance.serving import Served
from tests.identity.conftest import Client, Town
from tests.identity.counting_proxy import CountingProxy
from tests.identity.people import Keystone

RANDOM = {"type": "OS::Heat::RandomString"}
HANDLE = {"type": "OS::Heat::WaitConditionHandle"}


def _life(client: Client, name: str, resource: dict[str, Any]) -> tuple[Callable[[], None], ...]:
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


@pytest.mark.parametrize(
    ("name", "resource", "most"), [("strings", RANDOM, 1), ("handles", HANDLE, 2)]
)
def test_a_stack_costs_keystone_the_validation_of_the_token(
    served: Served,
    keystone: Keystone,
    town: Town,
    proxy: CountingProxy,
    name: str,
    resource: dict[str, Any],
    most: int,
) -> None:
    warm = Client(served, town.first, keystone.token(town.reader))
    assert warm.status() == 200  # the server has a token of its own
    client = Client(served, town.first, keystone.token(town.member))
    create, delete = _life(client, name, resource)
    proxy.count()
    create()
    created = proxy.count()
    delete()
    deleted = proxy.count()
    print(f"\nKeystone requests for ten {name}: create {created}, delete {deleted}")
    assert created <= most
    assert deleted == 0
