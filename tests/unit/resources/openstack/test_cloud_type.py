"""What every cloud type does, without a cloud."""

import asyncio
from random import Random
from typing import Any

from hotplate.cloud import Cloud, CloudSettings, Unavailable
from hotplate.resources.openstack.neutron.net import Net
from hotplate.resources.openstack.place import PLACE
from hotplate.resources.openstack.translation import from_fields, in_order_of, to_fields
from hotplate.resources.resource_type import Done, Resource, Wait
from tests.unit.cloud.scripted import ScriptedWire, answer, cloud_on

RENAMED = {"network": "network_id", "fixed_ips[].subnet": "subnet_id", "gateway.net": "net_id"}


def test_properties_become_fields_and_back() -> None:
    properties = {
        "network": "n",
        "fixed_ips": [{"subnet": "s", "ip_address": None}],
        "gateway": {"net": "g"},
        "name": None,
    }
    fields = to_fields(properties, RENAMED)
    assert fields == {
        "network_id": "n",
        "fixed_ips": [{"subnet_id": "s"}],
        "gateway": {"net_id": "g"},
        "name": None,
    }
    assert from_fields(fields, RENAMED) == {
        "network": "n",
        "fixed_ips": [{"subnet": "s"}],
        "gateway": {"net": "g"},
        "name": None,
    }


def test_a_set_is_told_in_the_order_of_the_template() -> None:
    assert in_order_of(["b", "a"], ["a", "b"]) == ["b", "a"]
    assert in_order_of(None, ["a", "b"]) == ["a", "b"]


class World:
    """A world with a cloud, or without one."""

    random = Random(0)

    def __init__(self, cloud: Any = None) -> None:
        self._cloud = cloud

    def now(self) -> float:
        return 0.0

    def service(self, name: str) -> Any:
        if self._cloud is None:
            raise LookupError(name)
        return self._cloud


def resource(world: World, data: dict[str, Any] | None = None) -> Resource:
    properties = Net().convert({"name": "n"})
    return Resource("s", "i", "p", "net", "token", None, properties, data or {}, world)


class OfProject(Cloud):
    """A cloud that answers nothing but whose project it is."""

    def __init__(self) -> None:
        super().__init__(CloudSettings("c", "none", {}))

    async def project_id(self) -> str:
        return "mine"


class Away(OfProject):
    """A cloud that does not answer."""

    async def project_id(self) -> str:
        raise Unavailable("connection refused", "identity")


def test_without_a_cloud_it_is_refused() -> None:
    assert "--os-cloud" in asyncio.run(Net().refusal(resource(World())))


def test_an_object_of_another_project_is_left_alone() -> None:
    found = asyncio.run(Net().delete(_made(World(OfProject()), {PLACE: "hers"})))
    assert isinstance(found, Wait)
    assert found.reason is not None
    assert "the project hers" in found.reason
    assert "mine" in found.reason


def test_a_cloud_that_is_away_is_waited_for() -> None:
    found = asyncio.run(Net().create(resource(World(Away()))))
    assert isinstance(found, Wait)
    assert found.reason is not None
    assert found.reason.startswith("waits: identity: connection refused; it is tried again")


def test_an_object_that_was_external_is_changed_only_where_it_differs() -> None:
    told = {"id": "n1", "name": "other", "status": "ACTIVE", "shared": False, "tags": []}
    told |= {"port_security_enabled": True, "admin_state_up": True}
    wire = ScriptedWire(*(answer({"network": told}) for _ in range(4)))
    found = _made(World(cloud_on(wire)), {})
    assert isinstance(asyncio.run(Net().take_back(found)), Done)
    changes = [each for each in wire.requests if each.method != "GET"]
    assert [each.body for each in changes] == [{"network": {"name": "n"}}]


def _made(world: World, data: dict[str, Any]) -> Resource:
    made = resource(world, data)
    made.physical_id = "id"
    return made
