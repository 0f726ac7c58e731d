"""OS::Heat::DeployedServer: a server made elsewhere, to which software is deployed."""

from collections.abc import Mapping
from typing import Any

from hotplate.document import Data
from hotplate.resources.capabilities import Adoptable, HostsSoftware
from hotplate.resources.heat.wait_condition_handle import key_of, timestamp
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import Creation, Done, Resource, Result
from hotplate.resources.signals import addresses_of
from hotplate.resources.support import Support, SupportStatus
from hotplate.template.constraint import AllowedValues, Length

_HEAT = "POLL_SERVER_HEAT"
_ZAQAR = "ZAQAR_MESSAGE"


class DeployedServer(HostsSoftware, Adoptable):
    """A place for the metadata of a server; its id is what deployments name as their server."""

    name = "OS::Heat::DeployedServer"
    support = Support(SupportStatus.SUPPORTED)
    creation = Creation.REPEATABLE
    instant = True
    irrecoverable = "the key by which the server asks for its software"
    properties = {
        "name": Property(updatable=True, description="the name of the server"),
        "metadata": Property(
            PropertyKind.MAP, updatable=True, description="deprecated; it has no effect"
        ),
        "software_config_transport": Property(
            default="POLL_SERVER_CFN",
            updatable=True,
            constraints=(AllowedValues(("POLL_SERVER_CFN", _HEAT, "POLL_TEMP_URL", _ZAQAR)),),
            description="how the server comes by its metadata",
        ),
        "deployment_swift_data": Property(
            PropertyKind.MAP,
            default={},
            updatable=True,
            schema={
                "container": Property(constraints=(Length(1, None),), description="a container"),
                "object": Property(constraints=(Length(1, None),), description="an object"),
            },
            description="where in Swift the metadata is kept; it has no effect here",
        ),
    }
    attributes = {
        "name": "the name of the server",
        "os_collect_config": "the configuration of the agent os-collect-config",
    }
    attribute_kinds = {"name": PropertyKind.STRING, "os_collect_config": PropertyKind.MAP}

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        if properties["software_config_transport"] == _ZAQAR:
            return f"{_ZAQAR} needs a service that is not here; use POLL_SERVER_CFN"
        return ""

    async def create(self, resource: Resource) -> Result:
        return self._made(resource)

    async def update(self, resource: Resource) -> Result:
        return self._made(resource)

    async def adopt(self, resource: Resource) -> Result:
        return self._made(resource)

    def _made(self, resource: Resource) -> Done:
        key = key_of(resource)
        at = str(resource.data.get("signed_at") or timestamp(resource))
        server_id = resource.physical_id or resource.creation_token
        attributes: dict[str, Data] = {
            "name": resource.properties["name"] or resource.physical_name,
            "os_collect_config": collecting(resource, key, at),
        }
        data = {**resource.data, "key": key, "signed_at": at}
        return Done(server_id, server_id, attributes, data)


def collecting(resource: Resource, key: str, at: str) -> dict[str, Data]:
    """Return where the agent finds its metadata.

    The address carries its own proof, so the agent needs no token and no identity service.
    """
    address = addresses_of(resource).signed(resource, key, "metadata", at)
    found: dict[str, Data] = {
        "collectors": ["request", "local"],
        "request": {"metadata_url": address},
    }
    if resource.properties["software_config_transport"] == _HEAT:
        found["heat"] = {
            "project_id": resource.project,
            "stack_id": f"{resource.stack_name}/{resource.stack_id}",
            "resource_name": resource.name,
        }
    return found
