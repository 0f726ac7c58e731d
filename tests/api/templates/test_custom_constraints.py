"""Custom constraints are put to the cloud before a request is accepted."""

import json
from typing import Any

import pytest

from hotplate.resources import ResourceType
from hotplate.validation.recipes import cloud_check
from tests.api.conftest import Api
from tests.api.external.named_cloud import PRIVATE, NamedWire, Nic, named_cloud

SMALL = 'there is no flavor "m1.smal"; did you mean "m1.small"?'


@pytest.fixture
def nic() -> Nic:
    return Nic()


@pytest.fixture
def wire() -> NamedWire:
    return NamedWire()


@pytest.fixture
def api_types(nic: Nic) -> tuple[ResourceType, ...]:
    return (nic,)


@pytest.fixture
def api_services(wire: NamedWire) -> dict[str, Any]:
    return {"cloud": named_cloud(wire)}


def nic_with(**properties: Any) -> dict[str, Any]:
    return {"type": "Test::Nic", "properties": properties}


def body(parameters: dict[str, Any] | None = None, **resources: Any) -> dict[str, Any]:
    template: dict[str, Any] = {"heat_template_version": "wallaby", "resources": resources}
    return {"template": {**template, "parameters": parameters or {}}}


def refusals(api: Api, wanted: dict[str, Any], path: str = "/stacks") -> list[tuple[str, str]]:
    """The places of what is refused, and why."""
    answer = api.post(path, json={"stack_name": "s", **wanted})
    if answer.status_code < 300:
        return []
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["type"] == "StackValidationFailed"
    return [(each["path"], each["message"]) for each in answer.json()["error"]["problems"]]


@pytest.mark.parametrize("path", ["/stacks", "/validate", "/stacks/preview"])
def test_what_the_cloud_does_not_have_is_refused_where_it_stands(api: Api, path: str) -> None:
    wanted = body(
        good=nic_with(network="private", flavor="m1.small", security_groups=["web"]),
        bad=nic_with(network="nowhere", flavor="m1.smal", fixed_ips=[{"subnet": "sub"}]),
        worse=nic_with(network="twice", fixed_ips=[{"subnet": "sub"}, {"subnet": "subb"}]),
    )
    assert sorted(refusals(api, wanted, path)) == [
        ("resources.bad.properties.flavor", f"Error validating value 'm1.smal': {SMALL}"),
        (
            "resources.bad.properties.network",
            "Error validating value 'nowhere': there is no network \"nowhere\"",
        ),
        (
            "resources.worse.properties.fixed_ips.1.subnet",
            'Error validating value \'subb\': there is no subnet "subb"; did you mean "sub"?',
        ),
        (
            "resources.worse.properties.network",
            "Error validating value 'twice': 2 networks are named \"twice\": a, b; "
            "say which by its id",
        ),
    ]


def test_all_that_is_wrong_is_told_at_once(api: Api) -> None:
    wanted = body(
        unknown=nic_with(colour="red"),
        bad=nic_with(fixed_ips=[{"address": "nowhere"}], flavor="m1.smal"),
    )
    assert [path for path, _ in refusals(api, wanted)] == [
        "resources.unknown.properties.colour",
        "resources.bad.properties.fixed_ips.0.address",
        "resources.bad.properties.flavor",
    ]


def test_a_value_under_an_older_name_is_checked(api: Api) -> None:
    wanted = body(nic=nic_with(network_id="privat"))
    assert [path for path, _ in refusals(api, wanted)] == ["resources.nic.properties.network_id"]


def test_clients_read_the_sentence_of_heat(api: Api) -> None:
    wanted = body(bad=nic_with(flavor="m1.smal"))
    answer = api.post("/stacks", json={"stack_name": "s", **wanted})
    assert answer.json()["error"]["message"].startswith(
        "Property error: resources.bad.properties.flavor: "
        f"Error validating value 'm1.smal': {SMALL}"
    )


def test_a_parameter_is_checked_wherever_its_value_comes_from(api: Api) -> None:
    rule = {"constraints": [{"custom_constraint": "nova.flavor"}]}
    declared = {
        "given": {"type": "string", **rule},
        "default": {"type": "string", "default": "m1.smal", **rule},
        "several": {"type": "comma_delimited_list", "default": "m1.small,m1.smal", **rule},
        "secret": {"type": "string", "hidden": True, "default": "m1.smal", **rule},
    }
    wanted = {**body(declared), "parameters": {"given": "m1.smal"}}
    words = f"Error validating value 'm1.smal': {SMALL}"
    for path in ("/stacks", "/validate"):
        assert refusals(api, wanted, path) == [
            ("parameters.given", f"the value of given is invalid: {words}"),
            ("parameters.default.default", f"the value of default is invalid: {words}"),
            ("parameters.several.default", f"the value of several is invalid: {words}"),
            (
                "parameters.secret.default",
                "the value of secret is invalid: it breaks the constraint "
                '{"custom_constraint": "nova.flavor"}',
            ),
        ]
    del wanted["parameters"]
    assert len(refusals(api, wanted, "/validate")) == 3


def test_a_parameter_is_put_to_constraints_that_need_no_cloud(api: Api) -> None:
    rule = [{"custom_constraint": "ip_addr"}]
    declared = {"a": {"type": "string", "default": "x", "constraints": rule}}
    assert refusals(api, body(declared)) == [
        (
            "parameters.a.default",
            "the value of a is invalid: Error validating value 'x': it is not an IP address",
        )
    ]


def test_every_value_is_asked_about_once(api: Api, wire: NamedWire) -> None:
    resources = {f"nic-{n}": nic_with(network="private", flavor="m1.small") for n in range(20)}
    assert refusals(api, body(**resources)) == []
    assert wire.since() == ["flavors", "networks?name=private"]


def test_an_update_without_a_change_asks_nothing(api: Api, wire: NamedWire) -> None:
    """Also when all that was looked up is forgotten."""
    wanted = body(nic=nic_with(network="private", flavor="m1.small"))
    made = api.post("/stacks", json={"stack_name": "s", **wanted}).json()["stack"]["id"]
    assert api.wait(made) == "CREATE_COMPLETE"
    wire.since()
    wire.time.at += 3600
    path = f"/stacks/s/{made}"
    assert api.put(path, json=wanted).status_code == 202
    assert api.wait(made) == "UPDATE_COMPLETE"
    assert wire.since() == []
    other = body(nic=nic_with(network="private", flavor="m1.smal"))
    assert api.put(path, json=other).status_code == 400
    assert wire.since() != []


def test_what_another_resource_will_tell_is_not_asked_about(api: Api, wire: NamedWire) -> None:
    wanted = body(
        other={"type": "OS::Heat::Value", "properties": {"value": "x"}},
        nic=nic_with(
            network={"get_attr": ["other", "value"]},
            fixed_ips=[
                {"subnet": {"get_attr": ["other", "value"]}},
                {"subnet": "bus", "address": {"get_attr": ["other", "value"]}},
            ],
        ),
    )
    assert [path for path, _ in refusals(api, wanted)] == [
        "resources.nic.properties.fixed_ips.1.subnet"
    ]
    assert {each.partition("?")[0] for each in wire.since()} == {"subnets"}


def test_what_is_nested_is_checked_too(api: Api) -> None:
    inner = {
        "heat_template_version": "wallaby",
        "parameters": {
            "flavor": {"type": "string", "constraints": [{"custom_constraint": "nova.flavor"}]}
        },
        "resources": {"nic": nic_with(network="privat")},
    }
    wanted = {
        "template": {
            "heat_template_version": "wallaby",
            "resources": {
                "group": {
                    "type": "OS::Heat::ResourceGroup",
                    "properties": {"count": 2, "resource_def": nic_with(flavor="m1.smal")},
                },
                "nested": {"type": "inner.yaml", "properties": {"flavor": "m1.smal"}},
            },
        },
        "files": {"inner.yaml": json.dumps(inner)},
    }
    found = refusals(api, wanted)
    assert ("resources.nested.properties.flavor", f"Error validating value 'm1.smal': {SMALL}") in (
        found
    )
    text = str(found)
    assert "there is no network" in text
    assert text.count(SMALL) == 2


def test_a_cloud_that_does_not_answer_stops_nobody(
    api: Api, wire: NamedWire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cloud_check, "_SECONDS", 0.05)
    wire.waits_for_ever = True
    assert refusals(api, body(nic=nic_with(network="nowhere"))) == []


def test_an_error_of_the_cloud_is_no_fault_of_a_value(api: Api, wire: NamedWire) -> None:
    wire.is_silent = True
    assert refusals(api, body(nic=nic_with(network="nowhere"))) == []


def test_an_update_is_checked_and_may_be_tried_again(api: Api, wire: NamedWire) -> None:
    made = api.post("/stacks", json={"stack_name": "s", **body(nic=nic_with(network=PRIVATE))})
    stack_id = made.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    wanted = body(nic=nic_with(network="privat"))
    for path in (f"/stacks/s/{stack_id}/preview", f"/stacks/s/{stack_id}"):
        answer = api.put(path, json=wanted)
        assert answer.status_code == 400
        assert 'did you mean "private"' in answer.json()["error"]["message"].lower()
    assert api.wait(stack_id) == "CREATE_COMPLETE"


class TestWithoutCloud:
    """Nobody is asked."""

    @pytest.fixture
    def api_services(self) -> dict[str, Any]:
        return {}

    def test_nothing_is_refused(self, api: Api) -> None:
        assert refusals(api, body(nic=nic_with(network="nowhere"))) == []


def test_the_schema_of_a_type_has_its_constraints(api: Api) -> None:
    schema = api.get("/resource_types/Test::Nic").json()["properties"]
    assert schema["network"]["constraints"] == [{"custom_constraint": "neutron.network"}]
    item = schema["fixed_ips"]["schema"]["*"]["schema"]["subnet"]
    assert item["constraints"] == [{"custom_constraint": "neutron.subnet"}]
