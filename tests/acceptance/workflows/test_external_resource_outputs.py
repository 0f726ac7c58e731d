"""OS::Mistral::ExternalResource: its outputs, its ids, and who sees them."""

from typing import Any
from uuid import uuid4

from hotplate.model import Action
from tests.acceptance.workflows.external_actions import DATA, GIVEN, three
from tests.acceptance.workflows.workflow_lab import Lab, Play


def test_m12_output_is_a_map_with_access_by_path(play: Play) -> None:
    async def story(lab: Lab) -> None:
        name = await lab.echo("create", {"a": {"deep": [1, {"x": "here"}]}, "n": None})
        await lab.created({"actions": {"CREATE": {"workflow": name}}})
        outputs = await lab.outputs()
        assert outputs["output"] == {"a": {"deep": [1, {"x": "here"}]}, "n": None}
        assert outputs["a"] == {"deep": [1, {"x": "here"}]}

    play(story)


def test_m14_the_output_is_kept(play: Play) -> None:
    async def story(lab: Lab) -> None:
        actions = await three(lab)
        await lab.created({"actions": actions, "input": GIVEN})
        assert (await lab.outputs())["output"] == {"resource_id": "thing-1", "a": 1}
        await lab.updated({"actions": actions, "input": {"foo1": 9, "foo2": 456}})
        assert (await lab.outputs())["output"] == {"resource_id": "thing-1", "a": 1, "b": 9}

    play(story)


def test_m16_resource_id_becomes_the_physical_id(play: Play) -> None:
    async def story(lab: Lab) -> None:
        name = await lab.echo("create", {"resource_id": "x" * 300})
        await lab.created({"actions": {"CREATE": {"workflow": name}}})
        assert (await lab.resource()).physical_id == "x" * 255
        other = await lab.echo("other", {"a": 1})
        await lab.created({"actions": {"CREATE": {"workflow": other}}})
        assert (await lab.resource()).physical_id == lab.request("other").id

    play(story)


def test_m17_get_resource_gives_the_resource_id(play: Play) -> None:
    async def story(lab: Lab) -> None:
        await lab.created({"actions": await three(lab), "input": GIVEN})
        assert (await lab.outputs())["id"] == "thing-1"

    play(story)


def test_m18_all_actions_but_create_see_the_current_outputs(play: Play) -> None:
    async def story(lab: Lab) -> None:
        actions: dict[str, Any] = {"CREATE": {"workflow": await lab.echo("CREATE", {"n": 0})}}
        for name in ("UPDATE", "SUSPEND", "RESUME", "DELETE"):
            seen = {f"seen_{name}": f"<% {DATA[3:-3]}.keys().orderBy($) %>"}
            actions[name] = {"workflow": await lab.echo(name, seen, {"x": 0})}
        await lab.created({"actions": actions})
        assert "env" not in lab.request("CREATE").params
        await lab.updated({"actions": actions, "input": {"x": 1}})
        for action in (Action.SUSPEND, Action.RESUME):
            await lab.engine.operations.visit(lab.stack_id, action)
            await lab.ended()
        await lab.deleted()
        expected = ["n"]
        for name in ("UPDATE", "SUSPEND", "RESUME", "DELETE"):
            key = f"seen_{name}"
            assert (await lab.execution(name)).output == {key: sorted(expected)}
            expected.append(key)

    play(story)


def test_m18_also_a_resource_without_a_create_workflow(play: Play) -> None:
    async def story(lab: Lab) -> None:
        name = await lab.echo("update", {"seen": DATA}, {"x": 0})
        actions = {"UPDATE": {"workflow": name}}
        await lab.created({"actions": actions})
        await lab.updated({"actions": actions, "input": {"x": 1}})
        assert (await lab.execution("update")).output == {"seen": {}}

    play(story)


def test_m19_the_outputs_are_merged_into_the_users_environment(play: Play) -> None:
    async def story(lab: Lab) -> None:
        name = await lab.echo("update", {"seen": "<% env() %>"}, {"x": 0})
        actions: dict[str, Any] = {"CREATE": {"workflow": await lab.echo("create", {"a": 1})}}
        actions["UPDATE"] = {"workflow": name, "params": {"env": {"mine": "kept"}}}
        await lab.created({"actions": actions})
        await lab.updated({"actions": actions, "input": {"x": 1}})
        seen = (await lab.execution("update")).output["seen"]
        assert seen == {"mine": "kept", "heat_extresource_data": {"a": 1}}

    play(story)


def test_m19_also_into_a_stored_environment(play: Play) -> None:
    async def story(lab: Lab) -> None:
        stored = f"stored_{uuid4().hex[:8]}"
        await lab.store_environment(stored, {"mine": "kept"})
        name = await lab.echo("both", {"seen": "<% env() %>"}, {"x": 0})
        action = {"workflow": name, "params": {"env": stored}}
        actions = {"CREATE": action, "UPDATE": action}
        await lab.created({"actions": actions})
        assert lab.request("both").params == {"env": stored}
        assert (await lab.execution("both")).output["seen"] == {"mine": "kept"}
        await lab.updated({"actions": actions, "input": {"x": 1}})
        seen = (await lab.execution("both")).output["seen"]
        outputs = {"seen": {"mine": "kept"}}
        assert seen == {"mine": "kept", "heat_extresource_data": outputs}

    play(story)


def test_m19_an_environment_that_is_missing_is_named(play: Play) -> None:
    async def story(lab: Lab) -> None:
        name = await lab.echo("update", {"a": 1}, {"x": 0})
        actions = {"UPDATE": {"workflow": name, "params": {"env": "no_such_environment"}}}
        await lab.created({"actions": actions})
        await lab.update({"actions": actions, "input": {"x": 1}})
        assert "there is no environment no_such_environment" in await lab.ended("FAILED")

    play(story)


def test_m20_outputs_that_are_not_repeated_survive(play: Play) -> None:
    async def story(lab: Lab) -> None:
        actions = await three(lab)
        actions["SUSPEND"] = {"workflow": await lab.echo("suspend", {"a": 2}, "foo1", "foo2")}
        await lab.created({"actions": actions, "input": GIVEN})
        await lab.updated({"actions": actions, "input": {"foo1": 1, "foo2": 456}})
        await lab.engine.operations.visit(lab.stack_id, Action.SUSPEND)
        await lab.ended()
        assert (await lab.outputs())["output"] == {"resource_id": "thing-1", "a": 2, "b": 1}
        assert (await lab.resource()).physical_id == "thing-1"

    play(story)
