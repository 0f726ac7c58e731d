"""What whoever has a signed address can do with it, how often, and until when."""

import time
from typing import Any
from urllib.parse import urlsplit

import pytest

from hotplate.api.http.settings import Settings
from hotplate.engine.world import RealWorld
from tests.api.conftest import Api

MOST = 3


@pytest.fixture
def api_settings() -> Settings:
    return Settings(signed_uses_per_minute=MOST)


def template(**resources: Any) -> dict[str, Any]:
    address = {"get_attr": ["target", "endpoint"]}
    return {
        "heat_template_version": "2021-04-16",
        "resources": resources,
        "outputs": {"address": {"value": address}},
    }


HANDLE = {"type": "OS::Heat::WaitConditionHandle"}


def condition(handle: str, count: int = 1) -> dict[str, Any]:
    properties = {"handle": {"get_resource": handle}, "timeout": 3600, "count": count}
    return {"type": "OS::Heat::WaitCondition", "properties": properties}


CONDITION = condition("target")


def begun(api: Api, body: dict[str, Any]) -> tuple[str, str]:
    """Return the path and the id of a stack."""
    answer = api.post("/stacks", json={"stack_name": "s", "template": body})
    assert answer.status_code == 201, answer.text
    stack_id = answer.json()["stack"]["id"]
    return f"/stacks/s/{stack_id}", stack_id


def address_of(api: Api, path: str) -> str:
    """Return the address that the stack puts out, as soon as it does."""

    async def look() -> str:
        found = (await api.client.get(f"{path}/outputs/address")).json()["output"]["output_value"]
        return str(found or "")

    whole = urlsplit(api.until(look))
    return f"http://testserver{whole.path}?{whole.query}"


def let_pass(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(RealWorld, "now", lambda _: time.time() + seconds)


@pytest.mark.parametrize("is_early", [False, True])
def test_the_address_of_a_handle_ends_with_the_time_of_its_condition(
    api: Api, monkeypatch: pytest.MonkeyPatch, is_early: bool
) -> None:
    """Late signals are welcome until the time of the condition is up, whenever it was complete."""
    resources = {"target": HANDLE, "condition": CONDITION}
    if is_early:  # the signal: the condition does not even begin to wait
        resources = {"target": HANDLE, "gate": HANDLE, "before": condition("gate")}
        resources["condition"] = {**CONDITION, "depends_on": "before"}
    path, stack_id = begun(api, template(**resources))
    address = address_of(api, path)
    assert api.post(address, json={}).status_code == 200
    if is_early:
        assert api.post(f"{path}/resources/gate/signal", json={}).status_code == 200
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    assert api.post(address, json={}).status_code == 200

    let_pass(monkeypatch, 3700)
    refused = api.post(address, json={})
    assert refused.status_code == 403
    assert refused.json()["error"]["type"] == "SignatureError"
    assert "the address has expired: nothing waits for its signals since" in refused.text
    assert "update the stack so that something waits anew" in refused.text
    assert api.post(f"{path}/resources/target/signal", json={}).status_code == 200

    # Somebody waits anew, and the address is good again.
    changed = template(target=HANDLE, more=condition("target", 9))
    assert api.put(path, json={"template": changed}).status_code == 202
    assert api.post(address, json={}).status_code == 200


def test_the_address_of_a_handle_nobody_waits_for_lives_with_it(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, stack_id = begun(api, template(target=HANDLE))
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    address = address_of(api, path)
    let_pass(monkeypatch, 1e6)
    for _ in range(MOST + 1):  # each is kept and counts: they are not paced
        assert api.post(address, json={}).status_code == 200


def test_signals_that_came_too_late_are_there_when_it_is_tried_again(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, stack_id = begun(api, template(target=HANDLE, condition=CONDITION))
    address = address_of(api, path)
    assert api.post(address, json={"status": "FAILURE", "id": "a"}).status_code == 200
    assert api.wait(stack_id) == "CREATE_FAILED"
    let_pass(monkeypatch, 3700)
    assert api.post(address, json={"status": "SUCCESS", "id": "a"}).status_code == 200
    assert api.post(f"{path}/actions", json={"retry": None}).status_code == 200
    assert api.wait(stack_id) == "UPDATE_COMPLETE"


GROUP = {
    "type": "OS::Heat::AutoScalingGroup",
    "properties": {
        "min_size": 0,
        "max_size": 9,
        "desired_capacity": 0,
        "resource": {"type": "OS::Heat::Value", "properties": {"value": "x"}},
    },
}
POLICY = {
    "type": "OS::Heat::ScalingPolicy",
    "properties": {
        "auto_scaling_group_id": {"get_resource": "group"},
        "adjustment_type": "exact_capacity",
        "scaling_adjustment": 0,
    },
}


def test_an_address_that_lives_with_its_resource_is_paced(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = template(group=GROUP, target=POLICY)
    body["outputs"]["address"]["value"] = {"get_attr": ["target", "alarm_url"]}
    path, stack_id = begun(api, body)
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    address = address_of(api, path)
    # Who cannot sign does not use up the turns of who can.
    assert api.post(f"{address}x", json={}).status_code == 403
    for _ in range(MOST):
        assert api.post(address, json={}).status_code == 200
    refused = api.post(address, json={})
    assert refused.status_code == 429
    assert 0 < int(refused.headers["retry-after"]) <= 60
    assert "3 times within a minute" in refused.json()["error"]["message"]
    assert api.post(f"{path}/resources/target/signal", json={}).status_code == 200
    let_pass(monkeypatch, 61)
    assert api.post(address, json={}).status_code == 200


SERVER = {"type": "OS::Heat::DeployedServer"}
CONFIG = {"type": "OS::Heat::SoftwareConfig", "properties": {"config": "x", "group": "script"}}


def deployment(value: str) -> dict[str, Any]:
    return {
        "type": "OS::Heat::SoftwareDeployment",
        "properties": {
            "config": {"get_resource": "config"},
            "server": {"get_resource": "server"},
            "input_values": {"a": value},
        },
    }


def reporting(api: Api, path: str, action: str) -> str:
    """Return the address at which a server reports a run, once it can see it."""

    async def look() -> str:
        answer = await api.client.get(f"{path}/resources/server/metadata")
        for each in answer.json().get("metadata", answer.json()).get("deployments", ()):
            inputs = {one["name"]: one["value"] for one in each["inputs"]}
            if inputs["deploy_action"] == action:
                return str(inputs["deploy_signal_id"])
        return ""

    whole = urlsplit(api.until(look))
    return f"http://testserver{whole.path}?{whole.query}"


def test_the_address_of_a_deployment_is_good_for_one_run(api: Api) -> None:
    """A report counts once, and says nothing of a later run."""
    parts = {"server": SERVER, "config": CONFIG}
    path, stack_id = begun(api, template(**parts, target=deployment("one")))
    first = reporting(api, path, "CREATE")
    assert api.post(first, json={"deploy_status_code": 0}).status_code == 200
    assert api.wait(stack_id) == "CREATE_COMPLETE"

    def events() -> int:
        return len(api.get(f"{path}/events").json()["events"])

    before = events()
    # A server that got no answer reports again, and whoever has the address may do so for ever.
    assert api.post(first, json={"deploy_status_code": 1}).status_code == 200
    assert events() == before
    changed = template(**parts, target=deployment("two"))
    assert api.put(path, json={"template": changed}).status_code == 202
    second = reporting(api, path, "UPDATE")
    assert api.post(first, json={"deploy_status_code": 0}).status_code == 403
    assert api.post(second, json={"deploy_status_code": 0}).status_code == 200
    assert api.wait(stack_id) == "UPDATE_COMPLETE"


def test_the_address_of_the_metadata_is_paced(api: Api) -> None:
    body = template(target=SERVER)
    where = ["target", "os_collect_config", "request", "metadata_url"]
    body["outputs"]["address"]["value"] = {"get_attr": where}
    path, stack_id = begun(api, body)
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    address = address_of(api, path)
    found = [api.get(address).status_code for _ in range(MOST + 1)]
    assert found == [*[200] * MOST, 429]
