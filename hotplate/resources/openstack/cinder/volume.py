"""OS::Cinder::Volume."""

import json
from collections.abc import Mapping
from typing import Any, Final

from hotplate.cloud import BadRequest, Conflict
from hotplate.cloud.polling import VOLUMES
from hotplate.document import Data
from hotplate.resources.openstack.cinder.backups import BacksUp
from hotplate.resources.openstack.cinder.messages import with_messages
from hotplate.resources.openstack.cinder.volume_change import VolumeChange, is_read_only, read_only
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Begun, Object
from hotplate.resources.openstack.made_anew import MadeAnew
from hotplate.resources.openstack.schema import flag, integer, map_of, old, text
from hotplate.resources.openstack.states import States
from hotplate.resources.resource_type import ResourceFailed, Result

_ID_KEY: Final = "hotplate_creation_token"
"""The key in the metadata by which a volume is found whose name the template gives."""

_SOURCES: Final = ("image", "snapshot_id", "source_volid")
_TEXTS: Final = (
    *("availability_zone", "bootable", "created_at", "encrypted", "size", "snapshot_id"),
    *("source_volid", "status", "volume_type"),
)
_BUSY: Final = frozenset(
    (
        *("attaching", "backing-up", "creating", "detaching", "downloading", "extending"),
        *("reserved", "restoring-backup", "retyping", "uploading"),
    )
)
_IMAGE: Final = text(
    "the image that it is made from, by name or id", rule="glance.image", older=("imageRef",)
)


class Volume(BacksUp, MadeAnew):
    """A volume: a disk that servers can use."""

    name = "OS::Cinder::Volume"
    collection = VOLUMES
    states = States(ended=frozenset(("available", "in-use")), going_on=_BUSY)
    vanishes = True
    renamed = {"image": "imageRef"}
    named = {"image": "glance.image", "volume_type": "cinder.vtype"}
    live_attributes = frozenset(("attachments", "attachments_list", "show", "status"))
    apart = frozenset(("multiattach", "read_only", "scheduler_hints"))
    properties = {
        "availability_zone": text("the zone in which it is made"),
        "backup_id": text(
            "the backup that it is made from; another one is restored onto it",
            rule="cinder.backup",
            updatable=True,
        ),
        "description": text("what it is for", updatable=True),
        "image": _IMAGE,
        "imageRef": old(text("the image, as older templates write it")),
        "metadata": map_of("keys and values to keep with it", default={}, updatable=True),
        "multiattach": flag("nothing: a volume type says so", default=False, hidden=True),
        "name": text("its name", updatable=True),
        "read_only": flag("whether servers may only read it", updatable=True),
        "scheduler_hints": map_of("hints for the choice of a back end"),
        "size": integer("its size in GiB; it can only grow", between=(1, None), updatable=True),
        "snapshot_id": text("the snapshot that it is made from", rule="cinder.snapshot"),
        "source_volid": text("the volume that it is a copy of", rule="cinder.volume"),
        "volume_type": text(
            "its type, by name or id; another one is a retype", rule="cinder.vtype", updatable=True
        ),
    }
    attributes = {
        "attachments": "the servers that it is attached to, as JSON",
        "attachments_list": "the servers that it is attached to",
        "availability_zone": "the zone that it is in",
        "bootable": "whether a server can be started from it",
        "created_at": "when it was made",
        "display_description": "what it is for",
        "display_name": "its name",
        "encrypted": "whether it is encrypted",
        "metadata": "what is kept with it, as JSON",
        "metadata_values": "what is kept with it",
        "multiattach": "whether several servers can use it at the same time",
        "size": "its size in GiB",
        "snapshot_id": "the snapshot that it was made from",
        "source_volid": "the volume that it is a copy of",
        "status": "the status that the service tells",
        "volume_type": "the name of its type",
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        given = [name for name in _SOURCES if properties.get(name)]
        if properties.get("backup_id"):
            return super().validate(properties, timeout)
        if properties.get("size") is None and (len(given) != 1 or "image" in given):
            return (
                "without size and backup_id, exactly one of snapshot_id and source_volid must be "
                f"given, which says how large it is; given: {', '.join(given) or 'none'}"
            )
        if len(given) > 1:
            return f"at most one of {', '.join(_SOURCES)} can be given, not {', '.join(given)}"
        return super().validate(properties, timeout)

    def fields(self, it: CloudResource) -> dict[str, Any]:
        """Return the fields; a backup comes before other sources, as it does in Heat."""
        fields = super().fields(it)
        sources = ("imageRef", "snapshot_id", "source_volid")
        left_out = sources if fields.get("backup_id") else ()
        return {key: value for key, value in fields.items() if key not in left_out}

    async def make(self, it: CloudResource) -> Object:
        fields = {key: value for key, value in self.fields(it).items() if value is not None}
        body: dict[str, Any] = {"volume": {**fields, "metadata": self.metadata(it)}}
        if it.properties.get("scheduler_hints"):
            body["OS-SCH-HNT:scheduler_hints"] = it.properties["scheduler_hints"]
        return self._one(await it.service.post("/volumes", body))

    def metadata(self, it: CloudResource) -> dict[str, Any]:
        """Return the metadata that the volume shall have, with the token if one is needed."""
        wanted = dict(it.properties.get("metadata") or {})
        return {**wanted, _ID_KEY: it.resource.creation_token} if self._has_token(it) else wanted

    async def search(self, it: CloudResource) -> Object | None:
        name = self.object_name(it)
        listed = await it.service.list_all("/volumes/detail", "volumes", {"name": name})
        ours = it.resource.creation_token
        return next(
            (
                each
                for each in listed
                if each["name"] == name
                and (not self._has_token(it) or each["metadata"].get(_ID_KEY) == ours)
            ),
            None,
        )

    async def finish(self, it: CloudResource, found: Object) -> Object:
        """Protect a new volume from being written, which only one that is complete can be."""
        wanted = it.properties.get("read_only")
        if wanted is None or wanted == is_read_only(found):
            return found
        await read_only(it, found["id"], wanted)
        return {**found, "metadata": {**found["metadata"], "readonly": str(wanted)}}

    async def _update(self, it: CloudResource) -> Result:
        return await VolumeChange(self, it).go_on()

    async def remove(self, it: CloudResource) -> None:
        try:
            await super().remove(it)
        except BadRequest as error:
            status = (await self.read(it))["status"]
            if status == "deleting":
                return
            if status in _BUSY:
                raise Conflict(error.words, error.service, error.status) from None
            raise

    async def has_vanished(self, it: CloudResource, began: Begun) -> bool:
        found = await it.cloud.poller.poll(VOLUMES, it.id, began.at, is_own=True)
        if found is not None and found["status"] in ("error_deleting", "available", "in-use"):
            raise ResourceFailed(await self.failure(it, found), "ResourceInError")
        return found is None

    def shown(self, it: CloudResource, found: Object) -> dict[str, Data]:
        metadata = _without_token(found["metadata"])
        texts = {name: found.get(name) for name in _TEXTS}
        return {
            **{key: None if value is None else str(value) for key, value in texts.items()},
            "attachments": json.dumps(found["attachments"]),
            "attachments_list": found["attachments"],
            "display_description": found["description"],
            "display_name": found["name"],
            "metadata": json.dumps(metadata),
            "metadata_values": metadata,
            "multiattach": found.get("multiattach", False),
            "show": dict(found),
        }

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        names = ("availability_zone", "description", "name", "size", "snapshot_id", "source_volid")
        known = {name: found[name] for name in names}
        metadata = _without_token(found["metadata"])
        metadata.pop("readonly", None)
        known |= {"metadata": metadata, "read_only": is_read_only(found)}
        known["volume_type"] = found.get("volume_type_id") or found["volume_type"]
        image = found.get("volume_image_metadata", {}).get("image_id")
        return {**known, "image": image} if image else known

    async def failure(self, it: CloudResource, found: Object) -> str:
        return await with_messages(it, found["id"], await super().failure(it, found))

    def _has_token(self, it: CloudResource) -> bool:
        return bool(it.properties.get("name"))


def _without_token(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if key != _ID_KEY}
