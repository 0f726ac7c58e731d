"""Stories of the types of the block storage service."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import pytest

from hotplate.cloud import NotFound
from hotplate.cloud.names import FLAVOR, IMAGE, PROJECT
from hotplate.model import Action
from hotplate.resources.openstack.cinder.encrypted_volume_type import EncryptedVolumeType
from hotplate.resources.openstack.cinder.qos_association import QoSAssociation
from hotplate.resources.openstack.cinder.qos_specs import QoSSpecs
from hotplate.resources.openstack.cinder.quota import Quota
from hotplate.resources.openstack.cinder.volume import Volume
from hotplate.resources.openstack.cinder.volume_attachment import VolumeAttachment
from hotplate.resources.openstack.cinder.volume_type import VolumeType
from hotplate.resources.resource_type import Resource, ResourceFailed, Wait
from tests.recordings.life import Life, live, lived
from tests.recordings.stage import Recorded, Stage

_MOST_POLLS: Final = 120


async def volume(stage: Stage) -> None:
    """A volume with and without a name of its own, and copies of it."""
    async with volume_type(stage, "recorded-volume-type") as kind:
        life = Life(
            Volume(),
            {"name": "recorded", "size": 1, "metadata": {"a": "b"}, "read_only": True},
            changes=(
                {"name": "renamed", "description": "for all"},
                {"metadata": {"c": "d"}, "read_only": False, "size": 2},
                {"volume_type": kind["name"]},
                {"name": None, "description": None, "metadata": None, "read_only": None},
            ),
            replacing={"availability_zone": "nova"},
            attributes=frozenset(("attachments_list", "size", "status", "volume_type")),
        )
        await live(stage, life)
    async with lived(stage, Life(Volume(), {"size": 1}), "plain") as source:
        copy = Life(Volume(), {"source_volid": source.physical_id})
        await live(stage, copy, "copy")
        bootable = {"size": 1, "image": "cirros"}
        await live(stage, Life(Volume(), bootable), "bootable")
        grown = await stage.update(Volume(), source, {**source.properties, "size": 2})
        with pytest.raises(ResourceFailed, match="Shrinking volume is not supported"):
            await stage.update(Volume(), grown, source.properties)


async def impossible_volume(stage: Stage) -> None:
    """A volume that no back end can have fails with the words of Cinder, and can be deleted."""
    kind = Volume()
    resource = stage.resource(kind.convert({"size": 5000000}))
    with pytest.raises(ResourceFailed, match=r"in status error: .*No valid|schedule"):
        await stage.act(kind, Action.CREATE, resource)
    resource.cookie = None
    with pytest.raises(ResourceFailed, match="in status error"):
        await stage.act(kind, Action.CHECK, resource)
    await stage.act(kind, Action.DELETE, resource)


async def volume_attachment(stage: Stage) -> None:
    """A volume goes from server to server; one of them is still being built when it comes."""
    plain = Life(Volume(), {"size": 1})
    async with (
        server(stage, "recorded-attachment-1") as first,
        lived(stage, plain, "one") as one,
        lived(stage, plain, "two") as two,
    ):
        pair = {"instance_uuid": first, "volume_id": one.physical_id}
        async with server(stage, "recorded-attachment-2") as second:
            changes: tuple[dict[str, Any], ...] = (
                {"mountpoint": "/dev/vdx"},
                {"volume_id": two.physical_id, "mountpoint": None},
                {"instance_uuid": second},
            )
            life = Life(
                VolumeAttachment(),
                pair,
                changes,
                unread=frozenset(("mountpoint",)),
                identity=frozenset(pair),
            )
            await live(stage, life)
        async with lived(stage, Life(VolumeAttachment(), pair), "in_use"):
            with pytest.raises(ResourceFailed, match="Volume status must be available or error"):
                await stage.act(Volume(), Action.DELETE, one)
            changed = {**one.properties, "size": 2, "read_only": True, "description": "kept"}
            grown = await stage.update(Volume(), one, changed)
            told = await Volume().live_properties(grown)
            assert (told["size"], told["read_only"], told["description"]) == (2, True, "kept")
            one.cookie = None
            await stage.act(VolumeAttachment(), Action.CHECK, attached(stage, pair))


async def shared_volume(stage: Stage) -> None:
    """A volume that two servers share is detached from one and stays with the other."""
    specs = {"multiattach": "<is> True"}
    async with (
        volume_type(stage, "recorded-shared-volume", extra_specs=specs) as kind,
        server(stage, "recorded-shared-1") as first,
        server(stage, "recorded-shared-2") as second,
        lived(stage, Life(Volume(), {"size": 1, "volume_type": kind["id"]}), "v") as shared,
    ):
        pairs = [
            {"instance_uuid": each, "volume_id": shared.physical_id} for each in (first, second)
        ]
        async with lived(stage, Life(VolumeAttachment(), pairs[0]), "one"):
            await live(stage, Life(VolumeAttachment(), pairs[1]), "two")
            await stage.act(VolumeAttachment(), Action.CHECK, attached(stage, pairs[0]))


async def suspended_attachment(stage: Stage) -> None:
    """What Nova refuses because of the server's state is tried again, and then told."""
    nova = stage.cloud.service("compute")
    kind = VolumeAttachment()
    plain = Life(Volume(), {"size": 1})
    async with server(stage, "recorded-suspended") as first, lived(stage, plain, "v") as volume:
        await nova.post(f"/servers/{first}/action", {"suspend": None})
        await status(stage, first, "SUSPENDED")
        pair = {"instance_uuid": first, "volume_id": volume.physical_id}
        resource = stage.resource(kind.convert(pair), "a")
        asked = await kind.create(resource)
        assert isinstance(asked, Wait)
        assert "while it is in vm_state suspended" in str(asked.reason)
        resource.cookie = {**asked.cookie, "tries": 9}
        with pytest.raises(ResourceFailed, match="while it is in vm_state suspended"):
            await kind.create(resource)
        await nova.post(f"/servers/{first}/action", {"resume": None})
        await status(stage, first, "ACTIVE")
        resource.cookie = None
        await stage.act(kind, Action.CREATE, resource)
        await stage.act(kind, Action.DELETE, resource)


async def volume_type_life(stage: Stage) -> None:
    """A volume type becomes private, for some projects, and public again."""
    projects = [await stage.cloud.names.id_of(PROJECT, each) for each in ("demo", "alt")]
    life = Life(
        VolumeType(),
        {"name": "recorded-type", "description": "fast", "metadata": {"a": "b", "c": "d"}},
        changes=(
            {"name": "recorded-type-renamed", "description": None},
            {"metadata": {"c": "e", "f": "g"}},
            {"is_public": False, "projects": projects},
            {"projects": projects[1:], "metadata": None},
            {"is_public": True, "projects": None},
        ),
    )
    await live(stage, life)
    private = {"name": "recorded-private", "is_public": False, "projects": ["demo"]}
    await live(stage, Life(VolumeType(), private), "private")


async def encrypted_volume_type(stage: Stage) -> None:
    """The encryption of one volume type, then of another."""
    async with (
        volume_type(stage, "recorded-encrypted-1") as first,
        volume_type(stage, "recorded-encrypted-2") as second,
    ):
        life = Life(
            EncryptedVolumeType(),
            {"volume_type": first["id"], "provider": "luks", "key_size": 256},
            changes=(
                {"cipher": "aes-xts-plain64", "key_size": 512},
                {"provider": "luks2", "control_location": "back-end"},
                {"cipher": None, "key_size": None, "control_location": None},
            ),
            replacing={"volume_type": second["name"]},
        )
        await live(stage, life)


async def qos_specs(stage: Stage) -> None:
    """QoS specs with and without a name of their own; a type that has them does not hold them."""
    life = Life(
        QoSSpecs(),
        {"name": "recorded-qos", "specs": {"consumer": "front-end", "a": "1", "b": "2"}},
        changes=({"specs": {"consumer": "both", "b": "3", "c": "4"}}, {"specs": {"c": "4"}}),
        replacing={"name": "recorded-qos-other"},
    )
    await live(stage, life)
    cinder = stage.cloud.service("block-storage")
    async with (
        volume_type(stage, "recorded-qos-type") as kind,
        lived(stage, Life(QoSSpecs(), {"specs": {"a": "1"}}), "plain") as specs,
    ):
        path = f"/qos-specs/{specs.physical_id}/associate"
        await cinder.get(path, {"vol_type_id": kind["id"]})


async def qos_association(stage: Stage) -> None:
    """Volume types get QoS specs and others instead, for which the old ones make way."""
    association = QoSAssociation()
    async with (
        volume_type(stage, "recorded-association-1") as first,
        volume_type(stage, "recorded-association-2") as second,
        lived(stage, Life(QoSSpecs(), {"specs": {"a": "1"}}), "one") as one,
        lived(stage, Life(QoSSpecs(), {"specs": {"a": "2"}}), "two") as two,
    ):
        given = {"qos_specs": one.physical_id, "volume_types": [first["id"]]}
        changes = ({"volume_types": [first["id"], second["id"]]}, {"volume_types": [second["id"]]})
        async with lived(stage, Life(association, given, changes)) as old:
            new = {"qos_specs": two.physical_id, "volume_types": [second["id"]]}
            assert association.gives_up(old.properties, new)
            await association.prepare_replacement(old, new)
            await live(stage, Life(association, new), "r2")
            await association.restore(old)
            assert (await association.live_properties(old))["volume_types"] == [second["id"]]


async def volume_quota(stage: Stage) -> None:
    """Quotas of a project are set, changed and given back."""
    life = Life(
        Quota(),
        {"project": "alt", "volumes": 1000},
        changes=(
            {"volumes": 1001, "backups": 11, "backup_gigabytes": 1002},
            {"gigabytes": 2000, "snapshots": 500, "backups": None},
        ),
        unread=frozenset(("project",)),
    )
    await live(stage, life)
    cinder = stage.cloud.service("block-storage")
    project = await stage.cloud.names.id_of(PROJECT, "alt")
    quotas = (await cinder.get(f"/os-quota-sets/{project}"))["quota_set"]
    assert (quotas["volumes"], quotas["backups"]) == (-1, 10)


def attached(stage: Stage, pair: Mapping[str, Any]) -> Resource:
    """An attachment that another resource made."""
    found = stage.resource(VolumeAttachment().convert(pair), "other")
    found.physical_id = pair["volume_id"]
    return found


@asynccontextmanager
async def server(stage: Stage, name: str) -> AsyncIterator[str]:
    """A server without networks, made by plain calls."""
    nova = stage.cloud.service("compute")
    flavor = await stage.cloud.names.id_of(FLAVOR, "m1.tiny")
    image = await stage.cloud.names.id_of(IMAGE, "cirros")
    body = {"name": name, "flavorRef": flavor, "imageRef": image, "networks": "none"}
    made = (await nova.post("/servers", {"server": body}))["server"]["id"]
    try:
        await status(stage, made, "ACTIVE")
        yield made
    finally:
        await nova.delete(f"/servers/{made}")
        with suppress(NotFound):
            await status(stage, made, "DELETED")


async def status(stage: Stage, server_id: str, wanted: str) -> None:
    """Wait until a server is in a status."""
    nova = stage.cloud.service("compute")
    for _ in range(_MOST_POLLS):
        found = (await nova.get(f"/servers/{server_id}"))["server"]["status"]
        if found == wanted:
            return
        assert found != "ERROR"
        await stage.cloud.clock.sleep(0.5)
    raise AssertionError(f"the server {server_id} does not become {wanted}")


@asynccontextmanager
async def volume_type(stage: Stage, name: str, **more: Any) -> AsyncIterator[dict[str, Any]]:
    """A volume type, made by plain calls."""
    cinder = stage.cloud.service("block-storage")
    made = (await cinder.post("/types", {"volume_type": {"name": name, **more}}))["volume_type"]
    try:
        yield made
    finally:
        await cinder.delete(f"/types/{made['id']}")


STORIES: Final[Mapping[str, Recorded]] = {
    "volume": Recorded(volume, "admin"),
    "impossible_volume": Recorded(impossible_volume),
    "volume_attachment": Recorded(volume_attachment),
    "shared_volume": Recorded(shared_volume, "admin"),
    "suspended_attachment": Recorded(suspended_attachment),
    "volume_type": Recorded(volume_type_life, "admin"),
    "encrypted_volume_type": Recorded(encrypted_volume_type, "admin"),
    "qos_specs": Recorded(qos_specs, "admin"),
    "qos_association": Recorded(qos_association, "admin"),
    "volume_quota": Recorded(volume_quota, "admin"),
}
