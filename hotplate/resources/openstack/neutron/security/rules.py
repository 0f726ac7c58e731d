"""Rules of security groups: their properties, and which of them are the same to the service."""

from collections.abc import Mapping
from ipaddress import ip_network
from typing import Any, Final

from hotplate.resources.openstack.schema import integer, text
from hotplate.resources.property import Property

_NUMBERS: Final[Mapping[str, int]] = {
    "icmp": 1, "igmp": 2, "ipip": 4, "tcp": 6, "egp": 8, "udp": 17, "dccp": 33, "ipv6-encap": 41,
    "ipv6-route": 43, "ipv6-frag": 44, "rsvp": 46, "gre": 47, "esp": 50, "ah": 51, "icmpv6": 58,
    "ipv6-icmp": 58, "ipv6-nonxt": 59, "ipv6-opts": 60, "ospf": 89, "vrrp": 112, "pgm": 113,
    "sctp": 132, "udplite": 136,
}  # fmt: skip
"""Protocols that have names."""

PROTOCOLS: Final[tuple[Any, ...]] = (*range(256), *sorted(set(_NUMBERS) - {"ipip"}))
ICMP: Final = frozenset((1, 58))
_EVERYWHERE: Final = frozenset(("0.0.0.0/0", "::/0"))

RULE: Final[Mapping[str, Property]] = {
    "description": text("what it is for"),
    "direction": text(
        "whether it lets traffic in or out", allowed=("ingress", "egress"), default="ingress"
    ),
    "ethertype": text("IPv4 or IPv6", allowed=("IPv4", "IPv6"), default="IPv4"),
    "port_range_max": integer("the last port; the code of ICMP messages", between=(0, 65535)),
    "port_range_min": integer("the first port; the type of ICMP messages", between=(0, 65535)),
    "remote_ip_prefix": text(
        "the addresses on the other side, as address and prefix length", rule="net_cidr"
    ),
}
"""The properties that rules have wherever they are written, but for the protocol and the group."""

Key = tuple[Any, ...]


def key_of(rule: Mapping[str, Any]) -> Key:
    """Return by what the service tells rules apart: all but the description.

    The rule is one in fields of the service.
    """
    return (
        rule.get("direction"),
        rule.get("ethertype"),
        number_of(rule.get("protocol")),
        _port(rule.get("port_range_min")),
        _port(rule.get("port_range_max")),
        rule.get("remote_group_id") or None,
        _prefix(rule.get("remote_ip_prefix")),
    )


def number_of(protocol: Any) -> int | None:
    """Return the number of a protocol that is written as a name or as a number; None for all."""
    if protocol in (None, "", "any"):
        return None
    written = str(protocol)
    return int(written) if written.isdigit() else _NUMBERS.get(written, -1)


def range_fault(rule: Mapping[str, Any]) -> str:
    """Return what is wrong with the ports of a rule."""
    low, high = rule["port_range_min"], rule["port_range_max"]
    if number_of(rule["protocol"]) in ICMP or low is None or high is None or low <= high:
        return ""
    return "The minimum port number must be less than or equal to the maximum port number."


def _port(value: Any) -> int | None:
    return None if value is None else int(value)


def _prefix(value: Any) -> str | None:
    if not value:
        return None
    try:
        prefix = str(ip_network(str(value), strict=False))
    except ValueError:
        return str(value)  # the service says what is wrong
    return None if prefix in _EVERYWHERE else prefix
