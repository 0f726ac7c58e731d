"""What the agent in a guest is told."""

import asyncio
import email
import json
from base64 import b64decode
from typing import Any

import pytest

from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.nova.server import Server
from hotplate.resources.openstack.nova.server.agent import (
    agent_configuration,
    drawn_key,
    needs_key,
    user_data_of,
)
from hotplate.resources.resource_type import ResourceFailed
from tests.unit.resources.acting import StillWorld, resource

CONFIG = "6a5b4c3d-2222-4333-8444-555566667777"
NOWHERE: Any = None


class Configs:
    """Has one config."""

    async def find_config(self, project: str, config_id: str) -> Any:
        class Kept:
            config = "#!/bin/sh\necho kept"

        return Kept if (project, config_id) == ("p", CONFIG) else None


def server(form: str, user_data: str = "", **facts: Any) -> CloudResource:
    given = {"flavor": "f", "image": "i", "user_data_format": form, "user_data": user_data}
    world = StillWorld({"software": Configs()})
    it = resource(Server(), given, world=world, **facts)
    return CloudResource(it, NOWHERE, NOWHERE, it.properties, {})


def made(it: CloudResource) -> str:
    return b64decode(asyncio.run(user_data_of(it))).decode()


def test_only_software_configs_need_a_key() -> None:
    assert not needs_key(server("RAW"))
    assert not needs_key(server("HEAT_CFNTOOLS"))
    it = server("SOFTWARE_CONFIG")
    assert needs_key(it)
    assert not needs_key(server("SOFTWARE_CONFIG", data=drawn_key(it)))


def test_the_guest_is_given_the_signed_address_of_its_metadata() -> None:
    it = server("SOFTWARE_CONFIG", data={"key": "k", "signed_at": "2026-01-01T00:00:00Z"})
    found: Any = agent_configuration(it)
    assert "/metadata/arn%3A" in found["request"]["metadata_url"]
    assert agent_configuration(server("RAW")) == {}
    for part in email.message_from_string(made(it)).walk():
        if part.get_filename() == "cfn-init-data":
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            assert json.loads(content) == {"os-collect-config": found, "deployments": []}
            break
    else:
        raise AssertionError("no cfn-init-data")


def test_an_id_of_a_config_stands_for_its_text() -> None:
    assert made(server("RAW", CONFIG)) == "#!/bin/sh\necho kept"
    other = CONFIG.replace("6a", "7a")
    assert made(server("RAW", other)) == other, "no config has the id"
    assert CONFIG in made(server("HEAT_CFNTOOLS", CONFIG))


def test_deployments_are_not_for_the_template_to_write() -> None:
    it = server("SOFTWARE_CONFIG", metadata={"deployments": []})
    with pytest.raises(ResourceFailed, match="deployments key not allowed"):
        asyncio.run(user_data_of(it))
