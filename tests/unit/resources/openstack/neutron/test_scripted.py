"""What the test cloud cannot show: agents, and what drivers write into ports."""

import asyncio
from collections.abc import Mapping
from random import Random
from typing import Any

from hotplate.resources.openstack.cloud_type import CloudType
from hotplate.resources.openstack.neutron.port import PROFILE, Port
from hotplate.resources.openstack.neutron.routing.router import Router
from hotplate.resources.resource_type import Done, Resource
from tests.unit.cloud.scripted import ScriptedWire, answer, cloud_on

NETWORK = "5b0f6c1e-6f1d-4d0e-9d0b-3f6f0d6c8f10"


class World:
    """A world with a cloud."""

    random = Random(0)

    def __init__(self, wire: ScriptedWire) -> None:
        self._cloud = cloud_on(wire)

    def now(self) -> float:
        return 0.0

    def service(self, name: str) -> Any:
        return self._cloud


def changes(
    wire: ScriptedWire, kind: CloudType, old: Mapping[str, Any], new: Mapping[str, Any]
) -> list[tuple[str, str, Any]]:
    """Update a resource and return the changes that its service was asked for."""
    properties, before = kind.convert(new), kind.convert(old)
    resource = Resource("s", "i", "p", "r", "token", "id", properties, {}, World(wire))
    resource.old_properties = before
    assert isinstance(asyncio.run(kind.update(resource)), Done)
    asked = [each for each in wire.requests if each.method != "GET"]
    return [
        (each.method, each.url.removeprefix("http://neutron/v2.0"), each.body) for each in asked
    ]


def test_new_agents_of_a_router_come_before_old_ones_go() -> None:
    router = {"router": {"id": "id", "status": "ACTIVE"}}
    wire = ScriptedWire(
        answer({"agents": [{"id": "a"}, {"id": "b"}]}), answer(None, 201), answer(None, 204),
        answer(router), answer(router),
    )  # fmt: skip
    old, new = {"l3_agent_ids": ["a", "b"]}, {"l3_agent_ids": ["b"], "l3_agent_id": "c"}
    assert changes(wire, Router(), old, new) == [
        ("POST", "/agents/c/l3-routers", {"router_id": "id"}),
        ("DELETE", "/agents/a/l3-routers/id", None),
    ]


def test_what_others_have_put_into_the_profile_of_a_port_stays() -> None:
    live = {"pci_slot": "0000:05:00.1", "kept": 1, "gone": 2, "changed": 3}
    port = {"id": "id", "status": "DOWN", "network_id": NETWORK, "fixed_ips": [], PROFILE: live}
    network = {"network": {"id": NETWORK}}
    wire = ScriptedWire(answer({"port": port}), answer({"port": port}), answer(network))
    profiles = {"kept": 1, "gone": 2, "changed": 3}, {"kept": 1, "changed": 4, "new": 5}
    old, new = ({"network": NETWORK, "value_specs": {PROFILE: each}} for each in profiles)
    merged = {"pci_slot": "0000:05:00.1", "kept": 1, "changed": 4, "new": 5}
    assert changes(wire, Port(), old, new) == [("PUT", "/ports/id", {"port": {PROFILE: merged}})]
