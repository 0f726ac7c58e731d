"""Two engines after the same objects, on all databases: nobody shares what is managed."""

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


def test_an_object_is_returned_or_used_elsewhere_but_never_both(
    database_url: str, tmp_path: Path
) -> None:
    directory = Directory(tmp_path)
    objects = [f"object-{number}" for number in range(COUNT)]
    for each in objects:
        directory.create(Object(each, f"mark-of-{each}", "file", "theirs"))

    async def race(first: Embedded, second: Embedded, object_id: str) -> None:
        holder = await first.operations.create("p", f"holder-{object_id}", recipe(object_id))
        assert (await ended(first, holder)).status is Status.COMPLETE
        _, rival = await asyncio.gather(
            first.operations.update(holder, recipe(None)),
            second.operations.create("p", f"rival-{object_id}", recipe(object_id)),
        )
        ends = [await ended(first, holder), await ended(second, rival)]
        states = sorted(stack.status.value for stack in ends)
        assert states == ["COMPLETE", "FAILED"], [stack.reason for stack in ends]
        is_managed = ends[0].status is Status.COMPLETE
        found = directory.read(object_id)
        assert found is not None
        assert found.content == ("mine" if is_managed else "theirs")
        await second.operations.delete(rival)
        assert (await ended(second, rival)).action is Action.DELETE
        assert directory.read(object_id) == found

    async def story() -> None:
        services = {"directory": directory}
        async with (
            embedded(database_url, services) as first,
            embedded(database_url, services) as second,
        ):
            await asyncio.gather(*(race(first, second, each) for each in objects))

    asyncio.run(story())
