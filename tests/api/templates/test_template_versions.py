"""Template versions and their functions are those that Heat lists."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hotplate.api.http.settings import Settings
from tests.api.conftest import Api
from tests.api.shared_api import shared_api

FACTS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden/facts.json").read_text())
NEWTON = "heat_template_version.2016-10-14"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with shared_api(tmp_path_factory.mktemp("api"), Settings()) as api:
        yield api


def functions(api: Api, version: str, **query: str) -> dict[str, str]:
    answer = api.get(f"/template_versions/{version}/functions", params=query)
    assert answer.status_code == 200
    return {item["functions"]: item["description"] for item in answer.json()["template_functions"]}


def test_the_versions_are_heats(api: Api) -> None:
    answer = api.get("/template_versions")
    assert answer.status_code == 200
    assert answer.json() == {"template_versions": FACTS["template_versions"]}


def test_each_version_has_heats_functions_and_says_what_they_do(api: Api) -> None:
    versions = {item["version"]: item for item in FACTS["template_versions"]}
    assert len(versions) == 13
    for version in versions:
        found = functions(api, version)
        assert sorted(found) == sorted(FACTS["functions"][version])
        assert all(len(text) > 10 for text in found.values()), found


def test_an_alias_names_its_version(api: Api) -> None:
    assert functions(api, "heat_template_version.newton") == functions(api, NEWTON)


def test_functions_of_conditions_are_listed_on_request_only(api: Api) -> None:
    """Heat lists them for ever once somebody has asked."""
    before = functions(api, NEWTON)
    more = functions(api, NEWTON, with_condition_func="true")
    assert set(more) - set(before) == {"equals", "not", "and", "or"}
    assert functions(api, NEWTON) == before == functions(api, NEWTON, with_condition_func="False")


@pytest.mark.parametrize("version", ["nope", "heat_template_version.1999", "2016-10-14"])
def test_an_unknown_version_is_not_found(api: Api, version: str) -> None:
    answer = api.get(f"/template_versions/{version}/functions")
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == f"Template with version {version} not found"


def test_the_release_is_told(api: Api) -> None:
    answer = api.get("/build_info").json()
    assert answer["api"] == answer["engine"]
    assert answer["api"]["revision"]
