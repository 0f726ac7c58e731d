"""Software deployments as resources, over the wire: what a server is shown, and how it reports."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from hotplate.model import Version
from tests.api.conftest import Api

CONFIG: dict[str, Any] = {
    "type": "OS::Heat::SoftwareConfig",
    "properties": {
        "group": "script",
        "config": "#!/bin/sh\necho $who",
        "inputs": [{"name": "who", "default": "world"}, {"name": "size", "type": "Number"}],
        "outputs": [{"name": "greeting"}, {"name": "broken", "error_output": True}],
    },
}


def template(**properties: Any) -> dict[str, Any]:
    """A server, a config and its deployment, with all that it reports as outputs."""
    attributes = ("greeting", "deploy_stdout", "deploy_stderr", "deploy_status_code")
    return {
        "heat_template_version": "2021-04-16",
        "resources": {
            "server": {"type": "OS::Heat::DeployedServer"},
            "config": CONFIG,
            "deployment": {
                "type": "OS::Heat::SoftwareDeployment",
                "properties": {
                    "config": {"get_resource": "config"},
                    "server": {"get_resource": "server"},
                    "input_values": {"who": "ann", "more": [1]},
                    **properties,
                },
            },
        },
        "outputs": {
            **{name: {"value": {"get_attr": ["deployment", name]}} for name in attributes},
            "id": {"value": {"get_resource": "deployment"}},
            "collect": {"value": {"get_attr": ["server", "os_collect_config"]}},
        },
    }


class Deploying:
    """A stack whose deployment is looked at from the server and from outside."""

    def __init__(self, api: Api, body: dict[str, Any]) -> None:
        self.api = api
        answer = api.post("/stacks", json={"stack_name": "s", "template": body})
        assert answer.status_code == 201, answer.text
        self.id = answer.json()["stack"]["id"]
        self.path = f"/stacks/s/{self.id}"

    def asleep(self, name: str = "deployment", action: str = "CREATE") -> Version:
        """Return the version once the server has been shown what to do."""

        async def version() -> Version | None:
            found = (await self.api.engine.operations.resources(self.id)).get(name)
            if found is None or found.action.value != action or found.cookie is None:
                return None
            return None if found.cookie["is_new"] else found

        found = self.api.until(version)
        assert found is not None
        return found

    def update(self, body: dict[str, Any]) -> None:
        answer = self.api.put(self.path, json={"template": body})
        assert answer.status_code == 202, answer.text

    def act(self, action: str) -> None:
        assert self.api.post(f"{self.path}/actions", json={action: None}).status_code in (200, 202)

    def metadata(self) -> dict[str, Any]:
        answer = self.api.get(f"{self.path}/resources/server/metadata")
        metadata: dict[str, Any] = answer.json()["metadata"]
        return metadata

    def config(self) -> dict[str, Any]:
        """Return the one config that the server is to apply, with its inputs as a map."""
        (found,) = self.metadata()["deployments"]
        inputs = {each["name"]: each["value"] for each in found["inputs"]}
        return {**found, "inputs": inputs}

    def report(self, **details: Any) -> None:
        """Report as the agent does: to the address among the inputs, in text without a type."""
        address = _local(self.config()["inputs"]["deploy_signal_id"])
        answer = self.api.post(address, json=details)
        assert answer.status_code == 200, answer.text

    def outputs(self) -> dict[str, Any]:
        found = self.api.get(self.path).json()["stack"]["outputs"]
        return {each["output_key"]: each["output_value"] for each in found}

    def deployment(self) -> dict[str, Any]:
        (found,) = self.api.get("/software_deployments").json()["software_deployments"]
        deployment: dict[str, Any] = found
        return deployment

    def wait(self) -> str:
        return self.api.wait(self.id)

    def reason(self) -> str:
        return str(self.api.get(self.path).json()["stack"]["stack_status_reason"])

    def configs(self) -> int:
        return len(self.api.get("/software_configs").json()["software_configs"])


def _local(address: str) -> str:
    parts = urlsplit(address)
    return f"http://testserver{parts.path}?{parts.query}"


def test_a_server_is_shown_the_config_and_its_report_completes_the_deployment(api: Api) -> None:
    stack = Deploying(api, template(name="greet"))
    version = stack.asleep()
    config = stack.config()
    server = stack.deployment()["server_id"]
    assert (config["name"], config["group"]) == ("greet", "script")
    assert config["config"] == CONFIG["properties"]["config"]
    assert config["outputs"][1]["error_output"] is True
    signal = config["inputs"].pop("deploy_signal_id")
    assert signal.startswith("http://127.0.0.1:8004/v1/signal/arn%3A")
    assert config["inputs"] == {
        "who": "ann",
        "size": None,
        "more": [1],
        "deploy_server_id": server,
        "deploy_action": "CREATE",
        "deploy_stack_id": f"s/{stack.id}",
        "deploy_resource_name": "deployment",
        "deploy_signal_transport": "CFN_SIGNAL",
        "deploy_signal_verb": "POST",
    }
    shown = stack.deployment()
    assert (shown["id"], shown["status"]) == (version.physical_id, "IN_PROGRESS")
    assert shown["status_reason"] == "Deploy data available"
    assert shown["input_values"] == {"who": "ann", "more": [1]}
    metadata = api.get(f"/software_deployments/metadata/{server}").json()["metadata"]
    assert metadata == stack.metadata()["deployments"]

    stack.report(greeting="hello", deploy_stdout="out", deploy_status_code=0, other="dropped")
    assert stack.wait() == "CREATE_COMPLETE"
    outputs = stack.outputs()
    assert outputs["greeting"] == "hello"
    assert outputs["deploy_stdout"] == "out"
    assert outputs["deploy_stderr"] is None
    assert outputs["deploy_status_code"] == 0
    assert outputs["id"] == shown["id"]
    shown = stack.deployment()
    assert (shown["status"], shown["status_reason"]) == ("COMPLETE", "Outputs received")
    assert "other" not in shown["output_values"]

    stack.report(greeting="too late", deploy_status_code=1)
    assert stack.deployment()["output_values"]["greeting"] == "hello"

    api.delete(stack.path)
    assert stack.wait() == "DELETE_COMPLETE"
    assert api.get("/software_deployments").json() == {"software_deployments": []}
    assert stack.configs() == 0


@pytest.mark.parametrize(
    ("details", "why"),
    [
        (
            {"deploy_status_code": 3},
            "deploy_status_code : Deployment exited with non-zero status code: 3",
        ),
        ({"broken": "no disk"}, "broken : no disk"),
        (
            {"deploy_status_code": "1", "broken": "x"},
            "deploy_status_code : Deployment exited with non-zero status code: 1, broken : x",
        ),
    ],
)
def test_a_bad_report_fails_the_deployment_in_heats_words(
    api: Api, details: dict[str, Any], why: str
) -> None:
    stack = Deploying(api, template())
    stack.asleep()
    stack.report(**details)
    assert stack.wait() == "CREATE_FAILED"
    failure = f"Error: resources.deployment: Deployment to server failed: {why}"
    assert stack.reason() == f"Resource CREATE failed: {failure}"
    assert stack.deployment()["status"] == "FAILED"
    stack.update(template())
    stack.asleep()
    # The failed one is replaced; the server sees both until the new one is there.
    new = [each for each in stack.metadata()["deployments"] if _action(each) == "CREATE"][-1]
    inputs = {each["name"]: each["value"] for each in new["inputs"]}
    assert api.post(_local(inputs["deploy_signal_id"]), json={}).status_code == 200
    assert stack.wait() == "UPDATE_COMPLETE"
    assert stack.deployment()["status"] == "COMPLETE"


def _action(config: dict[str, Any]) -> str:
    return str(next(i["value"] for i in config["inputs"] if i["name"] == "deploy_action"))


def test_a_change_of_the_deployment_over_the_api_wakes_the_resource(api: Api) -> None:
    stack = Deploying(api, template())
    version = stack.asleep()
    path = f"/software_deployments/{version.physical_id}"
    assert api.put(path, json={"status": "IN_PROGRESS"}).status_code == 200
    body = {"status": "COMPLETE", "output_values": {"greeting": "by hand"}}
    assert api.put(path, json=body).status_code == 200
    assert stack.wait() == "CREATE_COMPLETE"
    assert stack.outputs()["greeting"] == "by hand"


def test_a_failure_told_over_the_api_fails_the_resource(api: Api) -> None:
    stack = Deploying(api, template())
    version = stack.asleep()
    body = {"status": "FAILED", "status_reason": "no disk"}
    api.put(f"/software_deployments/{version.physical_id}", json=body)
    assert stack.wait() == "CREATE_FAILED"
    assert stack.reason().endswith("Deployment to server failed: no disk")


def test_a_deployment_that_somebody_deletes_fails_its_resource(api: Api) -> None:
    stack = Deploying(api, template())
    version = stack.asleep()
    assert api.delete(f"/software_deployments/{version.physical_id}").status_code == 204
    assert stack.wait() == "CREATE_FAILED"
    assert "not found" in stack.reason()
    api.delete(stack.path)
    assert stack.wait() == "DELETE_COMPLETE"
    assert stack.configs() == 0


def test_a_signal_with_a_token_is_a_report_too(api: Api) -> None:
    stack = Deploying(api, template(signal_transport="HEAT_SIGNAL"))
    stack.asleep()
    inputs = stack.config()["inputs"]
    assert inputs["deploy_project_id"] == "project"
    assert "/v1/signal/arn" in inputs["deploy_signal_id"]
    deep: Any = 1
    for _ in range(101):
        deep = [deep]
    path = f"{stack.path}/resources/deployment/signal"
    assert api.post(path, json={"greeting": deep}).status_code == 400
    assert api.post(path, json={"greeting": "hi"}).status_code == 200
    assert stack.wait() == "CREATE_COMPLETE"
    assert stack.outputs()["greeting"] == "hi"


def test_without_a_signal_nobody_waits(api: Api) -> None:
    stack = Deploying(api, template(signal_transport="NO_SIGNAL"))
    assert stack.wait() == "CREATE_COMPLETE"
    shown = stack.deployment()
    assert (shown["status"], shown["status_reason"]) == (
        "COMPLETE",
        "Not waiting for outputs signal",
    )
    assert "deploy_signal_id" not in stack.config()["inputs"]
    assert stack.outputs()["greeting"] is None


@pytest.mark.parametrize("transport", ["TEMP_URL_SIGNAL", "ZAQAR_SIGNAL"])
def test_a_transport_that_needs_a_cloud_is_refused(api: Api, transport: str) -> None:
    body = {"stack_name": "s", "template": template(signal_transport=transport)}
    answer = api.post("/stacks", json=body)
    assert answer.status_code == 400
    assert f"{transport} needs a service that is not here" in answer.json()["error"]["message"]


def test_the_metadata_of_a_server_has_a_signed_address(api: Api) -> None:
    stack = Deploying(api, template(signal_transport="NO_SIGNAL"))
    assert stack.wait() == "CREATE_COMPLETE"
    collect = stack.outputs()["collect"]
    assert collect["collectors"] == ["request", "local"]
    address = _local(collect["request"]["metadata_url"])
    answer = api.get(address)
    assert answer.status_code == 200
    assert answer.json() == stack.metadata()
    assert answer.json()["os-collect-config"] == collect
    assert api.get(address.replace("server", "config")).status_code == 403
    assert api.post(address.replace("/metadata/", "/signal/"), json={}).status_code == 403


def test_an_update_runs_again_and_one_run_is_left(api: Api) -> None:
    stack = Deploying(api, template())
    first = stack.asleep()
    stack.report(greeting="one")
    assert stack.wait() == "CREATE_COMPLETE"
    before = stack.config()["id"]
    stack.update(template(input_values={"who": "bob"}))
    again = stack.asleep(action="UPDATE")
    assert again.physical_id == first.physical_id
    config = stack.config()
    assert config["id"] != before
    assert (config["inputs"]["deploy_action"], config["inputs"]["who"]) == ("UPDATE", "bob")
    assert stack.configs() == 2
    stack.report(deploy_stdout="x")
    assert stack.wait() == "UPDATE_COMPLETE"
    # What a report leaves out stays, as in Heat.
    assert stack.outputs()["greeting"] == "one"


def test_an_update_during_a_run_comes_after_it(api: Api) -> None:
    stack = Deploying(api, template())
    stack.asleep()
    stack.update(template(input_values={"who": "bob"}))
    stack.asleep()
    stack.report(greeting="one")
    stack.asleep(action="UPDATE")
    stack.report(greeting="two")
    assert stack.wait() == "UPDATE_COMPLETE"
    assert stack.outputs()["greeting"] == "two"


def test_a_stack_can_be_deleted_while_nobody_reports(api: Api) -> None:
    stack = Deploying(api, template())
    stack.asleep()
    api.delete(stack.path)
    assert stack.wait() == "DELETE_COMPLETE"
    assert stack.configs() == 0


def test_it_runs_for_the_actions_that_are_listed(api: Api) -> None:
    actions = ["DELETE", "SUSPEND", "RESUME"]
    stack = Deploying(api, template(actions=actions))
    assert stack.wait() == "CREATE_COMPLETE"
    assert stack.metadata()["deployments"] == []
    assert stack.outputs()["greeting"] is None
    for action in ("SUSPEND", "RESUME"):
        stack.act(action.lower())
        stack.asleep(action=action)
        assert stack.config()["inputs"]["deploy_action"] == action
        stack.report(greeting=action)
        assert stack.wait() == f"{action}_COMPLETE"
        assert stack.outputs()["greeting"] == action
    api.delete(stack.path)
    stack.asleep(action="DELETE")
    assert stack.config()["inputs"]["deploy_action"] == "DELETE"
    stack.report()
    assert stack.wait() == "DELETE_COMPLETE"
    assert stack.configs() == 0


def test_what_fails_when_it_is_deleted_can_be_deleted_again(api: Api) -> None:
    stack = Deploying(api, template(actions=["DELETE"]))
    assert stack.wait() == "CREATE_COMPLETE"
    api.delete(stack.path)
    stack.asleep(action="DELETE")
    stack.report(deploy_status_code=1)
    assert stack.wait() == "DELETE_FAILED"
    api.delete(stack.path)
    stack.asleep(action="DELETE")
    stack.report()
    assert stack.wait() == "DELETE_COMPLETE"
    assert stack.configs() == 0


def test_an_input_that_replaces_on_change_replaces_the_deployment(api: Api) -> None:
    def body(**values: Any) -> dict[str, Any]:
        found = template(signal_transport="NO_SIGNAL", input_values=values)
        properties = dict(CONFIG["properties"])
        properties["inputs"] = [{"name": "who", "replace_on_change": True}, {"name": "size"}]
        found["resources"]["config"] = {**CONFIG, "properties": properties}
        return found

    stack = Deploying(api, body(who="ann"))
    assert stack.wait() == "CREATE_COMPLETE"
    first = stack.deployment()["id"]
    stack.update(body(who="ann", size="1"))
    assert stack.wait() == "UPDATE_COMPLETE"
    assert stack.deployment()["id"] == first
    stack.update(body(who="bob", size="1"))
    assert stack.wait() == "UPDATE_COMPLETE"
    assert stack.deployment()["id"] != first
    assert stack.config()["inputs"]["deploy_action"] == "CREATE"


def test_a_replaced_deployment_still_hears_its_server_while_it_is_deleted(api: Api) -> None:
    def body(label: str) -> dict[str, Any]:
        found = template(actions=["DELETE"])
        servers = {key: {"type": "OS::Heat::DeployedServer"} for key in ("server", "other")}
        found["resources"] |= servers
        properties = found["resources"]["deployment"]["properties"]
        properties["server"] = {"get_resource": label}
        return found

    stack = Deploying(api, body("server"))
    assert stack.wait() == "CREATE_COMPLETE"
    stack.update(body("other"))

    async def is_shown() -> bool:
        found = await api.client.get("/software_deployments")
        return bool(found.json()["software_deployments"])

    api.until(is_shown)
    stack.report()
    assert stack.wait() == "UPDATE_COMPLETE"
    assert stack.metadata()["deployments"] == []


def test_a_config_that_is_gone_fails_the_deployment(api: Api) -> None:
    body = template(config="0f6f8f0e-1111-4222-8333-444455556666", actions=["CREATE", "DELETE"])
    stack = Deploying(api, body)
    assert stack.wait() == "CREATE_FAILED"
    assert stack.reason().endswith(
        "NotFound: resources.deployment: "
        "Software Config with id 0f6f8f0e-1111-4222-8333-444455556666 not found"
    )
    api.delete(stack.path)
    assert stack.wait() == "DELETE_COMPLETE"


def test_after_a_cancel_nobody_waits_for_the_report_any_more(api: Api) -> None:
    stack = Deploying(api, template())
    stack.asleep()
    stack.act("cancel_without_rollback")
    assert stack.wait() == "CREATE_FAILED"
    stack.update({"heat_template_version": "2021-04-16"})
    assert stack.wait() == "UPDATE_COMPLETE"
    assert stack.configs() == 0


def test_a_rollback_by_cancel_does_not_wait_for_the_report(api: Api) -> None:
    group = {
        "type": "OS::Heat::SoftwareDeploymentGroup",
        "properties": {"config": {"get_resource": "config"}, "servers": {"one": "s1"}},
    }
    body = template(signal_transport="NO_SIGNAL")
    stack = Deploying(api, body)
    assert stack.wait() == "CREATE_COMPLETE"
    resources = {**template()["resources"], "group": group}
    stack.update({**body, "resources": resources})

    async def both_wait() -> bool:
        found = await api.client.get("/software_deployments")
        waiting = [each["status"] for each in found.json()["software_deployments"]]
        return waiting.count("IN_PROGRESS") == 2

    api.until(both_wait)
    stack.asleep()
    stack.act("cancel_update")
    assert stack.wait() == "ROLLBACK_COMPLETE"
    assert stack.deployment()["status"] == "COMPLETE"
    assert stack.configs() == 2


@pytest.mark.parametrize(
    ("details", "said"),
    [
        ({"deploy_status_code": 0}, "succeeded"),
        ({"deploy_status_code": 3}, "failed (3)"),
        ({"deploy_status_code": 3, "broken": "yes"}, "failed"),
    ],
)
def test_what_a_server_reports_is_an_event(api: Api, details: dict[str, Any], said: str) -> None:
    stack = Deploying(api, template())
    deployment = stack.asleep().physical_id
    stack.report(**details)
    stack.wait()
    path = f"{stack.path}/resources/deployment"
    assert api.post(f"{path}/signal", json={"deploy_status_code": 0}).status_code == 200
    events = api.get(f"{path}/events", params={"sort_dir": "asc"}).json()["events"]
    told = [each for each in events if each["resource_status"].startswith("SIGNAL_")]
    assert [each["resource_status_reason"] for each in told] == [
        f"Signal: deployment {deployment} {said}",
        "Unknown",  # nobody waited for the second one
    ]
    assert told[0]["resource_status"] == "SIGNAL_IN_PROGRESS"


def test_the_plan_knows_whether_an_input_replaces_the_deployment(api: Api) -> None:
    def body(**values: Any) -> dict[str, Any]:
        found = template(signal_transport="NO_SIGNAL", input_values=values)
        properties = dict(CONFIG["properties"])
        properties["inputs"] = [{"name": "who", "replace_on_change": True}, {"name": "size"}]
        found["resources"]["config"] = {**CONFIG, "properties": properties}
        return found

    def planned(template: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        answer = api.put(f"{stack.path}/preview", json={"template": template})
        ((category, found),) = [
            (category, item)
            for category, items in answer.json()["resource_changes"].items()
            for item in items
            if item["resource_name"] == "deployment"
        ]
        return category, found

    stack = Deploying(api, body(who="ann"))
    assert stack.wait() == "CREATE_COMPLETE"
    category, changed = planned(body(who="ann", size="1"))
    assert (category, changed["is_certain"]) == ("updated", True)
    category, replaced = planned(body(who="bob"))
    assert (category, replaced["is_certain"]) == ("replaced", True)
    assert replaced["reason"] == "the input who has changed"
    assert stack.wait() == "CREATE_COMPLETE"
