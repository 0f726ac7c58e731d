"""Subnets: what fits together, and what the service would choose."""

from typing import Any

import pytest

from hotplate.resources.openstack.neutron.subnet import Subnet, all_addresses, first_address

SUBNET = Subnet()


def converted(**given: Any) -> dict[str, Any]:
    return SUBNET.convert({"network": "n", **given})


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"cidr": "10.0.0.0/24"}, ""),
        ({"cidr": "10.0.0.0/24", "gateway_ip": ""}, ""),
        ({"cidr": "10.0.0.0/24", "gateway_ip": "auto"}, ""),
        ({"subnetpool": "p", "prefixlen": 24}, ""),
        ({}, "At least one of the following properties must be specified: cidr, subnetpool"),
        ({"cidr": "10.0.0.0/24", "subnetpool": "p"}, "at the same time: subnetpool, cidr"),
        ({"cidr": "10.0.0.0/24", "prefixlen": 24}, "at the same time: prefixlen, cidr"),
        ({"cidr": "10.0.0.0/24", "ipv6_ra_mode": "slaac"}, "only for a subnet with ip_version 6"),
        (
            {
                "cidr": "2001:db8::/64",
                "ip_version": 6,
                "ipv6_ra_mode": "slaac",
                "ipv6_address_mode": "dhcpv6-stateful",
            },
            "must be the same",
        ),
        ({"cidr": "10.0.0.0/24", "gateway_ip": "x"}, "'x' is neither an address nor"),
        ({"cidr": "10.0.0.0/24", "value_specs": {"cidr": "x"}}, "cidr not allowed in value_specs"),
    ],
)
def test_what_does_not_fit_together_is_refused(given: dict[str, Any], fault: str) -> None:
    found = SUBNET.validate(converted(**given))
    assert fault in found
    assert bool(fault) is bool(found)


@pytest.mark.parametrize(
    ("new", "is_refused"),
    [
        ({"cidr": "10.0.0.0/25"}, True),
        ({"cidr": "10.1.0.0/24"}, False),
        ({"cidr": "10.0.0.0/25", "network": "m"}, False),
        ({"subnetpool": "p"}, False),
        ({"cidr": "10.0.0.0/24", "tenant_id": "t"}, True),
        ({"cidr": "2001:db8::/64", "ip_version": 6}, False),
    ],
)
def test_a_replacement_that_overlaps_is_refused_in_the_plan(
    new: dict[str, Any], is_refused: bool
) -> None:
    text = SUBNET.replacement_refusal(converted(cidr="10.0.0.0/24"), converted(**new))
    assert bool(text) is is_refused
    assert not is_refused or "would overlap the old one, 10.0.0.0/24" in text


def test_a_subnet_cannot_leave_its_segment() -> None:
    without, on_it = converted(cidr="10.0.0.0/24"), converted(cidr="10.0.0.0/24", segment="s")
    assert not SUBNET.replacement_reason(without, on_it)
    assert SUBNET.replacement_reason(on_it, without) == "a subnet cannot leave its segment"


@pytest.mark.parametrize(
    ("cidr", "gateway", "expected"),
    [
        ("10.0.0.0/29", "10.0.0.1", ["10.0.0.2-10.0.0.6"]),
        ("10.0.0.0/29", "10.0.0.3", ["10.0.0.1-10.0.0.2", "10.0.0.4-10.0.0.6"]),
        ("10.0.0.0/29", "", ["10.0.0.1-10.0.0.6"]),
        ("10.0.0.0/32", "", ["10.0.0.0-10.0.0.0"]),
        ("2001:db8::/126", "2001:db8::1", ["2001:db8::2-2001:db8::3"]),
    ],
)
def test_without_ranges_all_addresses_but_the_gateway_s_are_for_ports(
    cidr: str, gateway: str, expected: list[str]
) -> None:
    found = [f"{each['start']}-{each['end']}" for each in all_addresses(cidr, gateway)]
    assert found == expected


def test_the_first_address_is_the_gateway() -> None:
    assert first_address("10.0.0.0/24") == "10.0.0.1"
    assert first_address("2001:db8::/64") == "2001:db8::1"
