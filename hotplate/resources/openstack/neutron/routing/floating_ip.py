"""OS::Neutron::FloatingIP."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hotplate.cloud import NotFound
from hotplate.resources.capabilities import DependsImplicitly, PreparesReplacement
from hotplate.resources.openstack import waiting
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import may_be_same
from hotplate.resources.openstack.neutron.neutron_type import (
    VALUE_SPECS,
    NeutronType,
    collection,
)
from hotplate.resources.openstack.schema import old, text
from hotplate.resources.resource_type import Done, Gone, Resource, Result, Wait

_NETWORK: Final = text(
    "the external network that has the address, by name or id",
    rule="neutron.network",
    required=True,
    older=("floating_network_id",),
)


class FloatingIP(NeutronType, PreparesReplacement, DependsImplicitly):
    """An address of an external network that leads to a port."""

    name = "OS::Neutron::FloatingIP"
    collection = collection("floatingips", "floatingip")
    renamed = {"floating_network": "floating_network_id", "floating_subnet": "subnet_id"}
    named = {
        "floating_network": "neutron.network",
        "floating_subnet": "neutron.subnet",
        "port_id": "neutron.port",
    }
    validated = frozenset(("fixed_ip_address", "port_id", "value_specs"))
    waits_for = waiting.FLOATING_IP
    live_attributes = frozenset(("fixed_ip_address", "port_id", "router_id", "show"))
    properties = {
        "dns_domain": text(
            "the domain of its name, with a dot at the end", rule="dns_domain", updatable=True
        ),
        "dns_name": text("its name in the DNS", rule="rel_dns_name", updatable=True),
        "fixed_ip_address": text(
            "which address of the port is meant, if it has several",
            rule="ip_addr",
            updatable=True,
        ),
        "floating_ip_address": text("the address; for administrators", rule="ip_addr"),
        "floating_network": _NETWORK,
        "floating_network_id": old(_NETWORK),
        "floating_subnet": text(
            "the subnet that has the address, by name or id", rule="neutron.subnet"
        ),
        "port_id": text("the port it leads to, by name or id", rule="neutron.port", updatable=True),
        "value_specs": replace(VALUE_SPECS, updatable=False),
    }
    attributes = {
        "fixed_ip_address": "the address of the port it leads to",
        "floating_ip_address": "the address itself",
        "floating_network_id": "the external network that has the address",
        "port_id": "the port it leads to",
        "router_id": "the router that knows the way",
        "tenant_id": "the project that owns it",
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        if properties["fixed_ip_address"] and not properties["port_id"]:
            return "fixed_ip_address says which address of a port is meant: port_id must be given"
        return super().validate(properties, timeout)

    def replacement_reason(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        if any(old[name] != new[name] for name in ("dns_name", "dns_domain")):
            return "a floating IP keeps the name in the DNS that it was made with"
        return ""

    def changes(self, it: CloudResource) -> dict[str, Any]:
        """Return what changes: the port and its address always together."""
        fields = super().changes(it)
        if not {"port_id", "fixed_ip_address"} & set(fields):
            return fields
        port = it.properties["port_id"]
        address = {"fixed_ip_address": it.properties["fixed_ip_address"]} if port else {}
        fields.pop("fixed_ip_address", None)
        return {**fields, "port_id": port, **address}

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known = await super().live(it, found)
        for name in ("dns_name", "dns_domain"):
            if not known.get(name):
                known.pop(name, None)  # a cloud without a DNS service does not keep it
        return known

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        if new is None:
            return ""
        if _has_same_address(old, new):
            return f"its address {old['floating_ip_address']}"
        is_same = may_be_same(old["port_id"], new["port_id"])
        return f"port {old['port_id']}" if is_same else ""

    async def prepare_replacement(
        self, resource: Resource, new_properties: Mapping[str, Any] | None
    ) -> Done | Wait | Gone:
        """Leave the port; an address that the new one shall have is only free without the old."""
        if new_properties is not None and _has_same_address(resource.properties, new_properties):
            result = await self.delete(resource)
            return result if isinstance(result, Wait) else Gone()
        try:
            return await self._explained(resource, self._leave, self.located_by)
        except NotFound:
            return Gone()

    async def restore(self, resource: Resource) -> Result:
        if resource.physical_id is None:
            resource.physical_id = await self.find(resource)
            if resource.physical_id is None:
                return await self.create(resource)
        return await self._explained(resource, self._lead)

    async def _leave(self, it: CloudResource) -> Result:
        await self._put(it, {"port_id": None})
        return Done()

    async def _lead(self, it: CloudResource) -> Result:
        if port := it.properties["port_id"]:
            await self._put(
                it, {"port_id": port, "fixed_ip_address": it.properties["fixed_ip_address"]}
            )
        return await self._done(it, await self.read(it))

    async def _put(self, it: CloudResource, fields: Mapping[str, Any]) -> None:
        await it.service.put(self.object_path(it), {"floatingip": dict(fields)}, repeatable=True)


def _has_same_address(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    address = old["floating_ip_address"]
    return bool(address) and address == new["floating_ip_address"]
