"""Agents to which networks and routers are assigned by hand. For administrators."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hotplate.cloud import Conflict
from hotplate.resources.openstack.cloud_resource import CloudResource


@dataclass(frozen=True, slots=True)
class Assignment:
    """How agents of one sort are listed and assigned."""

    listed: str
    """Below the object: its agents."""

    assigned: str
    """Below an agent: its objects."""

    key: str
    """The object's id in the request."""

    objects: str
    """Where the objects are."""


DHCP: Final = Assignment("dhcp-agents", "dhcp-networks", "network_id", "/networks")
L3: Final = Assignment("l3-agents", "l3-routers", "router_id", "/routers")


async def agents_of(it: CloudResource, kind: Assignment) -> list[str]:
    """Return the ids of the agents that an object has."""
    path = f"{kind.objects}/{it.quoted_id}/{kind.listed}"
    return [str(each["id"]) for each in await it.service.list_all(path, "agents")]


async def set_agents(it: CloudResource, kind: Assignment, wanted: Iterable[str]) -> None:
    """Give an object these agents and no others; the new ones first, so that one always serves."""
    present = await agents_of(it, kind)
    for agent in dict.fromkeys(wanted):
        if agent not in present:
            await _assign(it, kind, agent)
    for agent in present:
        if agent not in set(wanted):
            await it.service.delete(f"/agents/{agent}/{kind.assigned}/{it.quoted_id}")


async def _assign(it: CloudResource, kind: Assignment, agent: str) -> None:
    try:
        body = {kind.key: it.id}
        await it.service.post(f"/agents/{agent}/{kind.assigned}", body, repeatable=True)
    except Conflict:
        return  # it has the object already
