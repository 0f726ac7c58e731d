"""OS::Cinder::EncryptedVolumeType."""

from typing import Any

from hotplate.cloud import Collection, NotFound
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import CloudType, Object
from hotplate.resources.openstack.schema import integer, text


class EncryptedVolumeType(CloudType):
    """How the volumes of a type are encrypted; for administrators.

    A type has one encryption at most, so the type's id is its id.
    """

    name = "OS::Cinder::EncryptedVolumeType"
    collection = Collection("block-storage", "/encryption", "encryption")
    named = {"volume_type": "cinder.vtype"}
    apart = frozenset(("volume_type",))
    properties = {
        "cipher": text(
            "the cipher and its mode",
            allowed=("aes-xts-plain64", "aes-cbc-essiv"),
            updatable=True,
        ),
        "control_location": text(
            "where it is encrypted: by the hypervisor or by the back end",
            allowed=("front-end", "back-end"),
            default="front-end",
            updatable=True,
        ),
        "key_size": integer("bits of the key", updatable=True),
        "provider": text("what encrypts it, such as luks", required=True, updatable=True),
        "volume_type": text("the volume type, by name or id", rule="cinder.vtype", required=True),
    }

    def path(self, it: CloudResource) -> str:
        volume_type = it.resource.physical_id or it.properties["volume_type"]
        return f"/types/{volume_type}/encryption"

    def physical_id_of(self, found: Object) -> str:
        return str(found["volume_type_id"])

    async def read(self, it: CloudResource) -> Object:
        found: Object = await it.service.get(self.path(it))
        if not found:
            raise NotFound(f"the volume type {it.id} is not encrypted", "block-storage")
        return found

    async def search(self, it: CloudResource) -> Object | None:
        try:
            return await it.service.get(self.path(it)) or None
        except NotFound:
            return None

    async def change(self, it: CloudResource) -> Object | None:
        fields = self.changes(it)
        if fields:
            encryption_id = (await self.read(it))["encryption_id"]
            path = f"{self.path(it)}/{encryption_id}"
            await it.service.put(path, {"encryption": fields}, repeatable=True)
        return None

    async def remove(self, it: CloudResource) -> None:
        encryption_id = (await self.read(it))["encryption_id"]
        await it.service.delete(f"{self.path(it)}/{encryption_id}")

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known = await super().live(it, found)
        return {**known, "volume_type": found["volume_type_id"]}
