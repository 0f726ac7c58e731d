"""OS::Mistral::ExternalResource: executions that last, fail, are stopped or go on."""

import pytest

from hotplate.model import Action, Status
from hotplate.store.stacks import change_stack
from hotplate.workflow.drivers.driver import ExecutionState
from tests.acceptance.workflows.external_actions import DATA, GIVEN, three
from tests.acceptance.workflows.workflow_lab import Lab, Play

FOREVER = {"tasks": {"t": {"action": "std.async_noop"}}}


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
