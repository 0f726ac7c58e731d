"""OS::Glance::WebImage."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.cloud import Collection, Conflict, NotFound
from hotplate.cloud.polling import in_ids
from hotplate.resources.capabilities import RefusesReplacement
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import CloudType, Object
from hotplate.resources.openstack.glance.image_states import IMPORTED
from hotplate.resources.openstack.glance.members import set_members
from hotplate.resources.openstack.glance.patch import extra, patch
from hotplate.resources.openstack.schema import flag, integer, list_of, map_of, text, texts

_ID_KEY: Final = "hotplate_creation_token"
"""The property by which an image is known whose id the template gives."""

_PATCH: Final = "application/openstack-images-v2.1-json-patch"
_AMAZON: Final = frozenset(("ami", "ari", "aki"))
_UUID: Final = (
    r"^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$"
)
_SHARED: Final = "shared"


class WebImage(RefusesReplacement, CloudType):
    """An image that the service downloads.

    Its id is chosen here, so that one whose creation got no answer is found by it.
    """

    name = "OS::Glance::WebImage"
    collection = Collection("image", "/images", "", list_key="images", narrow=in_ids)
    states = IMPORTED
    apart = frozenset(("active", "extra_properties", "location", "members"))
    properties = {
        "active": flag("whether its data can be used", default=True, updatable=True),
        "architecture": text("the processors that it is for", updatable=True),
        "container_format": text(
            "what its data is wrapped in",
            allowed=("ami", "ari", "aki", "bare", "ovf", "ova", "docker"),
            required=True,
        ),
        "disk_format": text(
            "the format of the disk",
            allowed=(
                *("ami", "ari", "aki", "vhd", "vhdx", "vmdk", "raw", "qcow2", "vdi", "iso"),
                "ploop",
            ),
            required=True,
        ),
        "extra_properties": map_of("more properties of it", default={}, updatable=True),
        "id": text("its id, if it must be a certain one"),
        "kernel_id": text("the image of its kernel", pattern=_UUID, updatable=True),
        "location": text("the address from which it is downloaded", required=True),
        "members": texts("the projects that it is shared with", updatable=True),
        "min_disk": integer("GiB of disk that it needs", between=(0, None), default=0),
        "min_ram": integer("MiB of memory that it needs", between=(0, None), default=0),
        "name": text("its name"),
        "os_distro": text("the distribution in it", updatable=True),
        "os_version": text("the version of that", updatable=True),
        "owner": text("the project that owns it; for administrators", updatable=True),
        "protected": flag("whether it cannot be deleted", default=False, updatable=True),
        "ramdisk_id": text("the image of its RAM disk", pattern=_UUID, updatable=True),
        "tags": list_of("words to find it by", updatable=True),
        "visibility": text(
            "who may use it",
            allowed=("public", "private", "community", "shared"),
            default="private",
            updatable=True,
        ),
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        container, disk = properties.get("container_format"), properties.get("disk_format")
        if container and disk and container != disk and _AMAZON & {container, disk}:
            return (
                f"disk_format {disk} and container_format {container} do not go together: "
                "ami, ari and aki are both or none"
            )
        if properties.get("members") and properties.get("visibility") != _SHARED:
            return "members can be given only if visibility is shared"
        return super().validate(properties, timeout)

    def replacement_refusal(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        if new.get("id") is None or new["id"] != old.get("id"):
            return ""
        return f"its replacement would have the same id, {new['id']}; give another one, or none"

    def fields(self, it: CloudResource) -> dict[str, Any]:
        fields = super().fields(it)
        # An image without a name has none.
        fields |= {"name": it.properties.get("name"), "id": _image_id(it)}
        token = {_ID_KEY: it.resource.creation_token} if it.properties.get("id") else {}
        return {**fields, **extra(it.properties), **token}

    async def make(self, it: CloudResource) -> Object:
        fields = {key: value for key, value in self.fields(it).items() if value is not None}
        made: Object = await it.service.post("/images", fields)
        return made

    async def search(self, it: CloudResource) -> Object | None:
        try:
            found: Object = await it.service.get(f"/images/{_image_id(it)}")
        except NotFound:
            return None
        is_ours = not it.properties.get("id") or found.get(_ID_KEY) == it.resource.creation_token
        return found if is_ours else None

    def has_more(self, it: CloudResource) -> bool:
        return True

    async def complete(self, it: CloudResource) -> None:
        """Ask for the download, unless that has been done, and share the image."""
        path = self.object_path(it)
        if (await self.read(it))["status"] == "queued" and not await self._tasks(it):
            method = {"name": "web-download", "uri": it.properties["location"]}
            await it.service.post(f"{path}/import", {"method": method})
        if it.properties.get("members"):
            await set_members(it, path)

    async def finish(self, it: CloudResource, found: Object) -> Object:
        """Let an image be used or not, which only one that has been downloaded can be."""
        wanted = "active" if it.properties["active"] else "deactivated"
        if found["status"] == wanted:
            return found
        verb = "reactivate" if it.properties["active"] else "deactivate"
        path = f"/images/{found['id']}/actions/{verb}"
        await it.service.post(path, repeatable=True)
        return {**found, "status": wanted}

    async def change(self, it: CloudResource) -> Object | None:
        path = self.object_path(it)
        found = await self.read(it)
        # Only an image that is shared has members, also in the eyes of who asks for them.
        is_shared = it.properties["visibility"] == _SHARED
        if it.changed("members") and not is_shared and found["visibility"] == _SHARED:
            await set_members(it, path)
        steps = patch(it, found)
        if steps:
            await it.service.patch(path, steps, repeatable=True, content_type=_PATCH)
        if it.changed("members") and is_shared:
            await set_members(it, path)
        return None

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known = {name: found.get(name) for name in self.properties if name not in self.apart}
        given = it.properties.get("extra_properties") or {}
        known["extra_properties"] = {key: found[key] for key in given if key in found}
        if found["status"] in ("active", "deactivated"):
            known["active"] = found["status"] == "active"
        if found["visibility"] == _SHARED:
            members = (await it.service.get(f"{self.object_path(it)}/members"))["members"]
            known["members"] = [each["member_id"] for each in members]
        return known

    async def failure(self, it: CloudResource, found: Object) -> str:
        where = it.properties.get("location")
        text = f"the image {found['id']} is in status {found['status']}"
        for each in await self._tasks(it):
            if each["status"] == "failure":
                words = f"{each['message']} (request {each.get('request_id')})"
                return f"the image {found['id']} could not be downloaded from {where}: {words}"
        return text

    async def _tasks(self, it: CloudResource) -> list[dict[str, Any]]:
        """Return what was asked to be done with the image, newest last."""
        try:
            answer = await it.service.get(f"{self.object_path(it)}/tasks")
        except (Conflict, NotFound):
            return []
        return sorted(answer["tasks"], key=lambda each: str(each["created_at"]))


def _image_id(it: CloudResource) -> str:
    return str(it.properties.get("id") or it.resource.creation_token)
