"""Interfaces of a server come and go, and those of others stay, in whatever order Nova lists."""

import asyncio
import json
from collections.abc import Mapping
from itertools import permutations
from typing import Any

import pytest

from hotplate.cloud.wire import Answer
from hotplate.resources.openstack.nova.server import Server
from hotplate.resources.resource_type import Done, Resource, Result, Wait
from tests.unit.cloud.scripted import ScriptedWire, answer, cloud_on
from tests.unit.resources.acting import StillWorld, resource

NET, OTHER, SUBNET = (f"00000000-0000-4000-8000-00000000000{each}" for each in "123")
GIVEN = "00000000-0000-4000-8000-0000000000aa"
FIRST: list[dict[str, Any]] = [
    {"port": GIVEN},
    {"subnet": SUBNET, "fixed_ip": "10.0.0.50"},
    {"network": NET, "port_extra_properties": {}},
    {"network": OTHER},
]
SECOND: list[dict[str, Any]] = [
    {"subnet": SUBNET, "fixed_ip": "10.0.0.51"},
    {"network": NET, "port_extra_properties": {}},
    {"network": OTHER},
    {"network": NET, "fixed_ip": "10.0.0.60"},
]


ORDERS = tuple(permutations(range(4)))


class OneServer(ScriptedWire):
    """A cloud with one server, which lists its interfaces in some order.

    One is detached some listings after that was asked for, each after the one before.
    """

    def __init__(self, order: tuple[int, ...] = (0,)) -> None:
        super().__init__()
        self.ports: dict[str, dict[str, Any]] = {}
        self.detaching: list[str] = []
        self.most = 0
        self._order = order
        self._made = 0
        self._listings = 0

    def port(self, network: str, address: str, *, mark: str = "", port_id: str = "") -> str:
        self._made += 1
        found = port_id or f"00000000-0000-4000-8000-0000000001{self._made:02}"
        fixed = [{"ip_address": address, "subnet_id": SUBNET if network == NET else "s2"}]
        self.ports[found] = {
            "id": found,
            "network_id": network,
            "fixed_ips": fixed,
            "description": mark,
            "device_id": "",
            "mac_address": f"fa:16:3e:00:00:{self._made:02}",
        }
        return found

    def attached(self) -> list[str]:
        """The addresses that the server has."""
        return sorted(
            each["fixed_ips"][0]["ip_address"]
            for each in self.ports.values()
            if each["device_id"] == "server"
        )

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        path = url.partition("?")[0]
        if "os-interface" in path or path.startswith("http://neutron/v2.0/"):
            return self._answered(method, path, url, json.loads(body) if body else {})
        if "/flavors" in path:
            flavor = {"id": "f", "name": "f"}
            return answer({"flavor": flavor, "flavors": [flavor]})
        if "os-instance-actions" in path:
            return answer({"instanceAction": {"events": []}})
        if path.endswith("/servers/server"):
            return answer({"server": self._server()})
        return await super().send(method, url, headers, body, seconds)

    def _answered(self, method: str, path: str, url: str, asked: Any) -> Answer:
        last = path.rpartition("/")[2]
        if path.endswith("os-interface"):
            return self._listed() if method == "GET" else self._attach(asked)
        if "os-interface" in path:
            self.detaching.append(last)
            return answer(None, 202)
        if last == "ports" and method == "POST":
            return answer({"port": self._new_port(asked["port"])}, 201)
        if last == "ports":
            marked = "description=" in url
            found = [p for p in self.ports.values() if not marked or p["description"]]
            return answer({"ports": found})
        if last == SUBNET or "subnets" in path:
            subnet = {"id": SUBNET, "name": "s", "network_id": NET}
            return answer({"subnet": subnet, "subnets": [subnet]})
        if "networks" in path:
            return answer({"network": {"id": last, "name": last}})
        if method == "DELETE":
            del self.ports[last]
            return answer(None, 204)
        if method == "PUT":
            self.ports[last] |= asked["port"]
        return answer({"port": self.ports[last]})

    def _new_port(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        fixed = asked.get("fixed_ips") or [{}]
        address = fixed[0].get("ip_address") or f"10.0.0.1{self._made:02}"
        made = self.port(asked["network_id"], address, mark=asked.get("description", ""))
        return self.ports[made]

    def _attach(self, asked: Any) -> Answer:
        wanted = asked["interfaceAttachment"]
        port = (
            wanted.get("port_id")
            or self._new_port(
                {"network_id": wanted["net_id"], "fixed_ips": wanted.get("fixed_ips")}
            )["id"]
        )
        self.ports[port]["device_id"] = "server"
        return answer({"interfaceAttachment": {}})

    def _listed(self) -> Answer:
        if self.detaching and self._listings % 2:
            gone = self.ports[self.detaching.pop(0)]
            gone["device_id"] = ""
            if not gone["description"] and gone["id"] != GIVEN:
                del self.ports[gone["id"]]
        self._listings += 1
        found = [each for each in self.ports.values() if each["device_id"] == "server"]
        self.most = max(self.most, len(found))
        order = [each % len(found) for each in self._order] if found else []
        listed = [found[each] for each in dict.fromkeys((*order, *range(len(found))))]
        return answer(
            {
                "interfaceAttachments": [
                    {
                        "port_id": each["id"],
                        "net_id": each["network_id"],
                        "fixed_ips": each["fixed_ips"],
                        "mac_addr": each["mac_address"],
                    }
                    for each in listed
                ]
            }
        )

    def _server(self) -> dict[str, Any]:
        return {
            "id": "server",
            "name": "it",
            "status": "ACTIVE",
            "flavor": {"original_name": "f"},
            "metadata": {},
            "tags": [],
            "addresses": {},
            "image": {"id": GIVEN},
        }


def server_on(wire: OneServer, networks: list[dict[str, Any]], **facts: Any) -> Resource:
    given = {"flavor": "f", "image": GIVEN, "name": "it", "networks": networks}
    world = StillWorld({"cloud": cloud_on(wire)})
    return resource(Server(), given, physical_id="server", world=world, **facts)


def with_first(order: tuple[int, ...] = (0,)) -> OneServer:
    """A server with the interfaces of FIRST."""
    wire = OneServer(order)
    mark = "(hotplate 0f6f8f0e-1111-4222-8333-444455556666)"
    made = (
        wire.port(NET, "10.0.0.5", port_id=GIVEN),
        wire.port(NET, "10.0.0.50", mark=mark),
        wire.port(NET, "10.0.0.6", mark=mark),
        wire.port(OTHER, "10.9.0.7"),
    )
    for each in made:
        wire.ports[each]["device_id"] = "server"
    return wire


def update(wire: OneServer, old: Any, new: list[dict[str, Any]], kill_after: int = 0) -> Result:
    """Update a server, as the engine does; with a kill, the answer of one call is lost."""
    it = server_on(wire, new)
    it.old_properties = {**it.properties, "networks": server_on(wire, old).properties["networks"]}

    async def act() -> Result:
        for call in range(1, 100):
            result = await Server().update(it)
            if isinstance(result, Done):
                return result
            if call != kill_after:
                it.cookie = result.cookie
        raise AssertionError("it does not end")

    return asyncio.run(act())


def told(wire: OneServer, networks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a check finds, without what the template leaves open."""
    live = asyncio.run(Server().live_properties(server_on(wire, networks)))["networks"]
    assert isinstance(live, list)
    return [{key: value for key, value in each.items() if value} for each in live]


@pytest.mark.parametrize("order", ORDERS)
def test_what_stays_does_not_depend_on_the_order_of_a_listing(order: tuple[int, ...]) -> None:
    wire = with_first(order)
    update(wire, FIRST, SECOND)
    attached = wire.attached()
    assert {"10.0.0.51", "10.0.0.60", "10.0.0.6", "10.9.0.7"} == set(attached)


@pytest.mark.parametrize("kill_after", range(5))
def test_what_others_attached_stays_while_interfaces_are_detached(kill_after: int) -> None:
    """An old entry whose interface is gone already must not find another one."""
    wire = with_first()
    for address in ("10.9.0.8", "10.9.0.9"):
        wire.ports[wire.port(OTHER, address)]["device_id"] = "server"
    update(wire, FIRST, [{"port": GIVEN}], kill_after)
    assert len(wire.attached()) == 3, "its own one and two of others"
    assert wire.attached()[0] == "10.0.0.5"


def test_an_interface_that_nobody_asked_for_is_told() -> None:
    wire = with_first()
    assert len(told(wire, FIRST)) == 4
    wire.ports[wire.port(OTHER, "10.9.0.8")]["device_id"] = "server"
    assert {"network": OTHER, "fixed_ip": "10.9.0.8"} in told(wire, FIRST)
    assert told(wire, [{"allocate_network": "auto"}]) == [{"allocate_network": "auto"}]
    assert len(told(wire, [{"allocate_network": "none"}])) == 5


@pytest.mark.parametrize("order", ORDERS)
def test_an_update_that_converges_detaches_what_was_attached_instead(
    order: tuple[int, ...],
) -> None:
    """It got two interfaces and kept the two that somebody had exchanged for them: six."""
    wire = with_first(order)
    update(wire, FIRST, SECOND)
    update(wire, SECOND, FIRST)  # as somebody else may
    live = told(wire, SECOND)
    assert len(live) == 4
    update(wire, live, SECOND)
    assert {"10.0.0.51", "10.0.0.60"} <= set(wire.attached())
    assert wire.most == len(wire.attached()) == 4
    assert told(wire, SECOND) == told(wire, SECOND)[:4]


@pytest.mark.parametrize("status", ["ACTIVE", "SHUTOFF"])
def test_a_server_that_was_external_keeps_what_it_has(
    status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = with_first()
    seen = {**wire._server(), "status": status}
    monkeypatch.setattr(wire, "_server", lambda: seen)
    wanted = [{"network": OTHER}, {"network": NET, "fixed_ip": "10.0.0.60"}]
    it = server_on(wire, wanted)

    async def act() -> None:
        for _ in range(10):
            result = await Server().take_back(it)
            if not isinstance(result, Wait):
                return
            it.cookie, it.old_properties = result.cookie, {}

    asyncio.run(act())
    assert wire.attached() == ["10.0.0.5", "10.0.0.50", "10.0.0.6", "10.0.0.60", "10.9.0.7"]
