"""OS::Neutron::Port."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hotplate.cloud import NotFound
from hotplate.cloud.names import NETWORK, SECURITY_GROUP, SUBNET
from hotplate.document import Data
from hotplate.resources.capabilities import DependsImplicitly, PreparesReplacement
from hotplate.resources.openstack import waiting
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import may_be_same
from hotplate.resources.openstack.neutron.neutron_type import (
    BUILT,
    TAGS,
    VALUE_SPECS,
    NeutronType,
    collection,
)
from hotplate.resources.openstack.schema import flag, list_of, maps, old, text
from hotplate.resources.resource_type import Done, Gone, Resource, Result, Wait

PROFILE: Final = "binding:profile"
"""What Nova and drivers keep in a port; templates may have keys in it."""

_RELEASED: Final = "released_addresses"
"""The addresses that a port had before it gave them up, among the data of the resource."""

_VNIC_TYPES: Final = (
    "normal", "direct", "macvtap", "direct-physical", "baremetal", "virtio-forwarder", "smart-nic",
)  # fmt: skip
_NETWORK: Final = text(
    "the network that it is in, by name or id",
    rule="neutron.network",
    required=True,
    older=("network_id",),
)
_SUBNET: Final = text(
    "the subnet of the address, by name or id", rule="neutron.subnet", older=("subnet_id",)
)


class Port(NeutronType, PreparesReplacement, DependsImplicitly):
    """Where something is attached to a network, with its addresses."""

    name = "OS::Neutron::Port"
    collection = collection("ports", "port")
    states = BUILT
    renamed = {
        "network": "network_id",
        "fixed_ips[].subnet": "subnet_id",
        "qos_policy": "qos_policy_id",
    }
    named = {
        "network": "neutron.network",
        "fixed_ips[].subnet": "neutron.subnet",
        "qos_policy": "neutron.qos_policy",
        "security_groups[]": "neutron.security_group",
    }
    absent = {**NeutronType.absent, "allowed_address_pairs": []}
    apart = NeutronType.apart | {"no_fixed_ips", "replacement_policy"}
    validated = frozenset(("fixed_ips", "no_fixed_ips", "value_specs"))
    waits_for = waiting.PORT
    live_attributes = frozenset(("device_id", "device_owner", "show", "status"))
    properties = {
        "admin_state_up": flag("whether it carries traffic", default=True, updatable=True),
        "allowed_address_pairs": maps(
            "more addresses from which it may send",
            {
                "ip_address": text("an address or a range", rule="ip_or_cidr", required=True),
                "mac_address": text("a MAC address; the port's own without it", rule="mac_addr"),
            },
            updatable=True,
        ),
        "binding:vnic_type": text(
            "what the server sees of it", allowed=_VNIC_TYPES, default="normal", updatable=True
        ),
        "device_id": text("what uses it", default="", updatable=True),
        "device_owner": text("the service whose device uses it", default="", updatable=True),
        "dns_name": text("its name in the DNS", rule="dns_name", updatable=True),
        "fixed_ips": maps(
            "its addresses; without it the service chooses",
            {
                "ip_address": text("the address", rule="ip_addr"),
                "subnet": _SUBNET,
                "subnet_id": old(_SUBNET),
            },
            updatable=True,
        ),
        "mac_address": text("its MAC address", rule="mac_addr"),
        "name": text("its name", updatable=True),
        "network": _NETWORK,
        "network_id": old(_NETWORK),
        "no_fixed_ips": flag("whether it has no address", default=False, updatable=True),
        "port_security_enabled": flag(
            "whether it is protected; without it as the network says", updatable=True
        ),
        "propagate_uplink_status": flag(
            "whether the server sees the status of the uplink", updatable=True
        ),
        "qos_policy": text(
            "its QoS policy, by name or id", rule="neutron.qos_policy", updatable=True
        ),
        "replacement_policy": text(
            "whether any change makes a new port",
            allowed=("REPLACE_ALWAYS", "AUTO"),
            default="AUTO",
            updatable=True,
            hidden=True,
        ),
        "security_groups": list_of(
            "its security groups, by name or id; without it the default one, an empty list for "
            "none",
            updatable=True,
        ),
        "tags": TAGS,
        "value_specs": VALUE_SPECS,
    }
    attributes = {
        "admin_state_up": "whether it carries traffic",
        "allowed_address_pairs": "more addresses from which it may send",
        "device_id": "what uses it",
        "device_owner": "the service whose device uses it",
        "dns_assignment": "its names in the DNS",
        "fixed_ips": "its addresses",
        "mac_address": "its MAC address",
        "name": "its name",
        "network": "the network that it is in, as the service tells it",
        "network_id": "the id of that network",
        "port_security_enabled": "whether it is protected",
        "propagate_uplink_status": "whether the server sees the status of the uplink",
        "qos_policy_id": "its QoS policy",
        "security_groups": "the ids of its security groups",
        "status": "the status that the service tells",
        "subnets": "the subnets of its addresses, as the service tells them",
        "tenant_id": "the project that owns it",
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        if properties["no_fixed_ips"] and properties["fixed_ips"]:
            return (
                "Cannot define the following properties at the same time: no_fixed_ips, fixed_ips"
            )
        return super().validate(properties, timeout)

    def replacement_reason(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        return "" if new["replacement_policy"] == "AUTO" else "its replacement_policy says so"

    def fields(self, it: CloudResource) -> dict[str, Any]:
        fields = super().fields(it)
        if it.properties["no_fixed_ips"]:
            fields["fixed_ips"] = []
        elif not fields["fixed_ips"]:
            fields["fixed_ips"] = None
        return fields

    def changes(self, it: CloudResource) -> dict[str, Any]:
        """Return what changes. A port whose addresses are left to the service keeps them."""
        fields = super().changes(it)
        if it.properties["no_fixed_ips"] and it.changed("no_fixed_ips"):
            fields["fixed_ips"] = []
        elif fields.get("fixed_ips", ()) is None:
            del fields["fixed_ips"]
        return fields

    async def change(self, it: CloudResource) -> Object | None:
        return await super().change(await self._completed(it))

    async def _completed(self, it: CloudResource) -> CloudResource:
        """Return it with what only the service knows of values that are taken away or merged."""
        wanted = dict(it.properties)
        if it.changed("security_groups") and wanted["security_groups"] is None:
            wanted["security_groups"] = [await it.cloud.names.id_of(SECURITY_GROUP, "default")]
        if it.changed("port_security_enabled") and wanted["port_security_enabled"] is None:
            network = await it.cloud.names.find(NETWORK, wanted["network"])
            wanted["port_security_enabled"] = network.get("port_security_enabled", True)
        if it.changed("no_fixed_ips") and not (wanted["no_fixed_ips"] or wanted["fixed_ips"]):
            wanted["fixed_ips"] = await _any_addresses(it, wanted["network"])
        if it.changed("value_specs"):
            wanted["value_specs"] = await self._merged(it)
        return replace(it, properties=wanted)

    async def _merged(self, it: CloudResource) -> dict[str, Any]:
        """Return the value_specs with what others have put into the port's binding profile."""
        specs: dict[str, Any] = it.properties["value_specs"] or {}
        before = (it.old_properties.get("value_specs") or {}).get(PROFILE) or {}
        after = specs.get(PROFILE) or {}
        if before == after:
            return specs
        live = dict((await self.read(it)).get(PROFILE) or {})
        for key in dict.fromkeys((*before, *after)):
            if after.get(key) != before.get(key):
                live[key] = after.get(key)
        return {**specs, PROFILE: {key: value for key, value in live.items() if value is not None}}

    async def shown_elsewhere(self, it: CloudResource, found: Object) -> Mapping[str, Data]:
        find = it.cloud.names.find
        subnets = [str(each["subnet_id"]) for each in found["fixed_ips"]]
        return {
            "network": dict(await find(NETWORK, found["network_id"])),
            "subnets": [dict(await find(SUBNET, each)) for each in dict.fromkeys(subnets)],
        }

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known = await super().live(it, found)
        # A port without an address may only be in a network without a subnet.
        if found["fixed_ips"] or it.properties.get("no_fixed_ips"):
            known["no_fixed_ips"] = not found["fixed_ips"]
        for name in ("device_id", "device_owner"):
            if not it.properties.get(name):
                del known[name]  # set by whoever uses the port
        return known

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        if new is None or not may_be_same(old["network"], new["network"]):
            return ""
        if _has_same_mac(old, new):
            return f"its MAC address {old['mac_address']}"
        shared = sorted(_addresses(old) & _addresses(new))
        return f"its addresses {', '.join(shared)}" if shared else ""

    async def prepare_replacement(
        self, resource: Resource, new_properties: Mapping[str, Any] | None
    ) -> Done | Wait | Gone:
        """Release the addresses; a MAC address only goes with its port."""
        if new_properties is not None and _has_same_mac(resource.properties, new_properties):
            result = await self.delete(resource)
            return result if isinstance(result, Wait) else Gone()
        try:
            return await self._explained(resource, self._release, self.located_by)
        except NotFound:
            return Gone()

    async def restore(self, resource: Resource) -> Result:
        if resource.physical_id is None:
            resource.physical_id = await self.find(resource)
            return await self.create(resource)
        return await self._explained(resource, self._take_back_addresses)

    async def _release(self, it: CloudResource) -> Result:
        data = it.resource.data
        if _RELEASED not in data:
            # Recorded before they are gone.
            addresses = (await self.read(it))["fixed_ips"]
            return Wait({}, 0, data={**data, _RELEASED: addresses})
        await self._set_addresses(it, [])
        return Done()

    async def _take_back_addresses(self, it: CloudResource) -> Result:
        data = dict(it.resource.data)
        if (addresses := data.get(_RELEASED)) is not None:
            await self._set_addresses(it, addresses)
        data.pop(_RELEASED, None)
        return replace(await self._done(it, await self.read(it)), data=data)

    async def _set_addresses(self, it: CloudResource, addresses: list[Any]) -> None:
        body = {"port": {"fixed_ips": addresses}}
        await it.service.put(self.object_path(it), body, repeatable=True)


async def _any_addresses(it: CloudResource, network: str) -> list[dict[str, str]]:
    """Return addresses that the service shall choose, one per IP version as for a new port."""
    listed = await it.service.list_all("/subnets", "subnets", {"network_id": network})
    by_version = {each["ip_version"]: each["id"] for each in reversed(listed)}
    return [{"subnet": by_version[version]} for version in sorted(by_version)]


def _addresses(properties: Mapping[str, Any]) -> set[str]:
    return {each["ip_address"] for each in properties["fixed_ips"] or () if each.get("ip_address")}


def _has_same_mac(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    return bool(old["mac_address"]) and old["mac_address"] == new["mac_address"]
