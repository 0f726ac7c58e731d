"""Stacks of one group on the real engine, and what can be asked of its members."""

import json
from typing import Any

from hotplate.engine.embedded import Embedded
from hotplate.engine.recipes import Recipe
from hotplate.model import Action, Event, Stack, Status, Version
from tests.acceptance.types.stories import ended

BOX = """
heat_template_version: wallaby
parameters: {word: {type: string}}
resources:
  echo: {type: OS::Heat::Value, properties: {value: {get_param: word}}}
outputs:
  said: {value: {get_attr: [echo, value]}}
  table: {value: {inner: {word: {get_attr: [echo, value]}}}}
"""


def group(
    count: int = 3,
    kind: str = "OS::Heat::TestResource",
    given: dict[str, Any] | None = None,
    outputs: dict[str, Any] | None = None,
    update_policy: dict[str, Any] | None = None,
    **more: Any,
) -> Recipe:
    """A stack of one group, and what is asked of it."""
    member = {"type": kind, "properties": given or {"value": "a%index%", "wait_secs": 0.02}}
    resource = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": count, "resource_def": member, **more},
    }
    if update_policy is not None:
        resource["update_policy"] = update_policy
    asked = {"removed": ["removed_rsrc_list"], "refs": ["refs"], "map": ["refs_map"]}
    template = {
        "heat_template_version": "wallaby",
        "resources": {"group": resource},
        "outputs": {
            name: {"value": {"get_attr": ["group", *path]}}
            for name, path in {**asked, **(outputs or {})}.items()
        },
    }
    return Recipe(json.dumps(template), {"box.yaml": BOX})


def values(word: str) -> dict[str, Any]:
    return {"value": f"{word}%index%", "wait_secs": 0.02}


async def complete(engine: Embedded, stack_id: str) -> Stack:
    stack = await ended(engine, stack_id)
    assert stack.status is Status.COMPLETE, stack.reason
    return stack


async def created(engine: Embedded, recipe: Recipe) -> str:
    stack_id = await engine.operations.create("p", "root", recipe)
    await complete(engine, stack_id)
    return stack_id


async def updated(engine: Embedded, stack_id: str, recipe: Recipe) -> dict[str, Any]:
    await engine.operations.update(stack_id, recipe)
    await complete(engine, stack_id)
    return await engine.operations.outputs(stack_id)


async def inside(engine: Embedded, stack_id: str, name: str = "group") -> str:
    """The id of the stack that a resource is."""
    return str((await engine.operations.resources(stack_id))[name].physical_id)


async def members(engine: Embedded, stack_id: str, name: str = "group") -> dict[str, Version]:
    return await engine.operations.resources(await inside(engine, stack_id, name))


async def said(engine: Embedded, stack_id: str) -> dict[str, str]:
    """What each member was given last, by name."""
    found = await members(engine, stack_id)
    return {name: found[name].definition.properties["value"] for name in sorted(found)}


def most_at_once(events: list[Event], actions: set[Action]) -> int:
    """How many members were being made or changed at the same time."""
    busy: set[str] = set()
    most = 0
    for event in events:
        if event.type == "OS::Heat::Stack" or event.action not in actions:
            continue
        if event.status is Status.IN_PROGRESS:
            busy.add(event.name)
        else:
            busy.discard(event.name)
        most = max(most, len(busy))
    return most


async def history(engine: Embedded, stack_id: str) -> list[Event]:
    return sorted(await engine.operations.events(stack_id), key=lambda event: event.number)
