"""What a stack costs in a cloud: requests and seconds, beside a script that makes the same objects.

    make bench-cloud

The script knows beforehand what to do and does it with full concurrency. With PEER_HEAT=COMMAND the
command is run afterwards with `--template FILE` for each of the stacks: it prints what a Heat on
the same cloud needs. SHOW=1 prints the requests, too, SIZE=20 makes 20 servers instead of 50, ONLY
names one of the stacks ("landscape", "servers"), RUNS=3 measures script and stack three times.
"""

import asyncio
import json
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
from hotplate.cloud.settings import CloudSettings
from hotplate.cloud.wire import Answer, HttpWire
from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from tests.benchmarks.engine import ended
from tests.cloud.bench_scripts import Landscape, Servers
from tests.cloud.box.control import up
from tests.cloud.box.places import credentials

_TOKENS: Final = "/auth/tokens"


class CountingWire(HttpWire):
    """Counts the requests to services; tokens are asked for once and do not count."""

    def __init__(self, settings: CloudSettings) -> None:
        super().__init__(settings)
        self.requests = 0
        self.asked: list[str] = []

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        if not url.endswith(_TOKENS):
            self.requests += 1
            self.asked.append(f"{method} {url}")
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
    if os.environ.get("SHOW"):
        print(f"{name}:", *wire.asked, sep="\n  ")
    wire.asked.clear()
    return found


def landscape(size: int) -> str:
    """A network that leads outside, and nodes: a server with a port, a volume and a floating IP."""
    network = {
        "net": _resource("OS::Neutron::Net"),
        "subnet": _resource("OS::Neutron::Subnet", network=_ref("net"), cidr="10.88.0.0/24"),
        "router": _resource("OS::Neutron::Router", external_gateway_info={"network": "public"}),
        "interface": _resource(
            "OS::Neutron::RouterInterface", router=_ref("router"), subnet=_ref("subnet")
        ),
        "access": _resource(
            "OS::Neutron::SecurityGroup",
            rules=[{"protocol": "tcp", "port_range_min": 22, "port_range_max": 22}],
        ),
    }
    return _template(network, *(_node(at) for at in range(size)))


def _node(at: int) -> dict[str, Any]:
    attachment = {"instance_uuid": _ref(f"server{at}"), "volume_id": _ref(f"volume{at}")}
    return {
        **_server(at, security_groups=[_ref("access")]),
        f"volume{at}": _resource("OS::Cinder::Volume", size=1),
        f"attachment{at}": _resource("OS::Cinder::VolumeAttachment", **attachment),
        f"address{at}": {
            **_resource(
                "OS::Neutron::FloatingIP", floating_network="public", port_id=_ref(f"port{at}")
            ),
            # Heat does not see by itself that the interface must be there.
            "depends_on": "interface",
        },
    }


def servers(size: int) -> str:
    """A network with servers, each with a port of its own."""
    network = {
        "net": _resource("OS::Neutron::Net"),
        "subnet": _resource("OS::Neutron::Subnet", network=_ref("net"), cidr="10.89.0.0/24"),
    }
    return _template(network, *(_server(at) for at in range(size)))


def _server(at: int, **port: Any) -> dict[str, Any]:
    networks = [{"port": _ref(f"port{at}")}]
    return {
        f"port{at}": _resource("OS::Neutron::Port", network=_ref("net"), **port),
        f"server{at}": _resource(
            "OS::Nova::Server", image="cirros", flavor="m1.tiny", networks=networks
        ),
    }


def _resource(kind: str, **properties: Any) -> dict[str, Any]:
    return {"type": kind, "properties": properties}


def _ref(name: str) -> dict[str, str]:
    return {"get_resource": name}


def _template(*parts: Mapping[str, Any]) -> str:
    resources = {name: each for part in parts for name, each in part.items()}
    return json.dumps({"heat_template_version": "2018-08-31", "resources": resources})


async def engine_life(template: str) -> Costs:
    """Create, update without a change, delete: by the engine."""
    costs = Costs()
    recipe = Recipe(template)
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


async def script_life(script: Callable[[Cloud], Servers | Landscape]) -> Costs:
    """Make and delete the same by a script, as fast as the services allow."""
    costs = Costs()
    async with counted() as (cloud, wire):
        made = script(cloud)
        await measured(costs, "create", wire, made.make)
        await measured(costs, "delete", wire, made.delete)
    return costs


def _print(name: str, costs: Costs, baseline: Costs | None = None) -> None:
    for part, requests in costs.requests.items():
        ratio = ""
        if baseline is not None and part in baseline.seconds:
            ratio = f"  {costs.seconds[part] / baseline.seconds[part]:.2f}x of the script"
        print(
            f"{name:28} {part:10} {requests:5} requests {costs.seconds[part]:8.1f} s{ratio}",
            flush=True,
        )


def main() -> None:
    """Print the figures."""
    os.environ["no_proxy"] = "127.0.0.1"
    up()
    size = int(os.environ.get("SIZE", "50"))
    stacks: dict[str, tuple[str, Callable[[Cloud], Servers | Landscape]]] = {
        "landscape of 5 nodes": (landscape(5), lambda cloud: Landscape(cloud, 5)),
        f"{size} servers": (servers(size), lambda cloud: Servers(cloud, size)),
    }
    chosen = os.environ.get("ONLY", "")
    stacks = {name: each for name, each in stacks.items() if chosen in name}
    for name, (template, script) in stacks.items():
        for _ in range(int(os.environ.get("RUNS", "1"))):
            baseline = asyncio.run(script_life(script))
            _print(f"{name}, script", baseline)
            _print(name, asyncio.run(engine_life(template)), baseline)
    templates = {name: template for name, (template, _) in stacks.items()}
    if peer := os.environ.get("PEER_HEAT"):
        for name, template in templates.items():
            print(f"Heat, {name}", flush=True)
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write(template)
                file.flush()
                subprocess.run([*shlex.split(peer), "--template", file.name], check=True)


if __name__ == "__main__":
    main()
