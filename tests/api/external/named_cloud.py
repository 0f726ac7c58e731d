"""A cloud with some objects that have names, and a type that takes names or ids of them."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from hotplate.cloud import Cloud
from hotplate.cloud.wire import Answer, NoAnswer
from hotplate.resources import Done, Property, PropertyKind, Resource, Result
from hotplate.resources.capabilities import Adoptable, Checkable, TakesNames
from hotplate.template import CustomConstraint
from tests.unit.cloud.scripted import ScriptedWire, answer, cloud_on

PRIVATE = "6f1c5b0a-0000-4000-8000-000000000001"
PUBLIC = "6f1c5b0a-0000-4000-8000-000000000002"
SUBNET = "6f1c5b0a-0000-4000-8000-000000000003"
WEB = "6f1c5b0a-0000-4000-8000-000000000004"
OTHER = "6f1c5b0a-0000-4000-8000-000000000005"

OBJECTS: dict[str, list[dict[str, str]]] = {
    "networks": [
        {"id": PRIVATE, "name": "private"},
        {"id": PUBLIC, "name": "public"},
        {"id": "a", "name": "twice"},
        {"id": "b", "name": "twice"},
    ],
    "subnets": [{"id": SUBNET, "name": "sub"}],
    "security_groups": [{"id": WEB, "name": "web"}, {"id": OTHER, "name": "other"}],
    "flavors": [{"id": "2", "name": "m1.small"}, {"id": "3", "name": "m1.large"}],
}


class NamedWire(ScriptedWire):
    """Answers from the table of objects; notes what was looked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.is_silent = False
        self.waits_for_ever = False

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        parts = urlsplit(url.replace("/flavors/detail", "/flavors"))
        found = re.search(r"/(networks|subnets|security-groups|flavors)(?:/(.+))?$", parts.path)
        if found is None:
            return await super().send(method, url, headers, body, seconds)
        self.asked.append(f"{parts.path.rpartition('/')[2]}?{parts.query}".rstrip("?"))
        if self.waits_for_ever:
            await asyncio.Event().wait()
        if self.is_silent:
            raise NoAnswer("nobody is there")
        key, wanted = found[1].replace("-", "_"), found[2]
        listed, query = OBJECTS[key], parse_qs(parts.query)
        if wanted is not None:
            one = [each for each in listed if each["id"] == wanted]
            return answer({key[:-1]: one[0]}) if one else answer({}, 404)
        named = [each for each in listed if each["name"] in query.get("name", [each["name"]])]
        return answer({key: named})

    def since(self) -> list[str]:
        """What was looked for since this was last asked, in any order."""
        asked, self.asked = sorted(self.asked), []
        return asked


def named_cloud(wire: NamedWire) -> Cloud:
    """The cloud behind a wire."""
    return cloud_on(wire)


def _named(rule: str, **more: Any) -> Property:
    return Property(constraints=(CustomConstraint(rule),), **more)


class Nic(TakesNames, Adoptable, Checkable):
    """Is in a network, with subnets and security groups, and notes what is done to it."""

    name = "Test::Nic"
    properties = {
        "network": _named("neutron.network", older=("network_id",)),
        "network_id": Property(hidden=True),
        "flavor": _named("nova.flavor"),
        "fixed_ips": Property(
            PropertyKind.LIST,
            updatable=True,
            items=Property(
                PropertyKind.MAP,
                schema={"subnet": _named("neutron.subnet"), "address": _named("ip_addr")},
            ),
        ),
        "security_groups": Property(
            PropertyKind.LIST, updatable=True, items=_named("neutron.security_group")
        ),
        "label": Property(updatable=True),
    }
    named = {
        "network": "neutron.network",
        "flavor": "nova.flavor",
        "fixed_ips[].subnet": "neutron.subnet",
        "security_groups[]": "neutron.security_group",
    }

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, tuple[Any, Any]]]] = []

    async def create(self, resource: Resource) -> Result:
        self.calls.append(("create", {}))
        return Done(resource.creation_token)

    async def update(self, resource: Resource) -> Result:
        old, new = resource.old_properties, resource.properties
        changed = {name: (old[name], new[name]) for name in new if old and old[name] != new[name]}
        self.calls.append(("update", changed))
        return Done()

    async def check(self, resource: Resource) -> Result:
        return Done()

    async def live_properties(self, resource: Resource) -> Mapping[str, Any]:
        return {"network": PRIVATE}

    def since(self) -> list[tuple[str, dict[str, tuple[Any, Any]]]]:
        """What was done since this was last asked; changes are old and new values."""
        calls, self.calls = self.calls, []
        return calls
