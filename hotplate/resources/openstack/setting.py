"""The base of types that set something on an object which is not theirs."""

from abc import abstractmethod

from hotplate.cloud import NotFound
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import CloudType, Object


class Setting(CloudType):
    """Has no object of its own and so no id in the cloud; to set it again is harmless.

    Its physical id is recorded before anything is set, so that what was set is taken back
    whatever happens in between.
    """

    def setting_id(self, it: CloudResource) -> str:
        """Return what the resource is called by."""
        return it.resource.physical_name

    @abstractmethod
    async def set(self, it: CloudResource) -> None:
        """Set what the properties say. May be called again after a crash."""

    async def make(self, it: CloudResource) -> Object:
        return {"id": self.setting_id(it)}

    def has_more(self, it: CloudResource) -> bool:
        return True

    async def complete(self, it: CloudResource) -> None:
        await self.set(it)

    async def change(self, it: CloudResource) -> Object | None:
        await self.set(it)
        return None

    async def search(self, it: CloudResource) -> Object | None:
        try:
            return {**await self.read(it), "id": self.setting_id(it)}
        except NotFound:
            return None
