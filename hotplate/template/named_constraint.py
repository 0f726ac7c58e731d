"""The custom constraints that need no cloud: their names, and what each refuses."""

import ipaddress
import json
import zoneinfo
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final

from hotplate.bounded import Pattern
from hotplate.document import Data
from hotplate.template.constraint import NamedCheck

_LABEL: Final = Pattern(r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?")
_MAC: Final = Pattern(
    r"[0-9a-fA-F]{1,2}(?:[:-][0-9a-fA-F]{1,2}){5}|[0-9a-fA-F]{12}"
    r"|[0-9a-fA-F]{1,4}(?:\.[0-9a-fA-F]{1,4}){2}"
)
_LONGEST_NAME: Final = 255
_NO_NETWORK: Final = "it is not a network such as 10.0.0.0/24"

SERVICE_CONSTRAINTS: Final = frozenset(
    f"{service}.{name}"
    for service, names in {
        "barbican": "container secret",
        "blazar": "reservation",
        "cinder": "backup qos_specs snapshot volume vtype",
        "designate": "zone",
        "glance": "image",
        "ironic": "node portgroup",
        "keystone": "domain group project region role service user",
        "magnum": "cluster_template",
        "manila": "share_network share_snapshot share_type",
        "mistral": "workflow",
        "neutron": "address_scope flow_classifier network port port_pair port_pair_group "
        "qos_policy router security_group segment subnet subnetpool",
        "neutron.lbaas": "listener loadbalancer pool provider",
        "neutron.taas": "tap_flow tap_service",
        "nova": "flavor host keypair network server",
        "octavia": "availabilityzone availabilityzoneprofile flavor flavorprofile l7policy "
        "listener loadbalancer pool",
        "trove": "flavor",
        "zaqar": "queue",
    }.items()
    for name in names.split()
)
"""Constraints that only a cloud service can check."""


def _texts_only(check: Callable[[str], str]) -> NamedCheck:
    def checked(value: Data) -> str:
        return check(value) if isinstance(value, str) else "it is not a text"

    return checked


def _ip_address(value: str) -> str:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return "it is not an IP address"
    return ""


def _network(value: str) -> str:
    try:
        ipaddress.ip_network(value, strict=False)
    except ValueError:
        return _NO_NETWORK
    return "" if "/" in value else _NO_NETWORK


def _address_or_network(value: str) -> str:
    return _network(value) if "/" in value else _ip_address(value)


def _mac_address(value: str) -> str:
    return "" if _MAC.matches_whole(value) else "it is not a MAC address"


def _dns_name(value: str) -> str:
    if not value:
        return ""
    if len(value) > _LONGEST_NAME:
        return f"a DNS name has at most {_LONGEST_NAME} characters"
    labels = value.removesuffix(".").split(".")
    if not all(_LABEL.matches_whole(label) for label in labels):
        return "it is not a DNS name"
    if len(labels) > 1 and labels[-1].isdigit():
        return "it ends in a number, which no top level domain is"
    return ""


def _relative_dns_name(value: str) -> str:
    if value.endswith("."):
        return "it is a full name, a relative one is needed"
    return _dns_name(value)


def _dns_domain(value: str) -> str:
    if value and not value.endswith("."):
        return 'it must end with "."'
    return _dns_name(value)


def _iso_8601(value: str) -> str:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return "it is not a date and time such as 2030-12-31T23:59:59Z"
    return ""


def _json_string(value: str) -> str:
    if not value:
        return ""
    try:
        json.loads(value)
    except (ValueError, RecursionError) as error:
        return f"it is not JSON: {error}"
    return ""


def _timezone(value: str) -> str:
    if not value:
        return ""
    try:
        zoneinfo.ZoneInfo(value)
    except (ValueError, OSError, KeyError):
        return "it is not a time zone such as Europe/Vienna"
    return ""


_MONTHS: Final = (
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
)  # fmt: skip
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_CRON_FIELDS: Final = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day of month", 1, 31, ()),
    ("month", 1, 12, _MONTHS),
    ("day of week", 0, 7, _DAYS),
    ("second", 0, 59, ()),
)


def _cron_expression(value: str) -> str:
    if not value:
        return ""
    fields = value.split()
    if len(fields) not in (5, 6):
        return "it is not a cron expression: it needs 5 fields"
    for field, (name, least, most, names) in zip(fields, _CRON_FIELDS, strict=False):
        if not all(_cron_item(item, least, most, names) for item in field.lower().split(",")):
            return f"it is not a cron expression: {field!r} is not a valid {name}"
    return ""


def _cron_item(item: str, least: int, most: int, names: tuple[str, ...]) -> bool:
    span, slash, step = item.partition("/")
    if slash and not (step.isdecimal() and len(step) < 4 and int(step) > 0):
        return False
    if span in ("*", "?", "l"):
        return True

    def valid(part: str) -> bool:
        if part in names:
            return True
        return part.isdecimal() and len(part) < 4 and least <= int(part) <= most

    return all(valid(part) for part in span.split("-", 1))


def _expiration(value: str) -> str:
    return _iso_8601(value.strip()) if value else ""


TIMELESS_CHECKS: Final[Mapping[str, NamedCheck]] = {
    name: _texts_only(check)
    for name, check in {
        "cron_expression": _cron_expression,
        "dns_domain": _dns_domain,
        "dns_name": _dns_name,
        "rel_dns_name": _relative_dns_name,
        "expiration": _expiration,
        "ip_addr": _ip_address,
        "ip_or_cidr": _address_or_network,
        "iso_8601": _iso_8601,
        "json_string": _json_string,
        "mac_addr": _mac_address,
        "net_cidr": _network,
        "timezone": _timezone,
    }.items()
}
"""The checks that need no service, by name; a value that passes once passes at any time."""


def local_checks(now: datetime) -> dict[str, NamedCheck]:
    """Return the checks that need no service. ``now`` decides whether an expiration is past."""

    def expiration(value: str) -> str:
        fault = _expiration(value)
        if fault or not value:
            return fault
        when = datetime.fromisoformat(value.strip())
        if (when if when.tzinfo else when.replace(tzinfo=UTC)) <= now:
            return "it is in the past"
        return ""

    return {**TIMELESS_CHECKS, "expiration": _texts_only(expiration)}
