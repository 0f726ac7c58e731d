"""Actions, conditions, filters and software that cannot be as they are asked for."""

import json
from typing import Any

import pytest

from tests.api.bad_requests.stage import FILES, NOBODY, TEMPLATE, Stage, refused


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "No action"),
        ({"suspend": None, "resume": None}, "Multiple actions"),
        ({"explode": None}, "Invalid action explode"),
        ({"cancel_update": None}, "Cancelling update when stack is"),
        ({"cancel_without_rollback": None}, "Cancelling update when stack is"),
    ],
)
def test_actions_that_cannot_be_are_told(stage: Stage, body: dict[str, Any], words: str) -> None:
    refused(stage.api.post(f"{stage.stack}/actions", json=body), 400, words)


def test_an_update_on_a_condition_that_does_not_hold_is_refused(stage: Stage) -> None:
    body = {"template": TEMPLATE, "files": FILES}
    for method in ("PUT", "PATCH", "DELETE"):
        for given in ("nonsense", '"-1"', '"99999999999"'):
            response = stage.api.request(
                method, stage.stack, content=json.dumps(body), headers={"if-match": given}
            )
            refused(response, 400, "If-Match")
        response = stage.api.request(
            method, stage.stack, content=json.dumps(body), headers={"if-match": '"999"'}
        )
        refused(response, 412)


def test_unknown_filters_of_resources_are_refused_and_those_of_stacks_ignored(
    stage: Stage,
) -> None:
    response = stage.api.get(f"{stage.stack}/resources", params={"colour": "red", "name": "one"})
    refused(response, 400, "Invalid filter parameters", "colour")
    assert len(stage.api.get("/stacks", params={"colour": "red"}).json()["stacks"]) == 1


def test_a_long_tag_in_a_filter_is_refused(stage: Stage) -> None:
    for name in ("tags", "tags_any", "not-tags", "not-tags-any"):
        refused(stage.api.get("/stacks", params={name: "t" * 81}), 400, name.replace("-", "_"))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"inputs": [{"type": "String"}]}, "name"),
        ({"inputs": [{"name": "i", "type": "Text"}]}, "type"),
        ({"outputs": [{"name": {"a": 1}}]}, "name"),
        ({"outputs": [{"name": "o", "error_output": "maybe"}]}, "error_output"),
        ({"inputs": ["text"]}, "inputs"),
    ],
)
def test_software_configs_that_cannot_be(stage: Stage, body: dict[str, Any], words: str) -> None:
    refused(stage.api.post("/software_configs", json=body), 400, words)


def test_a_config_in_use_cannot_be_deleted_and_an_unknown_one_not_deployed(stage: Stage) -> None:
    config = stage.names["config_id"]
    refused(stage.api.delete(f"/software_configs/{config}"), 409)
    body = {"config_id": NOBODY, "server_id": "server"}
    response = stage.api.post("/software_deployments", json=body)
    assert response.status_code in (400, 404)
    assert NOBODY in response.json()["error"]["message"]
    change = {"config_id": NOBODY}
    address = f"/software_deployments/{stage.names['deployment_id']}"
    assert NOBODY in stage.api.put(address, json=change).json()["error"]["message"]
