"""OS::Cinder::VolumeAttachment."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from hotplate.cloud import BadRequest, CloudError, Collection, Conflict, NotFound, Unavailable
from hotplate.cloud.polling import VOLUMES
from hotplate.resources.capabilities import PreparesReplacement
from hotplate.resources.cookie import Cookie
from hotplate.resources.openstack.cinder.messages import with_messages
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import CloudType, Object
from hotplate.resources.openstack.schema import text
from hotplate.resources.resource_type import (
    Done,
    Gone,
    ObjectMissing,
    Resource,
    ResourceFailed,
    Result,
    UpdateRefused,
    Wait,
)

_MOST_TRIES: Final = 9
"""How often a call is made that Nova refuses because of the state the server is in."""

_LONGEST_PAUSE: Final = 30.0
_PATIENCE: Final = 30.0
"""Seconds after which a volume that is still attached, and not being detached, is asked again."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """What is attached to what."""

    server: str
    volume: str

    @property
    def path(self) -> str:
        return f"/servers/{self.server}/os-volume_attachments/{self.volume}"

    def as_data(self) -> dict[str, str]:
        return {"server": self.server, "volume": self.volume}

    def is_in(self, volume: Object) -> bool:
        """Tell whether a volume says so. One that several servers share is in use anyway."""
        return self.attachment_in(volume) is not None

    def attachment_in(self, volume: Object) -> Object | None:
        """Return the attachment as Nova would show it, if a volume has it."""
        for each in volume["attachments"]:
            if each["server_id"] == self.server:
                ids = {"id": self.volume, "serverId": self.server, "volumeId": self.volume}
                return {**ids, "device": each.get("device")}
        return None


@dataclass(frozen=True, slots=True)
class Attaching(Cookie):
    """Where an action stands: attach, attaching, detach or detaching."""

    at: float
    step: str
    tries: int = 0


class VolumeAttachment(PreparesReplacement, CloudType):
    """A volume in use by a server.

    Server and volume are its key, so it has no creation token. They are kept with the resource: in
    an update the properties are those that are wanted, not those that are.
    """

    name = "OS::Cinder::VolumeAttachment"
    collection = Collection("compute", "/os-volume_attachments", "volumeAttachment")
    properties = {
        "instance_uuid": text("the id of the server", required=True, updatable=True),
        "mountpoint": text(
            "the device that the server shall see; not all hypervisors heed it", updatable=True
        ),
        "volume_id": text(
            "the id of the volume", rule="cinder.volume", required=True, updatable=True
        ),
    }

    def physical_id_of(self, found: Object) -> str:
        return str(found["volumeId"])

    async def read(self, it: CloudResource) -> Object:
        return self._one(await it.service.get((await _present(it)).path))

    async def search(self, it: CloudResource) -> Object | None:
        return await _attached(it, _wanted(it))

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        # Hypervisors give devices names of their own, so the mountpoint tells nothing.
        return {"instance_uuid": found["serverId"], "volume_id": found["volumeId"]}

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        """Return that the volume is set free: the new attachment would be the same one."""
        is_same = new is not None and new.get("volume_id") == old.get("volume_id")
        return "the volume" if is_same else ""

    async def prepare_replacement(
        self, resource: Resource, new_properties: Mapping[str, Any] | None
    ) -> Done | Wait | Gone:
        result = await self._explained(resource, self._set_free, self.located_by)
        return result if isinstance(result, Wait) else Gone(result.data)

    async def restore(self, resource: Resource) -> Result:
        found = await self.find(resource)
        return await self.create(
            resource if found is None else replace(resource, physical_id=found)
        )

    async def _create(self, it: CloudResource) -> Result:
        step = "attach" if it.resource.physical_id is None else "attaching"
        return await self._attach(it, Attaching.from_data(it.resource.cookie) or _begun(it, step))

    async def _update(self, it: CloudResource) -> Result:
        try:
            return await self._move(it)
        except CloudError as error:
            if error.in_doubt or isinstance(error, Unavailable):
                raise
            # The next update begins with what is attached then.
            raise UpdateRefused(str(error), type(error).__name__) from None

    async def _move(self, it: CloudResource) -> Result:
        doing = Attaching.from_data(it.resource.cookie)
        wanted = _wanted(it)
        if doing is None:
            there = await _attached(it, wanted)
            device = it.properties.get("mountpoint")
            if there is not None and device in (None, "", there["device"]):
                return replace(await self._done(it, there), data=wanted.as_data())
            doing = _begun(it, "detach")
        if doing.step.startswith("detach"):
            result = await self._set_free(it)
            if isinstance(result, Wait):
                return result
            doing = _begun(it, "attach")
            return Wait(doing.as_data(), 0, wanted.volume, wanted.as_data())
        return await self._attach(it, doing)

    async def _delete(self, it: CloudResource) -> Result:
        doing = Attaching.from_data(it.resource.cookie) or _begun(it, "detach")
        return await self._detach(it, await _present(it), doing)

    async def _set_free(self, it: CloudResource) -> Result:
        """Detach the volume so that the same server can have it again: Nova must know it, too."""
        pair = await _present(it)
        doing = Attaching.from_data(it.resource.cookie) or _begun(it, "detach")
        result = await self._detach(it, pair, doing)
        if isinstance(result, Done) and await _attached(it, pair) is not None:
            doing = replace(doing, step="detaching")
            return Wait(doing.as_data(), _pause(it, doing))
        return result

    async def _attach(self, it: CloudResource, doing: Attaching) -> Result:
        pair = _wanted(it)
        if doing.step != "attach":
            return await self._await_attached(it, pair, doing)
        is_repeated = it.resource.physical_id is not None
        if not is_repeated or await _attached(it, pair) is None:
            body = {"volumeId": pair.volume, "device": it.properties.get("mountpoint") or None}
            given = {key: value for key, value in body.items() if value is not None}
            try:
                await it.service.post(pair.path.rpartition("/")[0], {"volumeAttachment": given})
            except Conflict as error:
                return _later(doing, error)
        asked = _begun(it, "attaching")
        return Wait(asked.as_data(), _pause(it, asked), pair.volume, pair.as_data())

    async def _await_attached(self, it: CloudResource, pair: _Pair, doing: Attaching) -> Result:
        volume = await it.cloud.poller.poll(VOLUMES, pair.volume, doing.at)
        if volume is None:
            raise ObjectMissing(f"the volume {pair.volume} does not exist any more")
        status = volume["status"]
        if status == "in-use" and (shown := pair.attachment_in(volume)) is not None:
            it.cloud.poller.ended(VOLUMES, "attaching", doing.at)
            return replace(await self._done(it, shown), data=pair.as_data())
        is_new = it.resource.world.now() - doing.at < _PATIENCE
        if is_new and status in ("attaching", "reserved"):
            return Wait(doing.as_data(), _pause(it, doing))
        there = await _attached(it, pair)
        if there is not None and status in ("available", "attaching", "reserved", "in-use"):
            return Wait(doing.as_data(), _pause(it, doing))
        reason = f"Unknown status {status}" if there else "Nova has given it up"
        reason = await with_messages(it, pair.volume, f"Volume attachment failed - {reason}")
        raise ResourceFailed(reason, "ResourceUnknownStatus")

    async def _detach(self, it: CloudResource, pair: _Pair, doing: Attaching) -> Result:
        refusal: BadRequest | None = None
        if doing.step == "detach":
            try:
                await it.service.delete(pair.path)
            except BadRequest as error:
                refusal = error  # it may be detached already, or on the way
            except Conflict as error:
                return _later(doing, error)
            doing = replace(_begun(it, "detaching"), tries=doing.tries)
            if refusal is None:
                return Wait(doing.as_data(), _pause(it, doing))
        volume = await it.cloud.poller.poll(VOLUMES, pair.volume, doing.at)
        is_attached = volume is not None and pair.is_in(volume)
        if not is_attached and (volume is None or volume["status"] != "detaching"):
            it.cloud.poller.ended(VOLUMES, "detaching", doing.at)
            return Done()
        if is_attached and volume is not None and volume["status"] != "detaching":
            return await self._still_attached(it, pair, doing, volume, refusal)
        return Wait(doing.as_data(), _pause(it, doing))

    async def _still_attached(
        self,
        it: CloudResource,
        pair: _Pair,
        doing: Attaching,
        volume: Object,
        refusal: BadRequest | None,
    ) -> Result:
        """Decide what to do about a volume that is not on its way any more."""
        if refusal is not None:
            raise refusal
        if volume["status"] not in ("in-use", "available", "reserved"):
            text = f"Volume detachment failed - Unknown status {volume['status']}"
            raise ResourceFailed(await with_messages(it, pair.volume, text))
        if it.resource.world.now() - doing.at < _PATIENCE:
            return Wait(doing.as_data(), _pause(it, doing))
        text = f"the server {pair.server} does not let go of the volume {pair.volume}"
        if doing.tries >= _MOST_TRIES:
            raise ResourceFailed(await with_messages(it, pair.volume, text))
        return Wait(replace(doing, step="detach", tries=doing.tries + 1).as_data(), 0, reason=text)


def _wanted(it: CloudResource) -> _Pair:
    return _Pair(it.properties["instance_uuid"], it.properties["volume_id"])


async def _present(it: CloudResource) -> _Pair:
    """Return what is attached now; of an external object only the volume's id may be known."""
    kept = it.resource.data
    if "server" in kept:
        return _Pair(kept["server"], kept["volume"])
    known: Mapping[str, Any] = it.old_properties or it.properties
    if known.get("instance_uuid"):
        return _Pair(known["instance_uuid"], it.resource.physical_id or known["volume_id"])
    cinder = it.cloud.service("block-storage")
    volume = (await cinder.get(f"/volumes/{it.quoted_id}"))["volume"]
    if not volume["attachments"]:
        raise NotFound(f"the volume {it.id} is not attached to a server", "block-storage")
    return _Pair(volume["attachments"][0]["server_id"], it.id)


async def _attached(it: CloudResource, pair: _Pair) -> Object | None:
    try:
        found: Object = (await it.service.get(pair.path))["volumeAttachment"]
    except NotFound:
        return None
    return found


def _begun(it: CloudResource, step: str) -> Attaching:
    return Attaching(it.resource.world.now(), step)


def _pause(it: CloudResource, doing: Attaching) -> float:
    return it.cloud.poller.pause(VOLUMES, doing.step, doing.at)


def _later(doing: Attaching, error: CloudError) -> Wait:
    """Make the call again later, in the state that the server is in then; but not for ever."""
    if doing.tries >= _MOST_TRIES:
        raise error
    pause = min(2.0**doing.tries, _LONGEST_PAUSE)
    return Wait(replace(doing, tries=doing.tries + 1).as_data(), pause, reason=str(error))
