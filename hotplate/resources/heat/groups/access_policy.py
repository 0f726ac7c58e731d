"""OS::Heat::AccessPolicy."""

from collections.abc import Iterable, Mapping
from typing import Any

from hotplate.resources.capabilities import NamesResources
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import Creation, Done, Resource, Result
from hotplate.resources.support import Support


class AccessPolicy(NamesResources):
    """Names resources of its stack that users made by the stack may look at.

    There are no such users without an identity service: the names are checked and kept.
    """

    name = "OS::Heat::AccessPolicy"
    support = Support()
    creation = Creation.REPEATABLE
    instant = True
    properties = {
        "AllowedResources": Property(
            PropertyKind.LIST, required=True, description="names of resources of the stack"
        )
    }

    def named_resources(self, properties: Mapping[str, Any]) -> Iterable[str]:
        return map(str, properties["AllowedResources"])

    async def create(self, resource: Resource) -> Result:
        return Done(reference=resource.name)
