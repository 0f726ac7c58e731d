"""OS::Heat::SoftwareDeployment and OS::Heat::StructuredDeployment."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from hotplate.model import Input, Output, SoftwareConfig, SoftwareDeployment
from hotplate.resources import BadProperty, Done, Resource, Wait
from hotplate.resources.capabilities import ITSELF
from hotplate.resources.heat.software.software_deployment import (
    SoftwareDeploymentType,
    StructuredDeploymentType,
)
from hotplate.resources.resource_type import BadSignal, ResourceFailed
from hotplate.software import Run
from tests.unit.resources.acting import StillWorld, resource

KIND = SoftwareDeploymentType()
STRUCTURED = StructuredDeploymentType()
CREATION_TOKEN = "0f6f8f0e-1111-4222-8333-444455556666"
SOURCE = SoftwareConfig(
    id="c",
    project="p",
    name="source",
    group="script",
    config="#!/bin/sh",
    inputs=(Input("a", default=1), Input("b", replace_on_change=True, default="x")),
    outputs=(Output("result"),),
    options={"o": 1},
    created_at=1.0,
)


class Kept:
    """Configs and deployments in memory, as the engine keeps them."""

    def __init__(self, *configs: SoftwareConfig) -> None:
        self.configs = {each.id: each for each in configs}
        self.deployments: dict[str, SoftwareDeployment] = {}
        self.runs: list[Run] = []

    async def find_config(self, project: str, config_id: str) -> SoftwareConfig | None:
        return self.configs.get(config_id)

    async def find_deployment(self, project: str, deployment_id: str) -> SoftwareDeployment | None:
        return self.deployments.get(deployment_id)

    async def deploy(self, project: str, run: Run) -> None:
        if run.config_id in self.configs:
            return
        self.runs.append(run)
        draft = run.draft
        self.configs[run.config_id] = SoftwareConfig(
            run.config_id,
            project,
            draft.name,
            draft.group,
            draft.config,
            draft.inputs,
            draft.outputs,
            draft.options,
            0,
        )
        self.deployments[run.deployment_id] = SoftwareDeployment(
            run.deployment_id,
            project,
            run.config_id,
            run.server_id,
            run.input_values,
            None,
            run.action,
            run.status,
            run.reason,
            None,
            0,
            None,
            run.stack_id,
        )
        for each in run.previous:
            self.configs.pop(each, None)

    async def undeploy(self, project: str, deployment_id: str, configs: Sequence[str]) -> None:
        self.deployments.pop(deployment_id, None)
        for each in configs:
            self.configs.pop(each, None)

    def report(self, **facts: Any) -> None:
        (found,) = self.deployments.values()
        self.deployments[found.id] = replace(found, **facts)


def a_resource(kept: Kept, kind: Any = KIND, **given: Any) -> Resource:
    given = {"config": "c", "server": "s", **given}
    return resource(kind, given, world=StillWorld({"software": kept}))


def call(it: Resource, method: str, kind: Any = KIND) -> Any:
    """Call a method as the engine does: until it rests, with what it stored the last time."""
    it.cookie = None
    while True:
        result = asyncio.run(getattr(kind, method)(it))
        it.physical_id = result.physical_id or it.physical_id
        it.data = it.data if result.data is None else result.data
        if isinstance(result, Done):
            it.cookie = None
            return result
        it.cookie = result.cookie
        if result.seconds is None:
            return result


def test_what_is_new_in_a_run_is_stored_before_the_server_sees_anything() -> None:
    kept = Kept(SOURCE)
    first = asyncio.run(KIND.create(a_resource(kept)))
    assert isinstance(first, Wait)
    assert first.seconds == 0
    assert first.physical_id == CREATION_TOKEN
    assert first.data is not None
    assert first.data["derived"] == first.cookie["run"]
    assert first.data["key"]
    assert not kept.runs


def test_a_second_try_of_the_same_run_deploys_nothing_new() -> None:
    kept = Kept(SOURCE)
    it = a_resource(kept)
    first: Any = asyncio.run(KIND.create(it))
    it.cookie, it.data, it.physical_id = first.cookie, first.data, first.physical_id
    for _ in range(2):
        assert asyncio.run(KIND.create(it)) == Wait({**first.cookie, "is_new": False}, None)
    assert len(kept.runs) == 1


def test_the_derived_config() -> None:
    kept = Kept(SOURCE)
    call(a_resource(kept, input_values={"b": "y", "c": 3}), "create")
    (run,) = kept.runs
    assert (run.deployment_id, run.server_id, run.action) == (CREATION_TOKEN, "s", "CREATE")
    assert run.stack_id == "5cbd1b4f-3a3e-4c0e-8f9c-2d1f5d0c7a11"
    assert run.input_values == {"b": "y", "c": 3}
    draft = run.draft
    assert (draft.name, draft.group, draft.config) == ("source", "script", "#!/bin/sh")
    assert (draft.outputs, draft.options) == (SOURCE.outputs, {"o": 1})
    values = {each.name: each.value for each in draft.inputs}
    address = values.pop("deploy_signal_id")
    assert address.startswith("http://127.0.0.1:8004/v1/signal/arn%3Aopenstack%3Aheat%3A%3Ap%3A")
    assert values == {
        "a": 1,
        "b": "y",
        "c": 3,
        "deploy_server_id": "s",
        "deploy_action": "CREATE",
        "deploy_stack_id": "app/5cbd1b4f-3a3e-4c0e-8f9c-2d1f5d0c7a11",
        "deploy_resource_name": "it",
        "deploy_signal_transport": "CFN_SIGNAL",
        "deploy_signal_verb": "POST",
    }


def test_without_a_config_an_empty_one_is_deployed() -> None:
    kept = Kept()
    call(a_resource(kept, config=None), "create")
    draft = kept.runs[0].draft
    assert draft.name == "app-it-0f6f8f0e1111"
    assert (draft.group, draft.config) == ("Heat::Ungrouped", "")


def test_it_ends_when_the_deployment_does() -> None:
    kept = Kept(SOURCE)
    it = a_resource(kept)
    cookie = call(it, "create").cookie
    kept.report(status="COMPLETE", output_values={"result": 1, "deploy_stdout": "o"})
    it.cookie = cookie
    done: Any = asyncio.run(KIND.create(it))
    assert done.physical_id == done.reference == CREATION_TOKEN
    assert done.attributes == {
        "result": 1,
        "deploy_stdout": "o",
        "deploy_stderr": None,
        "deploy_status_code": None,
    }
    kept.report(status="FAILED", reason="why")
    with pytest.raises(ResourceFailed, match=r"^Deployment to server failed: why$") as caught:
        asyncio.run(KIND.create(it))
    assert caught.value.error == "Error"
    kept.deployments.clear()
    with pytest.raises(ResourceFailed, match="not found"):
        asyncio.run(KIND.create(it))


def test_each_run_takes_the_place_of_those_before_also_of_one_that_was_never_seen() -> None:
    kept = Kept(SOURCE)
    it = a_resource(kept, signal_transport="NO_SIGNAL", actions=["CREATE", "UPDATE", "DELETE"])
    call(it, "create")
    first = kept.runs[-1].config_id
    drawn: Any = asyncio.run(KIND.update(it))  # and then the traversal is overtaken
    it.data = drawn.data
    call(it, "update")
    assert first not in kept.configs
    assert set(kept.configs) == {"c", kept.runs[-1].config_id}
    assert it.data["before"] == []
    call(it, "delete")
    assert [run.action for run in kept.runs] == ["CREATE", "UPDATE", "DELETE"]
    assert set(kept.configs) == {"c"}
    assert not kept.deployments


@pytest.mark.parametrize("method", ["create", "update", "suspend", "resume"])
def test_an_action_that_is_not_listed_does_nothing(method: str) -> None:
    kept = Kept(SOURCE)
    assert call(a_resource(kept, actions=["DELETE"]), method) == Done(
        CREATION_TOKEN, CREATION_TOKEN
    )
    assert not kept.runs


def test_a_component_says_itself_which_actions_it_is_for() -> None:
    configs = [{"actions": ["CREATE"], "tool": "t", "config": ""}]
    component = replace(SOURCE, group="component", config={"configs": configs})
    kept = Kept(component)
    it = a_resource(kept, actions=["DELETE"], signal_transport="NO_SIGNAL")
    call(it, "create")
    call(it, "update")
    call(it, "delete")
    assert [run.action for run in kept.runs] == ["CREATE"]


@pytest.mark.parametrize("wrong", ["x", None, {"configs": 3}, {"configs": [3, {"actions": 4}]}])
def test_a_component_that_somebody_made_wrongly_is_for_no_action(wrong: Any) -> None:
    kept = Kept(replace(SOURCE, group="component", config=wrong))
    assert call(a_resource(kept), "create") == Done(CREATION_TOKEN, CREATION_TOKEN)


def test_a_config_that_is_gone_fails_it_but_not_its_deletion() -> None:
    kept = Kept()
    it = a_resource(kept, actions=["CREATE", "DELETE"])
    with pytest.raises(ResourceFailed, match="Software Config with id c not found"):
        call(it, "create")
    assert call(it, "delete") == Done()


@pytest.mark.parametrize("given", [{"name": "n" * 256}, {"server": "s" * 256}])
def test_what_no_row_can_hold_fails_with_a_text(given: dict[str, str]) -> None:
    with pytest.raises(ResourceFailed, match="more than 255 characters"):
        call(a_resource(Kept(SOURCE), **given), "create")


@pytest.mark.parametrize(
    ("given", "replaces"),
    [
        ({"input_values": {"a": 2}}, False),
        ({"input_values": {"b": "x"}}, False),
        ({"input_values": {"b": "y"}}, True),
        ({"input_values": {"stray": 1}, "actions": ["CREATE"]}, False),
    ],
)
def test_a_change_of_some_inputs_replaces(given: dict[str, Any], replaces: bool) -> None:
    kept = Kept(SOURCE)
    it = a_resource(kept)
    assert asyncio.run(KIND.must_replace(it)) == ""
    call(it, "create")
    it.properties = KIND.convert({"config": "c", "server": "s", **given})
    reason = asyncio.run(KIND.must_replace(it))
    assert reason == ("the input b has changed" if replaces else "")


def test_an_adopted_deployment_keeps_its_id() -> None:
    kept = Kept(SOURCE)
    call(a_resource(kept, signal_transport="NO_SIGNAL"), "create")
    it = a_resource(kept)
    it.physical_id, it.creation_token = CREATION_TOKEN, "another"
    done: Any = asyncio.run(KIND.adopt(it))
    assert (done.physical_id, done.attributes["result"]) == (CREATION_TOKEN, None)


@pytest.mark.parametrize("transport", ["TEMP_URL_SIGNAL", "ZAQAR_SIGNAL", "PIGEON"])
def test_a_transport_that_is_not_here_is_refused(transport: str) -> None:
    with pytest.raises(BadProperty):
        KIND.convert({"server": "s", "signal_transport": transport})


def test_it_hears_what_it_is_told_itself() -> None:
    assert KIND.listens_to(KIND.convert({"server": "s"})) == ITSELF
    assert KIND.received({"a": [1]}, []) == {"a": [1]}
    deep: Any = 1
    for _ in range(101):
        deep = [deep]
    with pytest.raises(BadSignal):
        KIND.received({"a": deep}, [])


def structured(config: Any, **given: Any) -> Any:
    kept = Kept(replace(SOURCE, config=config))
    call(a_resource(kept, STRUCTURED, **given), "create", STRUCTURED)
    return kept.runs[0].draft.config


def test_a_structure_is_filled_with_inputs() -> None:
    config = {"x": {"get_input": "a"}, "y": [{"get_input": "deploy_server_id"}, {"in": "b"}]}
    assert structured(config) == {"x": 1, "y": ["s", {"in": "b"}]}
    assert structured(config, input_key="in")["y"] == [{"get_input": "deploy_server_id"}, "x"]
    assert structured(None) == {}
    assert structured({"x": {"get_input": "nobody"}}) == {"x": None}
    with pytest.raises(
        ResourceFailed, match=r"The Parameter \(nobody\) was not provided"
    ) as caught:
        structured({"x": {"get_input": "nobody"}}, input_values_validate="STRICT")
    assert caught.value.error == "UserParameterMissing"


def test_what_is_kept_may_be_wrong_since_anybody_may_write_what_is_adopted() -> None:
    kept = Kept(SOURCE)
    it = a_resource(kept, signal_transport="NO_SIGNAL", actions=["CREATE"])
    it.data = {"derived": {"a": 1}, "before": 5, "key": [1]}
    assert asyncio.run(KIND.must_replace(it)) == ""
    assert call(it, "delete") == Done()
