"""Stacks of many resources fail, leave and come back in portions, on every database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import func, select

from hotplate.dispatch import LocalDispatcher
from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import RecipeBook
from hotplate.engine.requests.acceptance import Options
from hotplate.engine.requests.adoption import adopted_recipe, adopted_resources
from hotplate.engine.requests.operations import Operations
from hotplate.engine.worker.worker import Worker
from hotplate.engine.world import RealWorld
from hotplate.model import NodeState, Status
from hotplate.resources.catalogue import installed
from hotplate.store.database import Database, create_tables
from hotplate.store.schema import node, version

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
async def _engine(url: str) -> AsyncIterator[tuple[Operations, Database]]:
    database = Database(url)
    create_tables(database.engine)
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


def test_what_was_abandoned_comes_back_with_its_objects(database_url: str) -> None:
    async def story() -> None:
        async with _engine(database_url) as (operations, database):
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


def test_what_changes_while_it_is_written_down_is_written_down_anew(database_url: str) -> None:
    async def story() -> None:
        async with _engine(database_url) as (operations, database):
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


_FAILING = (
    _TEMPLATE
    + """\
  bad: {type: OS::Heat::TestResource, depends_on: inner, properties: {fail: true, value: x}}
"""
    + "".join(f"  s{at}: {{type: OS::Heat::RandomString, depends_on: bad}}\n" for at in range(10))
)
_WAITING = "heat_template_version: wallaby\nresources:\n" + "".join(
    f"  w{at}: {{type: OS::Heat::TestResource, properties: {{wait_secs: -1, value: x}}}}\n"
    for at in range(10)
)


async def _at_rest(operations: Operations, database: Database, stack_id: str) -> str:
    for _ in range(3000):
        stack = await operations.stack(stack_id)
        if stack.status is not Status.IN_PROGRESS and not (await _left(database))[1]:
            break
        await asyncio.sleep(0.01)
    return f"{stack.action.value}_{stack.status.value}"


def test_what_fails_leaves_nothing_to_do(database_url: str) -> None:
    async def story() -> None:
        async with _engine(database_url) as (operations, database):
            recipe = Recipe(_FAILING, {"inner.yaml": _INNER})
            made = await operations.create("p", "a", recipe)
            assert await _at_rest(operations, database, made) == "CREATE_FAILED"
            back = Options(rollback=True)
            made = await operations.create("p", "b", recipe, back)
            assert await _at_rest(operations, database, made) == "ROLLBACK_COMPLETE"

    asyncio.run(story())


def test_what_waits_for_ever_is_cancelled(database_url: str) -> None:
    async def story() -> None:
        async with _engine(database_url) as (operations, database):
            member = Recipe(_WAITING)
            outer = Recipe(
                "heat_template_version: wallaby\nresources:\n"
                + "".join(f"  n{at}: {{type: inner.yaml}}\n" for at in range(5)),
                {"inner.yaml": _WAITING},
            )
            for name, recipe, number in (("a", member, 10), ("b", outer, 55)):
                made = await operations.create("p", name, recipe)
                while await _parked(database) < number:  # noqa: ASYNC110 (the engine says nothing)
                    await asyncio.sleep(0.02)
                await operations.cancel(made, roll_back=False)
                assert await _at_rest(operations, database, made) == "CREATE_FAILED"

    asyncio.run(story())


async def _parked(database: Database) -> int:
    def count(connection: Any) -> int:
        parked = select(func.count()).where(node.c.state == NodeState.PARKED.value)
        found: int = connection.execute(parked).scalar()
        return found

    return await database.read(count)
