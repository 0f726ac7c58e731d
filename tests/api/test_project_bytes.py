"""What a project keeps in the database is bounded; deletes always work."""

import pytest

from hotplate.api.http import project_bytes
from hotplate.api.http.settings import Settings
from tests.api.conftest import Api

TEMPLATE = """heat_template_version: wallaby
resources: {r: {type: OS::Heat::Value, properties: {value: %s}}}
"""


@pytest.fixture
def api_settings() -> Settings:
    return Settings(most_bytes=300_000)


def create(api: Api, name: str, size: int, project: str = "project") -> int:
    body = {"stack_name": name, "template": TEMPLATE % (name * size)}
    return api.post(f"http://testserver/v1/{project}/stacks", json=body).status_code


def test_a_project_above_its_bound_gets_nothing_new_and_can_delete(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_bytes, "_AT_ONCE", -1.0)
    assert create(api, "a", 60_000) == 201
    stack = api.get("/stacks").json()["stacks"][0]
    assert api.wait(stack["id"]) == "CREATE_COMPLETE"
    measured = api.run(api.engine.operations.listings.bytes_of("project"))
    assert 180_000 < measured < 300_000
    assert create(api, "b", 250_000) == 403
    answer = api.post("/stacks", json={"stack_name": "b", "template": "x" * 250_000})
    message = answer.json()["error"]["message"]
    assert "The project project keeps" in message
    assert "the maximum of 300000" in message
    assert create(api, "c", 10) == 201
    assert create(api, "b", 250_000, "other") == 201
    assert api.delete(f"/stacks/{stack['stack_name']}/{stack['id']}").status_code == 204
    assert api.wait(stack["id"]) == "DELETE_COMPLETE"
