"""Snapshots of volumes: each is a backup."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hotplate.cloud import Cloud, CloudError, Collection, Unavailable
from hotplate.cloud.polling import whole
from hotplate.resources.capabilities import SnapshotsAtDeletion
from hotplate.resources.cookie import Cookie
from hotplate.resources.openstack.copies import remove_copy
from hotplate.resources.openstack.place import cloud_of
from hotplate.resources.resource_type import Done, Resource, ResourceFailed, Result, Wait, World

BACKUPS: Final = Collection("block-storage", "/backups", "backup", "/backups/detail", narrow=whole)


_AWAY_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class _BackingUp(Cookie):
    """A backup that is being made: since when, what it is called, and its id once it has one."""

    at: float
    name: str
    id: str = ""


class BacksUp(SnapshotsAtDeletion):
    """Its object is a volume, of which a snapshot of the stack makes a backup."""

    async def snapshot(self, resource: Resource) -> Result:
        try:
            return await _back_up(cloud_of(resource), resource)
        except Unavailable as error:
            # Whether the call was done is seen by the backup's name.
            return Wait(resource.cookie, _AWAY_SECONDS, reason=str(error))
        except CloudError as error:
            raise ResourceFailed(str(error), type(error).__name__) from None

    def restored(self, properties: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
        """Return the properties with the backup, which an update restores onto the volume."""
        return {**properties, "backup_id": kept.get("backup_id")}

    async def remove_snapshot(self, world: World, kept: Mapping[str, Any]) -> None:
        if kept.get("backup_id"):
            await remove_copy(world, kept, BACKUPS.service, f"/backups/{kept['backup_id']}")


async def _back_up(cloud: Cloud, resource: Resource) -> Result:
    doing = _BackingUp.from_data(resource.cookie)
    if doing is None:
        # The name is recorded first: by it the backup is found if the call gets no answer.
        now = resource.world.now()
        return Wait(_BackingUp(now, f"{resource.physical_name[:230]}-{now:.0f}").as_data(), 0)
    if not doing.id:
        found = await _named(cloud, doing.name) or await _begun(cloud, resource, doing.name)
        going_on = _BackingUp(doing.at, doing.name, found)
        return Wait(going_on.as_data(), cloud.poller.pause(BACKUPS, "create", doing.at))
    seen = await cloud.poller.poll(BACKUPS, doing.id, doing.at)
    status = "deleted" if seen is None else seen["status"]
    if seen is not None and status == "available":
        cloud.poller.ended(BACKUPS, "create", doing.at)
        return Done(data={**resource.data, "backup_id": doing.id})
    if seen is None or status != "creating":
        reason = (seen or {}).get("fail_reason")
        text = f"the backup {doing.id} is in status {status}"
        raise ResourceFailed(f"{text}: {reason}" if reason else text, "ResourceInError")
    return Wait(doing.as_data(), cloud.poller.pause(BACKUPS, "create", doing.at))


async def _named(cloud: Cloud, name: str) -> str:
    service = cloud.service(BACKUPS.service)
    listed = await service.list_all("/backups", "backups", {"name": name})
    return next((str(each["id"]) for each in listed if each["name"] == name), "")


async def _begun(cloud: Cloud, resource: Resource, name: str) -> str:
    body = {"backup": {"volume_id": resource.physical_id, "name": name, "force": True}}
    answer = await cloud.service(BACKUPS.service).post("/backups", body)
    return str(answer["backup"]["id"])
