"""A template file as a resource type, on the real engine: every promise of the guide."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from hotplate.document import InvalidDocument
from hotplate.engine.embedded import Embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.acceptance import Options
from hotplate.model import Action, Stack, Status
from hotplate.store.stacks import stacks_of_root
from tests.acceptance.types.stories import ended, tell

ECHO = """
heat_template_version: wallaby
parameters:
  word: {type: string, default: nothing}
  items: {type: comma_delimited_list, default: []}
  table: {type: json, default: {}}
  count: {type: number, default: 1}
  is_on: {type: boolean, default: false}
resources:
  echo:
    type: OS::Heat::Value
    properties:
      value:
        word: {get_param: word}
        items: {get_param: items}
        table: {get_param: table}
        count: {get_param: count}
        is_on: {get_param: is_on}
outputs:
  all: {value: {get_attr: [echo, value]}}
  word: {value: {get_attr: [echo, value, word]}}
"""
OTHER = ECHO.replace("{get_attr: [echo, value, word]}", "other")
NAMED = ECHO.replace("outputs:", "outputs:\n  OS::stack_id: {value: {get_resource: echo}}")

FACADE = ECHO.replace("outputs:", "outputs:\n  value: {value: {get_param: word}}")


async def complete(engine: Embedded, stack_id: str) -> dict[str, Any]:
    stack = await ended(engine, stack_id)
    assert stack.status is Status.COMPLETE, stack.reason
    return await engine.operations.outputs(stack_id)


async def created(engine: Embedded, recipe: Recipe) -> tuple[str, dict[str, Any]]:
    stack_id = await engine.operations.create("p", "root", recipe)
    return stack_id, await complete(engine, stack_id)


def template(resources: dict[str, Any], **outputs: Any) -> str:
    return json.dumps(
        {
            "heat_template_version": "wallaby",
            "resources": resources,
            "outputs": {name: {"value": value} for name, value in outputs.items()},
        }
    )


FILES = {"echo.yaml": ECHO, "other.yaml": OTHER, "named.yaml": NAMED, "facade.yaml": FACADE}


@pytest.mark.parametrize(
    ("kind", "registry", "word"),
    [
        ("echo.yaml", {}, "hi"),
        ("My::Echo", {"My::Echo": "echo.yaml"}, "hi"),
        ("My::Echo", {"My::*": "OS::Heat::None", "My::Echo": "other.yaml"}, "other"),
        ("My::Echo", {"My::Echo": "Your::Echo", "Your::Echo": "echo.yaml"}, "hi"),
        ("My::Echo", {"My::*": "Your::*", "Your::Echo": "other.yaml"}, "other"),
        (
            "My::Echo",
            {"My::Echo": "echo.yaml", "resources": {"a": {"My::Echo": "other.yaml"}}},
            "other",
        ),
        ("OS::Heat::RandomString", {"OS::Heat::RandomString": "facade.yaml"}, "hi"),
    ],
    ids=["name", "registry", "exact first", "alias", "wildcard alias", "one", "facade"],
)
def test_a_type_becomes_a_template(
    tmp_path: Path, kind: str, registry: dict[str, Any], word: str
) -> None:
    resources = {"a": {"type": kind, "properties": {"word": "hi"}}}
    text = template(resources, word={"get_attr": ["a", "word"]})
    environment = json.dumps({"resource_registry": registry})

    async def story(engine: Embedded) -> None:
        stack_id, said = await created(engine, Recipe(text, FILES, environment=environment))
        assert said == {"word": word}
        version = (await engine.operations.resources(stack_id))["a"]
        assert version.type == kind
        inside = await engine.operations.stack(version.physical_id or "")
        assert (inside.parent_id, inside.depth) == (stack_id, 1)

    tell(tmp_path, story)


def test_properties_are_the_parameters_of_the_template(tmp_path: Path) -> None:
    given = {
        "word": "w",
        "items": ["a", "b"],
        "table": {"k": [1, {"deep": True}]},
        "count": 3,
        "is_on": True,
    }
    resources = {
        "full": {"type": "echo.yaml", "properties": given},
        "texts": {
            "type": "echo.yaml",
            "properties": {"items": "a,b", "table": '{"k": 1}', "count": "3", "is_on": "yes"},
        },
        "empty": {"type": "echo.yaml", "properties": {"word": None}},
    }
    asked = {name: {"get_attr": [name, "all"]} for name in resources}

    async def story(engine: Embedded) -> None:
        environment = json.dumps({"parameter_defaults": {"count": 7}})
        recipe = Recipe(template(resources, **asked), FILES, environment=environment)
        _, said = await created(engine, recipe)
        assert said["full"] == given
        assert said["texts"] == {
            "word": "nothing",
            "items": ["a", "b"],
            "table": {"k": 1},
            "count": 3,
            "is_on": True,
        }
        assert said["empty"] == {
            "word": "nothing",
            "items": [],
            "table": {},
            "count": 7,
            "is_on": False,
        }

    tell(tmp_path, story)


def test_its_reference_is_its_output_or_its_global_name(tmp_path: Path) -> None:
    resources = {"a": {"type": "echo.yaml"}, "b": {"type": "named.yaml"}}
    text = template(resources, a={"get_resource": "a"}, b={"get_resource": "b"})

    async def story(engine: Embedded) -> None:
        stack_id, said = await created(engine, Recipe(text, FILES))
        found = await engine.operations.resources(stack_id)
        inside = await engine.operations.stack(found["a"].physical_id or "")
        assert said["a"] == f"arn:openstack:heat::p:stacks/{inside.name}/{inside.id}"
        inner = await engine.operations.resources(found["b"].physical_id or "")
        assert said["b"] == inner["echo"].reference or inner["echo"].physical_id

    tell(tmp_path, story)


def test_attributes_are_reached_through_all_nesting(tmp_path: Path) -> None:
    middle = template({"inner": {"type": "echo.yaml", "properties": {"word": "deep"}}})
    text = template(
        {"middle": {"type": "middle.yaml"}},
        reference={"get_attr": ["middle", "resource.inner"]},
        output={"get_attr": ["middle", "resource.inner", "word"]},
        dotted={"get_attr": ["middle", "resource.inner.word"]},
        deeper={"get_attr": ["middle", "resource.inner", "resource.echo", "value", "word"]},
        nothing={"get_attr": ["middle", "resource.nobody", "word"]},
    )

    async def story(engine: Embedded) -> None:
        recipe = Recipe(text, {**FILES, "middle.yaml": middle})
        _, said = await created(engine, recipe)
        assert said.pop("reference").startswith("arn:openstack:heat::p:stacks/root-middle-")
        assert said == {"output": "deep", "dotted": "deep", "deeper": "deep", "nothing": None}

    tell(tmp_path, story)


def test_a_template_knows_metadata_and_policies_of_what_it_stands_for(tmp_path: Path) -> None:
    inside = template(
        {
            "value": {
                "type": "OS::Heat::Value",
                "metadata": {"resource_facade": "metadata"},
                "deletion_policy": {"resource_facade": "deletion_policy"},
                "properties": {"value": {"resource_facade": "metadata"}},
            }
        },
        metadata={"get_attr": ["value", "value"]},
        deletion={"resource_facade": "deletion_policy"},
        update={"resource_facade": "update_policy"},
    )

    def around(number: int) -> Recipe:
        resource = {
            "type": "inside.yaml",
            "metadata": {"number": number},
            "deletion_policy": "Retain",
            "update_policy": {"pause": number},
        }
        asked = {name: {"get_attr": ["a", name]} for name in ("metadata", "deletion", "update")}
        return Recipe(template({"a": resource}, **asked), {"inside.yaml": inside})

    async def story(engine: Embedded) -> None:
        stack_id, said = await created(engine, around(1))
        assert said == {"metadata": {"number": 1}, "deletion": "Retain", "update": {"pause": 1}}
        await engine.operations.update(stack_id, around(2))
        assert (await complete(engine, stack_id))["metadata"] == {"number": 2}
        child = (await engine.operations.resources(stack_id))["a"].physical_id or ""
        value = (await engine.operations.resources(child))["value"]
        assert value.definition.metadata == {"number": 2}
        assert value.definition.deletion_policy == "Retain"

    tell(tmp_path, story)


def test_another_template_in_its_place_changes_the_stack_inside(tmp_path: Path) -> None:
    def around(kind: str, files: dict[str, str]) -> Recipe:
        resources = {"a": {"type": kind, "properties": {"word": "hi"}}}
        return Recipe(template(resources, word={"get_attr": ["a", "word"]}), files)

    grown = ECHO.replace("resources:", "resources:\n  more: {type: OS::Heat::RandomString}")

    async def story(engine: Embedded) -> None:
        stack_id, said = await created(engine, around("echo.yaml", FILES))
        assert said == {"word": "hi"}
        before = (await engine.operations.resources(stack_id))["a"].physical_id or ""
        echo = (await engine.operations.resources(before))["echo"].physical_id
        for recipe, word, names in (
            (around("echo.yaml", {"echo.yaml": grown}), "hi", {"echo", "more"}),
            (around("other.yaml", FILES), "other", {"echo"}),
        ):
            await engine.operations.update(stack_id, recipe)
            assert (await complete(engine, stack_id))["word"] == word
            assert (await engine.operations.resources(stack_id))["a"].physical_id == before
            inside = await engine.operations.resources(before)
            assert set(inside) == names
            assert inside["echo"].physical_id == echo, "what stays as it is stays"

    tell(tmp_path, story)


GROUP = {
    "type": "OS::Heat::ResourceGroup",
    "properties": {"count": 1, "resource_def": {"type": "self.yaml"}},
}
SELF = template({"again": {"type": "self.yaml"}})


def deep(levels: int, bottom: dict[str, Any]) -> dict[str, str]:
    """Templates that stand in each other, with a resource at the bottom."""
    files = {f"{at}.yaml": template({"in": {"type": f"{at + 1}.yaml"}}) for at in range(levels)}
    return {**files, f"{levels}.yaml": template({"bottom": bottom})}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"self.yaml": SELF}, "a template cannot contain itself: self.yaml -> self.yaml"),
        ({"self.yaml": template({"group": GROUP})}, "a template cannot contain itself"),
        (
            {"self.yaml": template({"x": {"type": "b.yaml"}}), "b.yaml": template({"g": GROUP})},
            "a template cannot contain itself",
        ),
        (
            {
                **deep(4, {"type": "OS::Heat::Nnoe"}),
                "self.yaml": template({"x": {"type": "0.yaml"}}),
            },
            'there is no resource type "OS::Heat::Nnoe"; did you mean',
        ),
        (
            {
                **deep(4, {"type": "OS::Heat::RandomString", "properties": {"length": 9999}}),
                "self.yaml": template({"x": {"type": "0.yaml"}}),
            },
            "4.yaml.*bottom",
        ),
        (
            {
                **deep(3, {"type": "echo.yaml", "properties": {"wrod": "x"}}),
                **FILES,
                "self.yaml": template({"x": {"type": "0.yaml"}}),
            },
            "Unknown Property wrod",
        ),
        (
            {
                "need.yaml": ECHO.replace(", default: nothing", ""),
                "self.yaml": template({"x": {"type": "need.yaml"}}),
            },
            "Property word not assigned",
        ),
        ({"self.yaml": template({"x": {"type": "nowhere.yaml"}})}, '"nowhere.yaml" was not given'),
    ],
)
def test_the_whole_tree_is_checked_before_anything_starts(
    tmp_path: Path, files: dict[str, str], words: str
) -> None:
    async def story(engine: Embedded) -> None:
        resources = {"first": {"type": "OS::Heat::RandomString"}, "tree": {"type": "self.yaml"}}
        with pytest.raises(InvalidDocument, match=words):
            await engine.operations.create("p", "root", Recipe(template(resources), files))
        assert await engine.operations.stacks("p") == []

    tell(tmp_path, story)


SLOW = template(
    {
        "slow": {
            "type": "OS::Heat::TestResource",
            "properties": {"action_wait_secs": {"create": 600}},
        }
    }
)


def test_a_time_out_goes_down_the_tree_at_once(tmp_path: Path) -> None:
    """Everything ends in the moment in which the root does; nothing below is waited for."""

    async def tree(engine: Embedded, stack_id: str) -> list[Stack]:
        return await engine.database.transact(lambda c: stacks_of_root(c, stack_id))

    async def story(engine: Embedded) -> None:
        files = {**deep(3, {"type": "slow.yaml"}), "slow.yaml": SLOW}
        quick = {**files, "slow.yaml": SLOW.replace("600", "0")}
        recipe = Recipe(template({"a": {"type": "0.yaml"}}), files)
        stack_id = await engine.operations.create("p", "root", recipe, Options(timeout=60))
        before: list[Stack] = []
        while len(before) < 6:
            await asyncio.sleep(0.01)
            before = await tree(engine, stack_id)
        assert {(s.status, s.action) for s in before} == {(Status.IN_PROGRESS, Action.CREATE)}
        bottom = next(each for each in before if each.depth == 5)
        sleeps = False  # what a worker has in hand ends a moment later
        while not sleeps:
            await asyncio.sleep(0.01)
            found = await engine.operations.resources(bottom.id)
            sleeps = any(each.cookie for each in found.values())
        await engine.operations.update(stack_id, recipe, Options(timeout=0))
        stack = await ended(engine, stack_id)
        assert (stack.status, stack.reason) == (Status.FAILED, "Timed out")
        stacks = await tree(engine, stack_id)
        assert len(stacks) == 6
        assert all(each.status is Status.FAILED for each in stacks)
        slow = (await engine.operations.resources(bottom.id))["slow"]
        assert (slow.status, slow.cookie) == (Status.FAILED, None), "nothing sleeps on"
        again = Recipe(recipe.template, quick)
        await engine.operations.update(stack_id, again, Options(timeout=60))
        await complete(engine, stack_id)

    tell(tmp_path, story)
