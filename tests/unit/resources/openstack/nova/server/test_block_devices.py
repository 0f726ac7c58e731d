"""The disks of a server."""

from typing import Any

import pytest

from hotplate.resources.openstack.nova.server import Server
from hotplate.resources.openstack.nova.server.block_devices import fault, mapping, volumes

TWICE = "Cannot define the following properties at the same time: "


def properties(**given: Any) -> dict[str, Any]:
    return Server().convert({"flavor": "f", **given})


def devices(*given: dict[str, Any], image: str = "") -> list[dict[str, Any]]:
    return mapping(
        properties(block_device_mapping_v2=list(given))["block_device_mapping_v2"], image
    )


def test_each_source_has_its_form() -> None:
    assert devices(
        {"volume_id": "v"},
        {"snapshot_id": "s", "boot_index": 1, "volume_type": "fast"},
        {"image_id": "i", "boot_index": 2, "volume_size": 5, "delete_on_termination": True},
        {"swap_size": 512},
        {"ephemeral_size": 1, "ephemeral_format": "ext4"},
    ) == [
        {
            "source_type": "volume", "uuid": "v", "destination_type": "volume",
            "boot_index": 0, "delete_on_termination": False,
        },
        {
            "source_type": "snapshot", "uuid": "s", "destination_type": "volume",
            "boot_index": 1, "delete_on_termination": False, "volume_type": "fast",
        },
        {
            "source_type": "image", "uuid": "i", "destination_type": "volume",
            "boot_index": 2, "delete_on_termination": True, "volume_size": 5,
        },
        {
            "source_type": "blank", "destination_type": "local", "guest_format": "swap",
            "boot_index": -1, "delete_on_termination": True, "volume_size": 512,
        },
        {
            "source_type": "blank", "destination_type": "local", "guest_format": "ext4",
            "boot_index": -1, "delete_on_termination": True, "volume_size": 1,
        },
    ]  # fmt: skip


def test_the_image_is_the_first_device() -> None:
    found = devices({"volume_id": "v", "boot_index": 1}, image="i")
    assert [(each["source_type"], each["boot_index"]) for each in found] == [
        ("image", 0),
        ("volume", 1),
    ]
    assert mapping(None, "i") == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"image": "i"}, ""),
        ({}, "Neither image nor bootable volume is specified for instance web"),
        ({"block_device_mapping_v2": [{"volume_id": "v"}]}, ""),
        (
            {"block_device_mapping_v2": [{"volume_id": "v", "boot_index": 1}]},
            "Neither image nor bootable volume is specified for instance web",
        ),
        (
            {"image": "i", "block_device_mapping_v2": [{"volume_id": "v"}]},
            "Multiple bootable sources for instance web.",
        ),
        ({"image": "i", "block_device_mapping_v2": [{"volume_id": "v", "boot_index": -1}]}, ""),
        (
            {"block_device_mapping_v2": [{"volume_id": "v", "image": "i"}]},
            TWICE + "volume_id, image",
        ),
        ({"block_device_mapping": [{"device_name": "vda", "volume_id": "v"}]}, ""),
        (
            {"block_device_mapping": [{"device_name": "vdb", "volume_id": "v"}]},
            "Neither image nor bootable volume is specified for instance web",
        ),
        (
            {"block_device_mapping": [{"device_name": "vda"}]},
            "Either volume_id or snapshot_id must be specified for device mapping vda",
        ),
        (
            {
                "block_device_mapping": [{"device_name": "vda", "volume_id": "v"}],
                "block_device_mapping_v2": [{"volume_id": "v"}],
            },
            TWICE + "block_device_mapping, block_device_mapping_v2",
        ),
    ],
)
def test_what_boots_is_clear(given: dict[str, Any], expected: str) -> None:
    assert fault(properties(**given), "web") == expected


def test_a_device_without_a_source_is_told() -> None:
    found = fault(properties(image="i", block_device_mapping_v2=[{"boot_index": 1}]), "")
    assert found.startswith("block_device_mapping_v2.0 has no source")


def test_volumes_of_the_template_and_whether_it_boots_from_them() -> None:
    given = properties(
        block_device_mapping_v2=[{"volume_id": "a"}, {"volume_id": "b", "boot_index": -1}]
    )
    assert volumes(given) == {"a": True, "b": False}
    older = properties(block_device_mapping=[{"device_name": "vda", "volume_id": "c"}])
    assert volumes(older) == {"c": True}
