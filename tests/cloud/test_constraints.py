"""Every custom constraint that the test cloud can check, against real services."""

import asyncio

import pytest

from hotplate.cloud import Cloud, CloudError, load_settings
from hotplate.cloud.constraints import CONSTRAINTS
from tests.cloud.box.places import PORTS, credentials

RUNNING = {
    "barbican": "key-manager",
    "cinder": "block-storage",
    "designate": "dns",
    "glance": "image",
    "keystone": "identity",
    "neutron": "network",
    "nova": "compute",
    "octavia": "load-balancer",
}
ELSEWHERE = ("neutron.flow_classifier", "neutron.lbaas", "neutron.port_pair", "neutron.taas")
"""What needs extensions that the test cloud does not have."""

ASKED = sorted(
    rule
    for rule, kind in CONSTRAINTS.items()
    if kind.service in RUNNING.values() and not rule.startswith(ELSEWHERE)
)


def test_the_services_run() -> None:
    assert RUNNING.keys() <= PORTS.keys()


@pytest.mark.parametrize("rule", ASKED)
@pytest.mark.parametrize("value", ["nobody-has-this", "6f1c5b0a-0000-4000-8000-00000000dead"])
def test_what_is_not_there_is_missed(rule: str, value: str) -> None:
    async def play() -> str:
        async with Cloud(load_settings(credentials("admin"))) as cloud:
            return (await cloud.look_up(rule, value)).fault

    fault = asyncio.run(play())
    assert fault.startswith(f"there is no {CONSTRAINTS[rule].what} ")
    assert value in fault


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("glance.image", "cirros"),
        ("keystone.domain", "Default"),
        ("keystone.project", "demo"),
        ("keystone.project", "demo{Default}"),
        ("keystone.role", "admin"),
        ("keystone.service", "keystone"),
        ("keystone.user", "admin"),
        ("neutron.network", "private"),
        ("neutron.security_group", "default"),
        ("nova.flavor", "m1.small"),
        ("nova.network", "private"),
        ("cinder.vtype", "__DEFAULT__"),
    ],
)
def test_what_is_there_is_found_by_its_name_and_by_its_id(rule: str, name: str) -> None:
    async def play() -> None:
        async with Cloud(load_settings(credentials("admin"))) as cloud:
            found = await cloud.look_up(rule, name)
            assert found.id, found
            assert (await cloud.look_up(rule, found.id)).id == found.id

    asyncio.run(play())


def test_who_may_not_look_is_told_so_and_refuses_nothing() -> None:
    async def play() -> None:
        async with Cloud(load_settings(credentials("demo"))) as cloud:
            await cloud.look_up("keystone.user", "admin")

    with pytest.raises(CloudError):
        asyncio.run(play())
