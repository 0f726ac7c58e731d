"""The preview of a new stack has the form that Heat gives it."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.conftest import PROJECT, Api

TEMPLATE = """\
heat_template_version: 2021-04-16
parameters:
  given: {type: string}
resources:
  one:
    type: OS::Heat::TestResource
    properties: {value: fred}
  main:
    type: nested.yaml
    depends_on: one
    properties: {value: {get_param: given}}
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: 1
      resource_def: {type: nested.yaml, properties: {value: {get_attr: [one, output]}}}
  empty:
    type: OS::Heat::ResourceGroup
    properties:
      count: 0
      resource_def: {type: OS::Heat::RandomString}
outputs:
  literal: {value: {get_param: given}}
  later: {description: what comes, value: {get_attr: [main, output]}}
  own_id: {value: {get_param: "OS::stack_id"}}
"""
NESTED = """\
heat_template_version: 2021-04-16
parameters:
  value: {type: string}
resources:
  inner:
    type: OS::Heat::TestResource
    description: what it is
    metadata: {a: b}
    properties: {value: {get_param: value}, wait_secs: "0"}
  deeper:
    type: OS::Heat::RandomString
    depends_on: inner
outputs:
  output: {value: {get_attr: [inner, output]}}
"""
BODY = {
    "stack_name": "s",
    "template": TEMPLATE,
    "files": {"nested.yaml": NESTED},
    "parameters": {"given": "abc"},
    "timeout_mins": 5,
}


@pytest.fixture
def stack(api: Api) -> dict[str, Any]:
    answer = api.post("/stacks/preview", json=BODY)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["stack"]
    return found


def items(resources: list[Any]) -> Iterator[dict[str, Any]]:
    for each in resources:
        if isinstance(each, list):
            yield from items(each)
        else:
            yield each


def test_a_stack_that_does_not_exist_has_no_id(stack: dict[str, Any]) -> None:
    assert stack["id"] == "None"
    assert stack["parameters"]["OS::stack_id"] == "None"
    assert [link["href"].rpartition("/v1/")[2] for link in stack["links"]] == [
        f"{PROJECT}/stacks/s/None"
    ]
    assert stack["creation_time"].endswith("Z")
    assert stack["timeout_mins"] == 5


def test_outputs_are_told_as_far_as_they_are_known(stack: dict[str, Any]) -> None:
    plain = "No description given"
    assert stack["outputs"] == [
        {"output_key": "literal", "description": plain, "output_value": "abc"},
        {"output_key": "later", "description": "what comes", "output_value": None},
        {"output_key": "own_id", "description": plain, "output_value": "None"},
    ]


def test_each_resource_names_its_own_stack(stack: dict[str, Any]) -> None:
    names = {"/".join(item["path"]): item["stack_name"] for item in items(stack["resources"])}
    assert names == {
        "one": "s",
        "main/inner": "s-main",
        "main/deeper": "s-main",
        "group/0/inner": "s-group-0",
        "group/0/deeper": "s-group-0",
    }
    for item in items(stack["resources"]):
        whose = {"tenant": PROJECT, "stack_name": item["stack_name"], "stack_id": "None"}
        assert item["stack_identity"] == {**whose, "path": ""}
        own = f"/resources/{item['resource_name']}"
        assert item["resource_identity"] == {**whose, "path": own}


def test_a_stack_with_nothing_inside_is_an_empty_list(stack: dict[str, Any]) -> None:
    assert [] in stack["resources"]
    assert {each["resource_name"] for each in stack["nested_stacks"]} == {
        "main",
        "group",
        "0",
        "empty",
    }


def test_resources_tell_all_properties_attributes_and_who_needs_them(
    stack: dict[str, Any],
) -> None:
    found = {"/".join(item["path"]): item for item in items(stack["resources"])}
    assert sorted(found["one"]["required_by"]) == ["group", "main"]
    inner = found["main/inner"]
    assert inner["required_by"] == ["deeper"]
    assert inner["parent_resource"] == "main"
    assert inner["description"] == "what it is"
    assert inner["metadata"] == {"a": "b"}
    assert inner["attributes"] == {"output": None}
    assert inner["properties"] == {
        "value": "abc",
        "fail": False,
        "update_replace": False,
        "update_replace_value": None,
        "wait_secs": 0,
        "action_wait_secs": None,
        "attr_wait_secs": 0,
        "constraint_prop_secs": 0,
        "client_name": "",
        "entity_name": "",
    }
    assert found["group/0/deeper"]["properties"]["length"] == 32


def test_a_parameter_that_is_not_declared_is_refused_in_heats_words(api: Api) -> None:
    template = TEMPLATE.replace("{value: {get_param: given}}", "{value: {get_param: missing}}", 1)
    answer = api.post("/stacks/preview", json={**BODY, "template": template})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith(
        "Property error: : resources.main.properties.value: : "
        "The Parameter (missing) was not provided."
    )


def test_two_previews_do_not_get_into_each_others_way(api: Api, stack: dict[str, Any]) -> None:
    other = api.post("/stacks/preview", json={**BODY, "stack_name": "t"}).json()["stack"]
    assert other["parameters"]["OS::stack_name"] == "t"
    assert {item["stack_name"] for item in items(other["resources"])} == {
        "t",
        "t-main",
        "t-group-0",
    }


def test_the_preview_of_an_update_names_the_stacks_that_are_there(api: Api) -> None:
    created = api.post("/stacks", json=BODY).json()["stack"]["id"]
    assert api.wait(created) == "CREATE_COMPLETE"
    body = {key: value for key, value in BODY.items() if key != "stack_name"}
    body["parameters"] = {"given": "def"}
    answer = api.put(f"/stacks/s/{created}/preview?show_nested=true", json=body).json()
    (inner,) = (
        item for item in answer["resource_changes"]["updated"] if item["path"] == ["main", "inner"]
    )
    listed = api.get(f"/stacks/s/{created}/resources?nested_depth=2").json()["resources"]
    (shown,) = (
        item
        for item in listed
        if item["resource_name"] == "inner" and item["parent_resource"] == "main"
    )
    assert inner["stack_identity"]["stack_id"] == shown["nested_stack_id"]
    assert inner["stack_name"] == inner["stack_identity"]["stack_name"] != "s"
    assert inner["required_by"] == ["deeper"]
