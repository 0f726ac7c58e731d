"""Stacks of many resources leave and come back in portions."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from hotplate.dispatch import LocalDispatcher
from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe, RecipeBook
from hotplate.engine.requests.adoption import adopted_recipe, adopted_resources
from hotplate.engine.requests.operations import Operations
from hotplate.engine.worker.worker import Worker
from hotplate.engine.world import RealWorld
from hotplate.model import Status
from hotplate.resources.catalogue import installed
from hotplate.store.database import Database
from hotplate.store.schema import node, version
from hotplate.store.upgrade import upgrade
from tests.databases import new_sqlite_file

_PORTION = 3
_INNER = """\
heat_template_version: wallaby
resources:
  s: {type: OS::Heat::RandomString}
"""
_TEMPLATE = (
    "heat_template_version: wallaby\nresources:\n"
    + "".join(f"  r{at}: {{type: OS::Heat::RandomString}}\n" for at in range(10))
    + "  inner: {type: inner.yaml}\n"
)


@asynccontextmanager
async def _engine(path: Path) -> AsyncIterator[tuple[Operations, Database]]:
    database = Database(f"sqlite:///{new_sqlite_file(path)}")
    upgrade(database.engine)
    types = installed()
    tools = Tools(RealWorld(), RecipeBook(types), types, portion=_PORTION)
    dispatcher = LocalDispatcher()
    worker = Worker(database, tools, dispatcher)
    await worker.start()
    running = asyncio.create_task(worker.run())
    try:
        yield Operations(database, tools, dispatcher), database
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await worker.stop()
        database.close()


async def _ended(operations: Operations, stack_id: str) -> None:
    while True:
        stack = await operations.stack(stack_id)
        if stack.status is not Status.IN_PROGRESS:
            break
        await asyncio.sleep(0.01)
    assert stack.status is Status.COMPLETE, stack.reason


async def _left(database: Database) -> tuple[int, int]:
    def count(connection: Any) -> tuple[int, int]:
        versions = connection.execute(select(func.count()).select_from(version)).scalar()
        nodes = connection.execute(select(func.count()).select_from(node)).scalar()
        return versions, nodes

    return await database.read(count)


def _ids(document: Any) -> dict[str, str]:
    return {name: each["resource_id"] for name, each in document["resources"].items()}


def test_what_was_abandoned_comes_back_with_its_objects(tmp_path: Path) -> None:
    async def story() -> None:
        async with _engine(tmp_path / "db") as (operations, database):
            recipe = Recipe(_TEMPLATE, {"inner.yaml": _INNER})
            made = await operations.create("p", "a", recipe)
            await _ended(operations, made)
            document = await operations.abandon(made)
            for _ in range(3000):
                if await _left(database) == (0, 0):
                    break
                await asyncio.sleep(0.01)
            assert await _left(database) == (0, 0)
            resources = adopted_resources(document)
            adopted = await operations.adopt("p", "b", adopted_recipe(document, {}, {}), resources)
            await _ended(operations, adopted)
            again = await operations.export(adopted)
            before, after = _ids(document), _ids(again)
            assert before.pop("inner") != after.pop("inner")  # a nested stack gets its own id
            assert before == after
            inner, inner_again = (
                each["resources"]["inner"]["resources"]["s"]["resource_id"]
                for each in (document, again)
            )
            assert inner == inner_again
            # What was taken over is told once: a change of the stack does not bring it back.
            await operations.update(adopted, Recipe(_TEMPLATE.replace("r9", "new"), recipe.files))
            await _ended(operations, adopted)
            assert (await operations.export(adopted))["resources"]["new"]["resource_id"]

    asyncio.run(story())


def test_what_changes_while_it_is_written_down_is_written_down_anew(tmp_path: Path) -> None:
    async def story() -> None:
        async with _engine(tmp_path / "db") as (operations, database):
            made = await operations.create("p", "a", Recipe(_TEMPLATE, {"inner.yaml": _INNER}))
            await _ended(operations, made)
            inner, times = database.read, []

            async def interfered(work: Any) -> Any:
                found = await inner(work)
                if hasattr(found, "document"):
                    times.append(found)
                    if len(times) == 1:
                        await operations.mark(made, "r3", True, "odd")
                return found

            database.read = interfered  # type: ignore[method-assign]
            document = await operations.abandon(made)
            assert len(times) == 2
            assert document["resources"]["r3"]["action"] == "CHECK"

    asyncio.run(story())
