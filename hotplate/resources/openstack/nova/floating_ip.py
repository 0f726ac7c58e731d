"""OS::Nova::FloatingIP: an older form of OS::Neutron::FloatingIP."""

from typing import Any

from hotplate.cloud import Collection
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import CloudType, Object
from hotplate.resources.openstack.creation_tokens import token_text
from hotplate.resources.openstack.schema import text
from hotplate.resources.resource_type import ResourceFailed
from hotplate.resources.support import Support, SupportStatus


class FloatingIP(CloudType):
    """An address on an external network."""

    name = "OS::Nova::FloatingIP"
    support = Support(SupportStatus.HIDDEN)
    collection = Collection("network", "/floatingips", "floatingip")
    named = {"pool": "neutron.network"}
    identifying_field = "description"
    properties = {
        "pool": text(
            "the external network, by name or id; the only one there is if none is given",
        )
    }
    attributes = {"ip": "the address", "pool": "the external network"}
    attribute_fields = {"ip": "floating_ip_address", "pool": "floating_network_id"}

    def fields(self, it: CloudResource) -> dict[str, Any]:
        return {"floating_network_id": it.properties["pool"]}

    def token_text(self, it: CloudResource) -> str:
        return token_text(it.resource)

    async def make(self, it: CloudResource) -> Object:
        network = it.properties["pool"] or await self._only_external(it)
        body = self.with_creation_token(it, {"floating_network_id": network})
        return self._one(await it.service.post("/floatingips", {"floatingip": body}))

    async def _only_external(self, it: CloudResource) -> str:
        listed = await it.service.list_all("/networks", "networks", {"router:external": True})
        if len(listed) != 1:
            found = ", ".join(str(each["name"]) for each in listed) or "none"
            raise ResourceFailed(f"give the pool: the external networks are {found}")
        return str(listed[0]["id"])

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        return {"pool": found["floating_network_id"]} if it.properties.get("pool") else {}
