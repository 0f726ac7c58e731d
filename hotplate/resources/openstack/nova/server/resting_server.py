"""A server at rest, and copies of its state."""

from collections.abc import Mapping
from typing import Any

from hotplate.cloud.polling import SERVERS
from hotplate.resources.capabilities import SnapshotsAtDeletion, Suspendable
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.copies import remove_copy
from hotplate.resources.openstack.nova.server.changes import Doing, reached
from hotplate.resources.openstack.nova.server.server_object import ServerObject
from hotplate.resources.openstack.nova.server.snapshot_image import KEY, imaged
from hotplate.resources.resource_type import Done, Resource, Result, World


class RestingServer(ServerObject, Suspendable, SnapshotsAtDeletion):
    """A server that can be suspended, resumed and kept in an image."""

    async def suspend(self, resource: Resource) -> Result:
        return await self._explained(
            resource, lambda it: self._rest(it, "suspend", "SUSPENDED"), self.located_by
        )

    async def resume(self, resource: Resource) -> Result:
        return await self._explained(
            resource, lambda it: self._rest(it, "resume", "ACTIVE"), self.located_by
        )

    async def snapshot(self, resource: Resource) -> Result:
        return await self._explained(resource, self._snapshot, self.located_by)

    def restored(self, properties: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
        image = {"image": kept[KEY]} if KEY in kept else {}
        return {**properties, **image}

    async def remove_snapshot(self, world: World, kept: Mapping[str, Any]) -> None:
        if KEY in kept:
            await remove_copy(world, kept, "image", f"/images/{kept[KEY]}")

    async def _rest(self, it: CloudResource, action: str, status: str) -> Result:
        return await self.until_done(it, action, lambda doing: reached(it, doing, action, status))

    async def _snapshot(self, it: CloudResource) -> Result:
        doing = Doing.from_data(it.resource.cookie) or self.now(it, "snapshot")
        following = await imaged(it, doing)
        if following is not None:
            return self.wait(it, following)
        it.cloud.poller.ended(SERVERS, doing.step, doing.at)
        return Done(data={**it.resource.data, KEY: doing.asked})
