"""OS::Neutron::FloatingIPAssociation."""

from collections.abc import Mapping
from typing import Any

from hotplate.cloud import NotFound
from hotplate.resources.capabilities import DependsImplicitly
from hotplate.resources.openstack import waiting
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import DeletedFirst, may_be_same
from hotplate.resources.openstack.neutron.neutron_type import collection
from hotplate.resources.openstack.schema import text
from hotplate.resources.openstack.setting import Setting


class FloatingIPAssociation(Setting, DeletedFirst, DependsImplicitly):
    """Lets a floating IP lead to a port. It has nothing of its own; its physical id is a name."""

    name = "OS::Neutron::FloatingIPAssociation"
    collection = collection("floatingips", "floatingip")
    named = {"floatingip_id": "neutron.floating_ip", "port_id": "neutron.port"}
    located_by = ("floatingip_id", "port_id")
    waits_for = waiting.FLOATING_IP_ASSOCIATION
    properties = {
        "fixed_ip_address": text(
            "which address of the port is meant, if it has several", rule="ip_addr", updatable=True
        ),
        "floatingip_id": text("the floating IP, by address or id", required=True, updatable=True),
        "port_id": text(
            "the port it leads to, by name or id",
            rule="neutron.port",
            required=True,
            updatable=True,
        ),
    }

    async def set(self, it: CloudResource) -> None:
        before = it.old_properties.get("floatingip_id")
        if before and before != it.properties["floatingip_id"]:
            await self._free(it, before, it.old_properties["port_id"])
        fields = {name: it.properties[name] for name in ("port_id", "fixed_ip_address")}
        await self._put(it, it.properties["floatingip_id"], fields)

    async def remove(self, it: CloudResource) -> None:
        await self._free(it, it.properties["floatingip_id"], it.properties["port_id"])

    async def read(self, it: CloudResource) -> Object:
        floating_ip, port = it.properties["floatingip_id"], it.properties["port_id"]
        found = await self._floating_ip(it, floating_ip)
        if found["port_id"] != port:
            raise NotFound(f"floating IP {floating_ip} does not lead to port {port}", "network")
        return {**found, "id": it.resource.physical_id or self.setting_id(it)}

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        return {
            "fixed_ip_address": found["fixed_ip_address"],
            "floatingip_id": it.properties["floatingip_id"],
            "port_id": found["port_id"],
        }

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        for name in ("floatingip_id", "port_id"):
            if new is not None and may_be_same(old[name], new[name]):
                return "the way from the floating IP to the port"
        return ""

    async def _free(self, it: CloudResource, floating_ip: str, port: str) -> None:
        """Let a floating IP lead nowhere, unless it leads to another port by now."""
        try:
            if (await self._floating_ip(it, floating_ip))["port_id"] == port:
                await self._put(it, floating_ip, {"port_id": None})
        except NotFound:
            return

    async def _floating_ip(self, it: CloudResource, floating_ip: str) -> Object:
        found: Object = (await it.service.get(f"/floatingips/{floating_ip}"))["floatingip"]
        return found

    async def _put(self, it: CloudResource, floating_ip: str, fields: Mapping[str, Any]) -> None:
        body = {"floatingip": dict(fields)}
        await it.service.put(f"/floatingips/{floating_ip}", body, repeatable=True)
