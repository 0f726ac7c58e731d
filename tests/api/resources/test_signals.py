"""Signals over the wire: with a token, by a signed address, and to whom nothing can be told."""

from copy import deepcopy
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from sqlalchemy import Connection, select

from hotplate.engine.requests import signals
from hotplate.model import Version
from hotplate.store import signal_cache
from hotplate.store.schema import signal
from hotplate.store.signals import (
    StoredSignal,
    forget_signals,
    insert_signal,
    last_signal,
    signals_after,
)
from tests.api.conftest import Api

TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "handle": {"type": "OS::Heat::WaitConditionHandle"},
        "condition": {
            "type": "OS::Heat::WaitCondition",
            "properties": {"handle": {"get_resource": "handle"}, "timeout": 3600, "count": 2},
        },
    },
    "outputs": {
        "endpoint": {"value": {"get_attr": ["handle", "endpoint"]}},
        "curl": {"value": {"get_attr": ["handle", "curl_cli"]}},
        "data": {"value": {"get_attr": ["condition", "data"]}},
    },
}
CFN = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "handle": {"type": "AWS::CloudFormation::WaitConditionHandle"},
        "condition": {
            "type": "AWS::CloudFormation::WaitCondition",
            "properties": {"Handle": {"get_resource": "handle"}, "Timeout": 3600},
        },
    },
    "outputs": {
        "address": {"value": {"get_resource": "handle"}},
        "data": {"value": {"get_attr": ["condition", "Data"]}},
    },
}


def created(api: Api, template: dict[str, Any]) -> tuple[str, str]:
    """Return the path and the id of a stack whose handle exists and whose condition waits."""
    answer = api.post("/stacks", json={"stack_name": "s", "template": template})
    assert answer.status_code == 201, answer.text
    stack_id = answer.json()["stack"]["id"]
    path = f"/stacks/s/{stack_id}"

    async def asleep() -> bool:
        versions = await api.engine.operations.resources(stack_id)
        return versions["condition"].cookie is not None

    api.until(asleep)
    return path, stack_id


def output(api: Api, path: str, name: str) -> Any:
    return api.get(f"{path}/outputs/{name}").json()["output"]["output_value"]


def test_a_condition_is_complete_when_its_handle_was_told_often_enough(api: Api) -> None:
    path, stack_id = created(api, TEMPLATE)
    signal = f"{path}/resources/handle/signal"
    assert api.post(signal, json={"data": "one"}).json() is None
    assert api.get(path).json()["stack"]["stack_status"] == "CREATE_IN_PROGRESS"
    api.post(signal, json={"id": "last", "data": {"two": 2}, "reason": "well done"})
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    assert output(api, path, "data") == '{"1": "one", "last": {"two": 2}}'
    metadata = api.get(f"{path}/resources/handle/metadata").json()["metadata"]
    assert metadata == {
        "1": {"data": "one", "reason": "Signal 1 received", "status": "SUCCESS"},
        "last": {"data": {"two": 2}, "reason": "well done", "status": "SUCCESS"},
    }


def test_the_same_id_counts_once(api: Api) -> None:
    path, _ = created(api, TEMPLATE)
    for _ in range(3):
        api.post(f"{path}/resources/handle/signal", json={"id": "same"})
    assert api.get(path).json()["stack"]["stack_status"] == "CREATE_IN_PROGRESS"


def test_a_failure_that_is_told_fails_the_condition_with_its_reason(api: Api) -> None:
    path, stack_id = created(api, TEMPLATE)
    body = {"status": "FAILURE", "reason": "no disk"}
    api.post(f"{path}/resources/handle/signal", json=body)
    assert api.wait(stack_id) == "CREATE_FAILED"
    reason = api.get(path).json()["stack"]["stack_status_reason"]
    assert reason == ("Resource CREATE failed: WaitConditionFailure: resources.condition: no disk")


def test_a_signed_address_needs_no_token_and_works_for_its_resource_only(api: Api) -> None:
    path, stack_id = created(api, TEMPLATE)
    address = output(api, path, "endpoint")
    assert address in output(api, path, "curl")
    assert api.post(_local(address), json={"id": "a"}).status_code == 200
    forged = _local(address).replace("handle", "condition")
    assert api.post(forged, json={}).status_code == 403
    assert api.post(_changed(address, "Timestamp", "2030-01-01T00:00:00Z")).status_code == 403
    assert api.post(_changed(address, "Signature", "")).status_code == 403
    assert api.post(_local(address), json={"id": "b"}).status_code == 200
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    api.delete(path)
    assert api.wait(stack_id) == "DELETE_COMPLETE"
    assert api.post(_local(address), json={}).status_code == 403


def test_the_form_of_aws_is_a_put_to_the_reference_of_the_handle(api: Api) -> None:
    path, stack_id = created(api, CFN)
    address = output(api, path, "address")
    body = {"Status": "SUCCESS", "Reason": "done", "Data": "x", "UniqueId": "7"}
    assert api.put(_local(address), json={"Status": "SUCCESS"}).status_code == 400
    assert api.put(_local(address), json=body).status_code == 200
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    assert output(api, path, "data") == '{"7": "x"}'


@pytest.mark.parametrize("body", [{"status": "PERHAPS"}, {"colour": "red"}])
def test_a_signal_that_makes_no_sense_is_refused(api: Api, body: dict[str, Any]) -> None:
    path, _ = created(api, TEMPLATE)
    answer = api.post(f"{path}/resources/handle/signal", json=body)
    assert answer.status_code == 400
    assert "Metadata format invalid" in answer.json()["error"]["message"]
    assert api.get(f"{path}/resources/handle/metadata").json() == {"metadata": {}}


def test_what_takes_no_signal_says_so(api: Api) -> None:
    path, _ = created(api, TEMPLATE)
    answer = api.post(f"{path}/resources/condition/signal", json={})
    assert answer.status_code == 400
    assert "signal is not supported" in answer.json()["error"]["message"]
    assert api.post(f"{path}/resources/nobody/signal", json={}).status_code == 404


def _local(address: str) -> str:
    parts = urlsplit(address)
    return f"http://testserver{parts.path}?{parts.query}"


def _changed(address: str, name: str, value: str) -> str:
    parts = urlsplit(address)
    query = {**dict(parse_qsl(parts.query)), name: value}
    return f"http://testserver{parts.path}?{urlencode(query)}"


def test_a_condition_whose_handle_takes_no_signal_does_not_wait(api: Api) -> None:
    template = f"""
heat_template_version: wallaby
resources:
  handle: {{type: OS::Heat::WaitConditionHandle, properties: {{signal_transport: NO_SIGNAL}}}}
  condition:
    type: OS::Heat::WaitCondition
    properties: {{handle: {{get_resource: handle}}, timeout: {12 * 3600}, count: 2}}
outputs:
  signal: {{value: {{get_attr: [handle, signal]}}}}
  curl: {{value: {{get_attr: [handle, curl_cli]}}}}
"""
    answer = api.post("/stacks", json={"stack_name": "unsignalled", "template": template})
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    outputs = api.get(f"/stacks/unsignalled/{stack_id}").json()["stack"]["outputs"]
    assert {each["output_key"]: each["output_value"] for each in outputs} == {
        "signal": "{}",
        "curl": None,
    }


def test_a_condition_without_a_handle_fails_at_once(api: Api) -> None:
    template = """
heat_template_version: wallaby
resources:
  condition: {type: OS::Heat::WaitCondition, properties: {handle: nowhere, timeout: 43200}}
"""
    answer = api.post("/stacks", json={"stack_name": "lost", "template": template})
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_FAILED"
    stack = api.get(f"/stacks/lost/{stack_id}").json()["stack"]
    assert stack["stack_status_reason"] == (
        "Resource CREATE failed: ValueError: resources.condition: "
        "nowhere is not a valid wait condition handle."
    )


def test_a_condition_that_failed_tells_what_it_heard(api: Api) -> None:
    path, stack_id = created(api, TEMPLATE)
    body = {"status": "FAILURE", "reason": "no", "data": "why"}
    api.post(f"{path}/resources/handle/signal", json=body)
    assert api.wait(stack_id) == "CREATE_FAILED"
    assert output(api, path, "data") == '{"1": "why"}'


def test_a_stranger_cannot_make_the_server_read_much(api: Api) -> None:
    arn = "arn:openstack:heat::p:stacks/s/no-such-id/resources/handle"
    body = {"data": "x" * api.settings.largest_signal}
    for method, kind in (("POST", "signal"), ("PUT", "waitcondition")):
        answer = api.request(method, f"http://testserver/v1/{kind}/{arn}", json=body)
        assert answer.status_code == 400
        assert answer.json()["error"]["type"] == "RequestLimitExceeded"
    path, _ = created(api, TEMPLATE)
    address = output(api, path, "endpoint")
    body = {"data": "x" * (api.settings.largest_signal - 100)}
    assert api.post(address, json=body).status_code == 200


def signal_events(api: Api, path: str, name: str) -> list[tuple[str, str]]:
    events = api.get(f"{path}/resources/{name}/events", params={"sort_dir": "asc"}).json()["events"]
    return [
        (event["resource_status"], event["resource_status_reason"])
        for event in events
        if event["resource_status"].startswith("SIGNAL_")
    ]


def test_every_signal_to_a_handle_is_an_event(api: Api) -> None:
    path, _ = created(api, TEMPLATE)
    for body in ({}, {"id": "5", "reason": "because", "data": "x"}, {"nope": 1}):
        api.post(f"{path}/resources/handle/signal", json=body)
    assert signal_events(api, path, "handle") == [
        ("SIGNAL_COMPLETE", "Signal: status:SUCCESS reason:Signal 1 received"),
        ("SIGNAL_COMPLETE", "Signal: status:SUCCESS reason:because"),
    ]


def test_the_event_of_a_signal_in_the_form_of_aws(api: Api) -> None:
    path, _ = created(api, CFN)
    body = {"Status": "FAILURE", "Reason": "no disk", "Data": "", "UniqueId": "1"}
    api.post(f"{path}/resources/handle/signal", json=body)
    told = [("SIGNAL_COMPLETE", "Signal: status:FAILURE reason:no disk")]
    assert signal_events(api, path, "handle") == told


def test_a_signal_to_what_is_suspended_is_refused_and_leaves_an_event(api: Api) -> None:
    handle = {"type": "OS::Heat::WaitConditionHandle"}
    template = {"heat_template_version": "2021-04-16", "resources": {"handle": handle}}
    answer = api.post("/stacks", json={"stack_name": "s", "template": template})
    stack_id = answer.json()["stack"]["id"]
    path = f"/stacks/s/{stack_id}"
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    api.post(f"{path}/actions", json={"suspend": None})
    assert api.wait(stack_id) == "SUSPEND_COMPLETE"
    refused = api.post(f"{path}/resources/handle/signal", json={"id": "late"})
    assert refused.status_code == 400
    assert "Signal resource during SUSPEND is not supported" in refused.text
    ordered = {"sort_dir": "asc"}
    events = api.get(f"{path}/resources/handle/events", params=ordered).json()["events"]
    last = events[-1]
    assert last["resource_status_reason"] == "Cannot signal resource during SUSPEND"
    assert last["resource_status"] == "SUSPEND_COMPLETE"


def test_a_handle_takes_so_many_signals_and_so_many_bytes(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = created(api, waiting_for(100))
    signal = f"{path}/resources/handle/signal"
    monkeypatch.setattr(signals, "LARGEST_SIGNALS", 2000)
    assert api.post(signal, json={"data": "x" * 1500}).status_code == 200
    answer = api.post(signal, json={"data": "x" * 1500})
    assert answer.status_code == 400
    assert "2000 bytes" in answer.text
    monkeypatch.setattr(signals, "MOST_SIGNALS", 3)
    assert [api.post(signal, json={}).status_code for _ in range(3)] == [200, 200, 400]
    assert "has 3 signals already" in api.post(signal, json={}).text


def test_each_signal_is_read_once_however_many_there_are(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = created(api, waiting_for(1000))
    read = 0

    def counting(connection: Connection, of: Version, number: int = 0) -> list[StoredSignal]:
        nonlocal read
        found = signals_after(connection, of, number)
        read += len(found)
        return found

    monkeypatch.setattr(signal_cache, "signals_after", counting)
    reads = []
    for number in range(120):
        body = {} if number % 2 else {"id": f"n{number}"}
        assert api.post(f"{path}/resources/handle/signal", json=body).status_code == 200
        reads.append(read)
    # Not a hundred times as much: some are read twice, before they are worth keeping.
    assert reads[-1] - reads[-41] < 40 * 20
    shown = api.get(f"{path}/resources/handle/metadata").json()["metadata"]
    assert len(shown) == 120
    assert shown["120"]["reason"] == "Signal 120 received"
    assert shown["n118"]["reason"] == "Signal 119 received"


def waiting_for(count: int) -> Any:
    template: Any = deepcopy(TEMPLATE)
    template["resources"]["condition"]["properties"]["count"] = count
    return template


def test_of_signals_that_nobody_counts_the_oldest_are_forgotten(api: Api) -> None:
    def story(connection: Connection) -> tuple[list[int], int]:
        for number in range(10):
            insert_signal(connection, "p", 7, "s", 0.0, {"n": number})
        forget_signals(connection, 7, 4)
        left = connection.execute(select(signal.c.number).where(signal.c.version_id == 7))
        return list(left.scalars()), last_signal(connection, 7)

    assert api.run(api.engine.database.transact(story)) == ([7, 8, 9, 10], 10)
