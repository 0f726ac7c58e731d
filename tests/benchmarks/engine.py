"""What the engine costs on SQLite, beside the same rows written with bare sqlite3."""

import asyncio
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic, process_time
from typing import Any

from hotplate.dispatch import LocalDispatcher
from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import RecipeBook
from hotplate.engine.requests.operations import Operations
from hotplate.engine.worker.garbage_collection import collecting_seldom
from hotplate.engine.worker.worker import Worker
from hotplate.engine.world import RealWorld
from hotplate.model import Status
from hotplate.resources.catalogue import installed
from hotplate.store.database import Database
from hotplate.store.sealing import KeyFile, Sealer
from hotplate.store.upgrade import upgrade
from tests.benchmarks.figure import Figure, measure

_HEAD = "heat_template_version: wallaby\nresources:\n"


def flat(count: int, changed: bool = False) -> str:
    rows = [f'  r{i}: {{type: "OS::Heat::RandomString"}}' for i in range(count)]
    if changed:
        rows[0] = '  r0: {type: "OS::Heat::RandomString", properties: {length: 9}}'
    return _HEAD + "\n".join(rows) + "\n"


def chain(count: int, changed: bool = False) -> str:
    rows = [f"  r0: {{type: OS::Heat::Value, properties: {{value: {'b' if changed else 'a'}}}}}"]
    rows += [
        f"  r{i}: {{type: OS::Heat::Value, properties: {{value: {{get_attr: [r{i - 1}, value]}}}}}}"
        for i in range(1, count)
    ]
    return _HEAD + "\n".join(rows) + "\n"


def diamond(count: int, changed: bool = False) -> str:
    rows = [f"  top: {{type: OS::Heat::Value, properties: {{value: {'b' if changed else 'a'}}}}}"]
    rows += [
        f"  r{i}: {{type: OS::Heat::Value, properties: {{value: {{get_attr: [top, value]}}}}}}"
        for i in range(count)
    ]
    names = ", ".join(f"r{i}" for i in range(count))
    rows.append(
        f"  bottom: {{type: OS::Heat::Value, depends_on: [{names}], properties: {{value: x}}}}"
    )
    return _HEAD + "\n".join(rows) + "\n"


def sleepers(count: int) -> str:
    row = '  r{}: {{type: "OS::Heat::TestResource", properties: {{wait_secs: 5}}}}\n'
    return _HEAD + "".join(row.format(i) for i in range(count))


@asynccontextmanager
async def engine(path: Path, is_sealed: bool = False) -> AsyncIterator[Operations]:
    sealer = Sealer(KeyFile(path.with_name("secrets.key"))) if is_sealed else None
    database = Database(f"sqlite:///{path}", sealer=sealer)
    upgrade(database.engine)
    types = installed()
    tools = Tools(RealWorld(), RecipeBook(types), types)
    dispatcher = LocalDispatcher()
    worker = Worker(database, tools, dispatcher)
    await worker.start()
    running = asyncio.create_task(worker.run())
    try:
        with collecting_seldom():
            yield Operations(database, tools, dispatcher)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await worker.stop()
        database.close()


async def ended(operations: Operations, stack_id: str) -> None:
    while True:
        stack = await operations.stack(stack_id)
        if stack.status is not Status.IN_PROGRESS:
            break
        await asyncio.sleep(0.02)
    assert stack.status is Status.COMPLETE, stack.reason


async def life(make: Callable[..., str], count: int, is_sealed: bool = False) -> dict[str, float]:
    """Return CPU seconds of a stack's four operations."""
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        async with engine(Path(folder) / "bench.db", is_sealed) as operations:
            start = process_time()
            stack_id = await operations.create("bench", "stack", Recipe(make(count)))
            await ended(operations, stack_id)
            seconds["create"] = process_time() - start
            for step, text in (("no change", make(count)), ("one change", make(count, True))):
                start = process_time()
                await operations.update(stack_id, Recipe(text))
                await ended(operations, stack_id)
                seconds[step] = process_time() - start
            start = process_time()
            await operations.delete(stack_id)
            await ended(operations, stack_id)
            seconds["delete"] = process_time() - start
    return seconds


def floor(count: int) -> None:
    """Write what a flat stack writes, and nothing else: versions, nodes, events."""
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "floor.db")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE version (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT)")
        connection.execute("CREATE TABLE node (id INTEGER PRIMARY KEY, a TEXT, state TEXT)")
        connection.execute("CREATE TABLE event (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT)")
        text = json.dumps({"properties": {}})
        rows = range(count)
        connection.executemany(
            "INSERT INTO version VALUES (?, ?, ?, ?)", ((i, "n", text, "") for i in rows)
        )
        connection.executemany(
            "INSERT INTO node VALUES (?, ?, ?)", ((i, "n", "ready") for i in rows)
        )
        connection.executemany(
            "UPDATE node SET state = 'claimed' WHERE id = ?", ((i,) for i in rows)
        )
        connection.executemany("UPDATE version SET c = ? WHERE id = ?", ((text, i) for i in rows))
        connection.executemany("UPDATE node SET state = 'done' WHERE id = ?", ((i,) for i in rows))
        connection.executemany(
            "INSERT INTO event (a, b, c) VALUES (?, ?, ?)",
            (("n", "x", text) for _ in range(2 * count)),
        )
        connection.commit()
        connection.close()


def figures() -> Iterator[Figure]:
    yield measure("bare sqlite3, the rows of a flat stack of 1,000", 1_000, lambda: floor(1_000))
    baselines: dict[str, str] = {}
    shapes: tuple[tuple[str, Callable[..., str], int], ...] = (
        ("flat", flat, 1_000),
        ("flat", flat, 10_000),
        ("chain", chain, 1_000),
        ("diamond", diamond, 1_000),
    )
    for shape, make, count in shapes:
        for step, seconds in asyncio.run(life(make, count)).items():
            name = f"{step}, {shape} stack of {count:,}"
            baseline = baselines.get(f"{shape} {step}", "")
            if shape == "flat" and count == 1_000 and step == "create":
                baseline = "bare sqlite3, the rows of a flat stack of 1,000"
            if shape == "chain":
                # What it costs that each resource has to wait for the one before.
                baseline = f"{step}, flat stack of {count:,}"
            yield Figure(name, count, seconds, baseline)
            baselines[f"{shape} {step}"] = name
    alone = json.loads(
        subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.engine"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    )
    yield Figure("10,000 resources that sleep 5 s each, seconds by the clock", 1, alone["seconds"])
    yield Figure("peak memory at 10,000 resources, MB", 1, alone["megabytes"])


async def _alone() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        async with engine(Path(folder) / "bench.db") as operations:
            start = monotonic()
            stack_id = await operations.create("bench", "stack", Recipe(sleepers(10_000)))
            await ended(operations, stack_id)
            seconds = monotonic() - start
    return {
        "seconds": seconds,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_alone())))
