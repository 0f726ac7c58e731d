"""How long each operation on a large stack holds whoever writes, by the processor's time.

`python -m tests.benchmarks.held 10000` prints the longest transaction of each operation. Not among
the benchmarks of `make bench`: it takes a minute or two.
"""

import argparse
import asyncio
import tempfile
import threading
import time
from collections.abc import Awaitable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from hotplate.engine.embedded import Embedded, embedded, sealed
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.acceptance import Options
from hotplate.engine.requests.adoption import adopted_recipe, adopted_resources
from hotplate.model import Action, NodeState, Status
from hotplate.store.database import transact
from hotplate.store.purge import purge

_HEAD = "heat_template_version: wallaby\nresources:\n"
_SLOW = "{type: OS::Heat::TestResource, properties: {action_wait_secs: {create: 600}, value: x}}"


def flat(count: int, more: str = "") -> str:
    """Return a template of resources that need nothing of each other."""
    rows = "".join(f"  r{at}: {{type: OS::Heat::RandomString}}\n" for at in range(count))
    return _HEAD + rows + more


def failing(count: int) -> str:
    """Return a template with a resource that fails early."""
    return flat(
        count,
        "  bad: {type: OS::Heat::TestResource, depends_on: [r0, r20],"
        " properties: {fail: true, value: x}}\n",
    )


def waiting(count: int) -> str:
    """Return a template in which all others wait for a resource that takes long."""
    rows = [f"  r{at}: {{type: OS::Heat::RandomString, depends_on: slow}}\n" for at in range(count)]
    return f"{_HEAD}  slow: {_SLOW}\n" + "".join(rows)


def all_waiting(count: int) -> str:
    """Return a template of resources that all take long."""
    return _HEAD + "".join(f"  r{at}: {_SLOW}\n" for at in range(count))


def nested(count: int, member: str) -> Recipe:
    """Return a group of nested stacks."""
    text = (
        f"{_HEAD}  group: {{type: OS::Heat::ResourceGroup, properties: {{count: {count},"
        " resource_def: {type: member.yaml}}}\n"
    )
    return Recipe(text, {"member.yaml": member})


class Watched:
    """An engine whose transactions are measured."""

    def __init__(self, engine: Embedded) -> None:
        self.engine = engine
        self.operations = engine.operations
        self._held: list[tuple[float, str]] = []
        self._thread = threading.local()
        inner = engine.database.transact
        engine.database.observe = self._observe

        async def noting(work: Any) -> Any:
            def named(connection: Connection) -> Any:
                self._thread.name = _name(work)
                return work(connection)

            return await inner(named)

        engine.database.transact = noting  # type: ignore[method-assign]

    def _observe(self, kind: str, seconds: float) -> None:
        before, now = getattr(self._thread, "now", 0.0), time.thread_time()
        self._thread.now = now
        if kind == "write":
            self._held.append((now - before, getattr(self._thread, "name", "")))

    async def measured(self, name: str, step: Awaitable[Any]) -> Any:
        """Do a step of an operation, wait until there is rest; print what it held at most."""
        self._held.clear()
        found = await step
        await self._rest()
        worst = sorted(self._held, reverse=True)[:3]
        told = ", ".join(f"{seconds * 1e3:.0f} ms {what}" for seconds, what in worst)
        print(f"{name:44} {told}", flush=True)
        return found

    async def _rest(self) -> None:
        """Wait until nothing is ready or in hand, but what takes long."""
        quiet = 0
        while quiet < 4:
            await asyncio.sleep(0.25)
            busy = await self.engine.database.read(_busy)
            quiet = 0 if busy else quiet + 1

    async def ended(self, stack_id: str) -> Status:
        """Wait until a stack has ended; return how."""
        while True:
            stack = await self.operations.stack(stack_id)
            if stack.status is not Status.IN_PROGRESS:
                return stack.status
            await asyncio.sleep(0.05)


def _busy(connection: Connection) -> int:
    found = connection.exec_driver_sql(
        f"SELECT count(*) FROM node WHERE state IN ('{NodeState.READY.value}',"
        f" '{NodeState.CLAIMED.value}')"
    )
    return int(found.scalar() or 0)


def _name(work: Any) -> str:
    while True:
        if hasattr(work, "keywords") and "work" in work.keywords:
            work = work.keywords["work"]
        elif hasattr(work, "func"):
            work = work.func
        else:
            return str(getattr(work, "__qualname__", work)).replace(".<locals>", "")


async def _flat_lives(watched: Watched, count: int) -> None:
    operations, measured = watched.operations, watched.measured
    made = await measured("create", operations.create("p", "a", Recipe(flat(count))))
    await measured("update that fails", operations.update(made, Recipe(failing(count + 5))))
    await measured("roll back", operations.roll_back(made))
    back = Options(rollback=True)
    await measured(
        "update that fails and goes back", operations.update(made, Recipe(failing(count)), back)
    )
    for action in (Action.SUSPEND, Action.RESUME, Action.CHECK):
        await measured(action.value.lower(), operations.visit(made, action))
    kept = await measured("snapshot", operations.take_snapshot(made, "s"))
    await measured("restore", operations.restore(made, kept))
    await measured("delete the snapshot", operations.delete_snapshot(made, kept))
    document = await measured("abandon", operations.abandon(made))
    recipe, resources = adopted_recipe(document, {}, {}), adopted_resources(document)
    made = await measured("adopt", operations.adopt("p", "b", recipe, resources))
    await measured("delete", operations.delete(made))
    made = await measured("create that fails", operations.create("p", "c", Recipe(failing(count))))
    await measured("delete what failed", operations.delete(made))
    for name, text in (("most wait", waiting(count)), ("all wait", all_waiting(count))):
        made = await measured(
            f"create ({name})", operations.create("p", name.replace(" ", "-"), Recipe(text))
        )
        await measured(f"cancel ({name})", operations.cancel(made, False))
        await measured(f"retry ({name})", operations.retry(made))
        await measured(f"delete ({name})", operations.delete(made))


async def _nested_lives(watched: Watched, count: int) -> None:
    operations, measured = watched.operations, watched.measured
    few = max(1, count // 20)
    recipe = nested(few, flat(18, f"  slow: {_SLOW}\n"))
    made = await measured(f"create {few} nested stacks", operations.create("p", "n", recipe))
    await measured("cancel them", operations.cancel(made, False))
    await measured("roll back", operations.roll_back(made))
    recipe = nested(few, flat(19))
    made = await measured(f"create {few} nested stacks", operations.create("p", "m", recipe))
    document = await measured("abandon them", operations.abandon(made))
    recipe, resources = adopted_recipe(document, {}, {}), adopted_resources(document)
    made = await measured("adopt them", operations.adopt("p", "b", recipe, resources))
    await measured("delete them", operations.delete(made))


async def _main(count: int, shape: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        async with embedded(
            path / "bench.db", open_database=sealed(path / "secrets.key")
        ) as engine:
            watched = Watched(engine)
            if shape in ("", "flat"):
                await _flat_lives(watched, count)
            if shape in ("", "nested"):
                await _nested_lives(watched, count)
            _purge(watched)


def _purge(watched: Watched) -> None:
    from hotplate.store import purge as module  # noqa: PLC0415

    longest: list[tuple[float, str]] = []

    def timed(engine: Any, work: Any) -> Any:
        before = time.thread_time()
        found = transact(engine, work)
        longest.append((time.thread_time() - before, _name(work)))
        return found

    with suppress(AttributeError):
        module.transact = timed  # type: ignore[attr-defined]
    purge(watched.engine.database.engine, stack_age=0.0, event_age=0.0)
    worst = sorted(longest, reverse=True)[:3]
    told = ", ".join(f"{seconds * 1e3:.0f} ms {what}" for seconds, what in worst)
    print(f"{'purge':44} {told}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=10_000)
    parser.add_argument("--shape", choices=("flat", "nested"), default="")
    chosen = parser.parse_args()
    asyncio.run(_main(chosen.count, chosen.shape))
