"""OS::Neutron::FloatingIPPortForward."""

from collections.abc import Mapping
from typing import Any

from hotplate.resources.capabilities import DependsImplicitly
from hotplate.resources.openstack import waiting
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import DeletedFirst, may_be_same
from hotplate.resources.openstack.neutron.neutron_type import NeutronType, collection
from hotplate.resources.openstack.schema import integer, text
from hotplate.resources.support import Support


class FloatingIPPortForward(NeutronType, DeletedFirst, DependsImplicitly):
    """Lets one port number of a floating IP lead to one of a port."""

    name = "OS::Neutron::FloatingIPPortForward"
    collection = collection("port_forwardings", "port_forwarding", "/floatingips")
    support = Support(version="19.0.0")
    renamed = {"internal_port": "internal_port_id", "internal_port_number": "internal_port"}
    named = {"floating_ip": "neutron.floating_ip", "internal_port": "neutron.port"}
    located_by = ("floating_ip",)
    apart = NeutronType.apart | {"floating_ip"}
    identifying_field = ""
    waits_for = waiting.FLOATING_IP_PORT_FORWARD
    properties = {
        "external_port": integer(
            "the port number of the floating IP",
            between=(1, 65535),
            required=True,
            updatable=True,
        ),
        "floating_ip": text("the floating IP, by address or id", required=True),
        "internal_ip_address": text(
            "the address of the port", rule="ip_addr", required=True, updatable=True
        ),
        "internal_port": text(
            "the port it leads to, by name or id",
            rule="neutron.port",
            required=True,
            updatable=True,
        ),
        "internal_port_number": integer(
            "the port number there", between=(1, 65535), updatable=True
        ),
        "protocol": text(
            "the protocol",
            allowed=("tcp", "udp", "icmp", "icmp6", "sctp", "dccp"),
            required=True,
            updatable=True,
        ),
    }

    def path(self, it: CloudResource) -> str:
        return f"/floatingips/{it.properties['floating_ip']}/port_forwardings"

    async def search(self, it: CloudResource) -> Object | None:
        query = {name: it.properties[name] for name in ("external_port", "protocol")}
        listed = await it.service.list_all(self.path(it), "port_forwardings", query)
        same = self.first_fields(it).items()
        return next((each for each in listed if same <= each.items()), None)

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known = await super().live(it, found)
        return {**known, "floating_ip": it.properties["floating_ip"]}

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        if new is None or not may_be_same(old["floating_ip"], new["floating_ip"]):
            return ""
        is_same = all(old[name] == new[name] for name in ("external_port", "protocol"))
        return f"port number {old['external_port']} of the floating IP" if is_same else ""
