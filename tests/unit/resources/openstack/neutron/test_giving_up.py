"""What objects of the network service give up before their replacements are made."""

from typing import Any

import pytest

from hotplate.resources.capabilities import PreparesReplacement
from hotplate.resources.openstack.neutron.port import Port
from hotplate.resources.openstack.neutron.routing.extra_routes import ExtraRoute, ExtraRouteSet
from hotplate.resources.openstack.neutron.routing.floating_ip import FloatingIP
from hotplate.resources.openstack.neutron.routing.router_gateway import RouterGateway
from hotplate.resources.openstack.neutron.routing.router_interface import RouterInterface, parts
from hotplate.resources.openstack.neutron.security.rule import SecurityGroupRule

ID, OTHER = "5b0f6c1e-6f1d-4d0e-9d0b-3f6f0d6c8f10", "5b0f6c1e-6f1d-4d0e-9d0b-3f6f0d6c8f11"
ADDRESS: dict[str, Any] = {"fixed_ips": [{"ip_address": "10.0.0.5"}]}
PLACE = "its place in the group"
ROUTE = {"destination": "10.1.0.0/24", "nexthop": "10.0.0.9"}


@pytest.mark.parametrize(
    ("kind", "old", "new", "expected"),
    [
        (Port(), {"network": "n", **ADDRESS}, {}, "its addresses 10.0.0.5"),
        (Port(), {"network": "n", **ADDRESS}, {"network": "m"}, ""),
        (Port(), {"network": "n", **ADDRESS}, {"network": ID}, "its addresses 10.0.0.5"),
        (Port(), {"network": "n"}, {}, ""),
        (
            Port(),
            {"network": "n", "mac_address": "fa:16:3e:00:00:01"},
            {},
            "its MAC address fa:16:3e:00:00:01",
        ),
        (RouterInterface(), {"router": "r", "subnet": ID}, {}, f"the interface of subnet {ID}"),
        (RouterInterface(), {"router": "r", "subnet": ID}, {"subnet": OTHER}, ""),
        (RouterInterface(), {"router": "r", "port": ID}, {}, f"the interface of port {ID}"),
        (RouterGateway(), {"router_id": "r", "network": "n"}, {}, "the router's gateway"),
        (RouterGateway(), {"router_id": "r", "network": "n"}, {"router_id": "q"}, ""),
        (FloatingIP(), {"floating_network": "n"}, {}, ""),
        (FloatingIP(), {"floating_network": "n", "port_id": ID}, {}, f"port {ID}"),
        (
            FloatingIP(),
            {"floating_network": "n", "floating_ip_address": "192.0.2.1"},
            {},
            "its address 192.0.2.1",
        ),
        (SecurityGroupRule(), {"security_group": "g"}, {"description": "d"}, PLACE),
        (SecurityGroupRule(), {"security_group": "g"}, {"protocol": 6}, PLACE),
        (SecurityGroupRule(), {"security_group": "g"}, {"protocol": "udp"}, ""),
        (SecurityGroupRule(), {"security_group": ID}, {"security_group": OTHER}, ""),
        (ExtraRouteSet(), {"router": "r", "routes": [ROUTE]}, {}, "its routes"),
        (ExtraRouteSet(), {"router": "r", "routes": [ROUTE]}, {"routes": []}, ""),
        (ExtraRoute(), {"router_id": "r", **ROUTE}, {"nexthop": "10.0.0.8"}, ""),
    ],
)  # fmt: skip
def test_an_old_object_gives_up_what_only_one_can_have(
    kind: PreparesReplacement, old: dict[str, Any], new: dict[str, Any], expected: str
) -> None:
    assert kind.gives_up(kind.convert(old), kind.convert({**old, **new})) == expected
    assert kind.gives_up(kind.convert(old), None) == ""


@pytest.mark.parametrize(
    ("physical_id", "expected"),
    [
        ("r:subnet_id=s", ("r", "subnet_id", "s")),
        ("r:port_id=p", ("r", "port_id", "p")),
        ("r:s", ("r", "subnet_id", "s")),
    ],
)
def test_the_id_of_an_interface_tells_what_is_attached(
    physical_id: str, expected: tuple[str, str, str]
) -> None:
    assert parts(physical_id) == expected
