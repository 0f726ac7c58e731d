"""OS::Neutron::Subnet."""

from collections.abc import Mapping
from dataclasses import replace
from ipaddress import ip_address, ip_network
from typing import Any, Final

from hotplate.resources.capabilities import DependsImplicitly, RefusesReplacement
from hotplate.resources.openstack import waiting
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.neutron.neutron_type import (
    TAGS,
    VALUE_SPECS,
    NeutronType,
    collection,
)
from hotplate.resources.openstack.schema import flag, integer, list_of, maps, old, text

AUTO: Final = "auto"
"""A gateway that the service chooses, as it does for a subnet without the property."""

_MODES: Final = ("dhcpv6-stateful", "dhcpv6-stateless", "slaac")
_NETWORK: Final = text(
    "the network that it is in, by name or id",
    rule="neutron.network",
    required=True,
    older=("network_id",),
)


class Subnet(NeutronType, RefusesReplacement, DependsImplicitly):
    """Addresses for the ports of a network."""

    name = "OS::Neutron::Subnet"
    collection = collection("subnets", "subnet")
    renamed = {"network": "network_id", "subnetpool": "subnetpool_id", "segment": "segment_id"}
    named = {
        "network": "neutron.network",
        "subnetpool": "neutron.subnetpool",
        "segment": "neutron.segment",
    }
    absent = {**NeutronType.absent, "host_routes": []}
    validated = frozenset(
        ("cidr", "gateway_ip", "ip_version", "ipv6_address_mode", "ipv6_ra_mode", "prefixlen",
         "subnetpool", "value_specs")
    )  # fmt: skip
    waits_for = waiting.SUBNET
    properties = {
        "allocation_pools": maps(
            "ranges of addresses that ports get; without it all but the gateway's",
            {
                "end": text("the last address", rule="ip_addr", required=True),
                "start": text("the first address", rule="ip_addr", required=True),
            },
            updatable=True,
        ),
        "cidr": text("its addresses, as address and prefix length", rule="net_cidr"),
        "dns_nameservers": list_of("name servers that DHCP tells", default=[], updatable=True),
        "enable_dhcp": flag("whether DHCP serves it", default=True, updatable=True),
        "gateway_ip": text(
            'the gateway; "auto" lets the service choose, an empty text means none', updatable=True
        ),
        "host_routes": maps(
            "routes that DHCP tells",
            {
                "destination": text("where to", rule="net_cidr", required=True),
                "nexthop": text("the address of the next hop", rule="ip_addr", required=True),
            },
            updatable=True,
        ),
        "ip_version": integer("4 or 6", allowed=(4, 6), default=4),
        "ipv6_address_mode": text("how ports get IPv6 addresses", allowed=_MODES),
        "ipv6_ra_mode": text("what routers advertise for IPv6", allowed=_MODES),
        "name": text("its name", updatable=True),
        "network": _NETWORK,
        "network_id": old(_NETWORK),
        "prefixlen": integer("how long the prefix from the pool is", between=(0, None)),
        "segment": text(
            "the segment that it is on, by name or id; can be given later, but not changed",
            rule="neutron.segment",
            updatable=True,
        ),
        "subnetpool": text(
            "the pool from which it gets its addresses, by name or id", rule="neutron.subnetpool"
        ),
        "tags": TAGS,
        "tenant_id": text("the project that owns it; for administrators"),
        "value_specs": VALUE_SPECS,
    }
    attributes = {
        "allocation_pools": "ranges of addresses that ports get",
        "cidr": "its addresses",
        "dns_nameservers": "name servers that DHCP tells",
        "enable_dhcp": "whether DHCP serves it",
        "gateway_ip": "the gateway",
        "host_routes": "routes that DHCP tells",
        "ip_version": "4 or 6",
        "name": "its name",
        "network_id": "the network that it is in",
        "tenant_id": "the project that owns it",
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        return super().validate(properties, timeout) or _fault(properties)

    def replacement_reason(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        if old["segment"] is not None and new["segment"] != old["segment"]:
            return "a subnet cannot leave its segment"
        return ""

    def replacement_refusal(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        if new["network"] != old["network"] or not _overlap(old["cidr"], new["cidr"]):
            return ""
        return (
            f"the new subnet {new['cidr']} would overlap the old one, {old['cidr']}, and a network "
            "cannot have both: choose another cidr or network, or delete the subnet first"
        )

    def first_fields(self, it: CloudResource) -> dict[str, Any]:
        fields = super().first_fields(it)
        gateway = fields.pop("gateway_ip", AUTO)
        return fields if gateway == AUTO else {**fields, "gateway_ip": gateway or None}

    async def change(self, it: CloudResource) -> Object | None:
        if it.changed("gateway_ip") or it.changed("allocation_pools"):
            it = await self._chosen(it)
        return await super().change(it)

    def changes(self, it: CloudResource) -> dict[str, Any]:
        fields = super().changes(it)
        if "gateway_ip" in fields:
            fields["gateway_ip"] = fields["gateway_ip"] or None
        return fields

    async def _chosen(self, it: CloudResource) -> CloudResource:
        """Return it with what the service would choose for a new subnet.

        A service that is told to forget its choice is left with none: without a gateway, and
        without addresses for ports.
        """
        properties = dict(it.properties)
        cidr = str((await self.read(it))["cidr"])
        if properties["gateway_ip"] in (None, AUTO):
            properties["gateway_ip"] = first_address(cidr)
        if properties["allocation_pools"] is None:
            properties["allocation_pools"] = all_addresses(cidr, properties["gateway_ip"])
        return replace(it, properties=properties)

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known = await super().live(it, found)
        gateway = known.get("gateway_ip")
        if it.properties.get("gateway_ip") == AUTO and gateway == first_address(found["cidr"]):
            known["gateway_ip"] = AUTO
        elif gateway is None:
            known["gateway_ip"] = ""
        return known


def first_address(cidr: str) -> str:
    """Return the gateway that the service chooses."""
    network = ip_network(cidr, strict=False)
    return str(network[1] if network.num_addresses > 1 else network[0])


def all_addresses(cidr: str, gateway: str) -> list[dict[str, str]]:
    """Return the ranges of addresses that the service chooses."""
    network = ip_network(cidr, strict=False)
    low, high = int(network[0]), int(network[-1])
    if network.num_addresses > 2:
        low, high = low + 1, high - (network.version == 4)
    without = int(ip_address(gateway)) if gateway else -1
    parts = [(low, without - 1), (without + 1, high)] if low <= without <= high else [(low, high)]
    address = type(network[0])
    return [
        {"start": str(address(start)), "end": str(address(end))}
        for start, end in parts
        if start <= end
    ]


def _overlap(one: str | None, other: str | None) -> bool:
    try:
        first, second = ip_network(str(one), False), ip_network(str(other), False)
    except ValueError:
        return False  # from a pool, or known later
    return first.version == second.version and first.overlaps(second)


def _fault(properties: Mapping[str, Any]) -> str:
    cidr, pool = properties["cidr"], properties["subnetpool"]
    if cidr and pool:
        return "Cannot define the following properties at the same time: subnetpool, cidr"
    if not cidr and not pool:
        return "At least one of the following properties must be specified: cidr, subnetpool"
    if cidr and properties["prefixlen"]:
        return "Cannot define the following properties at the same time: prefixlen, cidr"
    modes = properties["ipv6_ra_mode"], properties["ipv6_address_mode"]
    if any(modes) and properties["ip_version"] != 6:
        return "ipv6_ra_mode and ipv6_address_mode are only for a subnet with ip_version 6"
    if all(modes) and modes[0] != modes[1]:
        return "ipv6_ra_mode and ipv6_address_mode must be the same if both are given"
    return _gateway_fault(properties["gateway_ip"])


def _gateway_fault(gateway: str | None) -> str:
    if not gateway or gateway == AUTO:
        return ""
    try:
        ip_address(gateway)
    except ValueError:
        return f"the gateway_ip '{gateway}' is neither an address nor auto nor empty"
    return ""
