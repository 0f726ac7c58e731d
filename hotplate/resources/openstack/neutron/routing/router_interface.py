"""OS::Neutron::RouterInterface."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.cloud import NotFound
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import DeletedFirst, may_be_same
from hotplate.resources.openstack.neutron.neutron_type import NeutronType, collection
from hotplate.resources.openstack.schema import old, text

_OWNER: Final = "network:"
"""How the owner of a port begins that belongs to a router."""

_ROUTER: Final = text(
    "the router, by name or id", rule="neutron.router", required=True, older=("router_id",)
)
_SUBNET: Final = text(
    "the subnet, by name or id; the interface has its gateway's address",
    rule="neutron.subnet",
    older=("subnet_id",),
)
_PORT: Final = text(
    "the port, by name or id; it becomes the router's and is deleted with the interface",
    rule="neutron.port",
    older=("port_id",),
)


class RouterInterface(NeutronType, DeletedFirst):
    """Attaches a subnet or a port to a router.

    Its physical id is ROUTER:subnet_id=SUBNET or ROUTER:port_id=PORT, as in Heat.
    """

    name = "OS::Neutron::RouterInterface"
    collection = collection("routers", "router")
    named = {"router": "neutron.router", "subnet": "neutron.subnet", "port": "neutron.port"}
    validated = frozenset(("port", "port_id", "subnet", "subnet_id"))
    properties = {
        "port": _PORT,
        "port_id": old(_PORT),
        "router": _ROUTER,
        "router_id": old(_ROUTER),
        "subnet": _SUBNET,
        "subnet_id": old(_SUBNET),
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        subnet = properties["subnet"] or properties["subnet_id"]
        port = properties["port"] or properties["port_id"]
        if subnet and port:
            return "Cannot define the following properties at the same time: subnet, port"
        if not subnet and not port:
            return "At least one of the following properties must be specified: subnet, port"
        return ""

    async def make(self, it: CloudResource) -> Object:
        router = it.properties["router"]
        kind, value = self._attached(it)
        await it.service.put(f"/routers/{router}/add_router_interface", {kind: value})
        return await self._port(it, router, kind, value)

    async def remove(self, it: CloudResource) -> None:
        router, kind, value = parts(it.id)
        await it.service.put(
            f"/routers/{router}/remove_router_interface", {kind: value}, repeatable=True
        )

    async def read(self, it: CloudResource) -> Object:
        return await self._port(it, *parts(it.id))

    async def search(self, it: CloudResource) -> Object | None:
        try:
            return await self._port(it, it.properties["router"], *self._attached(it))
        except NotFound:
            return None

    def physical_id_of(self, found: Object) -> str:
        return str(found["physical_id"])

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        router, kind, value = parts(it.id)
        return {"router": router, kind.removesuffix("_id"): value}

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        for name in ("subnet", "port"):
            if new is not None and may_be_same(old[name], new[name]):
                return f"the interface of {name} {old[name]}"
        return ""

    def _attached(self, it: CloudResource) -> tuple[str, str]:
        if it.properties["subnet"]:
            return "subnet_id", it.properties["subnet"]
        return "port_id", it.properties["port"]

    async def _port(self, it: CloudResource, router: str, kind: str, value: str) -> Object:
        """Return the port that is the interface, with the physical id. Raises NotFound."""
        which = {"fixed_ips": f"subnet_id={value}"} if kind == "subnet_id" else {"id": value}
        listed = await it.service.list_all("/ports", "ports", {"device_id": router, **which})
        for port in listed:
            if str(port["device_owner"]).startswith(_OWNER):
                return {**port, "physical_id": f"{router}:{kind}={value}"}
        raise NotFound(f"router {router} has no interface with {kind} {value}", "network")


def parts(physical_id: str) -> tuple[str, str, str]:
    """Return the router, what is attached to it, and the id of that."""
    router, _, attached = physical_id.partition(":")
    kind, has_kind, value = attached.rpartition("=")
    return router, kind if has_kind else "subnet_id", value
