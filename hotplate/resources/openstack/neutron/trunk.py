"""OS::Neutron::Trunk."""

from typing import Any

from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.neutron.neutron_type import BUILT, NeutronType, collection
from hotplate.resources.openstack.schema import flag, integer, maps, text
from hotplate.resources.openstack.translation import to_fields
from hotplate.resources.support import Support

Ports = dict[str, dict[str, Any]]


class Trunk(NeutronType):
    """A port of a server that carries the traffic of other ports, told apart by VLANs."""

    name = "OS::Neutron::Trunk"
    collection = collection("trunks", "trunk")
    support = Support(version="9.0.0")
    states = BUILT
    renamed = {"port": "port_id", "sub_ports[].port": "port_id"}
    named = {"port": "neutron.port", "sub_ports[].port": "neutron.port"}
    properties = {
        "admin_state_up": flag("whether it carries traffic", updatable=True),
        "description": text("what it is for", updatable=True),
        "name": text("its name", updatable=True),
        "port": text(
            "the port of the server, by name or id",
            rule="neutron.port",
            required=True,
            immutable=True,
        ),
        "sub_ports": maps(
            "the ports whose traffic it carries",
            {
                "port": text("the port, by name or id", rule="neutron.port", required=True),
                "segmentation_id": integer(
                    "the number by which its traffic is told apart",
                    between=(1, 4094),
                    required=True,
                ),
                "segmentation_type": text("how it is told apart", allowed=("vlan",), required=True),
            },
            updatable=True,
        ),
    }
    attributes = {"port_id": "the port of the server"}

    def changes(self, it: CloudResource) -> dict[str, Any]:
        fields = super().changes(it)
        fields.pop("sub_ports", None)
        return fields

    async def change(self, it: CloudResource) -> Object | None:
        found = await super().change(it)
        if not it.changed("sub_ports"):
            return found
        listed = await it.service.get(f"{self.object_path(it)}/get_subports")
        present: Ports = {each["port_id"]: each for each in listed["sub_ports"]}
        fields = to_fields({"sub_ports": it.properties["sub_ports"] or []}, self.renamed)
        wanted: Ports = {each["port_id"]: each for each in fields["sub_ports"]}
        gone = [{"port_id": port} for port in present if present[port] != wanted.get(port)]
        new = [wanted[port] for port in wanted if wanted[port] != present.get(port)]
        for action, ports in (("remove_subports", gone), ("add_subports", new)):
            if ports:
                await it.service.put(f"{self.object_path(it)}/{action}", {"sub_ports": ports})
        return None
