"""Resource types: the list and its filters, the schema, and a template to begin with."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hotplate.api.http.settings import Settings
from hotplate.document import from_data
from hotplate.template import compile_template
from tests.api.conftest import Api
from tests.api.shared_api import shared_api

FACTS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden/facts.json").read_text())
GROUP = "OS::Heat::ResourceGroup"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with shared_api(tmp_path_factory.mktemp("api"), Settings()) as api:
        yield api


def names(api: Api, **query: str) -> list[str]:
    answer = api.get("/resource_types", params=query)
    assert answer.status_code == 200, answer.text
    return list(answer.json()["resource_types"])


def without_descriptions(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: without_descriptions(item)
            for key, item in value.items()
            if not (key == "description" and isinstance(item, str))
        }
    return [without_descriptions(item) for item in value] if isinstance(value, list) else value


def test_all_types_are_listed(api: Api) -> None:
    assert set(FACTS["resource_types"]) <= set(names(api))
    assert names(api) == sorted(names(api))


def test_types_of_a_cloud_are_listed_where_there_is_one(api: Api, tmp_path: Path) -> None:
    assert not [name for name in names(api) if name.startswith(("OS::Nova::", "OS::Neutron::"))]
    with shared_api(tmp_path, Settings(), {"cloud": object()}) as with_cloud:
        found = names(with_cloud)
        assert {"OS::Nova::Server", "OS::Cinder::Volume"} <= set(found)
        assert "OS::Neutron::ExtraRoute" in names(with_cloud, support_status="UNSUPPORTED")
        assert set(names(api)) < set(found)


def test_names_begin_with_the_pattern(api: Api) -> None:
    found = ["OS::Heat::RandomString", "OS::Heat::ResourceChain", GROUP]
    assert names(api, name="OS::Heat::R.*") == found
    assert names(api, name="OS::Heat::Ra") == ["OS::Heat::RandomString"]
    assert names(api, name="Heat") == []


@pytest.mark.parametrize("pattern", ["(", "*", "a{99999999}", "(?P<x", "x" * 5000])
def test_a_broken_pattern_matches_nothing(api: Api, pattern: str) -> None:
    assert names(api, name=pattern) == []


def test_a_hostile_pattern_ends(api: Api) -> None:
    begun = time.monotonic()
    assert names(api, name=r"(\w|\w|:)*(\w|\w|:)*(\w|\w|:)*(\w|\w|:)*!$") == []
    assert time.monotonic() - begun < 20


def test_types_are_chosen_by_version_and_status(api: Api) -> None:
    since = names(api, version="2014.1")
    assert {"OS::Heat::RandomString", GROUP} <= set(since)
    assert "OS::Heat::ResourceChain" not in since
    assert names(api, support_status="DEPRECATED") == []
    others = names(api, support_status="UNSUPPORTED")
    assert sorted((*names(api, support_status="SUPPORTED"), *others)) == names(api)
    answer = api.get("/resource_types", params={"support_status": "fine"})
    assert answer.status_code == 400
    assert "support_status" in answer.json()["error"]["message"]


def test_descriptions_come_on_request(api: Api) -> None:
    answer = api.get("/resource_types", params={"with_description": "true"}).json()
    for item in answer["resource_types"]:
        assert item["resource_type"] in names(api)
        assert len(item["description"]) > 5


@pytest.mark.parametrize("name", FACTS["resource_types"])
def test_the_schema_is_heats(api: Api, name: str) -> None:
    answer = api.get(f"/resource_types/{name}", params={"with_description": "False"})
    assert answer.status_code == 200
    assert "description" not in answer.json()
    assert without_descriptions(answer.json()) == FACTS["resource_types"][name]


def test_a_description_comes_on_request(api: Api) -> None:
    answer = api.get("/resource_types/OS::Heat::Value", params={"with_description": "true"})
    assert answer.json()["description"].startswith("Holds a value")


@pytest.mark.parametrize("path", ["", "/template"])
def test_an_unknown_type_is_not_found(api: Api, path: str) -> None:
    answer = api.get(f"/resource_types/OS::Heat::Nope{path}")
    assert answer.status_code == 404
    assert answer.json()["error"]["type"] == "EntityNotFound"
    message = "The Resource Type (OS::Heat::Nope) could not be found."
    assert answer.json()["error"]["message"] == message


@pytest.mark.parametrize("language", ["cfn", "hot", "HOT", ""])
def test_every_type_gives_a_template_that_works(api: Api, language: str) -> None:
    for name in names(api):
        answer = api.get(f"/resource_types/{name}/template", params={"template_type": language})
        assert answer.status_code == 200
        template = answer.json()
        compiled = compile_template(from_data(template, "template"))
        assert compiled.dialect.is_cfn == (language not in ("hot", "HOT"))
        (resource,) = compiled.resources.values()
        assert resource.type == name
        answer = api.post("/validate", json={"template": template})
        assert answer.status_code == 200, (name, answer.text)


def test_parameters_of_the_template_have_the_rules_of_the_properties(api: Api) -> None:
    path = "/resource_types/OS::Heat::RandomString/template"
    hot = api.get(path, params={"template_type": "hot"}).json()
    assert hot["parameters"]["length"]["constraints"] == [{"range": {"min": 1, "max": 512}}]
    assert hot["outputs"]["value"]["value"] == {"get_attr": ["RandomString", "value"]}
    assert hot["outputs"]["OS::stack_id"] == {"value": {"get_resource": "RandomString"}}
    cfn = api.get(path).json()
    assert cfn["HeatTemplateFormatVersion"] == "2012-12-12"
    length = cfn["Parameters"]["length"]
    assert (length["MinValue"], length["MaxValue"], length["Default"]) == (1, 512, 32)
    assert "sequence" not in cfn["Parameters"]


def test_a_third_language_is_refused(api: Api) -> None:
    answer = api.get("/resource_types/OS::Heat::Value/template", params={"template_type": "xx"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == (
        'Template type is not supported: Invalid template type "xx", valid types are: cfn, hot.'
    )
