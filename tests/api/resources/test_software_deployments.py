"""Software deployments on the wire."""

from typing import Any

import pytest

from hotplate.api.http.settings import Settings
from tests.api.conftest import Api


@pytest.fixture
def api_settings() -> Settings:
    return Settings(most_software_deployments=4)


def a_config(api: Api, **body: Any) -> dict[str, Any]:
    config: dict[str, Any] = api.post("/software_configs", json=body).json()["software_config"]
    return config


def deployed(api: Api, **body: Any) -> dict[str, Any]:
    answer = api.post("/software_deployments", json=body)
    assert answer.status_code == 200, answer.text
    deployment: dict[str, Any] = answer.json()["software_deployment"]
    return deployment


def changed(api: Api, deployment: dict[str, Any], **body: Any) -> dict[str, Any]:
    answer = api.put(f"/software_deployments/{deployment['id']}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["software_deployment"]
    return found


def test_a_config_and_a_server_are_enough(api: Api) -> None:
    config = a_config(api)
    deployment = deployed(api, config_id=config["id"], server_id="s")
    assert deployment == {
        "id": deployment["id"],
        "server_id": "s",
        "config_id": config["id"],
        "input_values": {},
        "output_values": None,
        "action": None,
        "status": None,
        "status_reason": "",
        "creation_time": deployment["creation_time"],
    }


def test_a_deployment_is_shown_as_it_was_made(api: Api) -> None:
    config = a_config(api)
    deployment = deployed(
        api,
        config_id=config["id"],
        server_id="ä😀",
        input_values={"a": [1]},
        action="CREATE",
        status="IN_PROGRESS",
        status_reason="why",
        stack_user_project_id="x" * 64,
        output_values={"ignored": 1},
        unknown=1,
    )
    assert deployment["output_values"] is None
    assert [deployment[key] for key in ("server_id", "input_values", "action")] == [
        "ä😀",
        {"a": [1]},
        "CREATE",
    ]
    assert (deployment["status"], deployment["status_reason"]) == ("IN_PROGRESS", "why")
    shown = api.get(f"/software_deployments/{deployment['id']}")
    assert (shown.status_code, shown.json()) == (200, {"software_deployment": deployment})


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"config_id": None}, 'the field "config_id" is missing'),
        ({"server_id": None}, 'the field "server_id" is missing'),
        ({"server_id": ""}, 'the field "server_id" must not be empty'),
        ({"server_id": "x" * 256}, 'the field "server_id" must not be longer than 255 characters'),
        ({"config_id": 5}, 'the field "config_id" must be a text'),
        ({"action": 5}, 'the field "action" must be a text'),
        ({"status": {}}, 'the field "status" must be a text'),
        ({"status_reason": []}, 'the field "status_reason" must be a text'),
        ({"input_values": [1]}, 'the field "input_values" must be a map'),
        (
            {"stack_user_project_id": "x" * 65},
            'the field "stack_user_project_id" must not be longer than 64 characters',
        ),
    ],
)
def test_what_is_wrong_is_named(api: Api, body: Any, message: str) -> None:
    answer = api.post("/software_deployments", json={"config_id": "c", "server_id": "s", **body})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == message


def test_values_that_go_too_deep_are_refused(api: Api) -> None:
    deployment = deployed(api, config_id=a_config(api)["id"], server_id="s")
    deep = '{"a":' * 300 + "1" + "}" * 300
    headers = {"content-type": "application/json"}
    path = f"/software_deployments/{deployment['id']}"
    answer = api.put(path, content=f'{{"output_values": {deep}}}', headers=headers)
    assert answer.status_code == 400
    assert '"output_values" must not have more' in answer.json()["error"]["message"]


def test_the_config_must_exist(api: Api) -> None:
    answer = api.post("/software_deployments", json={"config_id": "nope", "server_id": "s"})
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == "Software config with id nope not found"
    deployment = deployed(api, config_id=a_config(api)["id"], server_id="s")
    answer = api.put(f"/software_deployments/{deployment['id']}", json={"config_id": "nope"})
    assert answer.status_code == 404
    shown = api.get(f"/software_deployments/{deployment['id']}").json()["software_deployment"]
    assert shown == deployment


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_an_unknown_deployment_is_not_found(api: Api, method: str) -> None:
    answer = api.request(method, "/software_deployments/nope", json={})
    assert answer.status_code == 404
    error = answer.json()["error"]
    assert error["type"] == "EntityNotFound"
    assert error["message"] == "Deployment with id nope not found"


def test_an_update_changes_what_it_names(api: Api) -> None:
    first, second = a_config(api), a_config(api)
    deployment = deployed(api, config_id=first["id"], server_id="s", status="IN_PROGRESS")
    done = changed(
        api,
        deployment,
        output_values={"deploy_stdout": "x"},
        status="COMPLETE",
        status_reason="done",
        action=None,
    )
    assert done["updated_time"].endswith("Z")
    assert done == deployment | {
        "output_values": {"deploy_stdout": "x"},
        "status": "COMPLETE",
        "status_reason": "done",
        "updated_time": done["updated_time"],
    }
    moved = changed(api, deployment, config_id=second["id"], input_values={"b": 2}, server_id="t")
    assert (moved["config_id"], moved["input_values"]) == (second["id"], {"b": 2})
    assert (moved["server_id"], moved["status"]) == ("s", "COMPLETE")
    again = changed(api, deployment)
    assert again == moved | {"updated_time": again["updated_time"]}
    assert api.put(f"/software_deployments/{deployment['id']}").status_code == 400


def test_deployments_are_listed_oldest_first(api: Api) -> None:
    config_id = a_config(api)["id"]
    made = [deployed(api, config_id=config_id, server_id=server) for server in ("s", "t", "s")]

    def listed(query: str = "") -> list[dict[str, Any]]:
        answer = api.get(f"/software_deployments{query}")
        assert answer.status_code == 200
        found: list[dict[str, Any]] = answer.json()["software_deployments"]
        return found

    assert listed() == made
    assert listed("?server_id=s") == [made[0], made[2]]
    assert listed("?server_id=") == made
    assert listed("?server_id=unknown") == []
    assert listed(f"?limit=1&marker={made[0]['id']}") == [made[1]]


def test_a_server_sees_its_configs_in_the_order_of_their_names(api: Api) -> None:
    inputs = [{"name": "deploy_server_id", "value": "s"}, {"name": "none", "value": None}]
    second = a_config(api, name="b", group="script", config="text", inputs=inputs)
    first = a_config(api, name="a", config={"x": 1})
    unnamed = a_config(api)
    for config in (second, first, unnamed):
        deployed(api, config_id=config["id"], server_id="s")
    answer = api.get("/software_deployments/metadata/s")
    assert answer.status_code == 200
    assert answer.json() == {"metadata": [unnamed, first, second]}
    assert api.get("/software_deployments/metadata/other").json() == {"metadata": []}


def test_a_deployment_can_be_deleted_once_and_its_config_stays(api: Api) -> None:
    config = a_config(api)
    deployment = deployed(api, config_id=config["id"], server_id="s")
    path = f"/software_deployments/{deployment['id']}"
    answer = api.delete(path)
    assert (answer.status_code, answer.content) == (204, b"")
    assert api.delete(path).status_code == 404
    assert api.get("/software_deployments/metadata/s").json() == {"metadata": []}
    assert api.get(f"/software_configs/{config['id']}").status_code == 200


def test_a_project_has_no_more_deployments_than_the_limit(api: Api) -> None:
    config_id = a_config(api)["id"]
    for _ in range(4):
        deployed(api, config_id=config_id, server_id="s")
    body = {"config_id": config_id, "server_id": "s"}
    answer = api.post("/software_deployments", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "RequestLimitExceeded"


def test_another_project_sees_none_of_it(api: Api) -> None:
    """Not even of one that names it as the project of the server's user."""
    config_id = a_config(api)["id"]
    deployment = deployed(api, config_id=config_id, server_id="s", stack_user_project_id="other")
    other = "http://testserver/v1/other/software_deployments"
    for method in ("GET", "PUT", "DELETE"):
        answer = api.request(method, f"{other}/{deployment['id']}", json={})
        assert answer.status_code == 404
    assert api.get(other).json() == {"software_deployments": []}
    assert api.get(f"{other}/metadata/s").json() == {"metadata": []}
