"""OS::Heat::Stack and AWS::CloudFormation::Stack made here, on the real engine."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from hotplate.document import InvalidDocument
from hotplate.engine.embedded import Embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.acceptance import Options
from hotplate.model import Action, Status, Version
from hotplate.plan.decide import Step
from tests.acceptance.types.stories import ended, tell

URL = "https://templates.example.org/box.template"


def box(word: str = "hello", **more: Any) -> str:
    """A template with a parameter and an output."""
    return json.dumps(
        {
            "heat_template_version": "wallaby",
            "parameters": {"word": {"type": "string", "default": word}},
            "resources": {
                "echo": {
                    "type": "OS::Heat::TestResource",
                    "properties": {"value": {"get_param": "word"}, **more},
                },
            },
            "outputs": {"said": {"value": {"get_attr": ["echo", "output"]}}},
        }
    )


def around(template: Any, files: dict[str, str] | None = None, **more: Any) -> Recipe:
    """A stack that is one stack, and what is asked of it."""
    asked = {"name": ["stack_name"], "outputs": ["outputs"], "one": ["outputs", "said"]}
    outputs: dict[str, Any] = {
        name: {"value": {"get_attr": ["inner", *path]}} for name, path in asked.items()
    }
    outputs["id"] = {"value": {"get_resource": "inner"}}
    inner = {"type": "OS::Heat::Stack", "properties": {"template": template, **more}}
    document = {
        "heat_template_version": "wallaby",
        "resources": {"inner": inner},
        "outputs": outputs,
    }
    return Recipe(json.dumps(document), files or {})


def cfn(files: dict[str, str], **more: Any) -> Recipe:
    document = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Resources": {
            "inner": {
                "Type": "AWS::CloudFormation::Stack",
                "Properties": {"TemplateURL": URL, **more},
            }
        },
        "Outputs": {
            "said": {"Value": {"Fn::GetAtt": ["inner", "Outputs.said"]}},
            "ref": {"Value": {"Ref": "inner"}},
        },
    }
    return Recipe(json.dumps(document), files)


async def created(engine: Embedded, recipe: Recipe) -> str:
    stack_id = await engine.operations.create("p", "root", recipe)
    stack = await ended(engine, stack_id)
    assert stack.status is Status.COMPLETE, stack.reason
    return stack_id


async def updated(engine: Embedded, stack_id: str, recipe: Recipe) -> dict[str, Any]:
    await engine.operations.update(stack_id, recipe)
    stack = await ended(engine, stack_id)
    assert stack.status is Status.COMPLETE, stack.reason
    return await engine.operations.outputs(stack_id)


async def inner(engine: Embedded, stack_id: str) -> Version:
    return (await engine.operations.resources(stack_id))["inner"]


def test_a_stack_tells_its_name_outputs_and_id_and_changes_in_place(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, around(box()))
        version = await inner(engine, stack_id)
        child = await engine.operations.stack(version.physical_id or "")
        said = await engine.operations.outputs(stack_id)
        assert said == {
            "name": child.name,
            "outputs": {"said": "hello"},
            "one": "hello",
            "id": child.id,
        }
        assert child.name.startswith("root-inner-")
        for recipe, word in (
            (around(box("bye")), "bye"),
            (around(box("bye"), parameters={"word": "told"}), "told"),
            (around(box("bye"), parameters={"word": "told"}, timeout=7), "told"),
        ):
            assert (await updated(engine, stack_id, recipe))["one"] == word
            assert (await inner(engine, stack_id)).physical_id == child.id
        assert (await engine.operations.stack(child.id)).timeout == 7
        events = len(await engine.operations.events(child.id))
        await updated(engine, stack_id, around(box("bye"), parameters={"word": "told"}, timeout=7))
        assert len(await engine.operations.events(child.id)) == events, "nothing changed"
        await engine.operations.delete(stack_id)
        assert (await ended(engine, stack_id)).action is Action.DELETE
        assert (await engine.operations.stack(child.id)).deleted_at is not None

    tell(tmp_path, story)


def test_files_and_environment_of_the_stack_around_hold_inside(tmp_path: Path) -> None:
    template = {
        "heat_template_version": "wallaby",
        "parameters": {"common": {"type": "string"}},
        "resources": {
            "nested": {"type": "My::Box", "properties": {"word": {"get_param": "common"}}}
        },
        "outputs": {"said": {"value": {"get_attr": ["nested", "said"]}}},
    }

    async def story(engine: Embedded) -> None:
        recipe = around({"get_file": "inner.yaml"})
        files = {"inner.yaml": json.dumps(template), "box.yaml": box()}
        environment = {
            "resource_registry": {"My::Box": "box.yaml"},
            "parameter_defaults": {"common": "shared"},
        }
        sent = Recipe(recipe.template, files, environment=json.dumps(environment))
        stack_id = await created(engine, sent)
        assert (await engine.operations.outputs(stack_id))["one"] == "shared"
        # What stands deep inside is seen by a preview, and a change of a file reaches it.
        files = {
            **files,
            "box.yaml": box().replace(
                '"get_param": "word"',
                '"str_replace": {"template": "new W", "params": {"W": {"get_param": "word"}}}',
            ),
        }
        newer = Recipe(recipe.template, files, environment=json.dumps(environment))
        planned = (await engine.operations.preview_update(stack_id, newer)).planned
        assert ("inner", "nested", "echo") in {
            each.path for each in planned if each.step is Step.UPDATE
        }
        assert (await updated(engine, stack_id, newer))["one"] == "new shared"

    tell(tmp_path, story)


def test_a_failure_inside_is_told_with_its_path_and_mended_in_place(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await engine.operations.create("p", "root", around(box(fail=True)))
        stack = await ended(engine, stack_id)
        assert stack.status is Status.FAILED
        assert "resources.inner.resources.echo" in stack.reason
        assert "Test Resource failed echo" in stack.reason
        first = (await inner(engine, stack_id)).physical_id
        assert (await updated(engine, stack_id, around(box())))["one"] == "hello"
        assert (await inner(engine, stack_id)).physical_id == first

    tell(tmp_path, story)


def test_a_time_out_of_its_own_ends_the_stack_inside(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        recipe = around(box(wait_secs=300), timeout=1)
        stack_id = await engine.operations.create("p", "root", recipe, Options(timeout=60))
        inside = None
        while inside is None or inside.deadline is None:
            child = (await inner(engine, stack_id)).physical_id
            inside = None if child is None else await engine.operations.stack(child)
            await asyncio.sleep(0.01)
        assert inside.timeout == 1
        outside = await engine.operations.stack(stack_id)
        assert outside.deadline is not None
        assert inside.deadline < outside.deadline

    tell(tmp_path, story)


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        (around("resources: ["), "template"),
        (around(box(), parameters={"wrod": "x"}), "wrod"),
        (around(box().replace("OS::Heat::TestResource", "OS::Heat::Tset")), "OS::Heat::Tset"),
        (around(box(length=3)), "length"),
        (around(box(), timeout=-1), "below 0"),
        (
            around(
                {"get_file": "self.yaml"}, {"self.yaml": around({"get_file": "self.yaml"}).template}
            ),
            "a template cannot contain itself",
        ),
        (cfn({}), f'the template "{URL}" was not given'),
        (cfn({URL: "nonsense: true"}), "does not say its version"),
    ],
)
def test_what_is_wrong_inside_is_refused_before_anything_starts(
    tmp_path: Path, recipe: Recipe, words: str
) -> None:
    async def story(engine: Embedded) -> None:
        with pytest.raises(InvalidDocument, match=words):
            await engine.operations.create("p", "root", recipe)

    tell(tmp_path, story)


def test_an_attribute_that_no_stack_has_is_refused(tmp_path: Path) -> None:
    document = json.loads(around(box()).template)
    document["outputs"]["bad"] = {"value": {"get_attr": ["inner", "said"]}}

    async def story(engine: Embedded) -> None:
        with pytest.raises(InvalidDocument, match="inner said"):
            await engine.operations.create("p", "root", Recipe(json.dumps(document)))

    tell(tmp_path, story)


def test_a_stack_from_an_address_has_outputs_as_attributes(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, cfn({URL: box()}))
        version = await inner(engine, stack_id)
        child = await engine.operations.stack(version.physical_id or "")
        said = await engine.operations.outputs(stack_id)
        assert said == {
            "said": "hello",
            "ref": f"arn:openstack:heat::p:stacks/{child.name}/{child.id}",
        }
        recipe = cfn({URL: box()}, Parameters={"word": "told"}, TimeoutInMinutes=9)
        assert (await updated(engine, stack_id, recipe))["said"] == "told"
        assert (await updated(engine, stack_id, cfn({URL: box("other")})))["said"] == "other"
        assert (await inner(engine, stack_id)).physical_id == child.id
        failing = cfn({URL: box(fail=True)})
        await engine.operations.update(stack_id, failing)
        stack = await ended(engine, stack_id)
        assert stack.status is Status.FAILED
        assert "resources.inner.resources.echo" in stack.reason
        await engine.operations.delete(stack_id)
        await ended(engine, stack_id)
        assert (await engine.operations.stack(child.id)).deleted_at is not None

    tell(tmp_path, story)


def test_a_tree_of_given_templates_is_abandoned_and_adopted(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, around(box()))
        document = await engine.operations.abandon(stack_id)
        again = await engine.operations.adopt("p", "again", around(box()), document["resources"])
        stack = await ended(engine, again)
        assert (stack.action, stack.status) == (Action.ADOPT, Status.COMPLETE), stack.reason
        assert (await engine.operations.outputs(again))["one"] == "hello"

    tell(tmp_path, story)
