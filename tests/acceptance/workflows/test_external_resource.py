"""OS::Mistral::ExternalResource, requirement by requirement, on both drivers."""

from typing import Any
from uuid import uuid4

import pytest

from hotplate.document import InvalidDocument
from hotplate.model import Action, Status
from hotplate.resources.capabilities import ChecksReplacement
from hotplate.resources.mistral import external_resource
from hotplate.resources.mistral.external_resource import ExternalResource
from hotplate.resources.resource_type import Resource
from hotplate.store.stacks import change_stack
from hotplate.workflow.drivers.driver import ExecutionState
from tests.acceptance.workflows.workflow_lab import PROJECT, Lab, Play

FOREVER = {"tasks": {"t": {"action": "std.async_noop"}}}
DATA = "<% env().heat_extresource_data %>"


async def three(lab: Lab, **create: Any) -> dict[str, Any]:
    """Return actions for a creation, an update and a deletion."""
    inputs = ("foo1", "foo2")
    return {
        "CREATE": {
            "workflow": await lab.echo("create", {"resource_id": "thing-1", "a": 1}, *inputs)
        },
        "UPDATE": {"workflow": await lab.echo("update", {"b": "<% $.foo1 %>"}, *inputs)},
        "DELETE": {"workflow": await lab.echo("delete", {"seen": DATA}, *inputs)},
    }


GIVEN = {"foo1": 123, "foo2": 456}


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


def test_m12_output_is_a_map_with_access_by_path(play: Play) -> None:
    async def story(lab: Lab) -> None:
        name = await lab.echo("create", {"a": {"deep": [1, {"x": "here"}]}, "n": None})
        await lab.created({"actions": {"CREATE": {"workflow": name}}})
        outputs = await lab.outputs()
        assert outputs["output"] == {"a": {"deep": [1, {"x": "here"}]}, "n": None}
        assert outputs["a"] == {"deep": [1, {"x": "here"}]}

    play(story)


def test_m13_the_action_takes_as_long_as_its_execution(play: Play) -> None:
    async def story(lab: Lab) -> None:
        tasks = {"t": {"action": "std.noop", "wait-before": 1, "publish": {"a": 1}}}
        name = await lab.define("create", {"tasks": tasks})
        await lab.create({"actions": {"CREATE": {"workflow": name}}})

        async def has_begun() -> bool:
            return bool((await lab.resource()).cookie) and bool(lab.service.started)

        await lab.until(has_begun)
        resource = await lab.resource()
        assert (resource.action, resource.status) == (Action.CREATE, Status.IN_PROGRESS)
        await lab.ended()
        assert (await lab.execution("create")).state is ExecutionState.SUCCESS

    play(story)


def test_m14_the_output_is_kept(play: Play) -> None:
    async def story(lab: Lab) -> None:
        actions = await three(lab)
        await lab.created({"actions": actions, "input": GIVEN})
        assert (await lab.outputs())["output"] == {"resource_id": "thing-1", "a": 1}
        await lab.updated({"actions": actions, "input": {"foo1": 9, "foo2": 456}})
        assert (await lab.outputs())["output"] == {"resource_id": "thing-1", "a": 1, "b": 9}

    play(story)


def test_m15_a_failed_execution_fails_the_action_with_its_reason(play: Play) -> None:
    async def story(lab: Lab) -> None:
        tasks = {"t": {"action": "std.noop", "on-complete": ["fail(msg='the cable is loose')"]}}
        name = await lab.define("create", {"tasks": tasks})
        await lab.create({"actions": {"CREATE": {"workflow": name}}})
        reason = await lab.ended("FAILED")
        assert "the cable is loose" in reason
        assert "resources.thing" in reason
        assert "Traceback" not in reason
        resource = await lab.resource()
        assert (resource.action, resource.status) == (Action.CREATE, Status.FAILED)

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


def test_m24_the_physical_id_stays_while_an_action_runs(play: Play) -> None:
    async def story(lab: Lab) -> None:
        actions = await three(lab)
        actions["UPDATE"] = {
            "workflow": await lab.define("update", {"input": [{"foo1": 0}, {"foo2": 0}], **FOREVER})
        }
        await lab.created({"actions": actions, "input": GIVEN})
        await lab.update({"actions": actions, "input": {**GIVEN, "foo1": 1}})

        async def runs() -> bool:
            resource = await lab.resource()
            return bool(resource.cookie and resource.cookie.get("is_started"))

        await lab.until(runs)
        resource = await lab.resource()
        assert resource.physical_id == "thing-1"
        assert resource.data["execution"] == lab.request("update").id
        await lab.engine.operations.cancel(lab.stack_id, roll_back=False)
        await lab.ended("FAILED")

    play(story)


async def _running(lab: Lab) -> None:
    """Begin a creation that never ends by itself, and see its execution."""
    name = await lab.define("create", {"output-on-error": {"resource_id": "half"}, **FOREVER})
    seen = await lab.echo("delete", {"seen": DATA})
    actions = {"CREATE": {"workflow": name}, "DELETE": {"workflow": seen}}
    await lab.create({"actions": actions})
    await lab.until(lambda: _started(lab))


async def _started(lab: Lab) -> bool:
    resource = await lab.resource()
    return bool(resource.cookie and resource.cookie.get("is_started"))


async def _is_cancelled(lab: Lab) -> bool:
    return (await lab.execution("create")).state is ExecutionState.CANCELLED


@pytest.mark.parametrize("way", ["cancel", "timeout", "delete"])
def test_m25_a_stack_that_is_stopped_stops_its_executions(play: Play, way: str) -> None:
    async def story(lab: Lab) -> None:
        await _running(lab)
        if way == "cancel":
            await lab.engine.operations.cancel(lab.stack_id, roll_back=False)
        elif way == "timeout":
            await lab.engine.database.transact(
                lambda connection: change_stack(connection, lab.stack_id, deadline=1.0)
            )
        else:
            await lab.deleted()
            assert lab.ran() == ["create", "delete"]
        await lab.until(lambda: _is_cancelled(lab))
        if way != "delete":
            await lab.until(lambda: _is_failed(lab))

    play(story)


async def _is_failed(lab: Lab) -> bool:
    return (await lab.resource()).status is Status.FAILED


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


def test_m28_a_restart_goes_on_with_the_same_execution(play: Play) -> None:
    async def story(lab: Lab) -> None:
        tasks = {"t": {"action": "std.noop", "wait-before": 2, "publish": {"a": 1}}}
        name = await lab.define("create", {"tasks": tasks})
        await lab.create({"actions": {"CREATE": {"workflow": name}}})
        await lab.until(lambda: _started(lab))
        # Forget that it was started, as a process does that dies between the call and its record.
        await lab.restart({"is_started": False})
        await lab.ended()
        assert len({request.id for request in lab.service.started}) == 1
        assert (await lab.outputs())["a"] == 1

    play(story)


def test_m29_a_paused_execution_is_told_in_the_reason(play: Play) -> None:
    async def story(lab: Lab) -> None:
        tasks = {"t": {"action": "std.noop", "pause-before": True}}
        name = await lab.define("create", {"tasks": tasks})
        await lab.create({"actions": {"CREATE": {"workflow": name}}})

        async def is_told() -> bool:
            return "PAUSED" in (await lab.resource()).reason

        await lab.until(is_told)
        await lab.engine.operations.cancel(lab.stack_id, roll_back=False)
        await lab.ended("FAILED")

    play(story)


def test_m30_what_was_half_made_is_deleted_with_what_is_known_of_it(play: Play) -> None:
    async def story(lab: Lab) -> None:
        tasks = {"t": {"action": "std.fail"}}
        body = {"output-on-error": {"resource_id": "half-made", "a": 1}, "tasks": tasks}
        name = await lab.define("create", body)
        gone = await lab.echo("delete", {"seen": DATA})
        actions = {"CREATE": {"workflow": name}, "DELETE": {"workflow": gone}}
        await lab.create({"actions": actions})
        await lab.ended("FAILED")
        assert (await lab.resource()).physical_id == "half-made"
        await lab.deleted()
        seen = (await lab.execution("delete")).output["seen"]
        assert (seen["resource_id"], seen["a"]) == ("half-made", 1)

    play(story)


def test_m30_what_was_never_started_is_not_deleted(play: Play) -> None:
    async def story(lab: Lab) -> None:
        gone = await lab.echo("delete", {"a": 1})
        actions = {"CREATE": {"workflow": "no_such_workflow"}, "DELETE": {"workflow": gone}}
        await lab.create({"actions": actions})
        await lab.ended("FAILED")
        await lab.deleted()
        assert "delete" not in lab.ran()

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
