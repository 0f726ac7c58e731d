"""Objects that exist already, described over the wire as a template would describe them."""

from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import Api
from tests.api.external.outside import FILE, Outside, watched
from tests.api.trees import made


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outside:
    return watched(monkeypatch, tmp_path / "objects")


def described(api: Api, type_name: str, object_id: str, status: int = 200) -> dict[str, Any]:
    answer = api.get(f"/resource_types/{type_name}/object", params={"id": object_id})
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()["object" if status == 200 else "error"]
    return found


def test_an_object_is_described_and_left_alone(api: Api, outside: Outside) -> None:
    found = described(api, FILE, outside.make("srv-1"))
    assert found == {
        "physical_resource_id": "srv-1",
        "properties": {"content": "theirs"},
        "unread": ["name"],
        "required": [],
    }
    assert outside.since() == []


def test_a_software_config_is_described(api: Api, outside: Outside) -> None:
    properties = {"group": "script", "config": "echo", "inputs": [{"name": "x"}]}
    config = {"type": "OS::Heat::SoftwareConfig", "properties": properties}
    template = {"heat_template_version": "2021-04-16", "resources": {"config": config}}
    path = made(api, "s", {"template": template})
    config_id = api.get(f"{path}/resources/config").json()["resource"]["physical_resource_id"]
    found = described(api, "OS::Heat::SoftwareConfig", config_id)
    assert found["properties"]["config"] == "echo"
    assert found["unread"] == []


def test_what_cannot_be_described_is_refused(api: Api, outside: Outside) -> None:
    assert "(srv-9)" in described(api, FILE, "srv-9", 404)["message"]
    assert "(Test::None)" in described(api, "Test::None", "x", 404)["message"]
    message = described(api, "OS::Heat::ResourceGroup", "x", 400)["message"]
    assert "a resource that is a stack cannot be external" in message.lower()
    message = described(api, "OS::Heat::None", "x", 400)["message"]
    assert "Importing objects of the type OS::Heat::None is not supported." in message
    assert described(api, FILE, "", 400)["message"] == 'the query "id" must name an object'
