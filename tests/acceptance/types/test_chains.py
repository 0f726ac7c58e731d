"""OS::Heat::ResourceChain on the real engine."""

import json
from pathlib import Path
from typing import Any

import pytest

from hotplate.document import InvalidDocument
from hotplate.engine.embedded import Embedded
from hotplate.engine.recipes import Recipe
from hotplate.model import Action
from tests.acceptance.types.groups import created, history, inside, members, most_at_once, updated
from tests.acceptance.types.stories import ended, tell


def chain(*kinds: str, **more: Any) -> Recipe:
    template = {
        "heat_template_version": "wallaby",
        "resources": {
            "chain": {
                "type": "OS::Heat::ResourceChain",
                "properties": {"resources": list(kinds), **more},
            }
        },
        "outputs": {
            "refs": {"value": {"get_attr": ["chain", "refs"]}},
            "said": {"value": {"get_attr": ["chain", "value"]}},
            "by_name": {"value": {"get_attr": ["chain", "attributes", "value"]}},
            "one": {"value": {"get_attr": ["chain", "resource.0"]}},
            "of_one": {"value": {"get_attr": ["chain", "resource.0", "value"]}},
        },
    }
    alias = {"resource_registry": {"My::Word": "OS::Heat::Value"}}
    return Recipe(json.dumps(template), environment=json.dumps(alias))


def test_the_members_of_a_chain_are_made_one_after_the_other(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        given = {"value": "x"}
        recipe = chain("My::Word", "OS::Heat::TestResource", resource_properties=given)
        stack_id = await created(engine, recipe)
        found = await engine.operations.outputs(stack_id)
        assert len(found["refs"]) == 2
        assert found["said"] == ["x", None]
        assert found["by_name"] == {"0": "x", "1": None}
        assert (found["one"], found["of_one"]) == (found["refs"][0], "x")
        versions = await members(engine, stack_id, "chain")
        assert [v.type for v in versions.values()] == ["My::Word", "OS::Heat::TestResource"]
        assert versions["1"].requires == [versions["0"].id]
        # Its list can change, nothing else.
        child = await inside(engine, stack_id, "chain")
        recipe = chain("OS::Heat::TestResource", resource_properties=given)
        assert (await updated(engine, stack_id, recipe))["said"] == [None]
        assert await inside(engine, stack_id, "chain") == child
        recipe = chain("OS::Heat::TestResource", resource_properties=given, concurrent=True)
        await updated(engine, stack_id, recipe)
        assert await inside(engine, stack_id, "chain") != child
        await engine.operations.delete(stack_id)
        assert (await ended(engine, stack_id)).deleted_at is not None

    tell(tmp_path, story)


def test_the_members_of_a_concurrent_chain_do_not_wait(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        kinds = ["OS::Heat::TestResource"] * 3
        recipe = chain(*kinds, concurrent=True, resource_properties={"wait_secs": 0.1})
        stack_id = await created(engine, recipe)
        events = await history(engine, await inside(engine, stack_id, "chain"))
        assert most_at_once(events, {Action.CREATE}) == 3

    tell(tmp_path, story)


def test_a_failing_member_ends_a_chain(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        recipe = chain(*["OS::Heat::TestResource"] * 2, resource_properties={"fail": True})
        stack = await ended(engine, await engine.operations.create("p", "root", recipe))
        assert stack.reason == (
            "Resource CREATE failed: ValueError: resources.chain.resources[0]: "
            "Test Resource failed 0"
        )
        assert (await members(engine, stack.id, "chain"))["1"].action is Action.INIT

    tell(tmp_path, story)


def test_an_unknown_type_in_a_chain_is_refused_at_once(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        with pytest.raises(InvalidDocument, match="OS::Heat::Nothing"):
            await engine.operations.create("p", "root", chain("OS::Heat::Nothing"))

    tell(tmp_path, story)
