"""Images that keep the state of a server."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.cloud import NotFound
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.nova.server.changes import Doing, seen, task_of, why
from hotplate.resources.resource_type import ResourceFailed

KEY: Final = "snapshot_image_id"
"""Under which the data of a server have the image of a snapshot."""

_TASKS: Final = frozenset(
    ("image_snapshot", "image_snapshot_pending", "image_pending_upload", "image_uploading")
)
_MADE: Final = ("queued", "saving", "importing")


async def imaged(it: CloudResource, doing: Doing) -> Doing | None:
    """Go on with keeping a server's state in an image; return None once it is there."""
    found = await seen(it, doing)
    if not doing.asked:
        image = await _begun_before(it) if task_of(found) in _TASKS else ""
        return Doing(it.resource.world.now(), doing.step, asked=image or await _make(it))
    try:
        image_found = await it.cloud.service("image").get(f"/images/{doing.asked}")
    except NotFound:
        image_found = {"status": "deleted"}
    if image_found["status"] == "active":
        return doing.again() if task_of(found) in _TASKS else None
    if image_found["status"] not in _MADE:
        words = await why(it, await _last_request(it), "createImage")
        raise ResourceFailed(
            words or f"the image {doing.asked} of the server is {image_found['status']}"
        )
    return doing.again()


async def _make(it: CloudResource) -> str:
    name = it.resource.shortened_name(255)
    body = {"createImage": {"name": name, "metadata": {}}}
    answer = await it.service.post(f"/servers/{it.quoted_id}/action", body)
    return str(answer["image_id"])


async def _begun_before(it: CloudResource) -> str:
    """Return the image that Nova is making of the server, for who asked and was not answered."""
    query = {"instance_uuid": it.id, "sort": "created_at:desc"}
    listed = await it.cloud.service("image").list_all("/images", "images", query)
    found: Mapping[str, Any] | None = next(
        (each for each in listed if each["status"] in _MADE), None
    )
    return str(found["id"]) if found else ""


async def _last_request(it: CloudResource) -> str:
    path = f"/servers/{it.quoted_id}/os-instance-actions"
    listed = await it.service.list_all(path, "instanceActions")
    return next((str(each["request_id"]) for each in listed if each["action"] == "createImage"), "")
