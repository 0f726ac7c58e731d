"""The projects that an image is shared with."""

from hotplate.cloud import Conflict
from hotplate.resources.openstack.cloud_resource import CloudResource


async def set_members(it: CloudResource, path: str) -> None:
    """Share the image at a path with those that its properties name, and with no others."""
    wanted = it.properties.get("members") or []
    listed = (await it.service.get(f"{path}/members"))["members"]
    there = [each["member_id"] for each in listed]
    for member in wanted:
        if member not in there:
            await _add(it, path, member)
    for member in there:
        if member not in wanted:
            await it.service.delete(f"{path}/members/{member}")


async def _add(it: CloudResource, path: str, member: str) -> None:
    try:
        await it.service.post(f"{path}/members", {"member": member}, repeatable=True)
    except Conflict:
        # An earlier try may have got no answer; other conflicts are told.
        listed = (await it.service.get(f"{path}/members"))["members"]
        if member not in [each["member_id"] for each in listed]:
            raise
