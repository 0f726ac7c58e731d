"""A worker that dies leaves its messages to the others, who go on with what it had in hand."""

import asyncio
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from hotplate.engine import embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.operations import Operations
from hotplate.model import Status
from hotplate.resources.catalogue import Catalogue
from hotplate.server.broker import dispatching_over
from tests.cluster.processes import PATIENCE, Cluster
from tests.cluster.slow_worker import Slow

COUNT = 50
TEMPLATE = "heat_template_version: wallaby\nresources:\n" + "".join(
    f"  r{number}: {{type: 'Test::Slow'}}\n" for number in range(COUNT)
)


def begun_by(folder: Path, pid: int) -> int:
    """Return how many creations a process has begun."""
    return sum(1 for each in folder.iterdir() if each.name.startswith(f"{pid} "))


def until_begun(folder: Path, pid: int, seconds: float = PATIENCE) -> float:
    """Return how many seconds it took until a process had all of them in hand."""
    begun = time.monotonic()
    while begun_by(folder, pid) < COUNT:
        if time.monotonic() - begun > seconds:
            raise AssertionError(f"{begun_by(folder, pid)} of {COUNT} after {seconds} s")
        time.sleep(0.01)
    return time.monotonic() - begun


def answering(cluster: Cluster) -> embedded.Role:
    return embedded.Role(dispatching=dispatching_over(cluster.broker), is_working=False)


@pytest.mark.parametrize("place", ["here", "elsewhere"])
def test_all_that_a_killed_worker_had_in_hand_goes_on_at_once(cluster: Cluster, place: str) -> None:
    asyncio.run(_killed(cluster, place))


async def _killed(cluster: Cluster, place: str) -> None:
    folder = cluster.folder / "begun"
    folder.mkdir()
    program = ("tests.cluster.slow_worker", str(folder), place)
    catalogue = Catalogue([Slow()])
    async with embedded.embedded(
        cluster.database, catalogue=catalogue, role=answering(cluster)
    ) as engine:
        first = await asyncio.to_thread(cluster.start_program, *program)
        stack_id = await engine.operations.create("p", "s", Recipe(TEMPLATE))
        await asyncio.to_thread(until_begun, folder, first.pid)
        second = await asyncio.to_thread(cluster.start_program, *program)
        first.kill()
        seconds = await asyncio.to_thread(until_begun, folder, second.pid, 5.0)
        print(f"{place}: {COUNT} resources were taken over after {seconds:.2f} s")
        (folder / "go").touch()
        assert await _ended(engine.operations, stack_id) is Status.COMPLETE
        events = await engine.operations.events(stack_id)
        ends = Counter(each.name for each in events if each.status is Status.COMPLETE)
        assert set(ends.values()) == {1}


@pytest.mark.parametrize("server_url", ["postgresql"], indirect=True)
def test_a_worker_that_only_lost_its_connection_keeps_what_it_has(
    cluster: Cluster,
) -> None:
    asyncio.run(_disconnected(cluster))


async def _disconnected(cluster: Cluster) -> None:
    """Both workers are in other processes; the broker closes all connections of the first."""
    folder = cluster.folder / "begun"
    folder.mkdir()
    program = ("tests.cluster.slow_worker", str(folder), "elsewhere")
    catalogue = Catalogue([Slow()])
    async with embedded.embedded(
        cluster.database, catalogue=catalogue, role=answering(cluster)
    ) as engine:
        first = await asyncio.to_thread(cluster.start_program, *program)
        stack_id = await engine.operations.create("p", "s", Recipe(TEMPLATE))
        await asyncio.to_thread(until_begun, folder, first.pid)
        second = await asyncio.to_thread(cluster.start_program, *program)
        first.signal(signal.SIGUSR1)
        await asyncio.sleep(2)
        assert "the connection to the broker has ended" in cluster.log()
        assert begun_by(folder, second.pid) == 0
        (folder / "go").touch()
        assert await _ended(engine.operations, stack_id) is Status.COMPLETE


async def _ended(operations: Operations, stack_id: str) -> Status:
    async with asyncio.timeout(PATIENCE):
        while (stack := await operations.stack(stack_id)).status is Status.IN_PROGRESS:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    return stack.status
