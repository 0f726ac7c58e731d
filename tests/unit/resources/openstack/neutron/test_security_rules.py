"""Rules of security groups: which are the same, and which are a group's own."""

from typing import Any

import pytest

from hotplate.resources.openstack.neutron.security.group import SecurityGroup, own_rules
from hotplate.resources.openstack.neutron.security.rules import key_of


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ({"protocol": "tcp"}, {"protocol": "6"}, True),
        ({"protocol": "icmpv6"}, {"protocol": "ipv6-icmp"}, True),
        ({"protocol": "any"}, {"protocol": None}, True),
        ({"protocol": "tcp"}, {"protocol": "udp"}, False),
        ({"port_range_min": "80"}, {"port_range_min": 80}, True),
        ({"remote_ip_prefix": "10.0.0.5/24"}, {"remote_ip_prefix": "10.0.0.0/24"}, True),
        ({"remote_ip_prefix": "0.0.0.0/0"}, {}, True),
        ({"description": "a"}, {"description": "b"}, True),
        ({"remote_group_id": "a"}, {"remote_group_id": "b"}, False),
    ],
)
def test_rules_are_told_apart_as_the_service_does(
    one: dict[str, Any], other: dict[str, Any], is_same: bool
) -> None:
    assert (key_of(one) == key_of(other)) is is_same


def rules_of(*rules: dict[str, Any]) -> list[dict[str, Any]]:
    return own_rules(SecurityGroup().convert({"rules": list(rules)}), "group")


def test_a_group_without_a_rule_for_egress_lets_everything_out() -> None:
    assert [each["ethertype"] for each in rules_of()] == ["IPv4", "IPv6"]
    assert len(rules_of({"direction": "egress"})) == 1


def test_the_other_side_is_this_group_unless_another_is_named() -> None:
    this, named, addresses = rules_of(
        {"remote_mode": "remote_group_id", "remote_ip_prefix": "10.0.0.0/8", "direction": "egress"},
        {"remote_mode": "remote_group_id", "remote_group_id": "other"},
        {"remote_group_id": "other", "remote_ip_prefix": "10.0.0.0/8"},
    )
    assert (this["remote_group_id"], "remote_ip_prefix" in this) == ("group", False)
    assert named["remote_group_id"] == "other"
    assert ("remote_group_id" in addresses, addresses["remote_ip_prefix"]) == (False, "10.0.0.0/8")
