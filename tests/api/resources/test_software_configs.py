"""Software configs on the wire."""

from typing import Any

import httpx
import pytest
from starlette.requests import Request

from hotplate.api.http.settings import Settings
from hotplate.identity import Caller
from hotplate.server.access.admission import Admission
from hotplate.server.service import application
from tests.api.conftest import Api

OTHER = "http://testserver/v1/other"


@pytest.fixture
def api_settings() -> Settings:
    return Settings(most_software_configs=5)


def made(api: Api, **body: Any) -> dict[str, Any]:
    answer = api.post("/software_configs", json=body)
    assert answer.status_code == 200, answer.text
    config: dict[str, Any] = answer.json()["software_config"]
    return config


def refused(api: Api, body: Any) -> str:
    answer = api.post("/software_configs", json=body)
    assert answer.status_code == 400, answer.text
    message: str = answer.json()["error"]["message"]
    return message


def test_everything_has_a_default(api: Api) -> None:
    config = made(api)
    assert config == {
        "id": config["id"],
        "name": None,
        "group": None,
        "creation_time": config["creation_time"],
        "config": None,
        "inputs": [],
        "outputs": [],
        "options": {},
    }
    assert config["creation_time"].endswith("Z")
    nothing = dict.fromkeys(("name", "group", "config", "inputs", "outputs", "options"))
    assert made(api, **nothing) | {"id": "", "creation_time": ""} == config | {
        "id": "",
        "creation_time": "",
    }


def test_a_config_is_shown_as_it_was_made(api: Api) -> None:
    config = made(
        api,
        name="ä😀",
        group="script",
        config="#!/bin/sh\n",
        inputs=[
            {"name": "a"},
            {"name": "b", "type": "Number", "default": "7", "description": "how many"},
            {"name": "c", "replace_on_change": "true", "value": None},
        ],
        outputs=[{"name": "o"}, {"name": "p", "type": "Json", "error_output": True}],
        options={"x": [1]},
        unknown=1,
    )
    assert config["inputs"] == [
        {"name": "a", "type": "String"},
        {"name": "b", "type": "Number", "description": "how many", "default": 7},
        {"name": "c", "type": "String", "replace_on_change": True, "value": None},
    ]
    assert config["outputs"] == [
        {"name": "o", "type": "String", "error_output": False},
        {"name": "p", "type": "Json", "error_output": True},
    ]
    assert (config["name"], config["config"], config["options"]) == (
        "ä😀",
        "#!/bin/sh\n",
        {"x": [1]},
    )
    shown = api.get(f"/software_configs/{config['id']}")
    assert (shown.status_code, shown.json()) == (200, {"software_config": config})


def test_a_config_may_be_a_map(api: Api) -> None:
    assert made(api, config={"a": {"b": [None, 1.5]}})["config"] == {"a": {"b": [None, 1.5]}}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"name": 3}, 'the field "name" must be a text'),
        ({"name": "x" * 256}, 'the field "name" must not be longer than 255 characters'),
        ({"group": []}, 'the field "group" must be a text'),
        ({"config": [1]}, 'the field "config" must be a text or a map'),
        ({"options": [1]}, 'the field "options" must be a map'),
        ({"inputs": {"a": 1}}, 'the field "inputs" must be a list'),
        ({"inputs": ["a"]}, 'the value "0" in the field "inputs" must be a map'),
        ({"inputs": [{"type": "String"}]}, 'the field "inputs[0].name" is missing'),
        (
            {"inputs": [{"name": "i", "type": "Number", "default": "x"}]},
            'the field "inputs[0].default" must be a number, as the type says',
        ),
        ({"outputs": [{"name": "o", "type": "x"}]}, 'the field "outputs[0].type" must be one of'),
    ],
)
def test_what_is_wrong_is_named(api: Api, body: Any, message: str) -> None:
    assert refused(api, body).startswith(message)


@pytest.mark.parametrize("field", ["config", "options", "inputs"])
def test_a_value_that_goes_too_deep_is_refused(api: Api, field: str) -> None:
    deep = '{"a":' * 300 + "1" + "}" * 300
    value = f'[{{"name": "i", "value": {deep}}}]' if field == "inputs" else deep
    headers = {"content-type": "application/json"}
    answer = api.post("/software_configs", content=f'{{"{field}": {value}}}', headers=headers)
    assert answer.status_code == 400
    assert f'the field "{field}" must not have more than 100' in answer.json()["error"]["message"]


def test_a_body_is_needed(api: Api) -> None:
    assert api.post("/software_configs").status_code == 400


def test_configs_are_listed_newest_first_in_pages(api: Api) -> None:
    ids = [made(api, name=name, group="g", config="c")["id"] for name in "abc"]
    answer = api.get("/software_configs")
    assert answer.status_code == 200
    listed = answer.json()["software_configs"]
    assert [each["id"] for each in listed] == ids[::-1]
    assert {key for each in listed for key in each} - {"project"} == {
        "id",
        "name",
        "group",
        "creation_time",
    }

    def page(query: str) -> list[str]:
        found = api.get(f"/software_configs?{query}").json()["software_configs"]
        return [each["name"] for each in found]

    assert page("limit=2") == ["c", "b"]
    assert page(f"limit=2&marker={ids[1]}") == ["a"]
    assert page("marker=unknown") == ["c", "b", "a"]
    assert page("limit=999999999999999999") == ["c", "b", "a"]


@pytest.mark.parametrize("limit", ["x", "-1", "1.5", "1" * 30])
def test_a_limit_is_a_number(api: Api, limit: str) -> None:
    answer = api.get(f"/software_configs?limit={limit}")
    assert answer.status_code == 400
    assert '"limit"' in answer.json()["error"]["message"]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("config_id", ["nope", "x" * 3000, "%F0%9F%98%80", "a'b"])
def test_an_unknown_config_is_not_found(api: Api, method: str, config_id: str) -> None:
    answer = api.request(method, f"/software_configs/{config_id}")
    assert answer.status_code == 404
    error = answer.json()["error"]
    assert error["type"] == "EntityNotFound"
    assert error["message"].startswith("Software config with id ")


def test_a_config_can_be_deleted_once(api: Api) -> None:
    config = made(api)
    answer = api.delete(f"/software_configs/{config['id']}")
    assert (answer.status_code, answer.content) == (204, b"")
    assert api.delete(f"/software_configs/{config['id']}").status_code == 404
    assert api.get("/software_configs").json() == {"software_configs": []}


def test_a_config_that_is_deployed_stays(api: Api) -> None:
    config = made(api)
    body = {"config_id": config["id"], "server_id": "s"}
    deployment = api.post("/software_deployments", json=body).json()["software_deployment"]
    answer = api.delete(f"/software_configs/{config['id']}")
    assert answer.status_code == 409
    assert answer.json()["error"]["message"] == (
        f"Software config with id {config['id']} can not be deleted as it is referenced. "
        "Delete its deployments first; there are 1."
    )
    api.delete(f"/software_deployments/{deployment['id']}")
    assert api.delete(f"/software_configs/{config['id']}").status_code == 204


def test_a_project_has_no_more_configs_than_the_limit(api: Api) -> None:
    for _ in range(5):
        made(api)
    answer = api.post("/software_configs", json={})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["type"] == "RequestLimitExceeded"
    assert "the maximum of 5 software configs" in error["message"]


def test_another_project_sees_none_of_it(api: Api) -> None:
    config = made(api, name="ours")
    path = f"{OTHER}/software_configs/{config['id']}"
    assert api.get(path).status_code == 404
    assert api.delete(path).status_code == 404
    assert api.get(f"{OTHER}/software_configs").json() == {"software_configs": []}
    body = {"config_id": config["id"], "server_id": "s"}
    assert api.post(f"{OTHER}/software_deployments", json=body).status_code == 404


def test_an_administrator_may_list_all_projects(api: Api) -> None:
    made(api, name="ours")
    assert api.post(f"{OTHER}/software_configs", json={"name": "theirs"}).status_code == 200
    listed = api.get("/software_configs?global_tenant=True").json()["software_configs"]
    assert [(each["name"], each["project"]) for each in listed] == [
        ("theirs", "other"),
        ("ours", "project"),
    ]


def test_others_may_not_list_all_projects(api: Api) -> None:
    async def identify(request: Request, project: str | None) -> Caller:
        return Caller("somebody", project or "")

    async def ask() -> tuple[httpx.Response, httpx.Response]:
        app = application(api.engine, Admission(identify), api.settings)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=OTHER) as client:
            await client.post("/software_configs", json={})
            return (
                await client.get("/software_configs?global_tenant=true"),
                await client.get("/software_configs"),
            )

    refusal, listing = api.run(ask())
    assert refusal.status_code == 403
    assert refusal.json()["error"]["type"] == "Forbidden"
    assert ["project" in each for each in listing.json()["software_configs"]] == [False]
