"""Marking what is deep inside a tree of stacks waits for others and never against them."""

import asyncio
import json
from concurrent.futures import Future, ThreadPoolExecutor

from sqlalchemy import text

from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.refusals import ActionInProgress
from hotplate.model import Status
from hotplate.store.database import open_engine
from hotplate.store.stacks import lock_stack

VERSION = "heat_template_version: wallaby\n"
INNER = f"{VERSION}resources: {{leaf: {{type: 'OS::Heat::RandomString'}}}}\n"
MIDDLE = f"{VERSION}resources: {{inner: {{type: inner.yaml}}}}\n"


def recipe(number: int) -> Recipe:
    value = {"type": "OS::Heat::Value", "properties": {"value": number}}
    resources = {"middle": {"type": "middle.yaml"}, "other": value}
    template = json.dumps({"heat_template_version": "wallaby", "resources": resources})
    return Recipe(template, {"middle.yaml": MIDDLE, "inner.yaml": INNER})


async def at_rest(engine: Embedded, stack_id: str) -> None:
    async with asyncio.timeout(60):
        while True:
            if (await engine.operations.stack(stack_id)).status is not Status.IN_PROGRESS:
                return
            await asyncio.sleep(0.01)


async def way_in(engine: Embedded, root: str) -> list[str]:
    """The stacks from the outermost to the innermost."""
    ids = [root]
    for name in ("middle", "inner"):
        ids.append((await engine.operations.resources(ids[-1]))[name].physical_id or "")
    return ids


def test_whoever_marks_and_whoever_goes_inwards_do_not_wait_for_each_other(
    database_url: str,
) -> None:
    """Somebody locks a tree from the outside in, while a resource deep inside is marked."""
    other = open_engine(database_url)

    def hold(ids: list[str], holds: "Future[None]", go_on: "Future[None]") -> None:
        with other.begin() as connection:
            lock_stack(connection, ids[0])
            holds.set_result(None)
            go_on.result(30)
            for stack_id in ids[1:]:
                lock_stack(connection, stack_id)
            connection.execute(text("UPDATE stack SET reason = 'held' WHERE id = :id"),
                               {"id": ids[-1]})  # fmt: skip

    async def story() -> None:
        async with embedded(database_url) as engine:
            root = await engine.operations.create("p", "root", recipe(1))
            await at_rest(engine, root)
            ids = await way_in(engine, root)
            holds: Future[None] = Future()
            go_on: Future[None] = Future()
            with ThreadPoolExecutor(1) as pool:
                held = pool.submit(hold, ids, holds, go_on)
                await asyncio.wrap_future(holds)
                marking = asyncio.create_task(
                    engine.operations.mark(ids[-1], "leaf", unhealthy=True)
                )
                done, _ = await asyncio.wait([marking], timeout=0.5)
                assert not done, "somebody else has the tree in hand"
                go_on.set_result(None)
                await asyncio.wrap_future(held)
            async with asyncio.timeout(30):
                await marking
            leaf = (await engine.operations.resources(ids[-1]))["leaf"]
            assert leaf.status is Status.FAILED
            old = leaf.physical_id
            await engine.operations.update(root, recipe(1))
            await at_rest(engine, root)
            healed = (await engine.operations.resources(ids[-1]))["leaf"]
            assert (healed.status, healed.physical_id != old) == (Status.COMPLETE, True)

    try:
        asyncio.run(story())
    finally:
        other.dispose()


def test_marks_and_updates_at_the_same_time(database_url: str) -> None:
    """Each mark is either accepted or told that the tree is busy; in the end all is well."""

    async def mark(engine: Embedded, stack_id: str) -> bool:
        try:
            await engine.operations.mark(stack_id, "leaf", unhealthy=True)
        except ActionInProgress:
            return False
        return True

    async def story() -> None:
        async with embedded(database_url) as engine:
            root = await engine.operations.create("p", "root", recipe(0))
            await at_rest(engine, root)
            innermost = (await way_in(engine, root))[-1]
            marked = 0
            for number in range(1, 11):
                marks = [asyncio.create_task(mark(engine, innermost)) for _ in range(4)]
                await engine.operations.update(root, recipe(number))
                marked += sum(await asyncio.gather(*marks))
                await at_rest(engine, root)
            assert marked
            await engine.operations.update(root, recipe(0))
            await at_rest(engine, root)
            assert (await engine.operations.stack(root)).status is Status.COMPLETE
            leaf = (await engine.operations.resources(innermost))["leaf"]
            assert leaf.status is Status.COMPLETE

    asyncio.run(story())
