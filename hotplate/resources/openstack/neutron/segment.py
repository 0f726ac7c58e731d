"""OS::Neutron::Segment."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.cloud import Service
from hotplate.document import Data
from hotplate.resources.openstack.neutron.neutron_type import NeutronType, collection
from hotplate.resources.openstack.schema import integer, text
from hotplate.resources.support import Support

TUNNELS: Final = ("vxlan", "gre", "geneve")
NETWORK_TYPES: Final = ("local", "vlan", *TUNNELS, "flat")
_LAST_VLAN: Final = 4094


class Segment(NeutronType):
    """A part of a network that is connected by itself."""

    name = "OS::Neutron::Segment"
    collection = collection("segments", "segment")
    support = Support(version="9.0.0")
    renamed = {"network": "network_id"}
    named = {"network": "neutron.network"}
    validated = frozenset(("network_type", "physical_network", "segmentation_id"))
    properties = {
        "description": text("what it is for", updatable=True),
        "name": text("its name", updatable=True),
        "network": text(
            "the network that it is a part of, by name or id",
            rule="neutron.network",
            required=True,
        ),
        "network_type": text("how its traffic is told apart", allowed=NETWORK_TYPES, required=True),
        "physical_network": text("the physical network that it is on"),
        "segmentation_id": integer("the number of its VLAN or tunnel", between=(1, None)),
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        kind, number = properties["network_type"], properties["segmentation_id"]
        physical = properties["physical_network"]
        if kind in ("flat", "vlan") and not physical:
            return f"a {kind} segment must have physical_network"
        if kind == "vlan" and not number:
            return "a vlan segment must have segmentation_id"
        if kind == "vlan" and number > _LAST_VLAN:
            return f"the segmentation_id of a vlan segment is at most {_LAST_VLAN}"
        if kind in ("flat", "local") and number:
            return f"segmentation_id is not for a {kind} segment"
        if kind in TUNNELS and physical:
            return f"physical_network is not for a {kind} segment"
        return ""


async def segments_of(service: Service, network: str) -> list[Data]:
    """Return the segments of a network, those without a name first."""
    listed = await service.list_all("/segments", "segments", {"network_id": network})
    return [*sorted(listed, key=lambda each: str(each.get("name") or ""))]
