"""What becomes of a refused attachment, and what an attachment gives up."""

import asyncio
from random import Random
from typing import Any

import pytest

from hotplate.cloud import Cloud
from hotplate.resources.openstack.cinder.volume_attachment import VolumeAttachment
from hotplate.resources.resource_type import Done, Gone, Resource, ResourceFailed, Wait
from tests.unit.cloud.scripted import ScriptedWire, answer, cloud_on

PAIR = {"instance_uuid": "s1", "volume_id": "v1"}
BUSY = {"conflictingRequest": {"message": "while it is in vm_state building"}}
ATTACHED = {"volumeAttachment": {"serverId": "s1", "volumeId": "v1", "device": "/dev/vdb"}}


class World:
    """A world with a cloud whose answers are written down."""

    random = Random(0)

    def __init__(self, wire: ScriptedWire) -> None:
        self._cloud = cloud_on(wire)

    def now(self) -> float:
        return self._cloud.clock.now()

    def service(self, name: str) -> Cloud:
        return self._cloud


def attachment(wire: ScriptedWire, **changes: Any) -> Resource:
    properties = VolumeAttachment().convert(PAIR)
    values: dict[str, Any] = {"physical_id": None, "cookie": None, "data": {}, **changes}
    data, physical_id = values.pop("data"), values.pop("physical_id")
    return Resource("s", "i", "p", "a", "t", physical_id, properties, data, World(wire), **values)


def volume(status: str, *servers: str) -> Any:
    attached = [{"server_id": each, "device": "/dev/vdb"} for each in servers]
    return answer({"volume": {"id": "v1", "status": status, "attachments": attached}})


def test_a_refused_attachment_is_tried_again_and_says_why() -> None:
    resource = attachment(ScriptedWire(answer(BUSY, 409)))
    result = asyncio.run(VolumeAttachment().create(resource))
    assert isinstance(result, Wait)
    assert "while it is in vm_state building" in str(result.reason)
    assert result.physical_id is None
    resource = attachment(ScriptedWire(answer(BUSY, 409)), cookie={**result.cookie, "tries": 9})
    with pytest.raises(ResourceFailed, match="while it is in vm_state building"):
        asyncio.run(VolumeAttachment().create(resource))


def test_another_server_that_shares_the_volume_does_not_count() -> None:
    cookie = {"at": 0.0, "step": "attaching", "tries": 0}
    wire = ScriptedWire(volume("in-use", "s2"), answer(ATTACHED))
    resource = attachment(wire, physical_id="v1", cookie=cookie)
    assert isinstance(asyncio.run(VolumeAttachment().create(resource)), Wait)
    wire = ScriptedWire(volume("in-use", "s2", "s1"), answer(ATTACHED))
    resource = attachment(wire, physical_id="v1", cookie=cookie)
    assert isinstance(asyncio.run(VolumeAttachment().create(resource)), Done)


def test_an_attachment_that_nova_gives_up_fails() -> None:
    missing = answer({"itemNotFound": {"message": "not attached"}}, 404)
    wire = ScriptedWire(volume("available"), missing, answer({"messages": []}))
    cookie = {"at": 0.0, "step": "attaching", "tries": 0}
    with pytest.raises(ResourceFailed, match="Nova has given it up"):
        asyncio.run(VolumeAttachment().create(attachment(wire, physical_id="v1", cookie=cookie)))


def test_an_external_attachment_is_known_by_its_volume() -> None:
    wire = ScriptedWire(volume("in-use", "s7"), answer(ATTACHED))
    resource = attachment(wire, physical_id="v1")
    resource.properties = {"instance_uuid": None, "volume_id": None, "mountpoint": None}
    asyncio.run(VolumeAttachment().check(resource))
    assert wire.requests[-1].url.endswith("/servers/s7/os-volume_attachments/v1")


def test_a_replacement_of_the_same_volume_finds_it_free() -> None:
    kind = VolumeAttachment()
    assert kind.gives_up(PAIR, PAIR) == "the volume"
    assert not kind.gives_up(PAIR, {**PAIR, "volume_id": "v2"})
    missing = answer({"itemNotFound": {"message": "not attached"}}, 404)
    wire = ScriptedWire(answer(status=202), volume("available"), missing)
    resource = attachment(wire, physical_id="v1", data={"server": "s1", "volume": "v1"})

    async def prepared() -> object:
        begun = await kind.prepare_replacement(resource, PAIR)
        assert isinstance(begun, Wait)
        resource.cookie = begun.cookie
        return await kind.prepare_replacement(resource, PAIR)

    assert isinstance(asyncio.run(prepared()), Gone)
