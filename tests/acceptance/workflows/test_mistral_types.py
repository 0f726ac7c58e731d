"""OS::Mistral::Workflow and CronTrigger, on both drivers."""

from typing import Any
from uuid import uuid4

import pytest
import yaml

from hotplate.document import InvalidDocument
from hotplate.engine.requests.signals import BadRequest
from hotplate.model import Action, Status
from hotplate.store.events import events_of
from hotplate.workflow.drivers.driver import ExecutionState, Start
from tests.acceptance.workflows.workflow_lab import PROJECT, Lab, Play

# Every policy that a task can have.
TASKS: list[dict[str, Any]] = [
    {
        "name": "first",
        "description": "begins",
        "action": "std.echo",
        "input": {"output": "<% $.word %>"},
        "publish": {"said": "<% task().result %>"},
        "publish_on_error": {"said": "nothing"},
        "retry": {"count": 2, "delay": 1},
        "wait_before": 0,
        "wait_after": 0,
        "timeout": 30,
        "safe_rerun": True,
        "fail_on": "<% $.word = 'bad' %>",
        "on_success": ["left", {"right": "<% $.times > 1 %>"}],
        "on_error": ["fail"],
    },
    {"name": "left", "action": "std.noop", "on_complete": ["last"]},
    {"name": "right", "action": "std.noop", "pause_before": False, "on_success": ["last"]},
    {
        "name": "last",
        "join": "2",
        "with_items": "i in <% range($.times) %>",
        "concurrency": 2,
        "keep_result": True,
        "action": "std.echo output=<% $.i %>",
        "publish": {"items": "<% task().result %>"},
    },
]
WORKFLOW: dict[str, Any] = {
    "type": "direct",
    "description": "says a word",
    "tags": ["test"],
    "input": {"word": None, "times": 2},
    "vars": {"start": 5},
    "output": {"said": "<% $.said %>", "items": "<% $.items %>", "start": "<% $.start %>"},
    "output_on_error": {"resource_id": "half"},
    "task_defaults": {"timeout": 60, "on_error": ["fail"]},
    "tasks": TASKS,
}


def document(workflow: dict[str, Any], **resources: Any) -> str:
    return yaml.safe_dump(
        {
            "heat_template_version": "2016-10-14",
            "resources": {
                "flow": {"type": "OS::Mistral::Workflow", "properties": workflow},
                **resources,
            },
            "outputs": {
                "name": {"value": {"get_resource": "flow"}},
                "data": {"value": {"get_attr": ["flow", "data"]}},
                "url": {"value": {"get_attr": ["flow", "alarm_url"]}},
            },
        },
        sort_keys=False,
    )


async def run(lab: Lab, name: str, given: dict[str, Any]) -> Any:
    """Run a workflow by hand."""
    request = Start(str(uuid4()), name, given)
    await lab.asked.start(PROJECT, request)
    return await ended(lab, request.id)


async def ended(lab: Lab, execution_id: str) -> Any:
    found: Any = None

    async def is_over() -> bool:
        nonlocal found
        found = await lab.asked.show(PROJECT, execution_id)
        return bool(found and found.state.is_final)

    await lab.until(is_over)
    return found


async def _template(lab: Lab, text: str) -> None:
    await lab.create_from(text)
    await lab.ended()


def test_a_workflow_with_every_policy_runs(play: Play) -> None:
    async def story(lab: Lab) -> None:
        await _template(lab, document(WORKFLOW))
        outputs = await lab.outputs()
        assert outputs["data"] == {"name": outputs["name"], "input": {"word": None, "times": 2}}
        assert "/signal/arn" in outputs["url"]
        done = await run(lab, outputs["name"], {"word": "hello"})
        assert done.output == {"said": "hello", "items": [0, 1], "start": 5}
        bad = await run(lab, outputs["name"], {"word": "bad"})
        assert bad.state is ExecutionState.ERROR
        assert bad.output["resource_id"] == "half"

    play(story)


def test_a_workflow_is_updated_in_place_and_deleted(play: Play) -> None:
    async def story(lab: Lab) -> None:
        await _template(lab, document(WORKFLOW))
        name = (await lab.outputs())["name"]
        changed = {**WORKFLOW, "output": {"new": "<% $.said %>"}}
        await lab.update_to(document(changed))
        await lab.ended()
        assert (await lab.outputs())["name"] == name
        assert (await run(lab, name, {"word": "hello"})).output == {"new": "hello"}
        await lab.deleted()
        assert await lab.asked.find_workflow(PROJECT, name) is None

    play(story)


def test_a_definition_may_be_text(play: Play) -> None:
    async def story(lab: Lab) -> None:
        name = f"text_{uuid4().hex[:8]}"
        tasks = {"t": {"action": "std.echo output=7", "publish": {"n": "<% task().result %>"}}}
        text = yaml.safe_dump({"version": "2.0", name: {"tasks": tasks}})
        await _template(lab, document({"definition": text}))
        assert (await lab.outputs())["name"] == name
        assert (await run(lab, name, {})).output == {"n": 7}

    play(story)


def test_a_signal_runs_the_workflow(play: Play) -> None:
    async def story(lab: Lab) -> None:
        await _template(lab, document(WORKFLOW))
        operations = lab.engine.operations
        await operations.signal(lab.stack_id, "flow", {"input": {"word": "hi", "times": 3}})
        resource = (await operations.resources(lab.stack_id))["flow"]
        (execution,) = resource.data["executions"]
        assert execution["input"]["word"] == "hi"
        done = await ended(lab, execution["id"])
        assert done.output["items"] == [0, 1, 2]
        with pytest.raises(BadRequest, match="Unknown input colour"):
            await operations.signal(lab.stack_id, "flow", {"input": {"colour": 1}})
        events = await lab.engine.database.read(
            lambda connection: events_of(connection, lab.stack_id)
        )
        told = [event for event in events if event.action is Action.SIGNAL]
        assert [(event.status, event.reason) for event in told] == [(Status.COMPLETE, "Unknown")]
        await lab.deleted()
        assert await lab.asked.show(PROJECT, execution["id"]) is None

    play(story)


def test_all_of_a_signal_may_be_the_input(play: Play) -> None:
    async def story(lab: Lab) -> None:
        await _template(lab, document({**WORKFLOW, "use_request_body_as_input": True}))
        await lab.engine.operations.signal(lab.stack_id, "flow", {"word": "body"})
        resource = (await lab.engine.operations.resources(lab.stack_id))["flow"]
        done = await ended(lab, resource.data["executions"][0]["id"])
        assert done.output["said"] == "body"

    play(story)


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({"type": "direct"}, "needs type and tasks"),
        ({"definition": "a: [", }, "cannot be read"),
        ({"definition": "version: '2.0'"}, "one workflow"),
        ({"definition": "w: {}", "type": "direct"}, "leave out type"),
        ({"type": "reverse", "tasks": [{"name": "t", "action": "std.noop"}]}, "task_name"),
        ({"type": "direct", "tasks": [{"name": "t", "requires": ["a"]}]}, "requires"),
        ({"type": "direct", "tasks": [{"name": "t", "action": "a", "workflow": "w"}]}, "both"),
        ({"type": "odd", "tasks": [{"name": "t"}]}, "odd"),
    ],
)  # fmt: skip
def test_faults_are_found_before_anything_is_made(
    play: Play, properties: dict[str, Any], words: str
) -> None:
    async def story(lab: Lab) -> None:
        with pytest.raises(InvalidDocument, match=words):
            await lab.create_from(document(properties))

    play(story)


def test_a_workflow_that_exists_already_is_left_alone(play: Play) -> None:
    async def story(lab: Lab) -> None:
        name = await lab.echo("mine", {"a": 1})
        await lab.create_from(document({**WORKFLOW, "name": name}))
        assert "there is a workflow" in await lab.ended("FAILED")
        await lab.deleted()
        assert (await run(lab, name, {})).output == {"a": 1}

    play(story)


def test_a_trigger_is_made_and_deleted(play: Play) -> None:
    async def story(lab: Lab) -> None:
        name = await lab.echo("often", {"a": 1}, {"x": 1})
        properties = {
            "pattern": "0 0 1 1 *",
            "count": 3,
            "workflow": {"name": name, "input": {"x": 2}},
        }
        trigger = {"type": "OS::Mistral::CronTrigger", "properties": properties}
        await _template(lab, document(WORKFLOW, trigger=trigger))
        made = (await lab.engine.operations.resources(lab.stack_id))["trigger"]
        assert made.attributes["remaining_executions"] == 3
        assert made.attributes["next_execution_time"].startswith("20")
        found = await lab.asked.find_trigger(PROJECT, made.physical_id)
        assert (found.pattern, found.count, dict(found.input)) == ("0 0 1 1 *", 3, {"x": 2})
        await lab.deleted()
        assert await lab.asked.find_trigger(PROJECT, made.physical_id) is None

    play(story)


def test_a_trigger_needs_a_time(play: Play) -> None:
    async def story(lab: Lab) -> None:
        trigger = {"type": "OS::Mistral::CronTrigger", "properties": {"workflow": {"name": "w"}}}
        with pytest.raises(InvalidDocument, match="a pattern, a first_time"):
            await lab.create_from(document(WORKFLOW, trigger=trigger))

    play(story)
