"""An update that the provider refuses leaves the object in place."""

import asyncio
from pathlib import Path
from typing import Any

from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.model import Status
from hotplate.resources import Catalogue, Done, Property, Resource, Result, UpdateRefused
from hotplate.resources.capabilities import Checkable

TEMPLATE = "heat_template_version: wallaby\nresources: {{a: {{type: T, properties: {}}}}}"


class Stubborn(Checkable):
    """Refuses one name."""

    name = "T"
    properties = {"name": Property(updatable=True), "size": Property(updatable=True)}
    calls: list[Any]

    def __init__(self) -> None:
        self.calls = []

    async def create(self, resource: Resource) -> Result:
        self.calls.append("create")
        return Done("id")

    async def update(self, resource: Resource) -> Result:
        self.calls.append((dict(resource.old_properties), dict(resource.properties)))
        if resource.properties["name"] == "bad":
            raise UpdateRefused("the name is bad", "BadRequest")
        return Done()

    async def delete(self, resource: Resource) -> Result:
        self.calls.append("delete")
        return Done()

    async def check(self, resource: Resource) -> Result:
        return Done()


async def updated(engine: Embedded, stack: str, properties: str) -> tuple[Status, str]:
    await engine.operations.update(stack, Recipe(TEMPLATE.format(properties)))
    return await ended(engine, stack)


async def ended(engine: Embedded, stack: str) -> tuple[Status, str]:
    while True:
        found = await engine.operations.stack(stack)
        if found.status is not Status.IN_PROGRESS:
            return found.status, found.reason
        await asyncio.sleep(0.01)


def test_the_next_update_begins_where_the_refused_one_did(tmp_path: Path) -> None:
    async def play() -> list[Any]:
        stubborn = Stubborn()
        async with embedded(tmp_path / "x.db", catalogue=Catalogue([stubborn])) as engine:
            first = Recipe(TEMPLATE.format("{name: a, size: s}"))
            stack = await engine.operations.create("p", "s", first)
            await ended(engine, stack)
            status, reason = await updated(engine, stack, "{name: bad, size: m}")
            assert status is Status.FAILED
            assert "the name is bad" in reason
            assert (await updated(engine, stack, "{name: b, size: m}"))[0] is Status.COMPLETE
            return stubborn.calls

    old, bad = {"name": "a", "size": "s"}, {"name": "bad", "size": "m"}
    assert asyncio.run(play()) == [
        "create",
        (old, bad),
        (old, {"name": "b", "size": "m"}),
    ]


def test_going_back_after_a_refused_update_needs_no_call(tmp_path: Path) -> None:
    async def play() -> list[Any]:
        stubborn = Stubborn()
        async with embedded(tmp_path / "x.db", catalogue=Catalogue([stubborn])) as engine:
            stack = await engine.operations.create("p", "s", Recipe(TEMPLATE.format("{name: a}")))
            await ended(engine, stack)
            await updated(engine, stack, "{name: bad}")
            assert (await updated(engine, stack, "{name: a}"))[0] is Status.COMPLETE
            return stubborn.calls

    old = {"name": "a", "size": None}
    assert asyncio.run(play()) == ["create", (old, {"name": "bad", "size": None})]


class Immovable(Stubborn):
    """Has a property that can never be changed."""

    properties = {"name": Property(updatable=True), "size": Property(immutable=True)}


def test_what_the_plan_refuses_is_not_replaced_by_the_next_update(tmp_path: Path) -> None:
    async def play() -> list[Any]:
        immovable = Immovable()
        async with embedded(tmp_path / "x.db", catalogue=Catalogue([immovable])) as engine:
            first = Recipe(TEMPLATE.format("{name: a, size: s}"))
            stack = await engine.operations.create("p", "s", first)
            await ended(engine, stack)
            status, reason = await updated(engine, stack, "{name: a, size: m}")
            assert status is Status.FAILED
            assert 'the property "size" can never be changed' in reason
            assert (await updated(engine, stack, "{name: b, size: s}"))[0] is Status.COMPLETE
            return immovable.calls

    old, new = {"name": "a", "size": "s"}, {"name": "b", "size": "s"}
    assert asyncio.run(play()) == ["create", (old, new)]
