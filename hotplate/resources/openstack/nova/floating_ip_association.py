"""OS::Nova::FloatingIPAssociation: an older form of OS::Neutron::FloatingIPAssociation."""

from collections.abc import Mapping
from typing import Any

from hotplate.cloud import Collection, NotFound
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.schema import text
from hotplate.resources.openstack.setting import Setting
from hotplate.resources.resource_type import ResourceFailed
from hotplate.resources.support import Support, SupportStatus


class FloatingIPAssociation(Setting):
    """A floating IP on the first interface of a server."""

    name = "OS::Nova::FloatingIPAssociation"
    support = Support(SupportStatus.HIDDEN)
    collection = Collection("network", "/floatingips", "floatingip")
    properties = {
        "floating_ip": text("the id of the floating IP", required=True, updatable=True),
        "server_id": text("the server", rule="nova.server", required=True, updatable=True),
    }

    async def set(self, it: CloudResource) -> None:
        interface = await self._first_interface(it)
        addresses = [each["ip_address"] for each in interface["fixed_ips"]]
        fixed = next((each for each in addresses if ":" not in each), None)
        if fixed is None:
            server = it.properties["server_id"]
            raise ResourceFailed(f"the first interface of the server {server} has no IPv4 address")
        body = {"floatingip": {"port_id": interface["port_id"], "fixed_ip_address": fixed}}
        old = it.old_properties.get("floating_ip")
        if old and old != it.properties["floating_ip"]:
            await self._release(it, old)
        await it.service.put(self._path(it), body, repeatable=True)

    async def read(self, it: CloudResource) -> Object:
        found: Mapping[str, Any] = (await it.service.get(self._path(it)))["floatingip"]
        details = found.get("port_details") or {}
        if not found["port_id"] or details.get("device_id") != it.properties["server_id"]:
            raise NotFound(
                f"the floating IP {found['id']} is not on the server {it.properties['server_id']}"
            )
        return {**found, "id": it.resource.physical_id or self.setting_id(it)}

    async def remove(self, it: CloudResource) -> None:
        try:
            await self.read(it)
        except NotFound:
            return  # it is on something else by now
        await self._release(it, it.properties["floating_ip"])

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        return dict(it.properties)

    async def _release(self, it: CloudResource, floating_ip: str) -> None:
        try:
            body = {"floatingip": {"port_id": None}}
            await it.service.put(f"/floatingips/{floating_ip}", body, repeatable=True)
        except NotFound:
            return

    async def _first_interface(self, it: CloudResource) -> Object:
        server = it.properties["server_id"]
        path = f"/servers/{server}/os-interface"
        listed = (await it.cloud.service("compute").get(path))["interfaceAttachments"]
        if not listed:
            raise ResourceFailed(f"the server {server} has no interface")
        found: Object = listed[0]
        return found

    def _path(self, it: CloudResource) -> str:
        return f"/floatingips/{it.properties['floating_ip']}"
