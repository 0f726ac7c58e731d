"""Scripts that make the same objects as the stacks of the benchmark, with the same calls.

They know beforehand what to do, and do it with full concurrency.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from hotplate.cloud import Cloud
from hotplate.cloud.polling import SERVERS, VOLUMES, Collection

_POLL: Final = 1.0
"""Seconds between two polls of one object; those of several are one listing."""

Object = dict[str, Any]


async def changed(
    cloud: Cloud,
    collection: Collection,
    object_id: str,
    began: float,
    is_so: Callable[[Any], bool],
) -> None:
    """Wait until an object is as wanted; it is None once it is gone."""
    while True:
        seen = await cloud.poller.poll(collection, object_id, began)
        if is_so(seen):
            return
        await asyncio.sleep(_POLL)


def _has(status: str) -> Callable[[Any], bool]:
    return lambda seen: seen is not None and seen["status"] == status


def _is_gone(seen: Any) -> bool:
    return seen is None or seen["status"] == "DELETED"


async def sources(cloud: Cloud) -> Object:
    """Return the image and the flavor that all servers have."""
    images, flavors = await asyncio.gather(
        cloud.service("image").list_all("/images", "images", {"name": "cirros"}),
        cloud.service("compute").list_all("/flavors", "flavors"),
    )
    flavor = next(each["id"] for each in flavors if each["name"] == "m1.tiny")
    return {"imageRef": images[0]["id"], "flavorRef": flavor}


async def network(cloud: Cloud, cidr: str) -> tuple[str, str]:
    """Make a network with a subnet."""
    neutron = cloud.service("network")
    net = (await neutron.post("/networks", {"network": {"name": "script"}}))["network"]["id"]
    body = {"network_id": net, "cidr": cidr, "ip_version": 4}
    return net, (await neutron.post("/subnets", {"subnet": body}))["subnet"]["id"]


async def port(cloud: Cloud, net: str, **more: Any) -> str:
    """Make a port."""
    body = {"port": {"network_id": net, **more}}
    return str((await cloud.service("network").post("/ports", body))["port"]["id"])


async def server(cloud: Cloud, port_id: str, of: Object) -> str:
    """Make a server and wait for it."""
    began = cloud.clock.now()
    body = {"server": {"name": "script", **of, "networks": [{"port": port_id}]}}
    made = (await cloud.service("compute").post("/servers", body))["server"]["id"]
    await changed(cloud, SERVERS, made, began, _has("ACTIVE"))
    return str(made)


async def without_server(cloud: Cloud, server_id: str) -> None:
    """Delete a server and wait until it is gone."""
    began = cloud.clock.now()
    await cloud.service("compute").delete(f"/servers/{server_id}")
    await changed(cloud, SERVERS, server_id, began, _is_gone)


@dataclass
class Servers:
    """A network with servers, each with a port."""

    cloud: Cloud
    size: int
    net: str = ""
    pairs: list[tuple[str, str]] = field(default_factory=list)

    async def make(self) -> None:
        """Make it all."""
        of, (self.net, _) = await asyncio.gather(
            sources(self.cloud), network(self.cloud, "10.90.0.0/24")
        )

        async def one() -> tuple[str, str]:
            made = await port(self.cloud, self.net)
            return made, await server(self.cloud, made, of)

        self.pairs = await asyncio.gather(*(one() for _ in range(self.size)))

    async def delete(self) -> None:
        """Delete it all."""
        neutron = self.cloud.service("network")

        async def one(port_id: str, server_id: str) -> None:
            await without_server(self.cloud, server_id)
            await neutron.delete(f"/ports/{port_id}")

        await asyncio.gather(*(one(*each) for each in self.pairs))
        await neutron.delete(f"/networks/{self.net}")


@dataclass
class Node:
    """A server of the landscape with what belongs to it."""

    port: str
    server: str
    volume: str
    address: str


@dataclass
class Landscape:
    """A network that leads outside; servers with ports, volumes and floating IPs."""

    cloud: Cloud
    size: int
    parts: dict[str, str] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)

    async def make(self) -> None:
        """Make it all."""
        neutron = self.cloud.service("network")
        public = (await neutron.list_all("/networks", "networks", {"name": "public"}))[0]["id"]
        tasks = asyncio.TaskGroup()
        async with tasks:
            of = tasks.create_task(sources(self.cloud))
            inner = tasks.create_task(network(self.cloud, "10.91.0.0/24"))
            router = tasks.create_task(self._router(public))
            group = tasks.create_task(self._group())
            interface = tasks.create_task(self._interface(router, inner))
            made = [
                tasks.create_task(self._node(public, of, inner, group, interface))
                for _ in range(self.size)
            ]
        self.nodes = [each.result() for each in made]
        net, subnet = inner.result()
        self.parts = {"net": net, "subnet": subnet, "router": await router, "group": await group}

    async def _router(self, public: str) -> str:
        body = {"name": "script", "external_gateway_info": {"network_id": public}}
        neutron = self.cloud.service("network")
        return str((await neutron.post("/routers", {"router": body}))["router"]["id"])

    async def _group(self) -> str:
        neutron, body = self.cloud.service("network"), {"security_group": {"name": "script"}}
        group = (await neutron.post("/security-groups", body))["security_group"]["id"]
        rule = {"protocol": "tcp", "port_range_min": 22, "port_range_max": 22}
        rule |= {"direction": "ingress", "security_group_id": group}
        await neutron.post("/security-group-rules", {"security_group_rule": rule})
        return str(group)

    async def _interface(
        self, router: asyncio.Task[str], inner: asyncio.Task[tuple[str, str]]
    ) -> None:
        path = f"/routers/{await router}/add_router_interface"
        await self.cloud.service("network").put(path, {"subnet_id": (await inner)[1]})

    async def _node(
        self,
        public: str,
        of: asyncio.Task[Object],
        inner: asyncio.Task[tuple[str, str]],
        group: asyncio.Task[str],
        interface: asyncio.Task[None],
    ) -> Node:
        volume = asyncio.create_task(self._volume())
        made = await port(self.cloud, (await inner)[0], security_groups=[await group])
        address = asyncio.create_task(self._address(public, made, interface))
        found = await server(self.cloud, made, await of)
        began = self.cloud.clock.now()
        body = {"volumeAttachment": {"volumeId": await volume}}
        await self.cloud.service("compute").post(f"/servers/{found}/os-volume_attachments", body)
        await changed(self.cloud, VOLUMES, await volume, began, _has("in-use"))
        return Node(made, found, await volume, await address)

    async def _volume(self) -> str:
        began = self.cloud.clock.now()
        body = {"volume": {"name": "script", "size": 1}}
        made = (await self.cloud.service("block-storage").post("/volumes", body))["volume"]["id"]
        await changed(self.cloud, VOLUMES, made, began, _has("available"))
        return str(made)

    async def _address(self, public: str, port_id: str, interface: asyncio.Task[None]) -> str:
        await interface
        body = {"floatingip": {"floating_network_id": public, "port_id": port_id}}
        made = await self.cloud.service("network").post("/floatingips", body)
        return str(made["floatingip"]["id"])

    async def delete(self) -> None:
        """Delete it all."""
        neutron, parts = self.cloud.service("network"), self.parts
        async with asyncio.TaskGroup() as tasks:
            addresses = [
                tasks.create_task(neutron.delete(f"/floatingips/{each.address}"))
                for each in self.nodes
            ]
            tasks.create_task(self._no_router(addresses))
            for each in self.nodes:
                tasks.create_task(self._no_node(each))
        await asyncio.gather(
            neutron.delete(f"/security-groups/{parts['group']}"),
            self._no_network(),
        )

    async def _no_router(self, addresses: list[asyncio.Task[bool]]) -> None:
        await asyncio.wait(addresses)
        neutron, path = self.cloud.service("network"), f"/routers/{self.parts['router']}"
        await neutron.put(f"{path}/remove_router_interface", {"subnet_id": self.parts["subnet"]})
        await neutron.delete(path)

    async def _no_network(self) -> None:
        neutron = self.cloud.service("network")
        await neutron.delete(f"/subnets/{self.parts['subnet']}")
        await neutron.delete(f"/networks/{self.parts['net']}")

    async def _no_node(self, node: Node) -> None:
        began, nova = self.cloud.clock.now(), self.cloud.service("compute")
        await nova.delete(f"/servers/{node.server}/os-volume_attachments/{node.volume}")
        await changed(self.cloud, VOLUMES, node.volume, began, _has("available"))
        await asyncio.gather(self._no_server(node), self._no_volume(node))

    async def _no_server(self, node: Node) -> None:
        await without_server(self.cloud, node.server)
        await self.cloud.service("network").delete(f"/ports/{node.port}")

    async def _no_volume(self, node: Node) -> None:
        began = self.cloud.clock.now()
        await self.cloud.service("block-storage").delete(f"/volumes/{node.volume}")
        await changed(self.cloud, VOLUMES, node.volume, began, _is_gone)
