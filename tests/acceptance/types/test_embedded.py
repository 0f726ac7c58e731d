"""The engine in one process, with a real SQLite file and the types that come with it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from hotplate.document import InvalidDocument
from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.acceptance import Options
from hotplate.model import Action, Stack, Status
from hotplate.resources.directory import Directory, objects

Story = Callable[[Embedded], Awaitable[None]]


def recipe(resources: str, outputs: str = "{}", **more: Any) -> Recipe:
    text = f"heat_template_version: wallaby\nresources: {resources}\noutputs: {outputs}\n"
    return Recipe(text, **more)


def tell(home: Path, story: Story, services: Mapping[str, Any] | None = None) -> None:
    async def told() -> None:
        async with asyncio.timeout(60), embedded(home / "hotplate.db", services) as engine:
            await story(engine)

    asyncio.run(told())


async def ended(engine: Embedded, stack_id: str) -> Stack:
    while True:
        stack = await engine.operations.stack(stack_id)
        if stack.status is not Status.IN_PROGRESS:
            return stack
        await asyncio.sleep(0.01)


async def created(engine: Embedded, what: Recipe, status: Status = Status.COMPLETE) -> Stack:
    stack = await ended(engine, await engine.operations.create("p", "app", what))
    assert stack.status is status, stack.reason
    return stack


async def updated(engine: Embedded, stack: Stack, what: Recipe) -> None:
    await engine.operations.update(stack.id, what)
    after = await ended(engine, stack.id)
    assert after.status is Status.COMPLETE, after.reason


def test_a_stack_outlives_the_process_that_made_it(tmp_path: Path) -> None:
    values: list[Any] = []

    async def make(engine: Embedded) -> None:
        what = recipe("{a: {type: OS::Heat::RandomString}}", "{o: {value: {get_resource: a}}}")
        values.append(await engine.operations.outputs((await created(engine, what)).id))

    async def look(engine: Embedded) -> None:
        stack = await engine.operations.find("p", "app")
        values.append(await engine.operations.outputs(stack.id))

    tell(tmp_path, make)
    tell(tmp_path, look)
    assert values[0] == values[1]
    assert len(values[0]["o"]) == 32


def test_when_the_worker_dies_the_caller_is_told(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        await engine.database.transact(_drop_nodes)
        await asyncio.Event().wait()

    with pytest.raises(ExceptionGroup) as fault:
        tell(tmp_path, story)
    assert "no such table: node" in str(fault.value.exceptions[0])


def _drop_nodes(connection: Connection) -> None:
    connection.exec_driver_sql("DROP TABLE node")


def test_none_is_never_updated_or_replaced(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        outputs = "{o: {value: {get_attr: [a, any, thing]}}, r: {value: {get_resource: a}}}"
        stack = await created(
            engine, recipe("{a: {type: OS::Heat::None, properties: {x: 1}}}", outputs)
        )
        before = await engine.operations.outputs(stack.id)
        await updated(
            engine,
            stack,
            recipe("{a: {type: OS::Heat::None, properties: {y: [2]}, metadata: {m: 1}}}", outputs),
        )
        assert await engine.operations.outputs(stack.id) == before
        assert before["o"] is None
        (version,) = (await engine.operations.resources(stack.id)).values()
        assert version.action is Action.CREATE
        assert before["r"] == version.physical_id

    tell(tmp_path, story)


def test_a_resource_that_the_registry_makes_none_is_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "objects"

    async def story(engine: Embedded) -> None:
        resources = "{a: {type: Hotplate::Directory::File, properties: {content: x}}}"
        stack = await created(engine, recipe(resources))
        assert len(objects(folder)) == 1
        off = "resource_registry: {Hotplate::Directory::File: OS::Heat::None}"
        await updated(engine, stack, recipe(resources, environment=off))
        assert objects(folder) == []

    tell(tmp_path, story, {"directory": Directory(folder)})


def test_the_directory_is_off_unless_it_is_named(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        what = recipe("{a: {type: Hotplate::Directory::File}}")
        stack = await created(engine, what, Status.FAILED)
        assert stack.reason.endswith('the service "directory" is not enabled here')

    tell(tmp_path, story)


def test_an_old_spelling_given_up_changes_nothing(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        old = "{a: {type: OS::Heat::RandomString, properties: {sequence: digits}}}"
        new = (
            "{a: {type: OS::Heat::RandomString, "
            "properties: {character_classes: [{class: digits}]}}}"
        )
        outputs = "{o: {value: {get_resource: a}}}"
        stack = await created(engine, recipe(old, outputs))
        before = await engine.operations.outputs(stack.id)
        await updated(engine, stack, recipe(new, outputs))
        assert await engine.operations.outputs(stack.id) == before
        assert before["o"].isdecimal()

    tell(tmp_path, story)


def test_a_value_without_a_value_is_null(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        resources = """{
            n: {type: OS::Heat::None},
            a: {type: OS::Heat::Value, properties: {type: string, value: {get_attr: [n, x]}}}}"""
        what = recipe(resources, "{o: {value: {get_attr: [a, value]}}}")
        stack = await created(engine, what)
        assert await engine.operations.outputs(stack.id) == {"o": None}

    tell(tmp_path, story)


def test_an_attribute_that_a_type_does_not_have_is_refused(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        what = recipe("{a: {type: OS::Heat::RandomString}}", "{o: {value: {get_attr: [a, valeu]}}}")
        with pytest.raises(InvalidDocument, match=r"The Referenced Attribute \(a valeu\) is inc"):
            await engine.operations.create("p", "app", what)
        shown = recipe("{a: {type: OS::Heat::RandomString}}", "{o: {value: {get_attr: [a, show]}}}")
        stack = await created(engine, shown)
        assert await engine.operations.outputs(stack.id) == {"o": None}

    tell(tmp_path, story)


def test_a_delay_longer_than_the_timeout_is_refused(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        what = recipe("{a: {type: OS::Heat::Delay, properties: {min_wait: 61}}}")
        with pytest.raises(InvalidDocument, match=r"maximum delay 61\.0s exceeds stack timeout"):
            await engine.operations.create("p", "app", what, Options(timeout=1))

    tell(tmp_path, story)


def test_a_delay_and_a_test_resource_wait_as_long_as_they_say(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        resources = """{
            d: {type: OS::Heat::Delay, properties: {min_wait: 0.2, actions: [CREATE, DELETE]}},
            t: {type: OS::Heat::TestResource, properties: {wait_secs: 0.2}, depends_on: d}}"""
        loop = asyncio.get_running_loop()
        begin = loop.time()
        what = recipe(resources, "{o: {value: {get_resource: d}}}")
        stack = await created(engine, what)
        assert loop.time() - begin >= 0.4
        assert await engine.operations.outputs(stack.id) == {"o": "d"}
        begin = loop.time()
        await engine.operations.delete(stack.id)
        await ended(engine, stack.id)
        assert loop.time() - begin >= 0.4

    tell(tmp_path, story)
