"""Outputs that have no value: why not is told wherever they are asked for."""

from typing import Any

import pytest

from tests.api.conftest import Api
from tests.api.trees import VERSION, changed, made

INNER = (
    VERSION
    + """
resources:
  list: {type: OS::Heat::Value, properties: {value: [a, b]}}
outputs:
  good: {value: {get_attr: [list, value]}}
  bad: {value: {str_split: [",", {get_attr: [list, value]}]}}
  unknown: {value: {get_param: foo}}
"""
)
MIDDLE = (
    VERSION
    + """
resources:
  inner: {type: inner.yaml}
outputs:
  bad: {value: {get_attr: [inner, bad]}}
"""
)
FILES = {"inner.yaml": INNER, "middle.yaml": MIDDLE}
WRONG = "str_split: what is split must be a text, not a list"
GROUP = "{type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: inner.yaml}}}"


def with_outputs(kind: str, *asked: str) -> dict[str, Any]:
    lines = [
        f"  o{number}: {{value: {{get_attr: [n, {path}]}}}}" for number, path in enumerate(asked)
    ]
    template = "\n".join([VERSION, "resources:", f"  n: {kind}", "outputs:", *lines])
    return {"template": template, "files": FILES}


def outputs(api: Api, path: str) -> list[tuple[Any, str]]:
    """The values of the outputs in the order of their keys, and why those without have none."""
    found = sorted(api.get(path).json()["stack"]["outputs"], key=lambda each: each["output_key"])
    return [(each["output_value"], each.get("output_error", "")) for each in found]


def test_the_error_of_an_output_inside_travels_to_the_output_outside(api: Api) -> None:
    path = made(api, "one", with_outputs("{type: inner.yaml}", "good", "bad", "unknown"))
    assert outputs(api, path) == [
        (["a", "b"], ""),
        (None, f"Error in n output bad: {WRONG}"),
        (None, "Error in n output unknown: The Parameter (foo) was not provided."),
    ]
    attributes = api.get(f"{path}/resources/n").json()["resource"]["attributes"]
    assert attributes == {"good": ["a", "b"], "bad": None, "unknown": None}


def test_it_travels_through_all_nesting(api: Api) -> None:
    path = made(api, "two", with_outputs("{type: middle.yaml}", "bad"))
    assert outputs(api, path) == [
        (None, f"Error in n output bad: Error in inner output bad: {WRONG}")
    ]


def test_of_a_group_it_is_the_error_of_a_member(api: Api) -> None:
    asked = ("good", "bad", "resource.1.bad", "[attributes, bad]", "resource.1.good")
    paths = [each.strip("[]") for each in asked]
    path = made(api, "three", with_outputs(GROUP, *paths))
    assert outputs(api, path) == [
        ([["a", "b"], ["a", "b"]], ""),
        (None, f"Error in 0 output bad: {WRONG}"),
        (None, f"Error in 1 output bad: {WRONG}"),
        (None, f"Error in 0 output bad: {WRONG}"),
        (["a", "b"], ""),
    ]


@pytest.mark.parametrize(("kind", "member"), [("{type: inner.yaml}", "n"), (GROUP, "0")])
def test_whoever_uses_it_fails(api: Api, kind: str, member: str) -> None:
    """It is not made with null instead; when the output is mended, an update goes on."""
    user = "  u: {type: OS::Heat::Value, properties: {value: {get_attr: [n, bad]}}}"
    body = {"template": "\n".join([VERSION, "resources:", f"  n: {kind}", user]), "files": FILES}
    path = made(api, f"four-{member}", body, "CREATE_FAILED")
    reason = api.get(path).json()["stack"]["stack_status_reason"]
    assert reason.endswith(f"resources.u: Error in {member} output bad: {WRONG}")
    mended = {**FILES, "inner.yaml": INNER.replace("str_split", "list_join")}
    changed(api, path, {**body, "files": mended}, "UPDATE_COMPLETE")


def test_one_of_all_outputs_of_a_stack_spoils_not_the_others(api: Api) -> None:
    kind = "{type: 'OS::Heat::Stack', properties: {template: {get_file: inner.yaml}}}"
    path = made(api, "five", with_outputs(kind, "outputs"))
    assert outputs(api, path) == [({"good": ["a", "b"], "bad": None, "unknown": None}, "")]
