"""OS::Neutron::ExtraRouteSet and OS::Neutron::ExtraRoute."""

from collections.abc import Iterable, Mapping
from typing import Any

from hotplate.cloud import NotFound
from hotplate.resources.capabilities import DependsImplicitly
from hotplate.resources.openstack import waiting
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import DeletedFirst, may_be_same
from hotplate.resources.openstack.neutron.neutron_type import NeutronType, collection
from hotplate.resources.openstack.schema import maps, text
from hotplate.resources.resource_type import ResourceFailed
from hotplate.resources.support import Support, SupportStatus

Routes = list[dict[str, str]]


class _Routes(NeutronType, DeletedFirst):
    """Routes that are added to a router and taken away again, each in one call."""

    collection = collection("routers", "router")
    identifying_field = ""

    def router(self, properties: Mapping[str, Any]) -> str:
        """Return the id of the router."""
        return str(properties["router"])

    def routes(self, properties: Mapping[str, Any]) -> Routes:
        """Return the routes that properties give."""
        return [dict(each) for each in properties["routes"] or ()]

    def duplicates(self, there: Routes) -> str:
        """Return what to say of routes that the router has already."""
        names = ", ".join(f"{each['destination']} via {each['nexthop']}" for each in there)
        return f"The physical resource for ({names}) exists."

    async def make(self, it: CloudResource) -> Object:
        present = (await self._router(it))["routes"]
        if there := [each for each in self.routes(it.properties) if each in present]:
            raise ResourceFailed(self.duplicates(there), "PhysicalResourceExists")
        return await self._call(it, "add_extraroutes", self.routes(it.properties))

    async def change(self, it: CloudResource) -> Object | None:
        old = self.routes(it.old_properties) if it.old_properties else []
        new = self.routes(it.properties)
        if gone := [each for each in old if each not in new]:
            await self._call(it, "remove_extraroutes", gone)
        if added := [each for each in new if each not in old]:
            await self._call(it, "add_extraroutes", added)
        return None

    async def remove(self, it: CloudResource) -> None:
        await self._call(it, "remove_extraroutes", self.routes(it.properties))

    async def read(self, it: CloudResource) -> Object:
        found = await self._router(it)
        if missing := [each for each in self.routes(it.properties) if each not in found["routes"]]:
            raise NotFound(f"router {found['id']} does not have the routes {missing}", "network")
        return found

    async def search(self, it: CloudResource) -> Object | None:
        try:
            return await self.read(it) if self.routes(it.properties) else None
        except NotFound:
            return None

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        if new is None or not may_be_same(self.router(old), self.router(new)):
            return ""
        is_shared = any(each in self.routes(new) for each in self.routes(old))
        return "its routes" if is_shared else ""

    async def _router(self, it: CloudResource) -> Object:
        found: Object = (await it.service.get(f"/routers/{self.router(it.properties)}"))["router"]
        return found

    async def _call(self, it: CloudResource, action: str, routes: Iterable[Any]) -> Object:
        path = f"/routers/{self.router(it.properties)}/{action}"
        body = {"router": {"routes": list(routes)}}
        found: Object = (await it.service.put(path, body, repeatable=True))["router"]
        return found


class ExtraRouteSet(_Routes, DependsImplicitly):
    """Routes of a router, besides those to its subnets. Its physical id is the router's."""

    name = "OS::Neutron::ExtraRouteSet"
    support = Support(version="14.0.0")
    named = {"router": "neutron.router"}
    located_by = ("router",)
    waits_for = waiting.EXTRA_ROUTE_SET
    properties = {
        "router": text("the router, by name or id", rule="neutron.router", required=True),
        "routes": maps(
            "the routes",
            {
                "destination": text("where to", rule="net_cidr", required=True),
                "nexthop": text("the address of the next hop", rule="ip_addr", required=True),
            },
            default=[],
            updatable=True,
        ),
    }

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        routes = [each for each in self.routes(it.properties) if each in found["routes"]]
        return {"router": found["id"], "routes": routes}


class ExtraRoute(_Routes, DependsImplicitly):
    """One route of a router. Its physical id is ROUTER:DESTINATION:NEXTHOP, as in Heat."""

    name = "OS::Neutron::ExtraRoute"
    support = Support(SupportStatus.UNSUPPORTED)
    named = {"router_id": "neutron.router"}
    located_by = ("router_id",)
    waits_for = waiting.EXTRA_ROUTE
    properties = {
        "destination": text("where to, as address and prefix length", required=True),
        "nexthop": text("the address of the next hop", required=True),
        "router_id": text("the router, by name or id", rule="neutron.router", required=True),
    }

    def router(self, properties: Mapping[str, Any]) -> str:
        return str(properties["router_id"])

    def routes(self, properties: Mapping[str, Any]) -> Routes:
        return [{name: properties[name] for name in ("destination", "nexthop")}]

    def duplicates(self, there: Routes) -> str:
        return "Route duplicates an existing route."

    async def make(self, it: CloudResource) -> Object:
        return self._known(it, await super().make(it))

    async def read(self, it: CloudResource) -> Object:
        return self._known(it, await super().read(it))

    def physical_id_of(self, found: Object) -> str:
        return str(found["physical_id"])

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        return {"router_id": found["id"], **self.routes(it.properties)[0]}

    def _known(self, it: CloudResource, found: Object) -> Object:
        route = ":".join(self.routes(it.properties)[0].values())
        return {**found, "physical_id": f"{found['id']}:{route}"}
