"""An update that the provider refuses leaves the object in place; one that failed is made again."""

import asyncio
from pathlib import Path
from typing import Any

from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.model import Status
from hotplate.resources import (
    Catalogue,
    Done,
    Property,
    Resource,
    ResourceFailed,
    Result,
    UpdateRefused,
)
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


class Lasting(Stubborn):
    """Outlives a failed update, of which some may have been applied."""

    replace_when_failed = False

    async def update(self, resource: Resource) -> Result:
        self.calls.append((dict(resource.old_properties), dict(resource.properties)))
        if len(self.calls) == 2:
            raise ResourceFailed("there is no room")
        return Done()


def after_a_failure(folder: Path, then: str) -> Any:
    """Update from name a, size s to name b, size m, which fails; return the call after it."""

    async def play() -> Any:
        lasting = Lasting()
        async with embedded(folder / "x.db", catalogue=Catalogue([lasting])) as engine:
            first = Recipe(TEMPLATE.format("{name: a, size: s}"))
            stack = await engine.operations.create("p", "s", first)
            await ended(engine, stack)
            assert (await updated(engine, stack, "{name: b, size: m}"))[0] is Status.FAILED
            assert (await updated(engine, stack, then))[0] is Status.COMPLETE
            return lasting.calls[2]

    return asyncio.run(play())


def test_an_update_that_failed_is_made_again_and_not_taken_for_done(tmp_path: Path) -> None:
    old, new = {"name": "a", "size": "s"}, {"name": "b", "size": "m"}
    assert after_a_failure(tmp_path, "{name: b, size: m}") == (old, new)


def test_going_back_after_an_update_that_failed_undoes_what_it_may_have_done(
    tmp_path: Path,
) -> None:
    old, new = {"name": "a", "size": "s"}, {"name": "b", "size": "m"}
    assert after_a_failure(tmp_path, "{name: a, size: s}") == (new, old)


def test_another_update_after_one_that_failed_sees_a_change_of_all_that_may_differ(
    tmp_path: Path,
) -> None:
    before, after = after_a_failure(tmp_path, "{name: a, size: l}")
    assert (before, after) == ({"name": "b", "size": "s"}, {"name": "a", "size": "l"})
