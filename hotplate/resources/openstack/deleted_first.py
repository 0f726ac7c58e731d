"""Cloud types of whose objects a service allows only one of a kind: the old one goes first."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from hotplate.cloud.names import is_uuid
from hotplate.resources.capabilities import PreparesReplacement
from hotplate.resources.openstack.cloud_type import CloudType
from hotplate.resources.resource_type import Done, Gone, Resource, Result, Wait


class DeletedFirst(CloudType, PreparesReplacement):
    """Is deleted before its replacement is made, where the service would refuse the two.

    That is also so where an object is known by its properties alone: the deletion of the old one
    would else delete the new one.
    """

    @abstractmethod
    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str: ...

    async def prepare_replacement(
        self, resource: Resource, new_properties: Mapping[str, Any] | None
    ) -> Done | Wait | Gone:
        result = await self.delete(resource)
        return result if isinstance(result, Wait) else Gone()

    async def restore(self, resource: Resource) -> Result:
        if resource.physical_id is None:
            resource.physical_id = await self.find(resource)
        return await self.create(resource)


def may_be_same(one: Any, other: Any) -> bool:
    """Tell whether two values may name the same object: one of them may be its name."""
    if one is None or other is None:
        return False
    return bool(one == other) or is_uuid(str(one)) != is_uuid(str(other))
