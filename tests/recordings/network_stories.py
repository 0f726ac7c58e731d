"""Stories of the types of the network service."""

from collections.abc import Mapping
from typing import Final

from hotplate.resources.openstack.neutron.net import Net
from hotplate.resources.openstack.neutron.port import Port
from hotplate.resources.openstack.neutron.subnet import Subnet
from tests.recordings.life import Life, gives_way, live, lived
from tests.recordings.stage import Recorded, Stage


async def net(stage: Stage) -> None:
    """A network with and without a name of its own."""
    life = Life(
        Net(),
        {"name": "recorded", "tags": ["one"], "value_specs": {"description": "for all"}},
        changes=(
            {"name": "renamed", "admin_state_up": False},
            {"tags": ["two", "three"], "port_security_enabled": False},
            {"name": None, "tags": None, "dns_domain": "example.org."},
            {"value_specs": {"description": "for some"}},
        ),
        replacing={"availability_zone_hints": []},
        attributes=frozenset(("status", "mtu", "subnets")),
    )
    await live(stage, life)
    await live(stage, Life(Net(), {}, changes=({"admin_state_up": False},)), "plain")


async def subnet(stage: Stage) -> None:
    """A subnet of a network; what is taken away is chosen by the service again."""
    async with lived(stage, Life(Net(), {"name": "of a subnet"}), "net"):
        life = Life(
            Subnet(),
            {
                "network": "of a subnet",
                "cidr": "10.71.0.0/24",
                "name": "recorded",
                "gateway_ip": "10.71.0.9",
                "tags": ["one"],
                "allocation_pools": [{"start": "10.71.0.50", "end": "10.71.0.60"}],
            },
            changes=(
                {"name": None, "enable_dhcp": False, "gateway_ip": "", "tags": ["two"]},
                {"dns_nameservers": ["192.0.2.1"], "gateway_ip": "10.71.0.70"},
                {"host_routes": [{"destination": "10.72.0.0/24", "nexthop": "10.71.0.2"}]},
                {"allocation_pools": None, "gateway_ip": "auto", "host_routes": None},
                {"value_specs": {"description": "more"}, "dns_nameservers": []},
            ),
            replacing={"cidr": "10.73.0.0/24", "allocation_pools": None, "gateway_ip": None},
            attributes=frozenset(("cidr", "network_id", "gateway_ip")),
        )
        await live(stage, life)
        plain = {"network_id": "of a subnet", "cidr": "2001:db8::/64", "ip_version": 6}
        await live(stage, Life(Subnet(), {**plain, "ipv6_ra_mode": "slaac"}), "plain")


async def port(stage: Stage) -> None:
    """A port with all that can be changed of it, and one that has nothing of its own."""
    async with (
        lived(stage, Life(Net(), {"name": "of a port"}), "net") as net,
        lived(
            stage, Life(Subnet(), {"network": net.physical_id, "cidr": "10.74.0.0/24"}), "s"
        ) as s,
    ):
        life = Life(
            Port(),
            {
                "network": "of a port",
                "name": "recorded",
                "fixed_ips": [{"subnet_id": s.physical_id, "ip_address": "10.74.0.20"}],
                "security_groups": ["default"],
                "allowed_address_pairs": [{"ip_address": "10.74.0.0/28"}],
                "mac_address": "fa:16:3e:74:00:01",
                "propagate_uplink_status": True,
                "tags": ["one"],
            },
            changes=(
                {"name": None, "admin_state_up": False, "tags": ["two"]},
                {"fixed_ips": [{"subnet": s.physical_id}, {"ip_address": "10.74.0.22"}]},
                {"security_groups": [], "allowed_address_pairs": None, "dns_name": "recorded"},
                {"port_security_enabled": False},
                {"fixed_ips": None, "no_fixed_ips": True, "dns_name": None},
                {"no_fixed_ips": False, "port_security_enabled": None, "qos_policy": None},
                {"security_groups": None, "binding:vnic_type": "direct"},
                {"device_id": "recorded", "device_owner": "nobody"},
                {"value_specs": {"description": "more"}},
            ),
            replacing={"mac_address": None, "fixed_ips": None},
            attributes=frozenset(("network", "subnets", "mac_address", "status", "dns_assignment")),
        )
        await live(stage, life)
        await live(stage, Life(Port(), {"network_id": net.physical_id}), "plain")


async def port_replaced(stage: Stage) -> None:
    """A port gives up its address to its replacement, gets it back, and is deleted for its MAC."""
    async with (
        lived(stage, Life(Net(), {}), "net") as net,
        lived(
            stage, Life(Subnet(), {"network": net.physical_id, "cidr": "10.75.0.0/24"}), "s"
        ) as s,
    ):
        address = {"subnet": s.physical_id, "ip_address": "10.75.0.20"}
        life = Life(Port(), {"network": net.physical_id, "fixed_ips": [address]})
        async with lived(stage, life) as resource:
            await gives_way(stage, life, resource)
            told = await Port().live_properties(resource)
            assert told["fixed_ips"] == resource.properties["fixed_ips"]
        life = Life(Port(), {"network": net.physical_id, "mac_address": "fa:16:3e:75:00:01"})
        async with lived(stage, life, "mac") as resource:
            await gives_way(stage, life, resource, "second_mac")


STORIES: Final[Mapping[str, Recorded]] = {
    "net": Recorded(net),
    "port": Recorded(port),
    "port_replaced": Recorded(port_replaced),
    "subnet": Recorded(subnet),
}
