"""Ports that we make for a server, because Nova's own would not have what the template asks for.

They bear the creation token of the server in their description: so they are found again by whoever
goes on with the work, and are deleted with the server.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from hotplate.cloud.names import SECURITY_GROUP, SUBNET
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.creation_tokens import has_token, token_text, with_token
from hotplate.resources.openstack.nova.server.networks import Entry, entries
from hotplate.resources.resource_type import ResourceFailed

Port = Mapping[str, Any]

_DEFAULTS: Final[Mapping[str, Any]] = {
    "admin_state_up": True,
    "allowed_address_pairs": [],
    "binding:vnic_type": "normal",
    "qos_policy_id": None,
}
"""What a port has again whose extra properties are taken away."""


async def own_ports(it: CloudResource) -> list[dict[str, Any]]:
    """Return the ports that were made for the server, attached or not."""
    query = {"description": _descriptions(it)}
    return await it.cloud.service("network").list_all("/ports", "ports", query)


async def claim_ports(it: CloudResource) -> None:
    """Mark the ports that were made for the server by whoever managed it before.

    So they are ours, and are deleted with the server.
    """
    network = it.cloud.service("network")
    for port in await network.list_all("/ports", "ports", {"device_id": it.id}):
        ours = with_token(port["description"], it.resource)
        if has_token(port["description"]) and port["description"] != ours:
            body = {"port": {"description": ours}}
            await network.put(f"/ports/{port['id']}", body, repeatable=True)


async def port_for(it: CloudResource, entry: Entry, present: Collection[Port]) -> str:
    """Return the id of the port of an entry: one that an earlier try has made, or a new one."""
    network = await _network_of(it, entry)
    for port in present:
        if not port["device_id"] and _fits(port, entry, network):
            return str(port["id"])
    groups = [
        await it.cloud.names.id_of(SECURITY_GROUP, name)
        for name in it.properties.get("security_groups") or ()
    ]
    body = {
        "name": f"{it.resource.name}-port-{entry.index}",
        **port_fields(it, entry, network, groups),
    }
    made = await it.cloud.service("network").post("/ports", {"port": body})
    return str(made["port"]["id"])


async def change_port(it: CloudResource, port_id: str, entry: Entry) -> None:
    """Give a port the extra properties that its entry has now."""
    fields = {**_DEFAULTS, **_extra_fields(entry.extra or {})}
    fields["description"] = _description(it, entry)
    fields.pop("mac_address", None)
    body = {"port": fields}
    await it.cloud.service("network").put(f"/ports/{port_id}", body, repeatable=True)


async def delete_own_ports(it: CloudResource, besides: Collection[str] = ()) -> None:
    """Delete the ports that were made for the server, but for some."""
    for port in await own_ports(it) if may_have_own_ports(it) else ():
        if port["id"] not in besides:
            await it.cloud.service("network").delete(f"/ports/{port['id']}")


def may_have_own_ports(it: CloudResource) -> bool:
    """Tell whether ports can have been made for the server, by what its template says or said."""
    return needs_own_ports(it.properties) or needs_own_ports(it.old_properties)


def needs_own_ports(properties: Mapping[str, Any]) -> bool:
    """Tell whether a server with these properties may get a port of ours. Pure."""
    listed = entries(properties)
    # Those that are attached later get one for the sake of the security groups.
    return any(each.needs_own_port for each in listed) or bool(
        listed and properties.get("security_groups")
    )


def port_fields(
    it: CloudResource, entry: Entry, network: str, groups: Sequence[str]
) -> dict[str, Any]:
    """Return the fields of the request for the port of an entry, but for its name. Pure."""
    fields: dict[str, Any] = {"network_id": network, **_extra_fields(entry.extra or {})}
    address = {"ip_address": entry.fixed_ip, "subnet_id": entry.subnet}
    if entry.fixed_ip or entry.subnet:
        fields["fixed_ips"] = [{key: value for key, value in address.items() if value}]
    elif (entry.extra or {}).get("no_fixed_ips"):
        fields["fixed_ips"] = []
    if groups:
        fields["security_groups"] = list(groups)
    return {**fields, "description": _description(it, entry)}


def _extra_fields(extra: Mapping[str, Any]) -> dict[str, Any]:
    fields = {
        key: value
        for key, value in extra.items()
        if value is not None and key not in ("value_specs", "no_fixed_ips", "qos_policy")
    }
    if extra.get("qos_policy"):
        fields["qos_policy_id"] = extra["qos_policy"]
    if "allowed_address_pairs" in fields:
        fields["allowed_address_pairs"] = [
            {key: value for key, value in pair.items() if value}
            for pair in fields["allowed_address_pairs"]
        ]
    return {**fields, **(extra.get("value_specs") or {})}


def _fits(port: Port, entry: Entry, network: str) -> bool:
    fixed: Sequence[Mapping[str, str]] = port.get("fixed_ips") or ()
    mac = (entry.extra or {}).get("mac_address")
    return (
        port["network_id"] == network
        and (not entry.subnet or entry.subnet in {each["subnet_id"] for each in fixed})
        and (not entry.fixed_ip or entry.fixed_ip in {each["ip_address"] for each in fixed})
        and (not mac or mac.lower() == port["mac_address"].lower())
    )


async def _network_of(it: CloudResource, entry: Entry) -> str:
    if not entry.subnet:
        return entry.network
    network = str((await it.cloud.names.find(SUBNET, entry.subnet))["network_id"])
    if entry.network and entry.network != network:
        raise ResourceFailed(
            f"Specified subnet {entry.subnet} does not belongs to network {entry.network}.",
            "StackValidationFailed",
        )
    return network


def _all_entries(it: CloudResource) -> tuple[Entry, ...]:
    return (*entries(it.properties), *entries(it.old_properties))


def _description(it: CloudResource, entry: Entry) -> str:
    written = ((entry.extra or {}).get("value_specs") or {}).get("description")
    return with_token(written, it.resource)


def _descriptions(it: CloudResource) -> list[str]:
    described = (_description(it, each) for each in _all_entries(it))
    return list(dict.fromkeys((token_text(it.resource), *described)))
