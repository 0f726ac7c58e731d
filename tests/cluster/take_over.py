"""How long it takes until others go on with what a killed worker had in hand.

`python -m tests.cluster.take_over postgresql|mariadb here|elsewhere` kills KILLS (20) workers, each
of which has 50 creations in hand, and prints how long it took until another one had all of them.
With "elsewhere" no worker can see the processes of the others, as if each had its own machine.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from hotplate.engine import embedded
from hotplate.engine.recipes import Recipe
from hotplate.resources.catalogue import Catalogue
from hotplate.server.broker import dispatching_over
from tests.cluster.processes import Cluster, own_queue
from tests.cluster.slow_worker import Slow
from tests.cluster.test_take_over import TEMPLATE, until_begun
from tests.databases import start_mariadb, start_postgresql
from tests.rabbitmq import start_broker

_ROUND = 10
"""Kills that one stack survives: a message is laid aside after 20 deliveries."""


async def measured(cluster: Cluster, place: str, kills: int) -> list[float]:
    """Return the seconds of each take-over."""
    found: list[float] = []
    role = embedded.Role(dispatching=dispatching_over(cluster.broker), is_working=False)
    catalogue = Catalogue([Slow()])
    async with embedded.embedded(cluster.database, catalogue=catalogue, role=role) as engine:
        while len(found) < kills:
            folder = cluster.folder / f"begun-{len(found)}"
            folder.mkdir()
            program = ("tests.cluster.slow_worker", str(folder), place)
            first = await asyncio.to_thread(cluster.start_program, *program)
            await engine.operations.create("p", f"s{len(found)}", Recipe(TEMPLATE))
            await asyncio.to_thread(until_begun, folder, first.pid)
            for _ in range(min(_ROUND, kills - len(found))):
                second = await asyncio.to_thread(cluster.start_program, *program)
                first.kill()
                found.append(await asyncio.to_thread(until_begun, folder, second.pid))
                print(f"{found[-1]:.2f}", end=" ", flush=True)
                first = second
            (folder / "go").touch()
            await asyncio.to_thread(first.stop)
    return found


def main(kind: str, place: str) -> None:
    server = start_postgresql() if kind == "postgresql" else start_mariadb()
    broker = start_broker()
    try:
        with tempfile.TemporaryDirectory() as name:
            cluster = Cluster(Path(name), server.new_database(), own_queue(broker))
            try:
                kills = int(os.environ.get("KILLS", "20"))
                found = sorted(asyncio.run(measured(cluster, place, kills)))
            finally:
                cluster.close()
    finally:
        broker.remove()
        server.stop()
    middle, late = found[len(found) // 2], found[int(len(found) * 0.99)]
    print(
        f"\n{kind}, {place}: 50 creations of each of {len(found)} killed workers went on after "
        f"p50 {middle:.2f} s, p99 {late:.2f} s, at most {found[-1]:.2f} s"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
