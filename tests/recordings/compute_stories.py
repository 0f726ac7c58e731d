"""Stories of the types of the compute service."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

import pytest

from hotplate.cloud import NotFound
from hotplate.cloud.names import IMAGE
from hotplate.model import Action
from hotplate.resources.openstack.nova.server import Server
from hotplate.resources.resource_type import Done, Gone, Resource, ResourceFailed, Wait
from tests.recordings.life import Life, live
from tests.recordings.stage import Recorded, Stage

SMALL: Final = {"image": "cirros", "flavor": "m1.tiny"}
ON_PRIVATE: Final = {**SMALL, "networks": [{"network": "private"}], "user_data_format": "RAW"}
UNREAD: Final = frozenset(("image", "user_data_format"))


@asynccontextmanager
async def subnet_of(stage: Stage, cidr: str = "10.99.0.0/24") -> AsyncIterator[dict[str, str]]:
    """Have a network with a subnet; return their ids."""
    neutron = stage.cloud.service("network")
    named = {"name": f"story-{stage.story}"}
    network = (await neutron.post("/networks", {"network": named}))["network"]["id"]
    try:
        body = {**named, "network_id": network, "cidr": cidr, "ip_version": 4}
        subnet = (await neutron.post("/subnets", {"subnet": body}))["subnet"]["id"]
        yield {"network": network, "subnet": subnet}
    finally:
        await neutron.delete(f"/networks/{network}")


async def server(stage: Stage) -> None:
    """A server on the network that there is, with what can be changed at once."""
    life = Life(
        Server(),
        {
            **SMALL,
            "name": "recorded",
            "tags": ["one"],
            "metadata": {"role": "web", "size": "3"},
            "user_data_format": "RAW",
        },
        changes=(
            {"name": "renamed", "tags": ["two", "three"]},
            {"metadata": {"role": "db"}},
            {"name": None, "tags": None, "metadata": None},
        ),
        unread=UNREAD,
        attributes=frozenset(("addresses", "networks", "first_address", "name", "tags")),
    )
    await live(stage, life)


@asynccontextmanager
async def port_on(stage: Stage, network: str, name: str) -> AsyncIterator[str]:
    """Have a port that somebody else made; return its id."""
    neutron = stage.cloud.service("network")
    body = {"name": f"story-{stage.story}-{name}", "network_id": network}
    port = (await neutron.post("/ports", {"port": body}))["port"]["id"]
    try:
        yield port
    finally:
        await neutron.delete(f"/ports/{port}")


async def server_networks(stage: Stage) -> None:
    """Interfaces of all sorts, and from each sort to others."""
    async with subnet_of(stage) as made, port_on(stage, made["network"], "given") as port:
        fixed = {"subnet": made["subnet"], "fixed_ip": "10.99.0.50"}
        pairs = [{"ip_address": "10.99.0.0/28"}]
        extra = {"port_extra_properties": {"allowed_address_pairs": pairs}}
        life = Life(
            Server(),
            {
                **SMALL,
                "networks": [
                    {"port": port},
                    fixed,
                    {"network": made["network"], **extra},
                    {"network": "private"},
                ],
                "user_data_format": "RAW",
            },
            changes=(
                # One goes, one comes, one gets another port, one stays.
                {
                    "networks": [
                        {**fixed, "fixed_ip": "10.99.0.51"},
                        {"network": made["network"], "port_extra_properties": {}},
                        {"network": "private"},
                        {"network": made["network"], "fixed_ip": "10.99.0.60"},
                    ]
                },
                {"networks": [{"port": port}]},
                {"networks": [{"allocate_network": "none"}]},
                {"networks": [{"network": made["network"], "tag": "inner"}]},
            ),
            unread=UNREAD,
            attributes=frozenset(("addresses", "networks", "first_address")),
        )
        await live(stage, life)
        neutron = stage.cloud.service("network")
        left = await neutron.list_all("/ports", "ports", {"network_id": made["network"]})
        assert [each["id"] for each in left] == [port], "ports are left behind"


async def server_changes(stage: Stage) -> None:
    """A server is resized, rebuilt and given a password, each to its end."""
    life = Life(
        Server(),
        {
            **ON_PRIVATE,
            "admin_pass": "one",
            "user_data": "#!/bin/sh",
            "user_data_format": "HEAT_CFNTOOLS",
        },
        changes=(
            {"flavor": "m1.small", "flavor_update_policy": "RESIZE"},
            {"user_data": "#!/bin/bash", "user_data_update_policy": "REBUILD"},
            {"admin_pass": "two"},
            {"user_data": "#!/bin/ash", "user_data_update_policy": "IGNORE"},
            {"image_update_policy": "REPLACE", "software_config_transport": "POLL_TEMP_URL"},
            {"deployment_swift_data": {"container": "c"}},
        ),
        unread=UNREAD
        | {"admin_pass", "user_data", "software_config_transport", "deployment_swift_data"}
        | {"flavor_update_policy", "user_data_update_policy", "image_update_policy"},
    )
    await live(stage, life)


async def server_rest(stage: Stage) -> None:
    """A server is put to rest and woken up, kept in an image, and restored from it."""
    kind, images = Server(), stage.cloud.service("image")
    resource = stage.resource(kind.convert(ON_PRIVATE))
    await stage.act(kind, Action.CREATE, resource)
    try:
        for _ in range(2):  # as often as a worker dies
            await stage.act(kind, Action.SUSPEND, replace(resource, cookie=None))
        with pytest.raises(ResourceFailed, match="is in status SUSPENDED"):
            await stage.act(kind, Action.CHECK, replace(resource, cookie=None))
        for _ in range(2):
            await stage.act(kind, Action.RESUME, replace(resource, cookie=None))
        begun = await kind.snapshot(resource)
        assert isinstance(begun, Wait)
        image = begun.cookie["asked"]
        await _uploaded(stage, image)
        resource.cookie = begun.cookie
        kept = await stage.act(kind, Action.SNAPSHOT, resource)
        assert kept.data is not None
        assert kept.data["snapshot_image_id"] == image
        try:
            wanted = kind.restored(resource.properties, kept.data)
            resource = await stage.update(kind, resource, wanted)
            assert (await kind.live_properties(resource))["image"] == image
        finally:
            for _ in range(2):
                await kind.remove_snapshot(stage, kept.data)
            with pytest.raises(NotFound):
                await images.get(f"/images/{image}")
    finally:
        await stage.act(kind, Action.DELETE, replace(resource, cookie=None))


async def _uploaded(stage: Stage, image: str) -> None:
    """Do what a hypervisor does with the image of a snapshot; that of the test cloud does not."""
    images, path = stage.cloud.service("image"), f"/images/{image}"
    fields = {"disk_format": "raw", "container_format": "bare"}
    patch = [{"op": "replace", "path": f"/{key}", "value": fields[key]} for key in fields]
    form = "application/openstack-images-v2.1-json-patch"
    await images.patch(path, patch, content_type=form)
    headers = {"Content-Type": "application/octet-stream"}
    await images.call("PUT", f"{path}/file", b"0", headers=headers)


async def server_failures(stage: Stage) -> None:
    """What Nova says of a server that fits nowhere reaches the user."""
    nova, kind = stage.cloud.service("compute"), Server()
    size = {"name": f"story-{stage.story}", "ram": 999999999, "vcpus": 1, "disk": 1}
    flavor = (await nova.post("/flavors", {"flavor": size}))["flavor"]["id"]
    small = stage.resource(kind.convert(ON_PRIVATE), "small")
    huge = stage.resource(kind.convert({**ON_PRIVATE, "flavor": flavor}), "huge")
    try:
        with pytest.raises(ResourceFailed, match="No valid host") as failed:
            await stage.act(kind, Action.CREATE, huge)
        assert f"(flavor {flavor}, image cirros)" in str(failed.value)
        await stage.act(kind, Action.CREATE, small)
        with pytest.raises(ResourceFailed, match=r"resize of the server .* failed: No valid host"):
            await stage.update(kind, small, kind.convert({**ON_PRIVATE, "flavor": flavor}))
        await stage.act(kind, Action.CHECK, replace(small, cookie=None))
    finally:
        for each in (huge, small):
            await stage.act(kind, Action.DELETE, replace(each, cookie=None))
        await nova.delete(f"/flavors/{flavor}")


@asynccontextmanager
async def volume(stage: Stage, **fields: Any) -> AsyncIterator[str]:
    """Have a volume; return its id."""
    cinder = stage.cloud.service("block-storage")
    body = {"name": f"story-{stage.story}", "size": 1, **fields}
    made = (await cinder.post("/volumes", {"volume": body}))["volume"]["id"]
    try:
        await _available(stage, made)
        yield made
    finally:
        await _available(stage, made)
        await cinder.delete(f"/volumes/{made}")


async def _available(stage: Stage, volume_id: str) -> None:
    for _ in range(60):
        path = f"/volumes/{volume_id}"
        found = (await stage.cloud.service("block-storage").get(path))["volume"]
        if found["status"] == "available":
            return
        await stage.cloud.clock.sleep(2)
    raise AssertionError(f"the volume stays {found['status']}")


async def prepared(
    stage: Stage, kind: Server, resource: Resource, new: Mapping[str, Any]
) -> Done | Gone:
    """Let a server give up what its replacement needs, as the engine does."""
    resource = replace(resource, cookie=None)
    assert kind.gives_up(resource.properties, new)
    for _ in range(100):
        result = await kind.prepare_replacement(resource, new)
        if not isinstance(result, Wait):
            return result
        resource.cookie, resource.data = result.cookie, result.data or resource.data
        await stage.cloud.clock.sleep(result.seconds or 0)
    raise AssertionError("it does not end")


async def restored(stage: Stage, kind: Server, resource: Resource) -> None:
    """Bring a server back, as the engine does."""
    resource.cookie = None
    for _ in range(100):
        result = await kind.restore(resource)
        resource.physical_id = result.physical_id or resource.physical_id
        if isinstance(result, Done):
            resource.cookie = None
            return
        resource.cookie = result.cookie
        await stage.cloud.clock.sleep(result.seconds or 0)
    raise AssertionError("it does not end")


async def server_replacement(stage: Stage) -> None:
    """A server gives its port, addresses and disk to its replacement and gets them back."""
    kind = Server()
    async with (
        subnet_of(stage) as made,
        port_on(stage, made["network"], "given") as port,
        volume(stage) as disk,
    ):
        networks = [
            {"port": port},
            {"subnet": made["subnet"], "fixed_ip": "10.99.0.70"},
            {"network": made["network"], "fixed_ip": "10.99.0.71"},
            {"network": "private"},
        ]
        disks = [{"volume_id": disk, "boot_index": -1}]
        given = {**ON_PRIVATE, "networks": networks, "block_device_mapping_v2": disks}
        old = stage.resource(kind.convert(given), "old")
        new = stage.resource(kind.convert({**given, "config_drive": True}), "new")
        try:
            await stage.act(kind, Action.CREATE, old)
            for _ in range(2):  # as often as a worker dies
                assert isinstance(await prepared(stage, kind, old, new.properties), Done)
            await stage.act(kind, Action.CREATE, new)
            assert isinstance(await prepared(stage, kind, new, old.properties), Done)
            await restored(stage, kind, old)
            await restored(stage, kind, old)
            shown: Any = await kind.read_attributes(old, ("networks",))
            assert {"10.99.0.70", "10.99.0.71"} <= set(shown["networks"][made["network"]])
        finally:
            for each in (new, old):
                await stage.act(kind, Action.DELETE, replace(each, cookie=None))


async def server_from_volume(stage: Stage) -> None:
    """A server goes before another boots from its volume, and comes back."""
    kind = Server()
    image = await stage.cloud.names.id_of(IMAGE, "cirros")
    async with volume(stage, imageRef=image) as disk:
        given = {
            **ON_PRIVATE,
            "image": None,
            "flavor": "m1.nano",
            "block_device_mapping_v2": [{"volume_id": disk}],
        }
        old = stage.resource(kind.convert(given), "old")
        new = kind.convert({**given, "config_drive": True})
        try:
            await stage.act(kind, Action.CREATE, old)
            await stage.act(kind, Action.CHECK, replace(old, cookie=None))
            first = old.physical_id
            assert isinstance(await prepared(stage, kind, old, new), Gone)
            old.physical_id = None
            await restored(stage, kind, old)
            assert old.physical_id not in (None, first)
        finally:
            await stage.act(kind, Action.DELETE, replace(old, cookie=None))


STORIES: Final[Mapping[str, Recorded]] = {
    "server": Recorded(server),
    "server_networks": Recorded(server_networks),
    "server_changes": Recorded(server_changes),
    "server_rest": Recorded(server_rest),
    "server_replacement": Recorded(server_replacement),
    "server_from_volume": Recorded(server_from_volume),
    "server_failures": Recorded(server_failures, "admin"),
}
