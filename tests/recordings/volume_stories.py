"""Stories of the types of the block storage service."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest

from hotplate.model import Action
from hotplate.resources.openstack.cinder.volume import Volume
from hotplate.resources.resource_type import ResourceFailed
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
                {"size": None, "backup_id": None},
            ),
            replacing={"availability_zone": "nova"},
            attributes=frozenset(("attachments_list", "size", "status", "volume_type")),
        )
        await live(stage, life)
    async with lived(stage, Life(Volume(), {"size": 1}), "plain") as source:
        copy = Life(Volume(), {"source_volid": source.physical_id})
        await live(stage, copy, "copy")
        bootable = {"size": 1, "image": "cirros"}
        await live(stage, Life(Volume(), bootable, unread=frozenset(("image",))), "bootable")
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
}
