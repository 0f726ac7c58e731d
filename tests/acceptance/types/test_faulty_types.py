"""Types that answer nonsense, or raise where nobody expects it: told once, and never a loop."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hotplate.engine.embedded import embedded
from hotplate.engine.recipes import Recipe
from hotplate.model import Status
from hotplate.resources import Catalogue, Creation, Done, Property, Resource, ResourceType, Result
from hotplate.resources.capabilities import Listens
from hotplate.resources.catalogue import installed
from hotplate.resources.resource import Wait
from tests.acceptance.types.stories import ended
from tests.databases import sqlite_file

TEMPLATE = """
heat_template_version: wallaby
resources:
  thing: {type: Test::Thing}
"""
ASTRAY = """
heat_template_version: wallaby
resources:
  kind: {type: OS::Heat::Value, properties: {value: Nobody::Knows}}
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: 1
      resource_def: {type: {get_attr: [kind, value]}}
"""


class Thing(ResourceType):
    """Answers what it is told to."""

    name = "Test::Thing"
    creation = Creation.REPEATABLE
    properties: ClassVar[Mapping[str, Property]] = {}

    def __init__(self, answer: Callable[[], Result]) -> None:
        self._answer = answer

    async def create(self, resource: Resource) -> Result:
        return self._answer()


class Deaf(Thing, Listens):
    """Raises where it is only asked whom it listens to."""

    def listens_to(self, properties: Mapping[str, Any]) -> str:
        raise RuntimeError("it cannot hear")


def _failing() -> Result:
    raise ValueError(f"broken\0here {'x' * 100_000}")


ANSWERS: dict[str, ResourceType] = {
    "a failure with a sign that no database keeps": Thing(_failing),
    "an id with such a sign": Thing(lambda: Done("a\0b")),
    "an id without an end": Thing(lambda: Done("x" * 100_000)),
    "an id that is no text": Thing(lambda: Done(7)),  # type: ignore[arg-type]
    "a wait for ever": Thing(lambda: Wait({}, float("inf"))),
    "attributes that are no JSON": Thing(lambda: Done("id", attributes={"a": {1, 2}})),  # type: ignore[dict-item]
    "data that is no JSON": Thing(lambda: Done("id", data={"a": object()})),
    "an error that nobody foresaw": Deaf(Done),
}


@pytest.mark.parametrize("word", ANSWERS)
def test_what_cannot_be_kept_is_a_failure_of_the_resource(word: str, database_url: str) -> None:
    async def story() -> None:
        types = Catalogue([ANSWERS[word]])
        async with asyncio.timeout(60), embedded(database_url, catalogue=types) as engine:
            stack_id = await engine.operations.create("p", "app", Recipe(TEMPLATE))
            stack = await ended(engine, stack_id)
            assert stack.status is Status.FAILED
            assert "resources.thing" in stack.reason
            await engine.operations.delete(stack_id)
            stack = await ended(engine, stack_id)
            assert (stack.action.value, stack.status) == ("DELETE", Status.COMPLETE), stack.reason

    asyncio.run(story())


def test_a_member_of_a_type_that_nobody_knows_is_no_hindrance(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            asyncio.timeout(60),
            embedded(sqlite_file(tmp_path / "db"), catalogue=installed()) as engine,
        ):
            stack_id = await engine.operations.create("p", "app", Recipe(ASTRAY))
            stack = await ended(engine, stack_id)
            assert stack.status is Status.FAILED
            assert "Nobody::Knows" in stack.reason
            await engine.operations.delete(stack_id)
            stack = await ended(engine, stack_id)
            assert (stack.action.value, stack.status) == ("DELETE", Status.COMPLETE), stack.reason

    asyncio.run(story())
