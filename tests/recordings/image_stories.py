"""Stories of the types of the image service."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final
from uuid import UUID, uuid5

import pytest

from hotplate.cloud.names import IMAGE, PROJECT
from hotplate.model import Action
from hotplate.resources.openstack.glance.web_image import WebImage
from hotplate.resources.resource_type import ResourceFailed
from tests.recordings.life import Life, live
from tests.recordings.stage import Recorded, Stage

_SMALL: Final = "http://127.0.0.1:18080/info"
"""What Swift says of itself: a small file at a port that the test cloud's Glance reads from."""

_FORMATS: Final = {"container_format": "bare", "disk_format": "raw"}


async def fresh(stage: Stage) -> str:
    """Return what no play on this cloud has had: Glance takes an id once, also if it is deleted."""
    glance = stage.cloud.service("image")
    made = await glance.post("/images", {"name": "recorded-fresh"})
    await glance.delete(f"/images/{made['id']}")
    return str(made["id"])


async def web_image(stage: Stage) -> None:
    """An image is downloaded, described, shared, put out of use and back."""
    new = await fresh(stage)
    kernel = await stage.cloud.names.id_of(IMAGE, "cirros")
    project = await stage.cloud.names.id_of(PROJECT, "alt")
    life = Life(
        WebImage(),
        {"name": "recorded", "location": _SMALL, **_FORMATS, "extra_properties": {"a": "b"}},
        changes=(
            {"architecture": "x86_64", "os_distro": "debian", "os_version": "13"},
            {"kernel_id": kernel, "ramdisk_id": kernel, "tags": ["one", "two"]},
            {"architecture": None, "os_distro": None, "extra_properties": {"c": "d"}},
            {"visibility": "shared", "members": [project]},
            {"active": False, "protected": True},
            {"active": True, "protected": False, "tags": None, "extra_properties": None},
            {"visibility": "private", "members": None, "owner": None},
        ),
        replacing={"name": "other", "min_ram": 1},
        unread=frozenset(("location",)),
    )
    await live(stage, life, new)
    chosen = {"id": str(uuid5(UUID(new), "chosen")), "active": False}
    plain = Life(WebImage(), {"location": _SMALL, **_FORMATS, **chosen}, unread=life.unread)
    await live(stage, plain, f"plain-{new}")


async def failed_image(stage: Stage) -> None:
    """A download that fails ends with the words of Glance, and so does one that is refused."""
    kind = WebImage()
    given = {"location": f"{_SMALL}/nothing", **_FORMATS}
    new = await fresh(stage)
    resource = stage.resource(kind.convert(given), new)
    with pytest.raises(ResourceFailed, match=r"could not be downloaded from .*: Task failed"):
        await stage.act(kind, Action.CREATE, resource)
    with pytest.raises(ResourceFailed, match="could not be downloaded"):
        await stage.act(kind, Action.CHECK, replace(resource, cookie=None))
    await stage.act(kind, Action.DELETE, replace(resource, cookie=None))
    elsewhere = {**given, "location": "http://127.0.0.1:9/x"}
    refused = stage.resource(kind.convert(elsewhere), f"refused-{new}")
    with pytest.raises(ResourceFailed, match="URI for web-download does not pass filtering"):
        await stage.act(kind, Action.CREATE, refused)
    await stage.act(kind, Action.DELETE, replace(refused, cookie=None))


STORIES: Final[Mapping[str, Recorded]] = {
    "web_image": Recorded(web_image, "admin"),
    "failed_image": Recorded(failed_image),
}
