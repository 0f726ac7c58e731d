"""OS::Neutron::RouterGateway, of old stacks: a router has its gateway as a property."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.cloud import NotFound
from hotplate.resources.capabilities import DependsImplicitly
from hotplate.resources.openstack import waiting
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import DeletedFirst, may_be_same
from hotplate.resources.openstack.neutron.neutron_type import NeutronType, collection
from hotplate.resources.openstack.schema import old, text
from hotplate.resources.support import Support, SupportStatus

_NETWORK: Final = text(
    "the external network, by name or id",
    rule="neutron.network",
    required=True,
    older=("network_id",),
)


class RouterGateway(NeutronType, DeletedFirst, DependsImplicitly):
    """Gives a router its gateway. Its physical id is ROUTER:NETWORK, as in Heat."""

    name = "OS::Neutron::RouterGateway"
    collection = collection("routers", "router")
    support = Support(
        SupportStatus.HIDDEN, message="use external_gateway_info of OS::Neutron::Router"
    )
    named = {"router_id": "neutron.router", "network": "neutron.network"}
    waits_for = waiting.ROUTER_GATEWAY
    properties = {
        "network": _NETWORK,
        "network_id": old(_NETWORK),
        "router_id": text("the router, by name or id", rule="neutron.router", required=True),
    }

    async def make(self, it: CloudResource) -> Object:
        router, network = it.properties["router_id"], it.properties["network"]
        body = {"router": {"external_gateway_info": {"network_id": network}}}
        answer = await it.service.put(f"/routers/{router}", body, repeatable=True)
        found: Object = answer["router"]
        return found

    async def remove(self, it: CloudResource) -> None:
        """Take the gateway away, unless the router has got another one meanwhile."""
        router = str((await self.read(it))["id"])
        body: dict[str, Any] = {"router": {"external_gateway_info": {}}}
        await it.service.put(f"/routers/{router}", body, repeatable=True)

    async def read(self, it: CloudResource) -> Object:
        return await self._router(it, *it.id.split(":"))

    async def search(self, it: CloudResource) -> Object | None:
        try:
            return await self._router(it, it.properties["router_id"], it.properties["network"])
        except NotFound:
            return None

    def physical_id_of(self, found: Object) -> str:
        return f"{found['id']}:{found['external_gateway_info']['network_id']}"

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        router, network = it.id.split(":")
        return {"router_id": router, "network": network}

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        is_same = new is not None and may_be_same(old["router_id"], new["router_id"])
        return "the router's gateway" if is_same else ""

    async def _router(self, it: CloudResource, router: str, network: str) -> Object:
        found: Object = (await it.service.get(f"/routers/{router}"))["router"]
        if (found["external_gateway_info"] or {}).get("network_id") == network:
            return found
        raise NotFound(f"router {router} has no gateway to network {network}", "network")
