"""Immutable parameters: an update that would change one is refused, whoever changes it."""

from collections.abc import Iterator
from typing import Any

import pytest

from hotplate.api.http.settings import Settings
from tests.api.conftest import Api
from tests.api.shared_api import shared_api
from tests.api.trees import VERSION, changed, made

TEMPLATE = (
    VERSION
    + """
parameters:
  size: {type: number, default: 1, immutable: true}
  colour: {type: string, default: red, immutable: true}
  free: {type: string, default: free}
resources:
  thing: {type: OS::Heat::TestResource, properties: {value: {get_param: free}}}
"""
)
SENTENCE = "The following parameters are immutable and may not be updated: "


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with shared_api(tmp_path_factory.mktemp("api"), Settings()) as api:
        yield api


@pytest.fixture(scope="module")
def path(api: Api) -> str:
    return made(api, "immutable", {"template": TEMPLATE, "parameters": {"size": 2}})


WAYS = [("PUT", ""), ("PATCH", ""), ("PUT", "/preview"), ("PATCH", "/preview")]


@pytest.mark.parametrize(("method", "below"), WAYS)
@pytest.mark.parametrize(
    ("names", "sent"),
    [
        ("size", {"parameters": {"size": 3}}),
        ("colour", {"parameters": {"size": 2, "colour": "blue"}}),
        ("size, colour", {"parameters": {"size": 3, "colour": "blue"}}),
        ("colour", {"parameters": {"size": 2}, "environment": {"parameters": {"colour": "x"}}}),
        (
            "colour",
            {
                "parameters": {"size": 2},
                "files": {"e": '{"parameter_defaults": {"colour": "x"}}'},
                "environment_files": ["e"],
            },
        ),
        # A default of the template is a value as any other.
        ("colour", {"parameters": {"size": 2}, "template": TEMPLATE.replace("red", "blue")}),
    ],
)
def test_no_update_and_no_preview_changes_one(
    api: Api, path: str, method: str, below: str, names: str, sent: dict[str, Any]
) -> None:
    answer = api.request(method, f"{path}{below}", json={"template": TEMPLATE, **sent})
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert (error["message"], error["type"]) == (SENTENCE + names, "ImmutableParameterModified")
    parameters = api.get(path).json()["stack"]["parameters"]
    assert (parameters["size"], parameters["colour"]) == ("2", "red")


def test_a_put_that_leaves_its_value_out_falls_back_to_the_default_and_is_refused(
    api: Api, path: str
) -> None:
    answer = api.put(path, json={"template": TEMPLATE})
    assert answer.json()["error"]["message"] == SENTENCE + "size"
    answer = api.patch(path, json={"clear_parameters": ["size"]})
    assert answer.json()["error"]["message"] == SENTENCE + "size"


@pytest.mark.parametrize("put", [True, False])
def test_the_same_value_in_another_form_is_no_change(api: Api, path: str, put: bool) -> None:
    sent = {"template": TEMPLATE, "parameters": {"size": "2", "free": f"put {put}"}}
    changed(api, path, sent, put=put)
    assert api.get(path).json()["stack"]["parameters"]["free"] == f"put {put}"


def test_only_what_the_stack_had_before_and_the_new_template_declares_so_is_held(api: Api) -> None:
    free = TEMPLATE.replace(", immutable: true", "")
    path = made(api, "set-free", {"template": TEMPLATE})
    changed(api, path, {"template": free, "parameters": {"size": 7}}, put=True)
    with_new = TEMPLATE.replace("free: {", "new: {type: string, immutable: true}\n  free: {")
    changed(api, path, {"template": with_new, "parameters": {"size": 7, "new": "x"}}, put=True)
    answer = api.put(path, json={"template": with_new, "parameters": {"size": 7, "new": "y"}})
    assert answer.json()["error"]["message"] == SENTENCE + "new"


def test_a_rollback_and_its_preview_go_back_to_the_old_value(api: Api) -> None:
    path = made(api, "gone-back", {"template": TEMPLATE, "parameters": {"size": 2}})
    failing = TEMPLATE.replace(", immutable: true", "").replace("{value:", "{fail: true, value:")
    sent = {"template": failing, "parameters": {"size": 3}}
    changed(api, path, sent, "UPDATE_FAILED", put=True)
    assert api.get(f"{path}/rollback").status_code == 200
    assert api.post(f"{path}/actions", json={"rollback": None}).is_success
    assert api.wait(path.rpartition("/")[2]) == "ROLLBACK_COMPLETE"
    assert api.get(path).json()["stack"]["parameters"]["size"] == "2"
