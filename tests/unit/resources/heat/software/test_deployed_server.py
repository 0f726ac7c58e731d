"""OS::Heat::DeployedServer."""

import asyncio
from typing import Any

from hotplate.resources import Done
from hotplate.resources.heat.software.deployed_server import DeployedServer
from tests.unit.resources.acting import resource

KIND = DeployedServer()
CREATION_TOKEN = "0f6f8f0e-1111-4222-8333-444455556666"


def made(method: str = "create", data: dict[str, Any] | None = None, **given: Any) -> Done:
    it = resource(KIND, given, data=data or {})
    result = asyncio.run(getattr(KIND, method)(it))
    assert isinstance(result, Done)
    return result


def test_its_id_is_its_mark_and_its_agent_gets_a_signed_address() -> None:
    done = made()
    assert done.physical_id == done.reference == CREATION_TOKEN
    assert done.attributes is not None
    assert done.attributes["name"] == "app-it-0f6f8f0e1111"
    collect: Any = done.attributes["os_collect_config"]
    assert collect["collectors"] == ["request", "local"]
    address = collect["request"]["metadata_url"]
    assert address.startswith("http://127.0.0.1:8004/v1/metadata/arn%3A")
    assert f"AWSAccessKeyId={CREATION_TOKEN}" in address
    assert "heat" not in collect


def test_the_address_outlives_an_update() -> None:
    first = made()
    again = made("update", first.data, name="web", software_config_transport="POLL_SERVER_HEAT")
    assert again.data == first.data
    assert first.attributes is not None
    assert again.attributes is not None
    before: Any = first.attributes["os_collect_config"]
    after: Any = again.attributes["os_collect_config"]
    assert after["request"] == before["request"]
    assert after["heat"] == {
        "project_id": "p",
        "stack_id": "app/5cbd1b4f-3a3e-4c0e-8f9c-2d1f5d0c7a11",
        "resource_name": "it",
    }
    assert again.attributes["name"] == "web"


def test_an_adopted_server_keeps_its_id() -> None:
    it = resource(KIND, physical_id="known")
    assert asyncio.run(KIND.adopt(it)).physical_id == "known"


def test_messages_over_zaqar_are_refused() -> None:
    given = KIND.convert({"software_config_transport": "ZAQAR_MESSAGE"})
    assert "needs a service that is not here" in KIND.validate(given)
    assert KIND.validate(KIND.convert({})) == ""
