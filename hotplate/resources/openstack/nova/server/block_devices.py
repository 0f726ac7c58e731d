"""The disks of a server, as its template has them and as Nova is asked for them. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

Device = Mapping[str, Any]

_SOURCES: Final = (
    *("volume_id", "snapshot_id", "image", "swap_size", "ephemeral_size", "ephemeral_format"),
)
_PASSED_ON: Final = (
    *("boot_index", "delete_on_termination", "device_name", "device_type", "disk_bus"),
    *("volume_size", "volume_type"),
)


def older_mapping(devices: Sequence[Device] | None) -> list[dict[str, Any]]:
    """Return the devices of block_device_mapping as Nova takes them."""
    return [
        {key: value for key, value in device.items() if value is not None}
        for device in devices or ()
    ]


def mapping(devices: Sequence[Device] | None, image: str | None) -> list[dict[str, Any]]:
    """Return the devices of block_device_mapping_v2 as Nova takes them.

    Nova boots from the device with the index 0, so an image comes first as one of them.
    """
    if not devices:
        return []
    made = [_device(each) for each in devices]
    if not image:
        return made
    boots = {
        "uuid": image,
        "source_type": "image",
        "destination_type": "local",
        "boot_index": 0,
        "delete_on_termination": True,
    }
    return [boots, *made]


def fault(properties: Mapping[str, Any], name: str) -> str:
    """Return what is wrong with the disks of a server taken together; else nothing."""
    older, devices = properties["block_device_mapping"], properties["block_device_mapping_v2"]
    if older and devices:
        return (
            "Cannot define the following properties at the same time: "
            "block_device_mapping, block_device_mapping_v2"
        )
    for found in (*_older_faults(older or ()), *_faults(devices or ())):
        return found
    bootable = [each for each in devices or () if _boots(each)]
    bootable += [each for each in older or () if _is_root(each)]
    if not properties["image"] and not bootable:
        return f"Neither image nor bootable volume is specified for instance {name}"
    if len(bootable) + bool(properties["image"]) > 1 and devices:
        return f"Multiple bootable sources for instance {name}."
    return ""


def volumes(properties: Mapping[str, Any]) -> dict[str, bool]:
    """Return the ids of the volumes that a server is given, and whether it boots from them."""
    older = properties.get("block_device_mapping") or ()
    devices = properties.get("block_device_mapping_v2") or ()
    found = {each["volume_id"]: _is_root(each) for each in older if each.get("volume_id")}
    return found | {each["volume_id"]: _boots(each) for each in devices if each.get("volume_id")}


def doomed_volumes(properties: Mapping[str, Any]) -> set[str]:
    """Return the ids of the volumes that are deleted with the server."""
    devices = (
        *(properties.get("block_device_mapping") or ()),
        *(properties.get("block_device_mapping_v2") or ()),
    )
    return {
        each["volume_id"]
        for each in devices
        if each.get("volume_id") and each.get("delete_on_termination")
    }


def _device(given: Device) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if given.get("swap_size"):
        made = {**_BLANK, "guest_format": "swap", "volume_size": given["swap_size"]}
    elif given.get("ephemeral_size") or given.get("ephemeral_format"):
        made = {**_BLANK, "guest_format": given.get("ephemeral_format")}
        made["volume_size"] = given.get("ephemeral_size")
    else:
        source = next(key for key in _KINDS if given.get(key))
        made = {**_VOLUME, "source_type": _KINDS[source], "uuid": given[source]}
    made |= {key: given[key] for key in _PASSED_ON if given.get(key) is not None}
    return {key: value for key, value in made.items() if value is not None}


_BLANK: Final[Mapping[str, Any]] = {
    "source_type": "blank",
    "destination_type": "local",
    "boot_index": -1,
    "delete_on_termination": True,
}
_VOLUME: Final[Mapping[str, Any]] = {
    "destination_type": "volume",
    "boot_index": 0,
    "delete_on_termination": False,
}
_KINDS: Final = {"volume_id": "volume", "snapshot_id": "snapshot", "image": "image"}


def _boots(device: Device) -> bool:
    if not any(device.get(key) for key in _KINDS):
        return False
    return (device.get("boot_index") or 0) == 0


def _is_root(device: Device) -> bool:
    return bool(device["device_name"].removeprefix("/dev/") == "vda")


def _older_faults(devices: Sequence[Device]) -> Iterator[str]:
    for each in devices:
        if each["volume_id"] and each["snapshot_id"]:
            yield (
                "Cannot define the following properties at the same time: volume_id, snapshot_id"
            )
        if not each["volume_id"] and not each["snapshot_id"]:
            yield (
                f"Either volume_id or snapshot_id must be specified for device mapping "
                f"{each['device_name']}"
            )


def _faults(devices: Sequence[Device]) -> Iterator[str]:
    for place, each in enumerate(devices):
        given = [key for key in _SOURCES if each.get(key) is not None]
        if set(given) == {"ephemeral_size", "ephemeral_format"}:
            given = ["ephemeral_size"]
        if len(given) > 1:
            yield ("Cannot define the following properties at the same time: " + ", ".join(given))
        if not given:
            yield (
                f"block_device_mapping_v2.{place} has no source: give one of volume_id, "
                "snapshot_id, image, swap_size, ephemeral_size"
            )
