"""Every custom constraint that needs no cloud accepts and refuses what it should."""

from datetime import UTC, datetime

import pytest

from hotplate.document import Data
from hotplate.template import SERVICE_CONSTRAINTS, local_checks

CHECKS = local_checks(datetime(2030, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ip_addr", "10.0.0.1"),
        ("ip_addr", "::1"),
        ("net_cidr", "10.0.0.0/24"),
        ("net_cidr", "10.0.0.5/24"),
        ("net_cidr", "fd00::/8"),
        ("ip_or_cidr", "10.0.0.1"),
        ("ip_or_cidr", "10.0.0.0/8"),
        ("mac_addr", "00:11:22:aa:BB:cc"),
        ("mac_addr", "00-11-22-aa-bb-cc"),
        ("dns_name", "www.example.org"),
        ("dns_name", "www.example.org."),
        ("dns_name", "localhost"),
        ("dns_name", ""),
        ("dns_name", "a" * 63 + ".org"),
        ("dns_domain", "example.org."),
        ("rel_dns_name", "www.example"),
        ("iso_8601", "2030-12-31T23:59:59Z"),
        ("iso_8601", "2030-12-31"),
        ("expiration", "2030-01-02T00:00:00Z"),
        ("expiration", "2030-01-01T00:00:01"),
        ("expiration", "2030-01-01T01:00:00-05:00"),
        ("expiration", ""),
        ("json_string", '{"a": 1}'),
        ("json_string", ""),
        ("timezone", "Europe/Vienna"),
        ("timezone", "UTC"),
        ("timezone", ""),
        ("cron_expression", "*/5 0 1-15 jan-jun mon,wed"),
        ("cron_expression", "0 0 * * 7"),
        ("cron_expression", "0 0 * * * 30"),
        ("cron_expression", ""),
    ],
)
def test_a_good_value_passes(name: str, value: str) -> None:
    assert CHECKS[name](value) == ""


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("ip_addr", "10.0.0.256", "it is not an IP address"),
        ("ip_addr", "10.0.0.0/24", "it is not an IP address"),
        ("ip_addr", "", "it is not an IP address"),
        ("net_cidr", "10.0.0.0", "it is not a network such as 10.0.0.0/24"),
        ("net_cidr", "10.0.0.0/33", "it is not a network"),
        ("ip_or_cidr", "10.0.0.0/33", "it is not a network"),
        ("ip_or_cidr", "x", "it is not an IP address"),
        ("mac_addr", "00:11:22:aa:bb", "it is not a MAC address"),
        ("mac_addr", "00:11:22:aa:bb:gg", "it is not a MAC address"),
        ("dns_name", "-a.org", "it is not a DNS name"),
        ("dns_name", "a..org", "it is not a DNS name"),
        ("dns_name", "a" * 64 + ".org", "it is not a DNS name"),
        ("dns_name", "a." * 128 + "org", "a DNS name has at most 255 characters"),
        ("dns_name", "10.0.0.1", "it ends in a number"),
        ("dns_domain", "example.org", 'it must end with "."'),
        ("rel_dns_name", "example.org.", "it is a full name"),
        ("iso_8601", "tomorrow", "it is not a date and time such as"),
        ("expiration", "2029-12-31T23:59:59Z", "it is in the past"),
        ("expiration", "2030-01-01T00:00:00Z", "it is in the past"),
        ("expiration", "soon", "it is not a date and time"),
        ("json_string", "{", "it is not JSON: "),
        ("timezone", "Mars/Base", "it is not a time zone such as Europe/Vienna"),
        ("timezone", "../etc/passwd", "it is not a time zone"),
        ("cron_expression", "* * *", "it is not a cron expression: it needs 5 fields"),
        ("cron_expression", "60 * * * *", "it is not a cron expression: '60' is not a"),
        ("cron_expression", "*/0 * * * *", "it is not a cron expression: '*/0'"),
        ("cron_expression", "* * 0 * *", "it is not a cron expression: '0' is not a"),
        ("cron_expression", "* * * foo *", "it is not a cron expression: 'foo' is"),
    ],
)
def test_a_bad_value_is_refused_in_words(name: str, value: str, fault: str) -> None:
    assert CHECKS[name](value).startswith(fault)


@pytest.mark.parametrize("name", sorted(CHECKS))
@pytest.mark.parametrize("value", [5, True, ["a"], None])
def test_what_is_not_a_text_is_refused(name: str, value: Data) -> None:
    assert CHECKS[name](value) == "it is not a text"


def test_constraints_of_services_are_known_by_name() -> None:
    assert {"nova.flavor", "neutron.lbaas.pool", "glance.image"} <= SERVICE_CONSTRAINTS
    assert SERVICE_CONSTRAINTS.isdisjoint(CHECKS)
