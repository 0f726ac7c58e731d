"""Which properties of types of the network service do not fit together."""

from typing import Any

import pytest

from hotplate.resources.openstack.neutron.port import Port
from hotplate.resources.openstack.neutron.provider_net import ProviderNet
from hotplate.resources.openstack.neutron.quota import Quota
from hotplate.resources.openstack.neutron.rbac_policy import RBACPolicy
from hotplate.resources.openstack.neutron.routing.floating_ip import FloatingIP
from hotplate.resources.openstack.neutron.routing.router import Router
from hotplate.resources.openstack.neutron.routing.router_interface import RouterInterface
from hotplate.resources.openstack.neutron.security.group import SecurityGroup
from hotplate.resources.openstack.neutron.security.rule import SecurityGroupRule
from hotplate.resources.openstack.neutron.segment import Segment
from hotplate.resources.openstack.neutron.subnet_pool import SubnetPool, contains
from hotplate.resources.resource_type import ResourceType

PORTS = {"port_range_min": 9, "port_range_max": 8}
RANGE = "The minimum port number must be less than or equal to the maximum port number."
TOGETHER = "Cannot define the following properties at the same time: "


@pytest.mark.parametrize(
    ("kind", "given", "fault"),
    [
        (Port(), {"network": "n", "no_fixed_ips": True}, ""),
        (
            Port(),
            {"network": "n", "no_fixed_ips": True, "fixed_ips": [{"subnet": "s"}]},
            f"{TOGETHER}no_fixed_ips, fixed_ips",
        ),
        (Router(), {"ha": True, "l3_agent_ids": ["a"], "l3_agent_id": "b"}, ""),
        (Router(), {"l3_agent_ids": ["a"], "l3_agent_id": "b"}, "must have ha"),
        (Router(), {"distributed": True, "ha": True}, f"{TOGETHER}distributed, ha"),
        (Router(), {"distributed": True, "l3_agent_id": "a"}, "distributed, l3_agent_ids"),
        (RouterInterface(), {"router": "r", "subnet_id": "s"}, ""),
        (RouterInterface(), {"router": "r"}, "must be specified: subnet, port"),
        (RouterInterface(), {"router": "r", "subnet": "s", "port": "p"}, f"{TOGETHER}subnet, port"),
        (FloatingIP(), {"floating_network": "n", "fixed_ip_address": "10.0.0.1"}, "port_id must"),
        (SecurityGroup(), {"name": "default"}, "default"),
        (SecurityGroup(), {"rules": [{"protocol": "tcp", **PORTS}]}, RANGE),
        (SecurityGroup(), {"rules": [{"protocol": "icmp", **PORTS}]}, ""),
        (SecurityGroupRule(), {"security_group": "g", **PORTS}, RANGE),
        (
            SecurityGroupRule(),
            {"security_group": "g", "remote_group": "g", "remote_ip_prefix": "10.0.0.0/8"},
            f"{TOGETHER}remote_ip_prefix, remote_group",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(
    kind: ResourceType, given: dict[str, Any], fault: str
) -> None:
    found = kind.validate(kind.convert(given))
    assert fault in found
    assert bool(fault) is bool(found)


def test_an_agent_of_old_templates_joins_the_others() -> None:
    assert Router().convert({"l3_agent_id": "a"})["l3_agent_ids"] == ["a"]
    converted = Router().convert({"l3_agent_id": "a", "l3_agent_ids": ["b"]})
    assert Router().convert(converted) == converted


@pytest.mark.parametrize(
    ("kind", "given", "fault"),
    [
        (ProviderNet(), {"network_type": "vlan", "physical_network": "p"}, ""),
        (ProviderNet(), {"network_type": "flat", "segmentation_id": "5"}, "not for a flat network"),
        (ProviderNet(), {"network_type": "gre", "physical_network": "p"}, "not for a gre network"),
        (Segment(), {"network": "n", "network_type": "vxlan"}, ""),
        (Segment(), {"network": "n", "network_type": "flat"}, "must have physical_network"),
        (
            Segment(),
            {"network": "n", "network_type": "vlan", "physical_network": "p"},
            "must have segmentation_id",
        ),
        (
            Segment(),
            {
                "network": "n",
                "network_type": "vlan",
                "physical_network": "p",
                "segmentation_id": 4095,
            },
            "at most 4094",
        ),
        (
            Segment(),
            {"network": "n", "network_type": "local", "segmentation_id": 5},
            "not for a local segment",
        ),
        (
            Segment(),
            {"network": "n", "network_type": "gre", "physical_network": "p"},
            "not for a gre segment",
        ),
        (SubnetPool(), {"prefixes": ["10.0.0.0/8"], "min_prefixlen": 8, "max_prefixlen": 8}, ""),
        (
            SubnetPool(),
            {"prefixes": ["10.0.0.0/8"], "min_prefixlen": 9, "max_prefixlen": 8},
            "min_prefixlen 9 is greater than max_prefixlen 8",
        ),
        (
            RBACPolicy(),
            {
                "object_type": "qos_policy",
                "object_id": "p",
                "action": "access_as_external",
                "target_tenant": "*",
            },
            "is not for object_type qos_policy",
        ),
        (Quota(), {"project": "p"}, "At least one of the following properties must be specified"),
        (Quota(), {"project": "p", "port": 0}, ""),
    ],
)
def test_what_administrators_write_fits_together(
    kind: ResourceType, given: dict[str, Any], fault: str
) -> None:
    found = kind.validate(kind.convert(given))
    assert fault in found
    assert bool(fault) is bool(found)


@pytest.mark.parametrize(
    ("new", "is_kept"),
    [
        (["10.0.0.0/8"], True),
        (["10.0.0.0/9", "10.128.0.0/9", "2001:db8::/32"], True),
        (["10.0.0.0/9"], False),
    ],
)
def test_a_subnet_pool_keeps_its_prefixes(new: list[str], is_kept: bool) -> None:
    assert contains(new, ["10.0.0.0/8"]) is is_kept


def test_what_a_policy_shares_may_be_named_by_its_sort() -> None:
    assert RBACPolicy().named_in({"object_type": "subnetpool"}) == {
        "object_id": "neutron.subnetpool"
    }
    assert RBACPolicy().named_in({}) == {}
