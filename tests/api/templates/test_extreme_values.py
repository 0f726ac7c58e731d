"""Values that are unusually large, long or deep: taken and shown again, or refused with words."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from hotplate.resources import Creation, Done, Resource, ResourceType, Result
from tests.api.conftest import PROJECT, Api

HOT = "heat_template_version: 2021-04-16\n"
GREAT = 123456789012345678901234567890


class Meter(ResourceType):
    """Tells what is no number."""

    name = "A::Meter"
    creation = Creation.REPEATABLE
    instant = True
    attributes = {"reading": "what it shows"}

    async def create(self, resource: Resource) -> Result:
        return Done("meter", attributes={"reading": float("nan")})


@pytest.fixture
def api_types() -> tuple[ResourceType, ...]:
    return (Meter(),)


def created(api: Api, template: str, **more: Any) -> str:
    """Return the path of a stack that is complete."""
    answer = api.post("/stacks", json={"stack_name": "s", "template": template, **more})
    assert answer.status_code == 201, answer.text
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    return f"/stacks/s/{stack_id}"


def shown(api: Api, path: str) -> Iterator[tuple[str, Any]]:
    """Yield all that can be read of a stack."""
    for part in (
        "",
        "/template",
        "/environment",
        "/files",
        "/export",
        "/resources?with_detail=true",
        "/tree?with_detail=true",
        "/resources/v",
    ):
        answer = api.get(f"{path}{part}")
        assert answer.status_code == 200, (part, answer.text)
        yield part, answer.json()


def test_a_whole_number_of_any_size_can_be_shown(api: Api) -> None:
    template = f"""
parameters: {{p: {{type: number}}, o: {{type: json, default: {{}}}}}}
resources: {{v: {{type: OS::Heat::Value, properties: {{value: {GREAT}}}}}}}
outputs: {{o: {{value: [{{get_param: p}}, {{get_attr: [v, value]}}]}}}}
"""
    files = {"e.yaml": f"parameters: {{p: {GREAT}}}"}
    path = created(api, HOT + template, files=files, environment_files=["e.yaml"])
    found = dict(shown(api, path))
    assert found[""]["stack"]["outputs"][0]["output_value"] == [GREAT, GREAT]
    assert found["/environment"]["parameters"] == {"p": GREAT}


def test_a_value_as_deep_as_the_engine_takes_it_can_be_shown(api: Api) -> None:
    lines = ["resources:", "  v: {type: OS::Heat::Value, properties: {value: 1}}"]
    before = "v"
    for number in range(40):
        inner = "[" * 10 + f"{{get_attr: [{before}, value]}}" + "]" * 10
        before = f"v{number}"
        lines.append(f"  {before}: {{type: OS::Heat::Value, properties: {{value: {inner}}}}}")
    lines.append(f"outputs: {{o: {{value: {{get_attr: [{before}, value]}}}}}}")
    found = dict(shown(api, created(api, HOT + "\n".join(lines))))
    value, depth = found[""]["stack"]["outputs"][0]["output_value"], 0
    while isinstance(value, list):
        (value,), depth = value, depth + 1
    assert depth == 400


def test_what_is_no_number_is_shown_as_null(api: Api) -> None:
    path = created(api, HOT + "resources: {v: {type: 'A::Meter'}}")
    found = dict(shown(api, path))
    assert found["/resources/v"]["resource"]["attributes"]["reading"] is None


@pytest.mark.parametrize("part", ["data", "id", "reason"])
def test_a_signal_that_goes_too_deep_is_refused(api: Api, part: str) -> None:
    path = created(api, HOT + "resources: {v: {type: 'OS::Heat::WaitConditionHandle'}}")
    body = f'{{"{part}": {"[" * 900}{"]" * 900}}}'
    headers = {"content-type": "application/json"}
    answer = api.post(f"{path}/resources/v/signal", content=body, headers=headers)
    assert answer.status_code == 400
    assert "inside each other" in answer.json()["error"]["message"]
    assert api.get(f"{path}/resources/v/metadata").json() == {"metadata": {}}


def test_a_signal_to_a_group_of_any_cooldown_and_by_any_amount_is_taken(api: Api) -> None:
    template = """
resources:
  v:
    type: OS::Heat::AutoScalingGroup
    properties: {min_size: 2, max_size: 3, resource: {type: OS::Heat::None}}
  policy:
    type: OS::Heat::ScalingPolicy
    properties:
      auto_scaling_group_id: {get_resource: v}
      adjustment_type: percent_change_in_capacity
      scaling_adjustment: 1.7e308
      cooldown: 1e300
"""
    path = created(api, HOT + template)
    assert api.post(f"{path}/resources/policy/signal", json={}).status_code == 200

    async def size() -> int:
        answer = await api.client.get(f"{path}/resources/v")
        return int(answer.json()["resource"]["attributes"]["current_size"] or 0)

    assert api.until(size, lambda size: size == 3) == 3
    assert api.post(f"{path}/resources/policy/signal", json={}).status_code == 200
    metadata = api.get(f"{path}/resources/v/metadata").json()["metadata"]
    assert list(metadata["cooldown_end"].values()) == ["percent_change_in_capacity : 1.7e+308"]


@pytest.mark.parametrize("name", ["\N{SUPERSCRIPT TWO}", "9" * 5000])
def test_a_member_that_no_group_has_is_null(api: Api, name: str) -> None:
    template = f"""
resources:
  v:
    type: OS::Heat::AutoScalingGroup
    properties: {{min_size: 1, max_size: 3, resource: {{type: OS::Heat::None}}}}
outputs: {{o: {{value: {{get_attr: [v, resource.{name}]}}}}}}
"""
    path = created(api, HOT + template)
    assert api.get(f"{path}/outputs/o").json()["output"]["output_value"] is None


def test_the_name_of_a_resource_has_an_end(api: Api) -> None:
    name = "n" * 256
    template = HOT + f"resources: {{{name}: {{type: OS::Heat::None}}}}"
    answer = api.post("/stacks", json={"stack_name": "s", "template": template})
    assert answer.status_code == 400
    assert "255 characters" in answer.json()["error"]["message"]


def test_the_name_of_a_member_has_an_end(api: Api) -> None:
    # Known only once the stack inside is made: it must not be tried for ever.
    template = """
resources:
  names: {type: OS::Heat::Value, properties: {value: {%s: server}}}
  v: {type: OS::Heat::SoftwareDeploymentGroup, properties: {servers: {get_attr: [names, value]}}}
"""
    body = {"stack_name": "s", "template": HOT + template % ("n" * 256)}
    stack_id = api.post("/stacks", json=body).json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_FAILED"
    reason = api.get(f"/stacks/s/{stack_id}").json()["stack"]["stack_status_reason"]
    assert "255 characters" in reason


@pytest.mark.parametrize(
    "config", ["type: OS::Heat::SoftwareConfig", "type: OS::Heat::MultipartMime"]
)
def test_the_group_of_a_config_has_an_end(api: Api, config: str) -> None:
    template = HOT + f"resources: {{v: {{{config}, properties: {{group: {'g' * 256}}}}}}}"
    answer = api.post("/stacks", json={"stack_name": "s", "template": template})
    assert answer.status_code == 400
    assert "resources.v.properties.group" in answer.json()["error"]["message"]


def test_an_arn_may_hold_any_letters(api: Api) -> None:
    arn = f"arn:openstack:heat::{PROJECT}:stacks/n/%E2%82%AC%2F"
    answer = api.get(f"/stacks/{arn}")
    assert answer.status_code == 302
    assert answer.headers["location"].endswith("/stacks/n/%E2%82%AC")


def test_the_document_of_a_stack_stays_valid_json(api: Api) -> None:
    path = created(api, HOT + "resources: {v: {type: 'A::Meter'}}")

    def refuse(word: str) -> None:
        raise ValueError(word)

    answer = api.get(f"{path}/resources?with_detail=true")
    json.loads(answer.content, parse_constant=refuse)


@pytest.mark.parametrize(
    ("resource", "place"),
    [
        (f"type: OS::Heat::Delay, properties: {{max_jitter: {10**399}}}", "max_jitter"),
        (f"type: OS::Heat::TestResource, properties: {{wait_secs: {10**399}}}", "wait_secs"),
    ],
)
def test_a_number_that_cannot_be_reckoned_with_is_refused(
    api: Api, resource: str, place: str
) -> None:
    body = {"stack_name": "s", "template": HOT + f"resources: {{v: {{{resource}}}}}"}
    answer = api.post("/stacks", json=body)
    assert answer.status_code == 400, answer.text
    assert f"resources.v.properties.{place}" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "resource",
    [
        f"type: OS::Heat::Stack, properties: {{timeout: {2**31}, template: '{HOT.strip()}'}}",
        f"type: AWS::CloudFormation::Stack, properties: {{TimeoutInMinutes: {2**31}, "
        "TemplateURL: 'http://a/t'}",
    ],
)
def test_the_time_of_a_stack_inside_has_an_end(api: Api, resource: str) -> None:
    template = HOT + f"resources: {{v: {{{resource}}}}}"
    body = {"stack_name": "s", "template": template, "files": {"http://a/t": HOT}}
    answer = api.post("/stacks", json=body)
    assert answer.status_code == 400, answer.text
    assert "timeout" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "group",
    [
        "type: OS::Heat::Value, properties: {value: {a: 1}}",
        "type: OS::Heat::ResourceGroup, properties: {resource_def: {type: OS::Heat::None}}",
        "type: OS::Heat::AutoScalingGroup, "
        "properties: {min_size: 1, max_size: 1, resource: {type: OS::Heat::None}}",
    ],
)
@pytest.mark.parametrize("path", ["value", "outputs", "attributes", "resource.0", "refs_map"])
def test_a_step_that_is_no_step_leads_nowhere(api: Api, group: str, path: str) -> None:
    template = f"""
parameters: {{step: {{type: json, default: {{a: 1}}}}}}
resources: {{v: {{{group}}}}}
outputs: {{o: {{value: {{get_attr: [v, {path}, {{get_param: step}}]}}}}}}
"""
    answer = api.post("/stacks", json={"stack_name": "s", "template": HOT + template})
    if answer.status_code == 400:
        assert "attribute" in answer.json()["error"]["message"].lower()
        return
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    shown = api.get(f"/stacks/s/{stack_id}/outputs/o").json()["output"]
    assert shown["output_value"] is None


@pytest.mark.parametrize("item", [["CREATE"], {"a": 1}, None, 1])
def test_an_item_that_is_no_text_is_none_of_the_allowed_ones(api: Api, item: Any) -> None:
    properties = {"server": "x", "actions": [item]}
    resource = {"type": "OS::Heat::SoftwareDeployment", "properties": properties}
    template = {"heat_template_version": "2021-04-16", "resources": {"v": resource}}
    answer = api.post("/stacks", json={"stack_name": "s", "template": template})
    assert answer.status_code == 400, answer.text
    assert "is not an allowed value" in answer.json()["error"]["message"]
