"""POST /validate: what a template asks for, and all that creating it would refuse."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hotplate.api.http.settings import Settings
from hotplate.secret import STARS
from tests.api.conftest import Api
from tests.api.shared_api import shared_api

CASES: dict[str, dict[str, Any]] = {
    case["case"]: case
    for case in json.loads((Path(__file__).parents[1] / "golden/validate.json").read_text())
}
ACCEPTED = [name for name, case in CASES.items() if case["status"] == 200]
REFUSED = [name for name, case in CASES.items() if case["status"] != 200]
# Heat looks at values only when the stack is made; here they are checked at once.
FOUND_EARLIER = {
    name
    for name in ACCEPTED
    if CASES[name].get("preview", {}).get("status") == 400 and name != "missing"
} | {"rg"}
# Both refuse, but the sentence is another: why stands beside it.
OTHER_WORDS = {
    "bad_version": "The template version is invalid: ",
    "two_versions": "The template version is invalid: ",
    "bad_yaml": "Template not in valid format: ",
    "cycle": "Circular Dependency Found: r -> s -> r",
    "ref": 'The specified reference "zz" (in resources.r.properties.value.get_resource) is incorr',
    "attr": "The Referenced Attribute (r zz) is incorrect.",
    # Heat has this sentence for texts, and another for objects.
    "no_version": "Template not in valid format: Template format version not found.",
    # Here the path leads to the property.
    "unknown_prop": "Property error: resources.r.properties.lenth: Unknown Property lenth",
    "nested_unknown": "Property error: resources.n.properties.zz: Unknown Property zz",
    # Heat would fetch it.
    "nested_nofile": 'the template "child.yaml" was not given',
}
OTHER_CLASS = {"bad_section", "attr"}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with shared_api(tmp_path_factory.mktemp("api"), Settings()) as api:
        yield api


def ask(api: Api, name: str) -> Any:
    case = CASES[name]
    return api.post("/validate", json=case["body"], params=case["query"])


@pytest.mark.parametrize("name", sorted(set(ACCEPTED) - FOUND_EARLIER))
def test_the_answer_is_heats(api: Api, name: str) -> None:
    answer = ask(api, name)
    assert answer.status_code == 200, answer.text
    found, heats = answer.json(), with_stars(CASES[name]["answer"])
    assert without_empty_descriptions(found) == without_empty_descriptions(heats)


def with_stars(document: dict[str, Any]) -> dict[str, Any]:
    """Heat repeats the values of hidden parameters."""
    hidden = {name for name, each in document["Parameters"].items() if each["NoEcho"] == "true"}
    environment = document.get("Environment", {})
    given = environment.get("parameters", {})
    for name in hidden & given.keys():
        given[name] = STARS
        if "Value" in document["Parameters"][name]:
            document["Parameters"][name]["Value"] = STARS
    return document


def without_empty_descriptions(document: dict[str, Any]) -> dict[str, Any]:
    """A group without a description may say so or not."""
    for group in document.get("ParameterGroups", ()):
        if not group.get("description"):
            group.pop("description", None)
    for inner in document.get("NestedParameters", {}).values():
        without_empty_descriptions(inner)
    return document


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_heat_refuses_is_refused_in_its_words(api: Api, name: str) -> None:
    answer = ask(api, name)
    assert answer.status_code == 400
    message = answer.json()["error"]["message"]
    assert OTHER_WORDS.get(name, CASES[name]["error"]["message"]) in message
    heats = CASES[name]["error"]["type"]
    if name not in OTHER_CLASS and heats != "HTTPBadRequest":
        assert answer.json()["error"]["type"] == heats


@pytest.mark.parametrize("name", sorted(FOUND_EARLIER))
def test_what_creating_would_refuse_is_found_earlier(api: Api, name: str) -> None:
    answer = ask(api, name)
    assert answer.status_code == 400
    (problem, *_) = answer.json()["error"]["problems"]
    assert problem["path"].startswith(("resources.", "parameters."))


@pytest.mark.parametrize("name", sorted(name for name in CASES if "preview" in CASES[name]))
def test_creating_refuses_what_heat_refuses(api: Api, name: str) -> None:
    heats = CASES[name]["preview"]
    answer = api.post("/stacks", json={**CASES[name]["body"], "stack_name": name})
    if heats["status"] == 200 and name != "rg":
        assert answer.status_code == 201, answer.text
        return
    assert answer.status_code == 400
    assert api.get("/stacks", params={"name": name}).json()["stacks"] == []
    kinds = {"UserParameterMissing", "UnknownUserParameter", "InvalidTemplateVersion",
             "InvalidTemplateReference", "CircularDependencyException"}  # fmt: skip
    if heats.get("type") in kinds:
        assert answer.json()["error"]["type"] == heats["type"]
    if heats.get("type") in ("UserParameterMissing", "UnknownUserParameter"):
        assert heats["message"] in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bad_prop", "resources.r.properties.length: 600 is out of range (min: 1, max: 512)"),
        ("bad_prop_nested", 'resources.r.properties.character_classes[0].class: "zz" is not an '),
        ("bad_prop_nested2", "character_classes[0].clas: Unknown Property clas"),
        ("missing_prop", "resources.r.properties: Property value not assigned"),
        ("nested_missing", "resources.n.properties: Property p not assigned"),
    ],
)
def test_a_wrong_property_is_named_by_its_path(api: Api, name: str, said: str) -> None:
    message = ask(api, name).json()["error"]["message"]
    assert message.startswith("Property error: ")
    assert said in message


def test_types_and_properties_are_checked_without_values_and_in_templates_inside(api: Api) -> None:
    child = (
        "heat_template_version: wallaby\n"
        "parameters: {p: {type: number}}\n"
        "resources:\n"
        "  a: {type: OS::Nope}\n"
        "  b: {type: OS::Heat::RandomString, properties: {length: {get_param: p}, salz: x}}\n"
        "  c: {type: OS::Heat::RandomString, properties: {length: 0, salt: {get_param: p}}}\n"
    )
    template = {
        "heat_template_version": "wallaby",
        "parameters": {"n": {"type": "number"}},
        "resources": {
            "inside": {"type": "child.yaml", "properties": {"p": {"get_param": "n"}}},
            "wrong": {"type": "child.yaml", "properties": {"p": "many"}},
        },
    }
    body = {"template": template, "files": {"child.yaml": child}}
    for more in ({}, {"parameters": {"n": 1}}):
        answer = api.post("/validate", json={**body, **more})
        message = answer.json()["error"]["message"]
        assert "resources.a.type: The Resource Type (OS::Nope) could not be found." in message
        assert "(child.yaml:4:" in message
        way = "resources.inside<child.yaml>.resources"
        assert f"{way}.b.properties.salz: : Unknown Property salz" in message
        assert f"{way}.c.properties.length: : 0 is out of range" in message
        assert "resources.wrong.properties.p: 'many' is not a number" in message


def test_a_value_of_another_kind_inside_is_told_with_the_way_through_the_stacks(api: Api) -> None:
    """A real Heat 27 says so, without the place."""
    child = (
        "heat_template_version: wallaby\n"
        "resources:\n"
        "  random: {type: OS::Heat::RandomString, properties: {length: BAD}}\n"
    )
    group = {"count": 1, "resource_def": {"type": "provider.yaml"}}
    template = {
        "heat_template_version": "wallaby",
        "resources": {"g": {"type": "OS::Heat::ResourceGroup", "properties": group}},
    }
    body = {"template": template, "files": {"provider.yaml": child}, "stack_name": "s"}
    answer = api.post("/stacks", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == (
        "ValueError: : resources.g<nested_stack>.resources.0<provider.yaml>.resources.random: : "
        "Value 'BAD' is not an integer (provider.yaml:3:55)"
    )


def test_values_from_other_resources_do_not_hide_a_wrong_name(api: Api) -> None:
    template = {
        "heat_template_version": "wallaby",
        "resources": {
            "a": {"type": "OS::Heat::RandomString"},
            "b": {
                "type": "OS::Heat::RandomString",
                "properties": {"salt": {"get_attr": ["a", "value"]}, "lenth": 3},
            },
        },
    }
    answer = api.post("/validate", json={"template": template})
    assert answer.status_code == 400
    assert "resources.b.properties.lenth: Unknown Property lenth" in answer.text


@pytest.mark.parametrize("codes", ["12", "99001,12", "abc"])
def test_unknown_codes_are_refused(api: Api, codes: str) -> None:
    body = {"template": {"heat_template_version": "wallaby"}}
    answer = api.post("/validate", json=body, params={"ignore_errors": codes})
    assert answer.status_code == 400
    assert "ignore_errors" in answer.json()["error"]["message"]


def test_nothing_is_kept(api: Api) -> None:
    before = api.get("/stacks").json()["stacks"]
    assert ask(api, "nested_two").status_code == 200
    assert api.get("/stacks").json()["stacks"] == before


def test_what_is_written_down_is_judged_although_other_values_come_later(api: Api) -> None:
    policy = {
        "auto_scaling_group_id": {"get_resource": "group"},
        "adjustment_type": "exact_capacity",
        "scaling_adjustment": 1,
        "min_adjustment_step": 1,
    }
    member = {"type": "OS::Heat::Value", "properties": {"value": {"get_resource": "other"}}}
    group = {"min_size": 3, "max_size": 2, "resource": member}
    template = {
        "heat_template_version": "wallaby",
        "resources": {
            "other": {"type": "OS::Heat::RandomString"},
            "group": {"type": "OS::Heat::AutoScalingGroup", "properties": group},
            "policy": {"type": "OS::Heat::ScalingPolicy", "properties": policy},
        },
    }
    answer = api.post("/stacks", json={"stack_name": "early", "template": template})
    assert answer.status_code == 400
    said = answer.json()["error"]["message"]
    assert "MinSize can not be greater than MaxSize" in said
    assert "min_adjustment_step property should only be specified" in said


MANY_FAULTS = """\
heat_template_version: 2021-04-16
resources:
  b: {type: OS::Heat::RandomStrin}
  c:
    type: OS::Heat::RandomString
    properties: {lenght: 3, length: many}
  d:
    type: OS::Heat::TestResource
    properties:
      value: {get_attr: [c, valeu]}
      fail: perhaps
  inside: {type: inner.yaml, properties: {none: 1}}
outputs:
  o: {value: {get_attr: [c, vlue]}}
"""
INNER_FAULT = """\
heat_template_version: 2021-04-16
resources:
  x: {type: OS::Heat::RandomString, properties: {lenght: 3}}
"""


def test_all_that_is_wrong_is_told_at_once_where_it_is_written(api: Api) -> None:
    body = {"template": MANY_FAULTS, "files": {"inner.yaml": INNER_FAULT}}
    answer = api.post("/validate", json=body)
    assert answer.status_code == 400
    problems = answer.json()["error"]["problems"]
    assert {(each["path"], each["line"]) for each in problems} == {
        ("resources.b.type", 3),
        ("resources.c.properties.lenght", 6),
        ("resources.c.properties.length", 6),
        ("resources.d.properties.value.get_attr.1", 10),
        ("resources.d.properties.fail", 11),
        ("resources.inside.properties.none", 12),
        ("outputs.o.value.get_attr.1", 14),
        ("resources.x.properties.lenght", 3),
    }


def test_problems_name_the_template_as_the_client_calls_it(api: Api) -> None:
    template = {"heat_template_version": "wallaby", "resources": {"r": {"type": "No::Such"}}}
    for path in ("/validate", "/stacks/preview"):
        body = {"stack_name": "s", "template": template, "template_name": "app/web.yaml"}
        answer = api.post(path, json=body)
        assert answer.status_code == 400, answer.text
        assert "app/web.yaml" in answer.text, answer.text
    unnamed = api.post("/validate", json={"template": template})
    assert '"template"' in unnamed.text
