"""The interfaces of a server: what is asked of Nova for a new one, and how they change."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from hotplate.cloud import NotFound
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.nova.server.changes import Doing, why
from hotplate.resources.openstack.nova.server.networks import (
    Allocation,
    Changes,
    Entry,
    Interface,
    allocation,
    changes,
    entries,
    unlisted,
)
from hotplate.resources.openstack.nova.server.own_ports import (
    change_port,
    delete_own_ports,
    may_have_own_ports,
    own_ports,
    port_for,
)
from hotplate.resources.resource_type import ResourceFailed

_USUAL_CHECKS: Final = 3
"""So often nobody asks why something is not detached yet."""

_MOST_CHECKS: Final = 60
"""How often it is looked whether something is detached."""


async def requested_networks(it: CloudResource) -> str | list[dict[str, str]]:
    """Return what Nova is asked for with a new server; makes the ports that Nova could not.

    May be called again after a crash: the ports that are there are taken.
    """
    how = allocation(it.properties)
    if how is not Allocation.LISTED:
        return how.value
    wanted = entries(it.properties)
    present = await own_ports(it) if any(each.needs_own_port for each in wanted) else []
    asked: list[dict[str, str]] = []
    for entry in wanted:
        port = entry.port
        if entry.needs_own_port:
            port = await port_for(it, entry, present)
            present = [each for each in present if each["id"] != port]
        if port and entry.floating_ip:
            await associate(it, entry, port)
        nic = {"port": port} if port else {"uuid": entry.network, "fixed_ip": entry.fixed_ip}
        asked.append({key: value for key, value in {**nic, "tag": entry.tag}.items() if value})
    return asked


async def live_interfaces(it: CloudResource) -> list[Interface]:
    """Return the interfaces that a server has."""
    own = [port["id"] for port in await own_ports(it)] if may_have_own_ports(it) else []
    answer = await it.service.get(f"/servers/{it.quoted_id}/os-interface")
    return [Interface.reported(each, own) for each in answer["interfaceAttachments"]]


async def live_networks(it: CloudResource, written: Sequence[Any]) -> list[Any]:
    """Return the entries of networks that the server has, and what it has besides.

    ``written`` are the entries as the template has them; ``it`` has ids in them. All of them if
    Nova chose: what it has then is as good as anything else.
    """
    if allocation(it.properties) is Allocation.AUTO:
        return list(written)
    wanted, live = entries(it.properties), await live_interfaces(it)
    if not wanted and not live:
        return list(written)
    there = {entry.index for entry, _ in changes(wanted, wanted, live).kept}
    present = [each for index, each in enumerate(written) if index in there]
    return [*present, *unlisted(wanted, live)]


async def change_interfaces(it: CloudResource, doing: Doing) -> Doing | None:
    """Go on with bringing the interfaces to what is wanted now; return None once they are there."""
    live = await live_interfaces(it)
    attached = {interface.port for interface in live}
    if going := [each for each in doing.what.split() if each.rpartition("/")[2] in attached]:
        if not doing.asked:
            await _release_floating_ips(it, {each.rpartition("/")[2] for each in going})
        return await detaching(it, doing, going)
    needed = await _wanted_changes(it, live, has_detached=bool(doing.what))
    if needed.surplus:
        return planned(doing, ports=[each.port for each in needed.surplus])
    await delete_own_ports(it, besides=attached)
    for entry, interface in needed.kept:
        await _adapt(it, entry, interface)
    for entry in needed.missing:
        await attach(it, entry)
    if allocation(it.properties) is Allocation.AUTO and not live:
        await attach(it, Entry(0, network=await _only_network(it)))
    return None


def planned(doing: Doing, ports: Sequence[str], volumes: Sequence[str] = ()) -> Doing:
    """Return that ports and volumes are going to be detached.

    That is recorded before it is done: once one of them is gone, nobody can tell any more by what
    is left which ones were meant.
    """
    below = [f"os-interface/{port}" for port in ports]
    below += [f"os-volume_attachments/{volume}" for volume in volumes]
    return replace(doing.again(), asked="", what=" ".join(below))


async def detaching(it: CloudResource, doing: Doing, left: Sequence[str]) -> Doing:
    """Ask Nova to detach what is still attached of that which was planned, or see why it is not.

    Nova leaves what it cannot detach as it was, and says why only to who asks for its action.
    """
    if not doing.asked:
        requests = [await _detach(it, each) for each in left]
        return replace(doing.again(), asked=" ".join(filter(None, requests)) or "unknown")
    for request in doing.asked.split() if doing.checks > _USUAL_CHECKS else ():
        if words := await why(it, request, "detaching from"):
            raise ResourceFailed(words)
    if doing.checks >= _MOST_CHECKS:
        names = ", ".join(each.rpartition("/")[2] for each in left)
        raise ResourceFailed(f"Nova does not detach {names} from the server {it.id}")
    return doing.again()


async def _detach(it: CloudResource, below: str) -> str:
    """Return the id of the request; nothing if it is detached, or being detached, already."""
    try:
        return (await it.service.call("DELETE", f"/servers/{it.quoted_id}/{below}")).request_id
    except NotFound:
        return ""


async def attach(it: CloudResource, entry: Entry) -> None:
    """Give the server an interface."""
    port = entry.port
    # Nova gives the port that it makes for a running server the default group only.
    if entry.needs_own_port or (not port and it.properties.get("security_groups")):
        port = await port_for(it, entry, ())
    if port and entry.floating_ip:
        await associate(it, entry, port)
    asked: dict[str, Any] = {"port_id": port} if port else {"net_id": entry.network}
    if not port and entry.fixed_ip:
        asked["fixed_ips"] = [{"ip_address": entry.fixed_ip}]
    if entry.tag:
        asked["tag"] = entry.tag
    await it.service.post(f"/servers/{it.quoted_id}/os-interface", {"interfaceAttachment": asked})


async def associate(it: CloudResource, entry: Entry, port: str) -> None:
    """Give the port of an entry its floating IP."""
    fields: dict[str, str] = {"port_id": port}
    if entry.fixed_ip:
        fields["fixed_ip_address"] = entry.fixed_ip
    path = f"/floatingips/{entry.floating_ip}"
    await it.cloud.service("network").put(path, {"floatingip": fields}, repeatable=True)


async def dissociate(it: CloudResource, floating_ip: str, ports: set[str]) -> None:
    """Take a floating IP from a port, if one of these still has it."""
    network, path = it.cloud.service("network"), f"/floatingips/{floating_ip}"
    try:
        found: Mapping[str, Any] = (await network.get(path))["floatingip"]
    except NotFound:
        return
    if found["port_id"] in ports:
        await network.put(path, {"floatingip": {"port_id": None}}, repeatable=True)


async def _wanted_changes(
    it: CloudResource, live: Sequence[Interface], *, has_detached: bool
) -> Changes:
    how, before = allocation(it.properties), allocation(it.old_properties)
    if how is Allocation.AUTO:
        is_chosen = has_detached or before is Allocation.AUTO
        return Changes((), () if is_chosen else _listed_before(it, live), ())
    if how is Allocation.NONE:
        return Changes((), tuple(live), ())
    # Of a server that was external it is not known what is whose: all that it has stays.
    if before is Allocation.AUTO and "networks" in it.old_properties:
        return changes(None, entries(it.properties), live)
    old = () if has_detached else entries(it.old_properties)
    return changes(old, entries(it.properties), live)


def _listed_before(it: CloudResource, live: Sequence[Interface]) -> tuple[Interface, ...]:
    """Return what has to go before Nova chooses: all that the template named one by one."""
    ports = {each.port for each in entries(it.old_properties) if each.port}
    old = changes(entries(it.old_properties), (), live).surplus
    return tuple(each for each in old if each.is_own or each.port in ports)


async def _adapt(it: CloudResource, entry: Entry, interface: Interface) -> None:
    """Change what can be changed of an interface that stays."""
    old = entries(it.old_properties)
    if interface.is_own and entry.extra not in [each.extra for each in old]:
        await change_port(it, interface.port, entry)
    floating = {each.floating_ip for each in old}
    if entry.floating_ip and entry.floating_ip not in floating:
        await associate(it, entry, interface.port)
    if not entry.floating_ip:
        for each in old:
            if each.floating_ip and interface.fits(each):
                await dissociate(it, each.floating_ip, {interface.port})


async def _release_floating_ips(it: CloudResource, ports: set[str]) -> None:
    for floating_ip in {each.floating_ip for each in entries(it.old_properties)} - {""}:
        await dissociate(it, floating_ip, ports)


async def _only_network(it: CloudResource) -> str:
    """Return the network that a server without networks gets."""
    network = it.cloud.service("network")
    own = await network.list_all(
        "/networks", "networks", {"project_id": await it.cloud.project_id()}
    )
    shared = await network.list_all("/networks", "networks", {"shared": True})
    usable = {each["id"] for each in (*own, *shared) if not each.get("router:external")}
    if len(usable) > 1:
        raise ResourceFailed(
            "Unable to automatically allocate a network: Multiple possible networks found."
        )
    if usable:
        return str(usable.pop())
    path = f"/auto-allocated-topology/{await it.cloud.project_id()}"
    return str((await network.get(path))["auto_allocated_topology"]["id"])
