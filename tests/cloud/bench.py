"""What a stack costs in a cloud: requests and seconds, beside a script that makes the same objects.

    make bench-cloud

The script knows beforehand what to do and does it with full concurrency. With PEER_HEAT=COMMAND the
command is run afterwards: it prints what a Heat on the same cloud needs.
"""

import asyncio
import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from hotplate.cloud import Cloud, load_settings
from hotplate.cloud.polling import SERVERS
from hotplate.cloud.settings import CloudSettings
from hotplate.cloud.wire import Answer, HttpWire
from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from tests.benchmarks.engine import ended
from tests.cloud.box.control import up
from tests.cloud.box.places import credentials

TEMPLATES: Final = Path(__file__).parent / "templates"
FILES: Final = ("node.yaml", "server_with_port.yaml")
_TOKENS: Final = "/auth/tokens"


class CountingWire(HttpWire):
    """Counts the requests to services; tokens are asked for once and do not count."""

    def __init__(self, settings: CloudSettings) -> None:
        super().__init__(settings)
        self.requests = 0

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        self.requests += not url.endswith(_TOKENS)
        return await super().send(method, url, headers, body, seconds)


@dataclass
class Costs:
    """Requests and seconds of each part of a life."""

    requests: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


@asynccontextmanager
async def counted() -> AsyncIterator[tuple[Cloud, CountingWire]]:
    """The test cloud, with a wire that counts."""
    settings = load_settings(credentials("alt"))
    wire = CountingWire(settings)
    async with Cloud(settings, wire) as cloud:
        yield cloud, wire


async def measured(
    costs: Costs, name: str, wire: CountingWire, work: Callable[[], Awaitable[Any]]
) -> Any:
    """Do a part of a life, and note what it costs."""
    requests, began = wire.requests, time.perf_counter()
    found = await work()
    costs.requests[name] = wire.requests - requests
    costs.seconds[name] = time.perf_counter() - began
    return found


async def engine_life(template: str, size: int) -> Costs:
    """Create, update without a change, delete: by the engine."""
    costs = Costs()
    recipe = Recipe(
        (TEMPLATES / template).read_text().replace("default: 50", f"default: {size}"),
        {name: (TEMPLATES / name).read_text() for name in FILES},
    )
    with tempfile.TemporaryDirectory() as folder:
        async with counted() as (cloud, wire):
            services = {"cloud": cloud}
            async with embedded(Path(folder) / "bench.db", services) as engine:
                stack = await measured(costs, "create", wire, lambda: _create(engine, recipe))
                await measured(costs, "no change", wire, lambda: _update(engine, stack, recipe))
                await measured(costs, "delete", wire, lambda: _delete(engine, stack))
    return costs


async def _create(engine: Embedded, recipe: Recipe) -> str:
    stack = await engine.operations.create("bench", "bench", recipe)
    await ended(engine.operations, stack)
    return stack


async def _update(engine: Embedded, stack: str, recipe: Recipe) -> None:
    await engine.operations.update(stack, recipe)
    await ended(engine.operations, stack)


async def _delete(engine: Embedded, stack: str) -> None:
    await engine.operations.delete(stack)
    await ended(engine.operations, stack)


async def script_life(size: int) -> Costs:
    """Make and delete a network with servers that have ports, as fast as the services allow."""
    costs = Costs()
    async with counted() as (cloud, wire):
        made = await measured(costs, "create", wire, lambda: _make_servers(cloud, size))
        await measured(costs, "delete", wire, lambda: _delete_servers(cloud, *made))
    return costs


async def _make_servers(cloud: Cloud, size: int) -> tuple[str, list[str], list[str]]:
    neutron, nova = cloud.service("network"), cloud.service("compute")
    images = await cloud.service("image").list_all("/images", "images", {"name": "cirros"})
    flavors = await nova.list_all("/flavors", "flavors")
    flavor = next(each["id"] for each in flavors if each["name"] == "m1.tiny")
    net = (await neutron.post("/networks", {"network": {"name": "script"}}))["network"]["id"]
    subnet = {"network_id": net, "cidr": "10.90.0.0/24", "ip_version": 4}
    await neutron.post("/subnets", {"subnet": subnet})

    async def one(at: int) -> tuple[str, str]:
        began = cloud.clock.now()
        port = (await neutron.post("/ports", {"port": {"network_id": net}}))["port"]["id"]
        body = {
            "name": f"script-{at}",
            "imageRef": images[0]["id"],
            "flavorRef": flavor,
            "networks": [{"port": port}],
        }
        server = (await nova.post("/servers", {"server": body}))["server"]["id"]
        while True:
            seen = await cloud.poller.poll(SERVERS, server, began)
            if seen is not None and seen["status"] == "ACTIVE":
                return port, server
            await asyncio.sleep(1)

    pairs = await asyncio.gather(*(one(at) for at in range(size)))
    return net, [port for port, _ in pairs], [server for _, server in pairs]


async def _delete_servers(cloud: Cloud, net: str, ports: list[str], servers: list[str]) -> None:
    neutron, nova = cloud.service("network"), cloud.service("compute")

    async def one(port: str, server: str) -> None:
        began = cloud.clock.now()
        await nova.delete(f"/servers/{server}")
        while True:
            seen = await cloud.poller.poll(SERVERS, server, began)
            if seen is None or seen["status"] == "DELETED":
                break
            await asyncio.sleep(1)
        await neutron.delete(f"/ports/{port}")

    await asyncio.gather(*map(one, ports, servers))
    await neutron.delete(f"/networks/{net}")


def _print(name: str, costs: Costs, baseline: Costs | None = None) -> None:
    for part, requests in costs.requests.items():
        ratio = ""
        if baseline is not None and part in baseline.seconds:
            ratio = f"  {costs.seconds[part] / baseline.seconds[part]:.2f}x of the script"
        print(f"{name:24} {part:10} {requests:5} requests {costs.seconds[part]:8.1f} s{ratio}")


def main() -> None:
    """Print the figures."""
    os.environ["no_proxy"] = "127.0.0.1"
    up()
    size = int(os.environ.get("SIZE", "50"))
    _print("landscape of 5 nodes", asyncio.run(engine_life("landscape.yaml", 5)))
    script = asyncio.run(script_life(size))
    _print(f"script, {size} servers", script)
    _print(f"{size} servers", asyncio.run(engine_life("servers.yaml", size)), script)
    if peer := os.environ.get("PEER_HEAT"):
        subprocess.run(shlex.split(peer), check=True)


if __name__ == "__main__":
    main()
