"""Stories of routers, what is attached to them, and floating IPs."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import pytest

from hotplate.model import Action
from hotplate.resources.openstack.neutron.net import Net
from hotplate.resources.openstack.neutron.port import Port
from hotplate.resources.openstack.neutron.routing.extra_routes import ExtraRoute, ExtraRouteSet
from hotplate.resources.openstack.neutron.routing.floating_ip import FloatingIP
from hotplate.resources.openstack.neutron.routing.floating_ip_association import (
    FloatingIPAssociation,
)
from hotplate.resources.openstack.neutron.routing.floating_ip_port_forward import (
    FloatingIPPortForward,
)
from hotplate.resources.openstack.neutron.routing.router import Router
from hotplate.resources.openstack.neutron.routing.router_gateway import RouterGateway
from hotplate.resources.openstack.neutron.routing.router_interface import RouterInterface
from hotplate.resources.openstack.neutron.subnet import Subnet
from hotplate.resources.resource_type import Resource, ResourceFailed
from tests.recordings.life import Life, gives_way, live, lived
from tests.recordings.stage import Recorded, Stage


async def router(stage: Stage) -> None:
    """A router gets a gateway and loses it."""
    life = Life(
        Router(),
        {"name": "recorded", "tags": ["one"], "external_gateway_info": {"network": "public"}},
        changes=(
            {"name": None, "admin_state_up": False, "tags": None},
            {"external_gateway_info": None},
            {"value_specs": {"description": "more"}, "admin_state_up": True},
        ),
        replacing={"availability_zone_hints": []},
        attributes=frozenset(("external_gateway_info", "status")),
    )
    await live(stage, life)


async def router_of_administrators(stage: Stage) -> None:
    """A router with what only administrators may say."""
    neutron = stage.cloud.service("network")
    listed = await neutron.list_all("/agents", "agents", {"agent_type": "L3 agent"})
    agents: list[dict[str, Any]] = [{"l3_agent_ids": [each["id"]]} for each in listed[:1]]
    life = Life(
        Router(),
        {"ha": False, "distributed": False, "external_gateway_info": {"network": "public"}},
        changes=(
            {"external_gateway_info": {"network": "public", "enable_snat": False}},
            *agents,
        ),
    )
    await live(stage, life)


@asynccontextmanager
async def surroundings(stage: Stage, number: int) -> AsyncIterator[tuple[Resource, ...]]:
    """Make a network, its subnet, and a router with a gateway."""
    gateway = {"external_gateway_info": {"network": "public"}}
    async with (
        lived(stage, Life(Net(), {}), "net") as net,
        lived(
            stage,
            Life(Subnet(), {"network": net.physical_id, "cidr": f"10.{number}.0.0/24"}),
            "subnet",
        ) as subnet,
        lived(stage, Life(Router(), {"name": f"router {number}", **gateway}), "router") as router,
    ):
        yield net, subnet, router


@asynccontextmanager
async def connected(
    stage: Stage, number: int, count: int = 1
) -> AsyncIterator[tuple[Resource, list[Resource]]]:
    """Make a router that is connected, and ports behind it."""
    async with surroundings(stage, number) as (net, subnet, router), AsyncExitStack() as stack:
        interface = {"router": router.physical_id, "subnet": subnet.physical_id}
        await stack.enter_async_context(
            lived(stage, Life(RouterInterface(), interface), "interface")
        )
        port = Life(Port(), {"network": net.physical_id})
        ports = [
            await stack.enter_async_context(lived(stage, port, f"port{each}"))
            for each in range(count)
        ]
        yield router, ports


async def router_interface(stage: Stage) -> None:
    """A subnet is attached to a router; the old interface goes before its replacement comes."""
    async with surroundings(stage, 76) as (net, subnet, router):
        life = Life(RouterInterface(), {"router": "router 76", "subnet_id": subnet.physical_id})
        async with lived(stage, life) as resource:
            assert resource.physical_id == f"{router.physical_id}:subnet_id={subnet.physical_id}"
            await gives_way(stage, life, resource)
        port = stage.resource(Port().convert({"network": net.physical_id}), "port")
        await stage.act(Port(), Action.CREATE, port)
        given = {"router_id": router.physical_id, "port": port.physical_id}
        await live(stage, Life(RouterInterface(), given, is_once=True), "by_port")
        # The port went with the interface.
        await stage.act(Port(), Action.DELETE, port)


async def router_gateway(stage: Stage) -> None:
    """A router gets its gateway from another resource."""
    async with lived(stage, Life(Router(), {"name": "of a gateway"}), "router"):
        life = Life(RouterGateway(), {"router_id": "of a gateway", "network_id": "public"})
        async with lived(stage, life) as resource:
            await gives_way(stage, life, resource)


async def floating_ip(stage: Stage) -> None:
    """A floating IP leads from port to port; its replacement gets the port."""
    async with connected(stage, 77, 2) as (_, (one, other)):
        address = (await addresses(stage, one))[0]["ip_address"]
        life = Life(
            FloatingIP(),
            {"floating_network": "public", "port_id": one.physical_id},
            changes=(
                {"fixed_ip_address": address},
                {"port_id": other.physical_id, "fixed_ip_address": None},
                {"port_id": None},
                {"port_id": one.physical_id},
            ),
            attributes=frozenset(("floating_ip_address", "router_id")),
        )
        async with lived(stage, life) as resource:
            await gives_way(stage, life, resource)


async def floating_ip_address(stage: Stage) -> None:
    """A floating IP with a certain address is deleted before its replacement is made."""
    given = {"floating_network_id": "public", "floating_ip_address": "172.24.7.77"}
    life = Life(
        FloatingIP(),
        {**given, "dns_name": "recorded", "dns_domain": "example.org."},
        unread=frozenset(("dns_name", "dns_domain")),
    )
    async with lived(stage, life) as resource:
        await gives_way(stage, life, resource)


async def floating_ip_association(stage: Stage) -> None:
    """A floating IP that another resource has leads to a port, until somebody else takes it."""
    async with (
        connected(stage, 78, 2) as (_, (one, other)),
        lived(stage, Life(FloatingIP(), {"floating_network": "public"}), "f") as first,
        lived(stage, Life(FloatingIP(), {"floating_network": "public"}), "g") as second,
    ):
        life = Life(
            FloatingIPAssociation(),
            {"floatingip_id": first.physical_id, "port_id": one.physical_id},
            changes=(
                {"port_id": other.physical_id},
                {"floatingip_id": second.physical_id, "port_id": one.physical_id},
                {"fixed_ip_address": (await addresses(stage, one))[0]["ip_address"]},
            ),
        )
        async with lived(stage, life) as resource:
            given = Life(life.type, {key: resource.properties[key] for key in life.properties})
            await gives_way(stage, given, resource)
        taken = stage.resource(life.converted(life.properties), "taken")
        await stage.act(life.type, Action.CREATE, taken)
        path, body = f"/floatingips/{first.physical_id}", {"port_id": other.physical_id}
        neutron = stage.cloud.service("network")
        await neutron.put(path, {"floatingip": body})
        await stage.act(life.type, Action.DELETE, taken)
        assert (await neutron.get(path))["floatingip"]["port_id"] == other.physical_id
        await neutron.put(path, {"floatingip": {"port_id": None}})


async def floating_ip_port_forward(stage: Stage) -> None:
    """Port numbers of one floating IP lead to several ports."""
    async with (
        connected(stage, 79, 2) as (_, (one, other)),
        lived(stage, Life(FloatingIP(), {"floating_network": "public"}), "f") as floating,
    ):
        (here,), (there,) = await addresses(stage, one), await addresses(stage, other)
        life = Life(
            FloatingIPPortForward(),
            {
                "floating_ip": floating.physical_id,
                "internal_port": one.physical_id,
                "internal_ip_address": here["ip_address"],
                "internal_port_number": 80,
                "external_port": 8080,
                "protocol": "tcp",
            },
            changes=(
                {"internal_port_number": 81, "external_port": 8081},
                {"internal_port": other.physical_id, "internal_ip_address": there["ip_address"]},
                {"protocol": "udp"},
            ),
        )
        async with lived(stage, life) as resource:
            given = Life(life.type, {key: resource.properties[key] for key in life.properties})
            await gives_way(stage, given, resource)


async def extra_routes(stage: Stage) -> None:
    """A set of routes and a single one do not disturb each other."""
    async with connected(stage, 80) as (router, _):
        first, second, third = (
            {"destination": f"10.8{each}.0.0/24", "nexthop": f"10.80.0.{each}"}
            for each in (4, 5, 6)
        )
        life = Life(
            ExtraRouteSet(),
            {"router": "router 80", "routes": [first]},
            changes=({"routes": [second, first]}, {"routes": [second]}),
        )
        async with lived(stage, life) as resource:
            one = Life(ExtraRoute(), {"router_id": router.physical_id, **third})
            async with lived(stage, one, "one") as single:
                await gives_way(stage, one, single, "second_one")
            given = Life(life.type, {key: resource.properties[key] for key in life.properties})
            await gives_way(stage, given, resource)
            again = stage.resource(resource.properties, "again")
            with pytest.raises(ResourceFailed, match=r"10\.85\.0\.0/24 via .* exists"):
                await stage.act(life.type, Action.CREATE, again)


async def addresses(stage: Stage, port: Resource) -> list[dict[str, str]]:
    """Return the addresses of a port."""
    found = await stage.cloud.service("network").get(f"/ports/{port.physical_id}")
    told: list[dict[str, str]] = found["port"]["fixed_ips"]
    return told


STORIES: Final[Mapping[str, Recorded]] = {
    "extra_routes": Recorded(extra_routes),
    "floating_ip": Recorded(floating_ip),
    "floating_ip_address": Recorded(floating_ip_address, "admin"),
    "floating_ip_association": Recorded(floating_ip_association),
    "floating_ip_port_forward": Recorded(floating_ip_port_forward),
    "router": Recorded(router),
    "router_gateway": Recorded(router_gateway),
    "router_interface": Recorded(router_interface),
    "router_of_administrators": Recorded(router_of_administrators, "admin"),
}
