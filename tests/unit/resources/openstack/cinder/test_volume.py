"""What is wrong with a volume, what an update of one does, and its backups."""

import asyncio
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from hotplate.cloud import Cloud
from hotplate.cloud.wire import NoAnswer
from hotplate.model import Action
from hotplate.resources.acting import act
from hotplate.resources.openstack.cinder.volume import Volume
from hotplate.resources.resource_type import Done, Resource, ResourceFailed, Wait
from tests.unit.cloud.scripted import ScriptedWire, Time, answer, cloud_on

VOLUME = "http://cinder/v3/p1/volumes/v1"


class World:
    """A world with a cloud whose answers are written down."""

    random = Random(0)

    def __init__(self, wire: ScriptedWire) -> None:
        self._time: Time = wire.time
        self._cloud = cloud_on(wire)

    def now(self) -> float:
        return self._time.now()

    def service(self, name: str) -> Cloud:
        return self._cloud


def volume(
    wire: ScriptedWire, new: Mapping[str, Any], old: Mapping[str, Any] | None = None
) -> Resource:
    properties = Volume().convert({"size": 1, **new})
    found = Resource("s", "i", "p", "disk", "token", "v1", properties, {}, World(wire))
    if old is not None:
        found.old_properties = Volume().convert({"size": 1, **old})
    return found


def told(status: str = "available", **more: Any) -> Any:
    fields = {"id": "v1", "status": status, "size": 1, "name": "n", "description": None}
    fields |= {"metadata": {}, "attachments": [], "volume_type": "t"}
    return answer({"volume": {**fields, **more}})


def played(kind: Action, resource: Resource) -> Done:
    """Act until it is done; the cookie goes through what the database keeps."""

    async def play() -> Done:
        for _ in range(30):
            result = await act(Volume(), kind, resource)
            if isinstance(result, Done):
                return result
            resource.cookie = result.cookie
            await resource.world.service("cloud").clock.sleep(result.seconds)
        raise AssertionError

    return asyncio.run(play())


def asked(wire: ScriptedWire) -> list[str]:
    """The changes that were asked for."""
    return [
        f"{each.method} {each.url.removeprefix('http://')} {sorted(each.body or {})}"
        for each in wire.requests
        if each.method != "GET"
    ]


@pytest.mark.parametrize(
    ("properties", "fault"),
    [
        ({"size": 1}, ""),
        ({"size": 1, "image": "i"}, ""),
        ({"snapshot_id": "s"}, ""),
        ({"source_volid": "v"}, ""),
        ({"backup_id": "b"}, ""),
        ({}, "exactly one of snapshot_id and source_volid"),
        ({"image": "i"}, "exactly one of snapshot_id and source_volid"),
        ({"snapshot_id": "s", "source_volid": "v"}, "given: snapshot_id, source_volid"),
        ({"size": 1, "image": "i", "snapshot_id": "s"}, "not image, snapshot_id"),
    ],
)
def test_where_a_volume_comes_from(properties: Mapping[str, Any], fault: str) -> None:
    kind = Volume()
    said = kind.validate(kind.convert(properties))
    assert fault in said
    assert bool(said) == bool(fault)


def test_an_older_name_of_the_image() -> None:
    assert Volume().convert({"size": 1, "imageRef": "i"})["image"] == "i"


ATTACHED = [{"server_id": "s1", "device": "/dev/vdb", "attachment_id": "a"}]
LISTED = {"volumeAttachments": [{"volumeId": "other"}]}


def test_a_volume_in_use_is_detached_while_a_backup_is_restored_onto_it() -> None:
    wire = ScriptedWire(
        *(told("in-use", attachments=ATTACHED), answer(status=202), told("detaching"), told()),
        *(answer({"restore": {}}, 202), told("restoring-backup"), told()),
        *(answer(LISTED), answer({"volumeAttachment": {}}), told("attaching")),
        told("in-use", attachments=ATTACHED),
    )
    played(Action.UPDATE, volume(wire, {"backup_id": "b2"}, {"backup_id": "b1"}))
    assert asked(wire) == [
        "DELETE nova/v2.1/servers/s1/os-volume_attachments/v1 []",
        "POST cinder/v3/p1/backups/b2/restore ['restore']",
        "POST nova/v2.1/servers/s1/os-volume_attachments ['volumeAttachment']",
    ]
    assert not wire.steps


def test_a_volume_is_attached_again_if_what_it_was_detached_for_fails() -> None:
    wire = ScriptedWire(
        *(told("in-use", attachments=ATTACHED), answer(status=202), told()),
        answer({"badRequest": {"message": "the backup is broken"}}, 400),
        *(answer(LISTED), answer({"volumeAttachment": {}})),
        told("in-use", attachments=ATTACHED),
    )
    with pytest.raises(ResourceFailed, match="the backup is broken"):
        played(Action.UPDATE, volume(wire, {"backup_id": "b2"}, {"backup_id": None}))
    assert asked(wire)[-1].startswith("POST nova/v2.1/servers/s1/os-volume_attachments")


def test_a_volume_that_was_external_is_not_overwritten() -> None:
    wire = ScriptedWire(told(), answer({"metadata": {}}), told())
    played(Action.UPDATE, volume(wire, {"backup_id": "b1"}))
    assert asked(wire) == ["PUT cinder/v3/p1/volumes/v1/metadata ['metadata']"]


def test_a_retype_that_did_not_happen_is_told() -> None:
    message = {"messages": [{"user_message": "retype: no host", "request_id": "req-1"}]}
    wire = ScriptedWire(
        *(answer({"volume_types": [{"id": "i2", "name": "t2"}]}), told(), answer(status=202)),
        *(told("retyping"), told(), answer(message)),
    )
    with pytest.raises(ResourceFailed, match=r"retype has not been done: retype: no host \(req"):
        played(Action.UPDATE, volume(wire, {"volume_type": "t2"}, {"volume_type": None}))


def test_a_snapshot_is_a_backup_and_restoring_it_an_update() -> None:
    backup = {"id": "b1", "name": "n", "fail_reason": None}
    wire = ScriptedWire(
        *(answer({"backups": []}), answer({"backup": backup}, 202)),
        *(answer({"backup": {**backup, "status": "creating"}}),),
        *(answer({"backup": {**backup, "status": "available"}}),),
    )
    resource = volume(wire, {})
    done = played(Action.SNAPSHOT, resource)
    assert done.data == {"backup_id": "b1"}
    assert Volume().restored(resource.properties, {"backup_id": "b1"})["backup_id"] == "b1"
    sent = wire.requests[1].body["backup"]
    assert (sent["volume_id"], sent["force"]) == ("v1", True)
    assert sent["name"].startswith("s-disk-token-")


def test_a_backup_whose_creation_got_no_answer_is_found() -> None:
    wire = ScriptedWire()
    resource = volume(wire, {})
    begun = asyncio.run(Volume().snapshot(resource))
    assert isinstance(begun, Wait)
    resource.cookie = begun.cookie
    name = begun.cookie["name"]
    wire.steps += [answer({"backups": []}), NoAnswer("reset")]
    lost = asyncio.run(Volume().snapshot(resource))
    assert isinstance(lost, Wait)
    assert lost.cookie == begun.cookie
    wire.steps += [answer({"backups": [{"id": "b1", "name": name}]})]
    going_on = asyncio.run(Volume().snapshot(resource))
    assert isinstance(going_on, Wait)
    assert going_on.cookie["id"] == "b1"


def test_a_backup_that_fails_is_told_with_the_reason() -> None:
    failed = {"id": "b1", "name": "n", "status": "error", "fail_reason": "no backup service"}
    wire = ScriptedWire(
        *(answer({"backups": []}), answer({"backup": failed}, 202), answer({"backup": failed}))
    )
    with pytest.raises(ResourceFailed, match="status error: no backup service"):
        played(Action.SNAPSHOT, volume(wire, {}))
