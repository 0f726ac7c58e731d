"""OS::Heat::ResourceGroup on the real engine."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from hotplate.engine.embedded import Embedded
from hotplate.engine.recipes import Recipe
from hotplate.model import Action, Status
from hotplate.plan.decide import Step
from tests.acceptance.types.groups import complete, created, group, inside, members, updated
from tests.acceptance.types.stories import ended, tell


def test_growing_takes_the_next_names_and_shrinking_the_highest(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(2))
        for count in (4, 1, 0, 3):
            outputs = await updated(engine, stack_id, group(count))
            assert list(outputs["map"]) == [str(index) for index in range(count)]
            assert outputs["refs"] == list(outputs["map"].values())
            assert outputs["removed"] == []

    tell(tmp_path, story)


def test_a_listed_member_goes_and_its_name_is_not_used_again(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(3))
        before = (await engine.operations.outputs(stack_id))["map"]
        gone = [{"resource_list": [0, "1", "nobody"]}]
        outputs = await updated(engine, stack_id, group(3, removal_policies=gone))
        assert list(outputs["map"]) == ["2", "3", "4"]
        assert outputs["map"]["2"] == before["2"]
        assert outputs["removed"] == ["0", "1"]
        # Without a policy, and with another one, they stay away.
        outputs = await updated(engine, stack_id, group(4))
        assert list(outputs["map"]) == ["2", "3", "4", "5"]
        by_reference = [{"resource_list": [outputs["map"]["3"]]}]
        outputs = await updated(engine, stack_id, group(3, removal_policies=by_reference))
        assert (list(outputs["map"]), outputs["removed"]) == (["2", "4", "5"], ["0", "1", "3"])
        # The other mode forgets what is not listed now.
        again = group(3, removal_policies=gone[:0], removal_policies_mode="update")
        outputs = await updated(engine, stack_id, again)
        assert (list(outputs["map"]), outputs["removed"]) == (["0", "1", "2"], [])

    tell(tmp_path, story)


def test_a_preview_knows_what_removal_policies_do(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(3))
        recipe = group(3, removal_policies=[{"resource_list": ["1"]}])
        planned = (await engine.operations.preview_update(stack_id, recipe)).planned
        steps = {".".join(entry.path): entry.step for entry in planned}
        assert steps == {
            "group": Step.UPDATE,
            "group.0": Step.LEAVE,
            "group.2": Step.LEAVE,
            "group.3": Step.CREATE,
            "group.1": None,
        }
        assert list((await updated(engine, stack_id, recipe))["map"]) == ["0", "2", "3"]

    tell(tmp_path, story)


def test_a_group_with_removed_names_can_be_adopted(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(2))
        recipe = group(2, removal_policies=[{"resource_list": ["0"]}])
        before = await updated(engine, stack_id, recipe)
        document = await engine.operations.abandon(stack_id)
        adopted = await engine.operations.adopt("p", "root", recipe, document["resources"])
        await complete(engine, adopted)
        assert await engine.operations.outputs(adopted) == before

    tell(tmp_path, story)


def test_the_index_is_put_into_the_values_of_properties_only(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        given: dict[str, Any] = {"value": {"list": ["x@@@", 1, None], "@@@": "key"}}
        recipe = group(
            2, "OS::Heat::Value", given, {"values": ["attributes", "value"]}, index_var="@@@"
        )
        stack_id = await created(engine, recipe)
        assert (await engine.operations.outputs(stack_id))["values"] == {
            "0": {"list": ["x0", 1, None], "@@@": "key"},
            "1": {"list": ["x1", 1, None], "@@@": "key"},
        }
        first = await inside(engine, stack_id)
        given = {"value": "###"}
        await updated(engine, stack_id, group(2, "OS::Heat::Value", given, index_var="###"))
        assert await inside(engine, stack_id) != first, "another variable replaces the group"

    tell(tmp_path, story)


def test_attributes_of_members_with_and_without_paths(tmp_path: Path) -> None:
    asked = {
        "said": ["said"],
        "table": ["table"],
        "deep": ["table", "inner", "word"],
        "by_name": ["attributes", "table", "inner"],
        "one": ["resource.1"],
        "of_one": ["resource.1.said"],
        "path_of_one": ["resource.1", "table", "inner", "word"],
        "nobody": ["resource.7.said"],
        "second": ["refs", 1],
        "named": ["refs_map", "0"],
        "unknown": ["nothing"],
    }

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, group(2, "box.yaml", {"word": "w%index%"}, asked))
        found = await engine.operations.outputs(stack_id)
        assert found["said"] == ["w0", "w1"]
        assert found["table"] == [{"inner": {"word": "w0"}}, {"inner": {"word": "w1"}}]
        assert found["deep"] == ["w0", "w1"]
        assert found["by_name"] == {"0": {"word": "w0"}, "1": {"word": "w1"}}
        assert found["one"] == found["refs"][1] == found["second"]
        assert found["of_one"] == found["path_of_one"] == "w1"
        assert found["nobody"] is None
        assert found["named"] == found["map"]["0"]
        assert found["unknown"] == [None, None]

    tell(tmp_path, story)


def test_attributes_are_found_through_groups_of_groups(tmp_path: Path) -> None:
    inner = {
        "count": 2,
        "index_var": "%inner%",
        "resource_def": {"type": "box.yaml", "properties": {"word": "%index%-%inner%"}},
    }
    asked = {
        "all": ["said"],
        "first": ["resource.1.said"],
        "one": ["resource.1", "resource.0.said"],
        "path": ["resource.0", "resource.1", "table", "inner", "word"],
        "refs_of_all": ["attributes", "refs"],
    }

    async def story(engine: Embedded) -> None:
        plain = group(2, "OS::Heat::ResourceGroup", inner)
        stack_id = await created(engine, plain)
        # What is asked for only now is found without touching anything.
        recipe = group(2, "OS::Heat::ResourceGroup", inner, asked)
        found = await updated(engine, stack_id, recipe)
        assert found["all"] == [["0-0", "0-1"], ["1-0", "1-1"]]
        assert found["first"] == ["1-0", "1-1"]
        assert found["one"] == "1-0"
        assert found["path"] == "0-1"
        assert [len(refs) for refs in found["refs_of_all"].values()] == [2, 2]

    tell(tmp_path, story)


def test_a_group_made_with_removal_policies_never_has_those_members(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        policies = [{"resource_list": ["0", 2]}]
        recipe = group(2, removal_policies=policies)
        planned = (await engine.operations.preview_create("p", "root", recipe)).planned
        assert [entry.path[-1] for entry in planned] == ["group", "1", "3"]
        stack_id = await created(engine, recipe)
        outputs = await engine.operations.outputs(stack_id)
        assert (list(outputs["map"]), outputs["removed"]) == (["1", "3"], ["0", "2"])

    tell(tmp_path, story)


def test_an_unhealthy_member_deep_inside_is_replaced_by_the_next_update(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        recipe = group(2, "box.yaml", {"word": "a"})
        stack_id = await created(engine, recipe)
        before = await members(engine, stack_id)
        await engine.operations.mark(str(before["1"].physical_id), "echo", True, "it smokes")
        await updated(engine, stack_id, recipe)
        after = await members(engine, stack_id)
        assert {name: each.id for name, each in after.items()} == {
            name: each.id for name, each in before.items()
        }
        echo = (await engine.operations.resources(str(after["1"].physical_id)))["echo"]
        assert (echo.action, echo.status) == (Action.CREATE, Status.COMPLETE)
        # Once is enough: then nothing is left to be done inside.
        await updated(engine, stack_id, recipe)
        assert (await members(engine, stack_id))["1"].updated_at == after["1"].updated_at

    tell(tmp_path, story)


def test_a_failing_member_stops_what_its_siblings_have_not_begun(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        recipe = group(3, "bad.yaml", {"bad": "%index%"})
        recipe = Recipe(recipe.template, {"bad.yaml": BAD})
        stack_id = await engine.operations.create("p", "root", recipe)
        stack = await ended(engine, stack_id)
        assert stack.reason == (
            "Resource CREATE failed: ValueError: resources.group.resources[1].resources.fail: "
            "Test Resource failed fail"
        )
        await asyncio.sleep(0.5)
        for member in (await members(engine, stack_id)).values():
            found = await engine.operations.resources(str(member.physical_id))
            assert "second" not in found or found["second"].action is Action.INIT

    tell(tmp_path, story)


BAD = """
heat_template_version: wallaby
parameters: {bad: {type: string}}
conditions: {is_bad: {equals: [{get_param: bad}, "1"]}}
resources:
  first: {type: OS::Heat::TestResource, properties: {wait_secs: 0.3}}
  second: {type: OS::Heat::RandomString, depends_on: first}
  fail: {type: OS::Heat::TestResource, condition: is_bad, properties: {fail: true}}
"""


def test_a_group_that_is_kept(tmp_path: Path) -> None:
    """Its stack goes on without the one around it."""

    async def story(engine: Embedded) -> None:
        recipe = group(count=1)
        template = json.loads(recipe.template)
        template["resources"]["group"]["deletion_policy"] = "Retain"
        stack_id = await created(engine, replace(recipe, template=json.dumps(template)))
        kept = await inside(engine, stack_id)
        await engine.operations.delete(stack_id)
        await complete(engine, stack_id)
        assert (await engine.operations.stack(kept)).status is Status.COMPLETE

    tell(tmp_path, story)
