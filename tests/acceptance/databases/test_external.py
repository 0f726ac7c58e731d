"""Two engines after the same objects, on all databases: one manages, the others read."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.model import Action, Stack, Status
from hotplate.resources.directory import Directory, Object

COUNT = 8


def recipe(external_id: str | None) -> Recipe:
    web: dict[str, Any] = {"type": "Hotplate::Directory::File", "properties": {"content": "mine"}}
    if external_id is not None:
        # Told by another resource, so that it is not known when the request is accepted.
        web["external_id"] = {"get_attr": ["name", "value"]}
    name = {"type": "OS::Heat::Value", "properties": {"value": external_id or ""}}
    template = {"heat_template_version": "2021-04-16", "resources": {"web": web, "name": name}}
    return Recipe(json.dumps(template))


async def ended(engine: Embedded, stack_id: str) -> Stack:
    end = time.monotonic() + 60
    while True:
        stack = await engine.operations.stack(stack_id)
        if stack.status is not Status.IN_PROGRESS:
            return stack
        assert time.monotonic() < end, f"still {stack.action} {stack.status}: {stack.reason}"
        await asyncio.sleep(0.01)


def test_of_two_that_want_to_manage_an_object_one_gets_it_and_the_other_reads_on(
    database_url: str, tmp_path: Path
) -> None:
    directory = Directory(tmp_path)
    objects = [f"object-{number}" for number in range(COUNT)]
    for each in objects:
        directory.create(Object(each, f"mark-of-{each}", "file", "theirs"))

    async def race(first: Embedded, second: Embedded, object_id: str) -> None:
        engines = {"first": first, "second": second}
        stacks = {
            name: await engine.operations.create("p", f"{name}-{object_id}", recipe(object_id))
            for name, engine in engines.items()
        }
        for name, engine in engines.items():
            assert (await ended(engine, stacks[name])).status is Status.COMPLETE
        await asyncio.gather(
            *(
                engine.operations.update(stacks[name], recipe(None))
                for name, engine in engines.items()
            )
        )
        ends = {name: await ended(engine, stacks[name]) for name, engine in engines.items()}
        won = [name for name, stack in ends.items() if stack.status is Status.COMPLETE]
        assert len(won) == 1, [stack.reason for stack in ends.values()]
        (lost,) = engines.keys() - set(won)
        assert f"{object_id} is managed by the resource" in ends[lost].reason
        found = directory.read(object_id)
        assert found is not None
        assert found.content == "mine"
        # To it the object is somebody else's, so it does not go with the stack.
        await engines[lost].operations.delete(stacks[lost])
        assert (await ended(engines[lost], stacks[lost])).action is Action.DELETE
        assert directory.read(object_id) == found

    async def story() -> None:
        services = {"directory": directory}
        async with (
            embedded(database_url, services) as first,
            embedded(database_url, services) as second,
        ):
            await asyncio.gather(*(race(first, second, each) for each in objects))

    asyncio.run(story())
