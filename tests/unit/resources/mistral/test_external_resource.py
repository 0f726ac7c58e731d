"""An action is one execution, whatever dies or cannot be reached in between."""

import asyncio
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from hotplate.resources.mistral.external_resource import ExternalResource
from hotplate.resources.resource_type import Done, Resource, ResourceFailed, Result, Wait
from hotplate.workflow.drivers.driver import (
    SERVICE,
    Execution,
    ExecutionState,
    Refused,
    Start,
    Unreachable,
)

KIND = ExternalResource()
ACTIONS = {action: {"workflow": action.lower()} for action in ("CREATE", "UPDATE", "DELETE")}


class Service:
    """Runs nothing, and says what it is told to say."""

    def __init__(self) -> None:
        self.executions: dict[str, Execution] = {}
        self.started: list[Start] = []
        self.cancelled: list[str] = []
        self.environments: dict[str, dict[str, Any]] = {}
        self.is_away = False

    def _answer(self) -> None:
        if self.is_away:
            raise Unreachable("nobody answers")

    async def start(self, project: str, request: Start) -> Execution:
        self._answer()
        if request.workflow == "missing":
            raise Refused("there is no workflow missing")
        self.started.append(request)
        new = Execution(request.id, request.workflow, ExecutionState.RUNNING)
        return self.executions.setdefault(request.id, new)

    async def show(self, project: str, execution_id: str) -> Execution | None:
        self._answer()
        return self.executions.get(execution_id)

    async def cancel(self, project: str, execution_id: str, reason: str) -> None:
        self._answer()
        self.cancelled.append(execution_id)

    async def environment(self, project: str, name: str) -> Mapping[str, Any] | None:
        return self.environments.get(name)

    def end(self, state: ExecutionState, info: str = "", **output: Any) -> None:
        """Let the last execution end."""
        last = list(self.executions.values())[-1]
        ended = Execution(last.id, last.workflow_name, state, info, output=output)
        self.executions[last.id] = ended


class World:
    """A clock that stands still unless it is moved, and the service."""

    def __init__(self) -> None:
        self.random = Random(1)
        self.time = 1000.0
        self.workflows = Service()

    def now(self) -> float:
        return self.time

    def service(self, name: str) -> Any:
        assert name == SERVICE
        return self.workflows


class Story:
    """Calls methods as the engine does: with what the last call left behind."""

    def __init__(self, **properties: Any) -> None:
        self.world = World()
        self.service = self.world.workflows
        self.properties = {"actions": ACTIONS, **properties}
        self.data: dict[str, Any] = {}
        self.cookie: Any = None
        self.physical_id: str | None = None
        self.reason = ""
        self.is_wanted = True
        self.before: dict[str, Any] = {}

    def resource(self) -> Resource:
        return Resource(
            stack_name="app",
            stack_id="1",
            project="p",
            name="thing",
            creation_token="mark-1",
            physical_id=self.physical_id,
            properties=KIND.convert(self.properties),
            data=dict(self.data),
            world=self.world,
            old_properties=KIND.convert(self.before) if self.before else {},
            cookie=self.cookie,
            is_wanted=self.is_wanted,
        )

    def call(self, method: str) -> Result:
        """Call once and take in what is said."""
        result: Result = asyncio.run(getattr(KIND, method)(self.resource()))
        self.physical_id = result.physical_id or self.physical_id
        self.data = self.data if result.data is None else result.data
        self.cookie = result.cookie if isinstance(result, Wait) else None
        self.reason = (result.reason or self.reason) if isinstance(result, Wait) else ""
        return result

    def begin(self, method: str) -> None:
        """Call until the execution is started."""
        self.call(method)
        self.call(method)
        assert self.cookie["is_started"]

    def succeed(self, method: str, **output: Any) -> Done:
        self.begin(method)
        self.service.end(ExecutionState.SUCCESS, **output)
        done = self.call(method)
        assert isinstance(done, Done)
        return done


def test_the_id_is_stored_before_anything_is_started() -> None:
    story = Story()
    story.call("create")
    assert story.service.started == []
    assert story.data["execution"] == story.cookie["id"]
    story.call("create")
    assert [request.id for request in story.service.started] == [story.data["execution"]]


def test_a_start_that_nobody_noted_is_repeated_with_the_same_id() -> None:
    story = Story()
    story.call("create")
    kept = story.cookie
    story.call("create")
    story.cookie = kept  # the process died before it could note that it had started it
    story.call("create")
    assert len({request.id for request in story.service.started}) == 1
    assert len(story.service.executions) == 1


def test_looks_become_rarer() -> None:
    story = Story()
    story.begin("create")
    pauses = [getattr(story.call("create"), "seconds", 0) for _ in range(30)]
    assert pauses == sorted(pauses)
    assert (pauses[0] < 0.3, pauses[-1]) == (True, 5.0)


@pytest.mark.parametrize("started", [False, True])
def test_a_service_that_is_away_is_waited_for(started: bool) -> None:
    story = Story()
    story.call("create")
    if started:
        story.call("create")
    story.service.is_away = True
    for _ in range(5):
        story.world.time += 60
        assert isinstance(story.call("create"), Wait)
    assert "nobody answers" in story.reason
    story.service.is_away = False
    story.call("create")
    story.service.end(ExecutionState.SUCCESS, a=1)
    assert isinstance(story.call("create"), Done)
    assert len(story.service.executions) == 1


def test_but_not_for_ever() -> None:
    story = Story()
    story.begin("create")
    story.service.is_away = True
    story.call("create")
    story.world.time += 3601
    with pytest.raises(ResourceFailed, match="nobody answers; it has been tried for an hour"):
        story.call("create")


def test_an_execution_that_somebody_deleted_is_told() -> None:
    story = Story()
    story.begin("create")
    story.service.executions.clear()
    with pytest.raises(ResourceFailed, match="is gone; somebody has deleted it"):
        story.call("create")


def test_work_that_nobody_wants_is_stopped_once_and_its_end_awaited() -> None:
    story = Story()
    story.begin("create")
    story.is_wanted = False
    assert isinstance(story.call("create"), Wait)
    assert story.service.cancelled == [story.data["execution"]]
    story.service.end(ExecutionState.CANCELLED, resource_id="half")
    story.call("create")
    assert story.physical_id == "half"
    with pytest.raises(ResourceFailed, match="ended in CANCELLED"):
        story.call("create")


def test_work_that_nobody_wants_is_not_even_started() -> None:
    story = Story()
    story.call("create")
    story.is_wanted = False
    with pytest.raises(ResourceFailed, match="not started any more"):
        story.call("create")
    assert story.service.started == []


def test_what_cannot_be_stopped_is_told_after_a_minute() -> None:
    story = Story()
    story.begin("create")
    story.is_wanted = False
    story.service.is_away = True
    story.call("create")
    story.world.time += 61
    with pytest.raises(ResourceFailed, match="may still be running: nobody answers"):
        story.call("create")


def test_what_could_not_be_stopped_is_stopped_before_the_next_action_runs_its_own() -> None:
    story = Story()
    story.succeed("create", resource_id="thing")
    story.properties["input"] = {"a": 1}
    story.begin("update")
    left = story.data["execution"]
    story.cookie = None  # the update was given up while nobody could be reached
    assert isinstance(story.call("update"), Wait)
    assert story.service.cancelled == [left]
    assert len(story.service.started) == 2
    story.service.end(ExecutionState.CANCELLED)
    story.begin("update")
    assert story.data["execution"] != left
    assert len(story.service.started) == 3


def test_deleting_stops_what_still_runs_and_then_runs_its_own() -> None:
    story = Story()
    story.begin("create")
    left = story.data["execution"]
    story.cookie, story.physical_id = None, left  # the engine ended the creation
    assert isinstance(story.call("delete"), Wait)
    assert story.service.cancelled == [left]
    story.service.end(ExecutionState.CANCELLED, resource_id="half", result="cancelled")
    story.begin("delete")
    request = story.service.started[-1]
    assert request.workflow == "delete"
    assert request.params == {"env": {"heat_extresource_data": {"resource_id": "half"}}}
    story.service.end(ExecutionState.SUCCESS)
    assert isinstance(story.call("delete"), Done)


def test_a_creation_is_found_only_if_it_was_started() -> None:
    story = Story()
    assert asyncio.run(KIND.find(story.resource())) is None
    story.call("create")
    assert asyncio.run(KIND.find(story.resource())) is None
    story.call("create")
    assert asyncio.run(KIND.find(story.resource())) == story.data["execution"]


def test_a_refusal_fails_at_once_with_its_words() -> None:
    story = Story(actions={"CREATE": {"workflow": "missing"}})
    story.call("create")
    with pytest.raises(ResourceFailed, match="there is no workflow missing"):
        story.call("create")


@pytest.mark.parametrize("env", ["mine", {"key": 1}, None])
def test_the_users_environment_is_kept_beside_the_outputs(env: Any) -> None:
    update = {"workflow": "update", "params": {"env": env} if env else {}}
    story = Story(actions={**ACTIONS, "UPDATE": update})
    story.service.environments["mine"] = {"key": 1}
    story.succeed("create", a=1)
    story.before, story.properties = story.properties, {**story.properties, "input": {"x": 1}}
    story.begin("update")
    outputs = {"heat_extresource_data": {"a": 1}}
    expected = {**outputs, "key": 1} if env else outputs
    assert story.service.started[-1].params == {"env": expected}


def test_an_environment_of_a_wrong_kind_is_refused() -> None:
    story = Story(actions={**ACTIONS, "UPDATE": {"workflow": "u", "params": {"env": [1]}}})
    story.succeed("create")
    story.before, story.properties = story.properties, {**story.properties, "input": {"x": 1}}
    story.call("update")
    with pytest.raises(ResourceFailed, match="must be a map, or the name"):
        story.call("update")


def test_the_data_after_an_action_tells_of_no_execution() -> None:
    story = Story()
    done = story.succeed("create", resource_id=7, a=1)
    assert (done.physical_id, story.data) == ("7", {"outputs": {"resource_id": 7, "a": 1}})
