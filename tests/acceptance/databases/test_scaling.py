"""Groups that scale with SQLite, PostgreSQL and MariaDB: signals and updates at the same time."""

import asyncio
import json
import time
from functools import partial
from random import Random
from typing import Any

from hotplate.engine.recipes import Recipe
from hotplate.model import Action, Status
from hotplate.store.deferred_changes import deferred_changes_of
from tests.acceptance.databases.running_engine import Running, running

GROUPS = 4
ROUNDS = 12


def recipe(word: str) -> Recipe:
    """Groups with two policies each, in a stack inside the stack."""
    resources: dict[str, Any] = {}
    for number in range(GROUPS):
        member = {"type": "OS::Heat::TestResource", "properties": {"value": word}}
        resources[f"g{number}"] = {
            "type": "OS::Heat::AutoScalingGroup",
            "properties": {"min_size": 1, "max_size": 6, "resource": member},
        }
        for name, amount in (("up", 2), ("down", -1)):
            resources[f"{name}{number}"] = {
                "type": "OS::Heat::ScalingPolicy",
                "properties": {
                    "auto_scaling_group_id": {"get_resource": f"g{number}"},
                    "adjustment_type": "change_in_capacity",
                    "scaling_adjustment": amount,
                },
            }
    sizes = {f"g{number}": ["current_size"] for number in range(GROUPS)}
    inner = {
        "heat_template_version": "2021-04-16",
        "resources": resources,
        "outputs": {name: {"value": {"get_attr": [name, *path]}} for name, path in sizes.items()},
    }
    outer = {
        "heat_template_version": "2021-04-16",
        "resources": {"box": {"type": "box.yaml"}},
        "outputs": {name: {"value": {"get_attr": ["box", name]}} for name in sizes},
    }
    return Recipe(json.dumps(outer), {"box.yaml": json.dumps(inner)})


async def rested(engine: Running, stack_id: str, inner_id: str) -> None:
    """Wait until nothing goes on in the stack, and what is outside knows what is inside."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        await asyncio.sleep(0.05)
        # A signal that came during an update is carried out a moment after it.
        kept = await engine.database.read(
            partial(deferred_changes_of, project="p", stack_id=inner_id)
        )
        if kept:
            continue
        versions = await engine.operations.resources(inner_id)
        stack = await engine.operations.stack(stack_id)
        busy = [each for each in versions.values() if each.status is Status.IN_PROGRESS]
        seen = await engine.operations.outputs(stack_id)
        known = {name: versions[name].data["capacity"] for name in versions if name.startswith("g")}
        if not busy and stack.status is not Status.IN_PROGRESS and seen == known:
            return
    raise AssertionError(f"it does not come to rest: {busy} {stack} {seen} {known}")


def test_signals_and_updates_at_the_same_time(database_url: str) -> None:
    """Nobody is locked out for ever, every group has the members that it was told to have."""

    async def story() -> None:
        random = Random(4)
        async with running(database_url, slots=4, token_size=4) as engine:
            stack_id = await engine.operations.create("p", "s", recipe("w"))
            assert (await engine.ended(stack_id)).status is Status.COMPLETE
            inner_id = (await engine.operations.resources(stack_id))["box"].physical_id or ""

            async def signals() -> None:
                for _ in range(ROUNDS):
                    number = random.randrange(GROUPS)
                    name = random.choice(("up", "up", "down"))
                    await engine.operations.signal(inner_id, f"{name}{number}", {})
                    await asyncio.sleep(random.uniform(0, 0.1))

            async def updates() -> None:
                for number in range(ROUNDS // 4):
                    await engine.operations.update(stack_id, recipe(f"w{number}"))
                    await asyncio.sleep(random.uniform(0, 0.4))

            await asyncio.gather(signals(), signals(), updates())
            assert (await engine.ended(stack_id)).status is Status.COMPLETE
            await rested(engine, stack_id, inner_id)
            for number in range(GROUPS):
                before = (await engine.operations.outputs(stack_id))[f"g{number}"]
                await engine.operations.signal(inner_id, f"up{number}", {})
                await rested(engine, stack_id, inner_id)
                version = (await engine.operations.resources(inner_id))[f"g{number}"]
                members = await engine.operations.resources(version.physical_id or "")
                assert len(members) == min(6, before + 2)
                words = {each.definition.properties["value"] for each in members.values()}
                assert words == {f"w{ROUNDS // 4 - 1}"}
            await engine.operations.delete(stack_id)
            stack = await engine.ended(stack_id)
            assert (stack.action, stack.status) == (Action.DELETE, Status.COMPLETE)

    asyncio.run(story())
