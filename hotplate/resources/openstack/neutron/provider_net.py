"""OS::Neutron::ProviderNet."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.document import Data
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.neutron.neutron_type import (
    BUILT,
    TAGS,
    NeutronType,
    collection,
)
from hotplate.resources.openstack.neutron.segment import NETWORK_TYPES, TUNNELS, segments_of
from hotplate.resources.openstack.schema import flag, list_of, text
from hotplate.resources.support import Support

_PROVIDER: Final = "provider:"


class ProviderNet(NeutronType):
    """A network of which the administrator says how it is made of physical ones."""

    name = "OS::Neutron::ProviderNet"
    collection = collection("networks", "network")
    support = Support(version="2014.1")
    states = BUILT
    renamed = {
        "network_type": f"{_PROVIDER}network_type",
        "physical_network": f"{_PROVIDER}physical_network",
        "segmentation_id": f"{_PROVIDER}segmentation_id",
        "router_external": "router:external",
    }
    validated = frozenset(("network_type", "physical_network", "segmentation_id"))
    properties = {
        "admin_state_up": flag("whether it carries traffic", default=True, updatable=True),
        "availability_zone_hints": list_of(
            "zones in which it is made, the best first", updatable=True
        ),
        "dns_domain": text(
            "the domain of its ports' names, with a dot at the end",
            rule="dns_domain",
            updatable=True,
        ),
        "name": text("its name", updatable=True),
        "network_type": text(
            "how its traffic is told apart", allowed=NETWORK_TYPES, required=True, updatable=True
        ),
        "physical_network": text("the physical network that it is on", updatable=True),
        "port_security_enabled": flag(
            "whether its ports are protected unless they say otherwise", updatable=True
        ),
        "router_external": flag(
            "whether routers may have their gateways in it", default=False, updatable=True
        ),
        "segmentation_id": text("the number of its VLAN or tunnel", updatable=True),
        "shared": flag("whether all projects may use it", default=True, updatable=True),
        "tags": TAGS,
        "tenant_id": text("the project that owns it"),
    }
    attributes = {
        "segments": "the segments that it consists of",
        "status": "the status that the service tells",
        "subnets": "the ids of its subnets",
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        kind = properties["network_type"]
        if properties["segmentation_id"] and kind in ("local", "flat"):
            return f"segmentation_id is not for a {kind} network"
        if properties["physical_network"] and kind in ("local", *TUNNELS):
            return f"physical_network is not for a {kind} network"
        return ""

    def replacement_reason(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        for name in ("network_type", "physical_network", "availability_zone_hints"):
            if (old[name] or []) != (new[name] or []):
                return f"the service does not change {name}"
        return ""

    async def shown_elsewhere(self, it: CloudResource, found: Object) -> Mapping[str, Data]:
        return {"segments": await segments_of(it.service, str(found["id"]))}

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known = await super().live(it, found)
        number = known.get("segmentation_id")
        return {**known, "segmentation_id": None if number is None else str(number)}
