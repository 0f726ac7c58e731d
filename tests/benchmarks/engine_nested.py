"""What a group of stacks costs on SQLite: each member is a stack with resources of its own.

With HEAT_URL and OS_* of a Heat (see `tests/benchmarks/api.py`) a smaller group lives there too.
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import perf_counter, process_time

import httpx

from hotplate.engine.embedded import embedded
from hotplate.engine.recipes import Recipe
from hotplate.server.service import application
from tests.acceptance.serving import COMMAND, serving
from tests.benchmarks.api import Server, cpu_seconds, heat_server
from tests.benchmarks.engine import ended
from tests.benchmarks.figure import Figure

MEMBERS = 1_000
INSIDE = 3
GROWTH = 10
LIVES = 5
SMALL = 100
"""Members of the group that is put beside Heat's."""

RESOURCES = 1 + MEMBERS + MEMBERS * INSIDE

_NUMBERS = count(1)
_GROUP = """\
heat_template_version: wallaby
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: {count}
      resource_def: {{type: member.yaml, properties: {{index: "%index%"}}}}
"""
_MEMBER = """\
heat_template_version: wallaby
parameters: {index: {type: string}}
resources:
"""


def group(members: int, inside: int) -> Recipe:
    """Return a group whose members are made from one template file."""
    rows = (f'  r{at}: {{type: "OS::Heat::RandomString"}}\n' for at in range(inside))
    return Recipe(_GROUP.format(count=members), {"member.yaml": _MEMBER + "".join(rows)})


def figures() -> Iterator[Figure]:
    """All of it in a process of its own, because its memory is measured too."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.engine_nested"],
        check=True,
        capture_output=True,
        text=True,
    )
    measured: dict[str, float] = json.loads(done.stdout)
    megabytes = measured.pop("megabytes")
    for step, seconds in measured.items():
        things = RESOURCES + (GROWTH * (1 + INSIDE) if step in ("list", "delete") else 0)
        yield Figure(f"{step}, group of {MEMBERS:,} stacks of {INSIDE}", things, seconds)
    yield Figure(f"peak memory with {MEMBERS + 1:,} stacks, MB", 1, megabytes)
    yield from _beside_heat()


async def _life() -> dict[str, float]:
    measured: dict[str, float] = {}
    recipe = group(MEMBERS, INSIDE)

    @contextmanager
    def measuring(step: str) -> Iterator[None]:
        start = process_time()
        yield
        measured[step] = process_time() - start

    with tempfile.TemporaryDirectory() as folder:
        async with embedded(Path(folder) / "bench.db") as running:
            operations = running.operations
            transport = httpx.ASGITransport(application(running))
            client = httpx.AsyncClient(transport=transport, base_url="http://localhost")
            with measuring("create"):
                stack_id = await operations.create("bench", "stack", recipe)
                await ended(operations, stack_id)
            with measuring("no change"):
                await operations.update(stack_id, recipe)
                await ended(operations, stack_id)
            with measuring(f"grow by {GROWTH}"):
                await operations.update(stack_id, group(MEMBERS + GROWTH, INSIDE))
                await ended(operations, stack_id)
            with measuring("list"):
                path = f"/v1/bench/stacks/stack/{stack_id}/resources?nested_depth=MAX"
                answer = await client.get(path)
            assert len(answer.json()["resources"]) == RESOURCES + GROWTH * (1 + INSIDE)
            with measuring("delete"):
                await operations.delete(stack_id)
                await ended(operations, stack_id)
            await client.aclose()
    measured["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return measured


def _beside_heat() -> Iterator[Figure]:
    """The same life of a smaller group over HTTP, by the clock, beside a Heat if there is one."""
    with serving("--log-level", "warning", command=COMMAND) as served:
        servers = [Server("hotplate", served.endpoint("bench"), "any")]
        heat = heat_server()
        if heat is not None:
            servers.insert(0, heat)
        lives = {server.name: _best_life(server) for server in servers}
        burnt = _best_life(servers[-1], lambda: cpu_seconds(served.process.pid))
    for step in lives["hotplate"]:
        for name, steps in lives.items():
            words = f"{step}, {SMALL} stacks of {INSIDE}, over HTTP"
            baseline = f"heat: {words}" if name == "hotplate" and "heat" in lives else ""
            things = 1 + SMALL * (1 + INSIDE)
            yield Figure(f"{name}: {words}", things, steps[step], baseline=baseline)
        # What the clock shows on a machine that has nothing else to do.
        words = f"hotplate: {step}, CPU of the server"
        baseline = f"heat: {step}, {SMALL} stacks of {INSIDE}, over HTTP" if heat else ""
        yield Figure(words, things, burnt[step], baseline=baseline)


def _best_life(server: Server, clock: Callable[[], float] = perf_counter) -> dict[str, float]:
    """Return the best of each step; a life that is over soon is lived several times.

    Somebody else's work on the machine hardly shows in minutes, but very much in half a second.
    """
    start = perf_counter()
    lives = [_life_over_http(server, clock)]
    while len(lives) < LIVES and perf_counter() - start < 60:
        lives.append(_life_over_http(server, clock))
    return {step: min(life[step] for life in lives) for step in lives[0]}


def _life_over_http(server: Server, clock: Callable[[], float]) -> dict[str, float]:
    """Return the seconds, by a clock, of each step of a group's life."""
    seconds: dict[str, float] = {}

    @contextmanager
    def measuring(step: str) -> Iterator[None]:
        start = clock()
        yield
        seconds[step] = clock() - start

    with measuring("create"):
        path = server.create(f"nested-{os.getpid()}-{next(_NUMBERS)}", SMALL, INSIDE)
    with measuring("list"):
        found = server.ask("GET", f"{path}/resources?nested_depth=5")["resources"]
    assert len(found) == 1 + SMALL * (1 + INSIDE)
    with measuring("no change"):
        server.update(path, SMALL, INSIDE)
    with measuring(f"grow by {GROWTH}"):
        server.update(path, SMALL + GROWTH, INSIDE)
    with measuring("delete"):
        server.delete(path)
    return seconds


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_life())))
