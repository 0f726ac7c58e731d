"""The update of a volume: several calls, each of which Cinder works at for a while."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from hotplate.cloud import CloudError, NotFound, Unavailable
from hotplate.cloud.polling import VOLUMES
from hotplate.resources.cookie import Cookie
from hotplate.resources.openstack.cinder.messages import with_messages
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.resource_type import (
    ObjectMissing,
    ResourceFailed,
    Result,
    UpdateRefused,
    Wait,
)

if TYPE_CHECKING:
    from hotplate.resources.openstack.cinder.volume import Volume

Object = Mapping[str, Any]

_AT_REST: Final = ("available", "in-use")
_WORKING: Final[Mapping[str, tuple[str, ...]]] = {
    "detach": ("in-use", "detaching", "reserved"),
    "restore": ("restoring-backup",),
    "extend": ("extending",),
    "retype": ("retyping",),
    "read-only": (),
    "attach": ("available", "attaching", "reserved"),
}
"""The steps in their order, and the statuses in which each is still going on."""


@dataclass(frozen=True, slots=True)
class Changing(Cookie):
    """Where an update stands."""

    at: float
    steps: Sequence[str]
    """Those that are not done yet; the first of them has been asked for, or is next."""

    is_asked: bool = False
    attachments: Sequence[Mapping[str, str]] = ()
    """The servers from which it was detached, and its devices there."""

    fault: str = ""
    """Why a step failed; the volume is attached again before that is told."""


class _Broken(ResourceFailed):
    """The volume is in error: nothing else can be done with it than delete it."""


def is_read_only(found: Object) -> bool:
    """Tell whether a volume can only be read."""
    return str(found["metadata"].get("readonly", "")).lower() == "true"


async def read_only(it: CloudResource, volume_id: str, wanted: bool) -> None:
    """Say whether servers may only read a volume; it must not be attached."""
    body = {"os-update_readonly_flag": {"readonly": wanted}}
    await it.service.post(f"/volumes/{volume_id}/action", body, repeatable=True)


class VolumeChange:
    """One update of one volume.

    Only a volume that is not attached can be restored to or protected: it is detached and then
    attached as it was, also if something in between has failed.
    """

    def __init__(self, volume: "Volume", it: CloudResource) -> None:
        self._volume = volume
        self._it = it

    async def go_on(self) -> Result:
        """Take the next step, or see how far the present one is."""
        changing = Changing.from_data(self._it.resource.cookie)
        try:
            return await (self._begin() if changing is None else self._next(changing))
        except (CloudError, ResourceFailed) as error:
            if not self._is_refusal(error):
                raise
            # Its data is worth more than what was asked for: the volume is not replaced.
            refused = UpdateRefused(str(error), getattr(error, "error", type(error).__name__))
            if changing is None or not _is_detached(changing):
                raise refused from None
            back = Changing(self._now, ["attach"], False, changing.attachments, str(error))
            return Wait(back.as_data(), 0)

    def _is_refusal(self, error: Exception) -> bool:
        """Tell whether a step failed and the volume is still there, as good as before."""
        if isinstance(error, CloudError):
            is_gone = isinstance(error, NotFound) and self._it.id in error.words
            return not (error.in_doubt or is_gone or isinstance(error, Unavailable))
        return not isinstance(error, ObjectMissing | _Broken)

    async def _begin(self) -> Result:
        found = await self._volume.read(self._it)
        steps, attachments = self._steps(found), found["attachments"]
        await self._describe()
        if attachments and {"restore", "read-only"} & set(steps):
            steps = ["detach", *steps, "attach"]
        if not steps:
            return await self._volume._done(self._it, await self._volume.read(self._it))
        devices = [
            {"server": each["server_id"], "device": each["device"]}
            for each in attachments
            if "detach" in steps
        ]
        # Recorded before it is detached, so that it is attached again whatever happens.
        return Wait(Changing(self._now, steps, False, devices).as_data(), 0)

    def _steps(self, found: Object) -> list[str]:
        """Return what is to be done, by what is wanted and what the volume is like."""
        it = self._it
        size = it.properties.get("size")
        kind = it.properties.get("volume_type")
        if it.changed("size") and size is not None and size < found["size"]:
            raise UpdateRefused("Shrinking volume is not supported.", "NotSupported")
        # Of a volume that was external nothing says what it was restored from.
        is_restored = bool(it.properties.get("backup_id")) and "backup_id" in it.old_properties
        wanted = {
            "restore": is_restored and it.changed("backup_id"),
            "extend": it.changed("size") and size is not None and size > found["size"],
            "retype": it.changed("volume_type") and bool(kind) and not _is_of_type(found, kind),
            "read-only": it.changed("read_only") and self._read_only != is_read_only(found),
        }
        return [step for step in _WORKING if wanted.get(step)]

    async def _describe(self) -> None:
        it, path = self._it, self._volume.object_path(self._it)
        changed = {
            key: value
            for key, value in self._volume.changes(it).items()
            if key in ("name", "description")
        }
        if changed:
            await it.service.put(path, {"volume": changed}, repeatable=True)
        if it.changed("metadata"):
            body = {"metadata": self._volume.metadata(it)}
            await it.service.put(f"{path}/metadata", body, repeatable=True)

    async def _next(self, changing: Changing) -> Result:
        step = changing.steps[0]
        if not changing.is_asked:
            await self._ask(step, changing)
            asked = replace(changing, is_asked=True, at=self._now)
            return Wait(asked.as_data(), 0 if step == "read-only" else self._pause(asked))
        found = await self._it.cloud.poller.poll(VOLUMES, self._it.id, changing.at)
        if found is None:
            raise ObjectMissing(f"the volume {self._it.id} does not exist any more")
        if not await self._has_ended(step, changing, found):
            return Wait(changing.as_data(), self._pause(changing))
        self._it.cloud.poller.ended(VOLUMES, step, changing.at)
        if changing.steps[1:]:
            left = replace(changing, at=self._now, steps=changing.steps[1:], is_asked=False)
            return Wait(left.as_data(), 0)
        if changing.fault:
            raise UpdateRefused(changing.fault)
        return await self._volume._done(self._it, found)

    async def _ask(self, step: str, changing: Changing) -> None:
        it = self._it
        action = f"{self._volume.object_path(it)}/action"
        match step:
            case "restore":
                body = {"restore": {"volume_id": it.id}}
                await it.service.post(f"/backups/{it.properties['backup_id']}/restore", body)
            case "extend":
                await it.service.post(action, {"os-extend": {"new_size": it.properties["size"]}})
            case "retype":
                wanted = {"new_type": it.properties["volume_type"], "migration_policy": "never"}
                await it.service.post(action, {"os-retype": wanted})
            case "read-only":
                await read_only(it, it.id, self._read_only)
            case _:
                for each in changing.attachments:
                    await self._attach(each, is_wanted=step == "attach")

    async def _attach(self, attachment: Mapping[str, str], is_wanted: bool) -> None:
        nova = self._it.cloud.service("compute")
        path = f"/servers/{attachment['server']}/os-volume_attachments"
        if not is_wanted:
            await nova.delete(f"{path}/{self._it.id}")
            return
        listed = await nova.get(path)
        if self._it.id not in [each["volumeId"] for each in listed["volumeAttachments"]]:
            wanted = {"volumeId": self._it.id, "device": attachment["device"]}
            await nova.post(path, {"volumeAttachment": wanted})

    async def _has_ended(self, step: str, changing: Changing, found: Object) -> bool:
        it, status = self._it, found["status"]
        servers = {each["server"] for each in changing.attachments}
        attached = servers & {each["server_id"] for each in found["attachments"]}
        ended = {
            "detach": not attached and status in _AT_REST,
            "extend": found["size"] >= (it.properties.get("size") or 0),
            "retype": _is_of_type(found, it.properties.get("volume_type")),
            "attach": attached == servers,
        }
        if status in _AT_REST and ended.get(step, True):
            return True
        if status in _WORKING[step]:
            return False
        text = f"the volume {it.id} is in status {status} and {step} has not been done"
        kind = _Broken if status == "error" else UpdateRefused
        raise kind(await with_messages(it, it.id, text), "ResourceInError")

    def _pause(self, changing: Changing) -> float:
        return self._it.cloud.poller.pause(VOLUMES, changing.steps[0], changing.at)

    @property
    def _read_only(self) -> bool:
        return bool(self._it.properties.get("read_only"))

    @property
    def _now(self) -> float:
        return self._it.resource.world.now()


def _is_of_type(found: Object, wanted: Any) -> bool:
    return wanted in (found.get("volume_type_id"), found["volume_type"])


def _is_detached(changing: Changing) -> bool:
    return bool(changing.attachments) and changing.steps[0] not in ("detach", "attach")
