"""The agent in a guest that applies software configs: what it is told, and where it asks."""

from typing import Any

from hotplate.document import Data
from hotplate.resources.heat.software.cloud_config import config_text
from hotplate.resources.heat.software.deployed_server import collecting
from hotplate.resources.heat.wait_condition_handle import key_of, timestamp
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.nova.server.user_data import (
    HEAT_CFNTOOLS,
    SOFTWARE_CONFIG,
    user_data,
)
from hotplate.resources.resource_type import ResourceFailed


def needs_key(it: CloudResource) -> bool:
    """Tell whether a key is to be drawn, by which the guest asks for its software."""
    is_host = it.properties["user_data_format"] == SOFTWARE_CONFIG
    return is_host and not it.resource.data.get("key")


def drawn_key(it: CloudResource) -> dict[str, Any]:
    """Return the data of the resource with a new key."""
    at = timestamp(it.resource)
    return {**it.resource.data, "key": key_of(it.resource), "signed_at": at}


def agent_configuration(it: CloudResource) -> dict[str, Data]:
    """Return the configuration of os-collect-config; empty for a server without software configs.

    The address in it carries its own proof: the guest needs no user and no identity service,
    whichever transport is chosen.
    """
    kept = it.resource.data
    if it.properties.get("user_data_format") != SOFTWARE_CONFIG or not kept.get("key"):
        return {}
    return collecting(it.resource, str(kept["key"]), str(kept["signed_at"]))


async def user_data_of(it: CloudResource) -> str:
    """Return the user data of a server as Nova takes it."""
    form, text = it.properties["user_data_format"], it.properties["user_data"]
    if form != HEAT_CFNTOOLS:
        text = await config_text(it.resource, text)
    metadata = dict(it.resource.metadata)
    if form == SOFTWARE_CONFIG:
        if "deployments" in metadata:
            raise ResourceFailed(
                "deployments key not allowed in resource metadata with user_data_format of "
                "SOFTWARE_CONFIG",
                "StackValidationFailed",
            )
        metadata |= {"os-collect-config": agent_configuration(it), "deployments": []}
    return user_data(form, text, metadata, it.resource.creation_token)
