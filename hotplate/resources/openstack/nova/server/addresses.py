"""The addresses of a server, as its attributes show them."""

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Any

from hotplate.cloud import NotFound
from hotplate.cloud.names import NETWORK, SUBNET, Named
from hotplate.resources.openstack.cloud_resource import CloudResource

Object = Mapping[str, Any]
_MAC = "OS-EXT-IPS-MAC:mac_addr"
_TYPE = "OS-EXT-IPS:type"


def networks(found: Object, ids: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the addresses by the names of the networks, and by their ids. Pure."""
    by_name = {
        name: [str(each["addr"]) for each in listed]
        for name, listed in (found.get("addresses") or {}).items()
    }
    return by_name | {ids[name]: listed for name, listed in by_name.items() if name in ids}


def first_address(found: Object) -> str:
    """Return one address of a server, the empty text if it has none. Pure."""
    listed = found.get("addresses") or {}
    for name in sorted(listed, reverse=True):
        for each in listed[name]:
            return str(each["addr"])
    return ""


def network_ids(found: Object, ports: Iterable[Object]) -> dict[str, str]:
    """Return the ids of the networks that Nova names, by the MAC addresses on them. Pure."""
    by_mac = {str(port["mac_address"]).lower(): str(port["network_id"]) for port in ports}
    ids: dict[str, str] = {}
    for name, listed in (found.get("addresses") or {}).items():
        for each in listed:
            if (network := by_mac.get(str(each.get(_MAC)).lower())) is not None:
                ids[name] = network
    return ids


def in_order(found: Object, ports: Iterable[Object]) -> list[Object]:
    """Return ports in the order in which Nova lists their addresses, that of the interfaces."""
    listed = found.get("addresses") or {}
    macs = [str(each.get(_MAC)).lower() for entries in listed.values() for each in entries]
    place = {mac: index for index, mac in reversed(list(enumerate(macs)))}
    return sorted(ports, key=lambda port: place.get(str(port["mac_address"]).lower(), len(macs)))


async def ports_of(it: CloudResource, found: Object) -> list[dict[str, Any]]:
    """Return the ports of a server."""
    return await it.cloud.ports_of_device.ask(found["id"]) or []


async def addresses(
    it: CloudResource, ports: Iterable[Object], *, with_floating: bool
) -> dict[str, list[dict[str, Any]]]:
    """Return all addresses with what belongs to them, by name and id of the network.

    Floating IPs may come and go without the server: they cost a call.
    """
    listed = list(ports)
    floating = await _floating_ips(it, listed) if with_floating and listed else []
    shown: dict[str, list[dict[str, Any]]] = {}
    for port in listed:
        network = await _object(it, NETWORK, port["network_id"])
        fixed = [each["subnet_id"] for each in port["fixed_ips"]]
        subnets = [await _object(it, SUBNET, each) for each in fixed]
        about = {
            _MAC: port["mac_address"],
            "port": port["id"],
            "subnets": subnets,
            "network": network,
        }
        entries = [_entry(each["ip_address"], "fixed", about) for each in port["fixed_ips"]]
        entries += [
            _entry(each["floating_ip_address"], "floating", about)
            for each in floating
            if each["port_id"] == port["id"]
        ]
        # Two networks may have one name; the id is unique.
        for key in dict.fromkeys((str(network.get("name") or ""), str(port["network_id"]))):
            if key:
                shown.setdefault(key, []).extend(entries)
    return shown


def _entry(address: str, kind: str, about: Object) -> dict[str, Any]:
    return {"addr": address, "version": ip_address(address).version, _TYPE: kind, **about}


async def _floating_ips(it: CloudResource, ports: Iterable[Object]) -> list[dict[str, Any]]:
    query = {"port_id": sorted(port["id"] for port in ports)}
    return await it.cloud.service("network").list_all("/floatingips", "floatingips", query)


async def _object(it: CloudResource, kind: Named, object_id: str) -> Object:
    try:
        return await it.cloud.names.find(kind, object_id)
    except NotFound:
        return {"id": object_id}
