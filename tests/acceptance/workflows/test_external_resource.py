"""OS::Mistral::ExternalResource, requirement by requirement, on both drivers: what runs when."""

from typing import Any

import pytest

from hotplate.document import InvalidDocument
from hotplate.model import Action
from hotplate.resources.capabilities import ChecksReplacement
from hotplate.resources.mistral import external_resource
from hotplate.resources.mistral.external_resource import ExternalResource
from hotplate.resources.resource_type import Resource
from tests.acceptance.workflows.external_actions import GIVEN, three
from tests.acceptance.workflows.workflow_lab import PROJECT, Lab, Play


def test_m01_a_custom_type_lives_and_dies_by_its_workflows(play: Play) -> None:
    async def story(lab: Lab) -> None:
        actions = await three(lab)
        await lab.created({"actions": actions, "input": GIVEN})
        await lab.updated({"actions": actions, "input": {**GIVEN, "foo1": 5}})
        assert (await lab.outputs())["output"] == {"resource_id": "thing-1", "a": 1, "b": 5}
        await lab.deleted()
        assert lab.ran() == ["create", "update", "delete"]

    play(story)


def test_m02_the_template_of_the_proposal_is_taken(play: Play) -> None:
    async def story(lab: Lab) -> None:
        actions = await three(lab)
        actions["CREATE"]["params"] = {"target": "create_my_custom_thing"}
        await lab.created(
            {
                "actions": actions,
                "input": GIVEN,
                "replace_on_change_inputs": ["foo2"],
                "always_update": True,
            }
        )
        assert lab.request("create").params == {"target": "create_my_custom_thing"}

    play(story)


def test_m03_other_actions_are_refused(play: Play) -> None:
    async def story(lab: Lab) -> None:
        for action in ("CHECK", "create", "SNAPSHOT"):
            with pytest.raises(InvalidDocument, match=f"Unknown Property {action}"):
                await lab.create({"actions": {action: {"workflow": "w"}}})

    play(story)


def test_m04_every_action_is_optional(play: Play) -> None:
    async def story(lab: Lab) -> None:
        await lab.created({"actions": {}})
        await lab.updated({"actions": {}, "input": {"a": 1}})
        for action in (Action.SUSPEND, Action.RESUME):
            await lab.engine.operations.visit(lab.stack_id, action)
            await lab.ended()
        assert (await lab.outputs())["output"] == {}
        await lab.deleted()
        assert lab.ran() == []

    play(story)


def test_m05_a_workflow_is_named_or_given_by_its_id(play: Play) -> None:
    async def story(lab: Lab) -> None:
        name = await lab.echo("create", {"a": 1})
        stored = await lab.asked.find_workflow(PROJECT, name)
        for given in (name, stored.id):
            await lab.created({"actions": {"CREATE": {"workflow": given}}})
            assert (await lab.outputs())["a"] == 1
        await lab.create({"actions": {"CREATE": {"workflow": "no_such_workflow"}}})
        assert "no_such_workflow" in await lab.ended("FAILED")

    play(story)


def test_m06_params_reach_the_execution(play: Play) -> None:
    async def story(lab: Lab) -> None:
        tasks = {
            "last": {"action": "std.noop", "requires": ["first"], "publish": {"a": "last"}},
            "first": {"action": "std.noop", "publish": {"b": "first"}},
            "other": {"action": "std.noop", "publish": {"c": "other"}},
        }
        name = await lab.define("create", {"type": "reverse", "tasks": tasks})
        params = {"task_name": "last"}
        await lab.created({"actions": {"CREATE": {"workflow": name, "params": params}}})
        output = (await lab.outputs())["output"]
        assert output == {"a": "last", "b": "first"}
        await lab.create({"actions": {"CREATE": {"workflow": name}}})
        assert "task_name" in await lab.ended("FAILED")

    play(story)


def test_m07_every_action_gets_the_same_input(play: Play) -> None:
    async def story(lab: Lab) -> None:
        seen = {"seen": "<% [$.foo1, $.foo2] %>"}
        actions = {
            action: {"workflow": await lab.echo(action, seen, "foo1", "foo2")}
            for action in ("CREATE", "SUSPEND", "RESUME", "DELETE")
        }
        await lab.created({"actions": actions, "input": GIVEN})
        for action in (Action.SUSPEND, Action.RESUME):
            await lab.engine.operations.visit(lab.stack_id, action)
            await lab.ended()
        await lab.deleted()
        assert lab.ran() == ["CREATE", "SUSPEND", "RESUME", "DELETE"]
        for name in actions:
            assert (await lab.execution(name)).output == {"seen": [123, 456]}

    play(story)


def test_m08_a_change_of_a_listed_input_replaces(play: Play) -> None:
    async def story(lab: Lab) -> None:
        given = {"actions": await three(lab), "replace_on_change_inputs": ["foo2"]}
        await lab.created({**given, "input": GIVEN})
        first = await lab.resource()
        await lab.updated({**given, "input": {**GIVEN, "foo1": 5}})
        assert (await lab.resource()).uuid == first.uuid
        await lab.updated({**given, "input": {"foo1": 5, "foo2": 7}})
        assert (await lab.resource()).uuid != first.uuid

    play(story)


def test_m09_replacement_creates_the_new_one_and_then_deletes_the_old(play: Play) -> None:
    async def story(lab: Lab) -> None:
        given = {"actions": await three(lab), "replace_on_change_inputs": ["foo2"]}
        await lab.created({**given, "input": GIVEN})
        await lab.updated({**given, "input": {**GIVEN, "foo2": 7}})
        assert lab.ran() == ["create", "create", "delete"]

    play(story)


def test_m10_always_update_runs_the_update_without_a_change(play: Play) -> None:
    async def story(lab: Lab) -> None:
        given = {"actions": await three(lab), "input": GIVEN}
        await lab.created({**given, "always_update": True})
        for _ in range(2):
            await lab.updated({**given, "always_update": True})
        assert lab.ran() == ["create", "update", "update"]
        # The new definition counts: switched off, it is off in the very same update.
        await lab.updated({**given, "always_update": False})
        assert lab.ran() == ["create", "update", "update"]

    play(story)


def test_m11_without_a_change_nothing_runs(play: Play) -> None:
    async def story(lab: Lab) -> None:
        given = {"actions": await three(lab), "input": GIVEN}
        await lab.created(given)
        await lab.updated(given)
        assert lab.ran() == ["create"]

    play(story)


def test_m21_an_action_has_one_workflow(play: Play) -> None:
    async def story(lab: Lab) -> None:
        wrongs: list[Any] = [[{"workflow": "w"}], {"workflow": ["w"]}, {"params": {}}, "w"]
        for wrong in wrongs:
            with pytest.raises(InvalidDocument):
                await lab.create({"actions": {"CREATE": wrong}})

    play(story)


def test_m22_the_answer_of_a_workflow_never_replaces(play: Play) -> None:
    async def story(lab: Lab) -> None:
        actions = await three(lab)
        actions["UPDATE"] = {
            "workflow": await lab.echo("update", {"resource_id": "thing-2"}, "foo1", "foo2")
        }
        await lab.created({"actions": actions, "input": GIVEN})
        first = await lab.resource()
        await lab.updated({"actions": actions, "input": {**GIVEN, "foo1": 1}})
        second = await lab.resource()
        assert (second.uuid, second.physical_id) == (first.uuid, "thing-2")
        assert (await lab.outputs())["id"] == "thing-2"
        assert lab.ran() == ["create", "update"]

    play(story)


def test_m23_a_replacement_runs_the_create_workflow(play: Play) -> None:
    async def story(lab: Lab) -> None:
        given = {"actions": await three(lab), "replace_on_change_inputs": ["foo2"]}
        await lab.created({**given, "input": GIVEN})
        await lab.updated({**given, "input": {**GIVEN, "foo2": 7}})
        creations = {w.id: w for w in lab.service.started if lab.names[w.workflow] == "create"}
        assert [request.input["foo2"] for request in creations.values()] == [456, 7]

    play(story)


def test_m26_changed_workflows_take_effect_in_place(play: Play) -> None:
    async def story(lab: Lab) -> None:
        actions = await three(lab)
        await lab.created({"actions": actions, "input": GIVEN})
        first = await lab.resource()
        other = await lab.echo("other", {"o": 1}, "foo1", "foo2")
        changed = {**actions, "DELETE": {"workflow": other}, "UPDATE": {"workflow": other}}
        given = {
            "actions": changed,
            "input": GIVEN,
            "description": "new",
            "replace_on_change_inputs": ["foo2"],
        }
        await lab.updated(given)
        assert (await lab.resource()).uuid == first.uuid
        assert lab.ran() == ["create"]
        await lab.deleted()
        assert lab.ran() == ["create", "other"]
        assert lab.request("other").description == "new"

    play(story)


def test_m27_inputs_are_those_of_the_definition_that_is_acted_for(play: Play) -> None:
    async def story(lab: Lab) -> None:
        inputs = ({"foo1": None}, {"foo2": None})
        actions = {
            action: {"workflow": await lab.echo(action, {"a": 1}, *inputs)}
            for action in ("CREATE", "UPDATE", "DELETE")
        }
        given: dict[str, Any] = {"actions": actions, "replace_on_change_inputs": ["foo2"]}
        await lab.created({**given, "input": {"foo1": 1}})
        await lab.updated({**given, "input": {}})
        assert lab.request("UPDATE").input == {}
        await lab.updated({**given, "input": {"foo2": 5}})
        assert lab.request("DELETE").input == {}
        assert lab.request("CREATE").input == {"foo2": 5}

    play(story)


def test_m31_whether_to_replace_is_asked_at_one_place(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place for a workflow that decides: it may ask anybody, and before anything is done."""

    class Deciding(ExternalResource, ChecksReplacement):
        async def must_replace(self, resource: Resource) -> str:
            return "a workflow said so" if resource.properties["input"].get("new") else ""

    monkeypatch.setattr(external_resource, "ExternalResource", Deciding)

    async def story(lab: Lab) -> None:
        given: dict[str, Any] = {"actions": {}, "input": {}}
        await lab.created(given)
        first = await lab.resource()
        await lab.updated({**given, "input": {"new": True}})
        assert (await lab.resource()).uuid != first.uuid

    play(story)
