"""Hooks on the real engine with SQLite, PostgreSQL and MariaDB: cleared by many at once."""

import asyncio
import json
import time
from collections import Counter

from hotplate.engine.recipes import Recipe
from hotplate.engine.refusals import BadHook, NotFound
from hotplate.engine.requests.acceptance import Options
from hotplate.model import Action, Status
from tests.acceptance.databases.running_engine import Running, running

COUNT = 40
NAMES = [f"r{number}" for number in range(COUNT)]


def recipe(*hooks: str, value: str = "x") -> Recipe:
    """Resources of two types, one of which is made in line; all of them wait at all the hooks."""
    types = ("OS::Heat::Value", "OS::Heat::TestResource")
    resources = {
        name: {"type": types[number % 2], "properties": {"value": value}}
        for number, name in enumerate(NAMES)
    }
    template = {"heat_template_version": "2021-04-16", "resources": resources}
    registry = {"resources": {"r*": {"hooks": list(hooks)}}}
    return Recipe(json.dumps(template), environment=json.dumps({"resource_registry": registry}))


async def paused(engine: Running, stack_id: str, hook: str) -> None:
    """Wait until everything waits at a hook."""
    end = time.monotonic() + 60
    reason = f"paused until Hook {hook} is cleared"
    while time.monotonic() < end:
        events = await engine.operations.events(stack_id)
        if len({event.name for event in events if event.reason.endswith(reason)}) == COUNT:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"not everything waits at {hook}")


async def cleared(engine: Running, stack_id: str, hook: str) -> int:
    """Clear the hook of everything, each twice at the same time; return how often it worked."""

    async def clear(name: str) -> int:
        try:
            await engine.operations.clear_hook(stack_id, name, hook)
        except (BadHook, NotFound):  # with the last hook that is cleared the stack may be gone
            return 0
        return 1

    return sum(await asyncio.gather(*(clear(name) for name in NAMES * 2)))


def test_each_hook_is_cleared_once_and_nobody_is_left_waiting(database_url: str) -> None:
    async def story() -> None:
        async with running(database_url) as engine:
            hooks = ("pre-create", "post-create", "pre-delete", "post-delete")
            stack_id = await engine.operations.create("p", "s", recipe(*hooks), Options())
            for hook in hooks:
                await paused(engine, stack_id, hook)
                assert await cleared(engine, stack_id, hook) == COUNT
                if hook == "post-create":
                    stack = await engine.ended(stack_id)
                    assert (stack.action, stack.status) == (Action.CREATE, Status.COMPLETE)
                    await engine.operations.delete(stack_id)
            assert (await engine.ended(stack_id)).status is Status.COMPLETE
            told = Counter(event.reason for event in await engine.operations.events(stack_id))
            for hook in hooks:
                assert told[f"Hook {hook} is cleared"] == COUNT

    asyncio.run(story())


def test_what_waits_at_a_hook_waits_on_after_a_restart(database_url: str) -> None:
    async def story() -> None:
        async with running(database_url) as engine:
            stack_id = await engine.operations.create("p", "s", recipe("pre-create"), Options())
            await paused(engine, stack_id, "pre-create")
        async with running(database_url, "another") as engine:
            assert await cleared(engine, stack_id, "pre-create") == COUNT
            assert (await engine.ended(stack_id)).status is Status.COMPLETE

    asyncio.run(story())


def test_updates_overtake_while_hooks_are_cleared(database_url: str) -> None:
    """Whatever is cleared or not at that moment, the last update gets there."""

    async def story() -> None:
        async with running(database_url) as engine:
            stack_id = await engine.operations.create("p", "s", recipe("pre-create"), Options())
            for number in range(5):
                clearing = asyncio.create_task(cleared(engine, stack_id, "pre-create"))
                hooked = recipe("pre-create", "pre-update", value=f"{number}")
                await engine.operations.update(stack_id, hooked)
                await clearing
            await engine.operations.update(stack_id, recipe(value="last"))
            stack = await engine.ended(stack_id)
            assert (stack.action, stack.status) == (Action.UPDATE, Status.COMPLETE)
            versions = await engine.operations.resources(stack_id)
            values = {version.definition.properties["value"] for version in versions.values()}
            assert (len(versions), values) == (COUNT, {"last"})

    asyncio.run(story())
