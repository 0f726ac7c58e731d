"""What a server gives up for its replacement: ports, addresses, volumes that only one can have."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hotplate.cloud import NotFound
from hotplate.cloud.names import is_uuid
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.nova.server.block_devices import doomed_volumes, volumes
from hotplate.resources.openstack.nova.server.changes import Doing
from hotplate.resources.openstack.nova.server.interfaces import (
    change_interfaces,
    detaching,
    live_interfaces,
    planned,
)
from hotplate.resources.openstack.nova.server.networks import Entry, Interface, entries
from hotplate.resources.openstack.nova.server.own_ports import delete_own_ports


@dataclass(frozen=True, slots=True)
class Needed:
    """What a new server asks for that the old one may have."""

    ports: frozenset[str] = frozenset()
    addresses: frozenset[str] = frozenset()
    macs: frozenset[str] = frozenset()
    volumes: frozenset[str] = frozenset()

    def takes(self, interface: Interface) -> bool:
        """Tell whether an interface has something of it."""
        return (
            interface.port in self.ports
            or bool(interface.addresses & self.addresses)
            or interface.mac.lower() in self.macs
        )


def needed_by(new: Mapping[str, Any]) -> Needed:
    """Return what a server with these properties asks for. Pure."""
    listed = entries(new)
    return Needed(
        frozenset(each.port for each in listed if each.port),
        frozenset(each.fixed_ip for each in listed if each.fixed_ip),
        frozenset(_macs(listed)),
        frozenset(volumes(new)),
    )


def in_common(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what both ask for and only one can have, for people. Pure.

    Ports that have a name in one of them are taken for the same: nobody can be asked here.
    """
    had, wanted = needed_by(old), needed_by(new)
    found = []
    same = had.ports & wanted.ports
    are_ids = all(is_uuid(each) for each in had.ports | wanted.ports)
    if same or (had.ports and wanted.ports and not are_ids):
        found.append(f"ports {', '.join(sorted(same))}" if same else "its ports")
    if both := had.addresses & wanted.addresses:
        found.append(f"addresses {', '.join(sorted(both))}")
    if both := had.macs & wanted.macs:
        found.append(f"MAC addresses {', '.join(sorted(both))}")
    if both := (had.volumes & wanted.volumes) - doomed_volumes(old):
        found.append(f"volumes {', '.join(sorted(both))}")
    return tuple(found)


def must_go(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Tell whether the old server must be deleted first: nobody detaches what it boots from. Pure.

    Its disk is the volume, so nothing is lost. Not if the volume would be deleted with it.
    """
    root = {volume for volume, boots in volumes(old).items() if boots}
    return bool((root & set(volumes(new))) - doomed_volumes(old))


async def give_up(it: CloudResource, new: Mapping[str, Any], doing: Doing) -> Doing | None:
    """Go on with detaching what the new server needs; return None once all of it is detached."""
    needed = needed_by(new)
    live = await live_interfaces(it)
    ports = [each.port for each in live if needed.takes(each)]
    attached = needed.volumes & set(await _attached_volumes(it)) - doomed_volumes(it.properties)
    if going := [
        each for each in doing.what.split() if each.rpartition("/")[2] in {*ports, *attached}
    ]:
        return await detaching(it, doing, going)
    if ports or attached:
        return planned(doing, ports, sorted(attached))
    await delete_own_ports(it, besides=[each.port for each in live])
    return None


async def take_back(it: CloudResource, doing: Doing) -> Doing | None:
    """Go on with attaching what was given up; return None once all of it is attached."""
    following = await change_interfaces(it, doing)
    if following is not None:
        return following
    for volume in sorted(set(volumes(it.properties)) - set(await _attached_volumes(it))):
        body = {"volumeAttachment": {"volumeId": volume}}
        await it.service.post(f"/servers/{it.quoted_id}/os-volume_attachments", body)
    return None


async def _attached_volumes(it: CloudResource) -> list[str]:
    path = f"/servers/{it.quoted_id}/os-volume_attachments"
    try:
        return [
            str(each["volumeId"]) for each in await it.service.list_all(path, "volumeAttachments")
        ]
    except NotFound:
        return []


def _macs(listed: Iterable[Entry]) -> Iterable[str]:
    for each in listed:
        if mac := (each.extra or {}).get("mac_address"):
            yield str(mac).lower()
