"""How often Keystone is asked. Figures are printed: `make test-identity PYTEST_FLAGS=-s`."""

from typing import Any

import pytest

from tests.acceptance.serving import Served
from tests.identity.conftest import Client, Town
from tests.identity.counting_proxy import CountingProxy
from tests.identity.people import Keystone
from tests.identity.ten_resources import HANDLE, RANDOM, life_of_ten


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
    create, delete = life_of_ten(client, name, resource)
    proxy.count()
    create()
    created = proxy.count()
    delete()
    deleted = proxy.count()
    print(f"\nKeystone requests for ten {name}: create {created}, delete {deleted}")
    assert created <= most
    assert deleted == 0
