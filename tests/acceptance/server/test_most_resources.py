"""A stack has, with all that is inside it, no more resources than the operator allows.

Nor are stacks inside stacks deeper than that.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from hotplate.api.http.faults import fault_of
from hotplate.document import InvalidDocument
from hotplate.engine.embedded import Bounds, Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.refusals import TooManyResources
from hotplate.model import Action, Status
from hotplate.model.limits import DEEPEST_NESTING
from hotplate.store.events import events_of

MOST = 10
VERSION = "heat_template_version: wallaby\n"
PAIR = f"{VERSION}resources: {{a: {{type: 'OS::Heat::Value', properties: {{value: 1}}}}, b: {{type: 'OS::Heat::None'}}}}\n"  # noqa: E501


def tell(
    home: Path,
    story: Callable[[Embedded], Awaitable[None]],
    most: int = MOST,
    deepest: int = DEEPEST_NESTING,
) -> None:
    async def told() -> None:
        database, bounds = home / "hotplate.db", Bounds(most, deepest)
        async with asyncio.timeout(60), embedded(database, bounds=bounds) as engine:
            await story(engine)

    asyncio.run(told())


def recipe(**resources: Any) -> Recipe:
    template = {
        "heat_template_version": "wallaby",
        "parameters": {"size": {"type": "number", "default": 1}},
        "resources": resources,
    }
    return Recipe(json.dumps(template), {"pair.yaml": PAIR})


def group(count: Any, kind: str = "OS::Heat::None") -> dict[str, Any]:
    properties = {"count": count, "resource_def": {"type": kind}}
    return {"type": "OS::Heat::ResourceGroup", "properties": properties}


def scaled(least: int, kind: str = "OS::Heat::None") -> dict[str, Any]:
    properties = {"min_size": least, "max_size": 100, "resource": {"type": kind}}
    return {"type": "OS::Heat::AutoScalingGroup", "properties": properties}


async def at_rest(engine: Embedded, stack_id: str) -> Status:
    while True:
        stack = await engine.operations.stack(stack_id)
        if stack.status is not Status.IN_PROGRESS:
            return stack.status
        await asyncio.sleep(0.01)


SIZES = [
    ({f"r{i}": {"type": "OS::Heat::None"} for i in range(MOST)}, MOST),
    ({f"r{i}": {"type": "OS::Heat::None"} for i in range(MOST + 1)}, MOST + 1),
    ({"g": group(9)}, 10),
    ({"g": group(10)}, 11),
    ({"g": group(3, "pair.yaml")}, 10),
    ({"g": group(4, "pair.yaml")}, 13),
    ({"a": {"type": "pair.yaml"}, "b": {"type": "pair.yaml"}, "c": {"type": "pair.yaml"}}, 9),
    ({each: {"type": "pair.yaml"} for each in "abcd"}, 12),
    ({"s": scaled(9)}, 10),
    ({"s": scaled(4, "pair.yaml")}, 13),
]


@pytest.mark.parametrize(("resources", "size"), SIZES, ids=[f"{i}" for i in range(len(SIZES))])
def test_what_is_too_large_is_refused_before_anything_starts(
    tmp_path: Path, resources: dict[str, Any], size: int
) -> None:
    async def story(engine: Embedded) -> None:
        operations = engine.operations
        small = await operations.create("p", "small", recipe(one={"type": "OS::Heat::None"}))
        assert await at_rest(engine, small) is Status.COMPLETE
        if size <= MOST:
            stack_id = await operations.create("p", "s", recipe(**resources))
            assert await at_rest(engine, stack_id) is Status.COMPLETE
            return
        for refused in (
            operations.create("p", "s", recipe(**resources)),
            operations.update(small, recipe(**resources)),
            operations.preview_update(small, recipe(**resources)),
        ):
            with pytest.raises(TooManyResources, match="Maximum resources per stack") as caught:
                await refused
            assert f"it would have {size}, and {MOST} are allowed" in caught.value.hint
            fault = fault_of(caught.value)
            assert fault is not None
            assert (fault.status, fault.kind) == (400, "RequestLimitExceeded")
        assert await operations.count("p") == 1
        assert (await operations.stack(small)).action is Action.CREATE

    tell(tmp_path, story)


def test_a_parameter_decides_and_without_a_limit_all_is_well(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        wanted = recipe(g=group({"get_param": "size"}))
        stack_id = await engine.operations.create("p", "s", wanted)
        assert await at_rest(engine, stack_id) is Status.COMPLETE
        larger = Recipe(wanted.template, wanted.files, parameters={"size": 20})
        if engine.tools.most_resources:
            with pytest.raises(TooManyResources):
                await engine.operations.update(stack_id, larger)
        else:
            await engine.operations.update(stack_id, larger)
            assert await at_rest(engine, stack_id) is Status.COMPLETE

    tell(tmp_path / "limited", story)
    tell(tmp_path / "free", story, most=0)


def test_a_group_does_not_grow_beyond_it_by_a_signal(tmp_path: Path) -> None:
    def policy(size: int) -> dict[str, Any]:
        properties = {
            "auto_scaling_group_id": {"get_resource": "s"},
            "adjustment_type": "exact_capacity",
            "scaling_adjustment": size,
        }
        return {"type": "OS::Heat::ScalingPolicy", "properties": properties}

    async def story(engine: Embedded) -> None:
        operations = engine.operations
        # The group and two policies, and seven members at most.
        wanted = recipe(s=scaled(1), up=policy(7), more=policy(8))
        stack_id = await operations.create("p", "s", wanted)
        assert await at_rest(engine, stack_id) is Status.COMPLETE
        group_id = (await operations.resources(stack_id))["s"].physical_id or ""
        await operations.signal(stack_id, "more", {})
        assert len(await operations.resources(group_id)) == 1
        events = await engine.database.read(lambda connection: events_of(connection, stack_id))
        (event,) = [each for each in events if each.action is Action.SIGNAL]
        assert (event.name, event.status) == ("more", Status.FAILED)
        assert "Maximum resources per stack exceeded" in event.reason
        await operations.signal(stack_id, "up", {})
        assert await at_rest(engine, group_id) is Status.COMPLETE
        assert len(await operations.resources(group_id)) == 7

    tell(tmp_path, story)


@pytest.mark.parametrize(("deepest", "status"), [(2, Status.COMPLETE), (1, Status.FAILED)])
def test_stacks_are_not_made_deeper_than_they_are_listed(
    tmp_path: Path, deepest: int, status: Status
) -> None:
    async def story(engine: Embedded) -> None:
        deep = recipe(outer=group(1, "pair.yaml"))
        stack_id = await engine.operations.create("project", "deep", deep)
        assert await at_rest(engine, stack_id) is status
        if status is Status.FAILED:
            reason = (await engine.operations.stack(stack_id)).reason
            assert reason.endswith("stacks are nested deeper than 1")

    tell(tmp_path, story, deepest=deepest)


@pytest.mark.parametrize(("deepest", "levels"), [(1, 2), (2, 2), (25, 25), (25, 26)])
def test_templates_are_accepted_as_deep_as_stacks_are_made(
    tmp_path: Path, deepest: int, levels: int
) -> None:
    async def story(engine: Embedded) -> None:
        files = {
            f"{n}.yaml": f"{VERSION}resources: {{next: {{type: {n + 1}.yaml}}}}\n"
            for n in range(1, levels)
        }
        files[f"{levels}.yaml"] = PAIR
        text = json.dumps(
            {"heat_template_version": "wallaby", "resources": {"next": {"type": "1.yaml"}}}
        )
        deep = Recipe(text, files)
        if levels <= deepest:
            stack_id = await engine.operations.create("project", "deep", deep)
            assert await at_rest(engine, stack_id) is Status.COMPLETE
            return
        with pytest.raises(InvalidDocument, match=f"nested deeper than {deepest} templates"):
            await engine.operations.create("project", "deep", deep)

    tell(tmp_path, story, most=0, deepest=deepest)
