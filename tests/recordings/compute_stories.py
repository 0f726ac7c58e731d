"""Stories of the types of the compute service."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

from hotplate.resources.openstack.nova.server import Server
from tests.recordings.life import Life, live
from tests.recordings.stage import Recorded, Stage

SMALL: Final = {"image": "cirros", "flavor": "m1.tiny"}
UNREAD: Final = frozenset(("image", "networks", "user_data_format"))


@asynccontextmanager
async def subnet_of(stage: Stage, cidr: str = "10.99.0.0/24") -> AsyncIterator[dict[str, str]]:
    """Have a network with a subnet; return their ids."""
    neutron = stage.cloud.service("network")
    named = {"name": f"story-{stage.story}"}
    network = (await neutron.post("/networks", {"network": named}))["network"]["id"]
    try:
        body = {**named, "network_id": network, "cidr": cidr, "ip_version": 4}
        subnet = (await neutron.post("/subnets", {"subnet": body}))["subnet"]["id"]
        yield {"network": network, "subnet": subnet}
    finally:
        await neutron.delete(f"/networks/{network}")


async def server(stage: Stage) -> None:
    """A server on the network that there is, with what can be changed at once."""
    life = Life(
        Server(),
        {
            **SMALL,
            "name": "recorded",
            "tags": ["one"],
            "metadata": {"role": "web", "size": "3"},
            "user_data_format": "RAW",
        },
        changes=(
            {"name": "renamed", "tags": ["two", "three"]},
            {"metadata": {"role": "db"}},
            {"name": None, "tags": None, "metadata": None},
        ),
        unread=UNREAD,
        attributes=frozenset(("addresses", "networks", "first_address", "name", "tags")),
    )
    await live(stage, life)


@asynccontextmanager
async def port_on(stage: Stage, network: str, name: str) -> AsyncIterator[str]:
    """Have a port that somebody else made; return its id."""
    neutron = stage.cloud.service("network")
    body = {"name": f"story-{stage.story}-{name}", "network_id": network}
    port = (await neutron.post("/ports", {"port": body}))["port"]["id"]
    try:
        yield port
    finally:
        await neutron.delete(f"/ports/{port}")


async def server_networks(stage: Stage) -> None:
    """Interfaces of all sorts, and from each sort to others."""
    async with subnet_of(stage) as made, port_on(stage, made["network"], "given") as port:
        fixed = {"subnet": made["subnet"], "fixed_ip": "10.99.0.50"}
        pairs = [{"ip_address": "10.99.0.0/28"}]
        extra = {"port_extra_properties": {"allowed_address_pairs": pairs}}
        life = Life(
            Server(),
            {
                **SMALL,
                "networks": [
                    {"port": port},
                    fixed,
                    {"network": made["network"], **extra},
                    {"network": "private"},
                ],
                "user_data_format": "RAW",
            },
            changes=(
                # One goes, one comes, one gets another port, one stays.
                {
                    "networks": [
                        {**fixed, "fixed_ip": "10.99.0.51"},
                        {"network": made["network"], "port_extra_properties": {}},
                        {"network": "private"},
                        {"network": made["network"], "fixed_ip": "10.99.0.60"},
                    ]
                },
                {"networks": [{"port": port}]},
                {"networks": [{"allocate_network": "none"}]},
                {"networks": [{"network": made["network"], "tag": "inner"}]},
            ),
            unread=UNREAD,
            attributes=frozenset(("addresses", "networks", "first_address")),
        )
        await live(stage, life)
        neutron = stage.cloud.service("network")
        left = await neutron.list_all("/ports", "ports", {"network_id": made["network"]})
        assert [each["id"] for each in left] == [port], "ports are left behind"


STORIES: Final[Mapping[str, Recorded]] = {
    "server": Recorded(server),
    "server_networks": Recorded(server_networks),
}
