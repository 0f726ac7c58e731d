"""How addresses of a server are shown."""

from typing import Any

from hotplate.resources.openstack.nova.server.addresses import (
    first_address,
    in_order,
    network_ids,
    networks,
)

MAC = "OS-EXT-IPS-MAC:mac_addr"
FOUND: dict[str, Any] = {
    "addresses": {
        "inner": [{"addr": "10.0.0.9", MAC: "FA:01"}, {"addr": "10.0.0.3", MAC: "fa:02"}],
        "outer": [{"addr": "192.0.2.5", MAC: "fa:03"}],
    }
}
PORTS = [
    {"id": "c", "mac_address": "fa:03", "network_id": "n2"},
    {"id": "b", "mac_address": "fa:02", "network_id": "n1"},
    {"id": "x", "mac_address": "fa:09", "network_id": "n9"},
    {"id": "a", "mac_address": "fa:01", "network_id": "n1"},
]


def test_networks_are_shown_by_name_and_id() -> None:
    ids = network_ids(FOUND, PORTS)
    assert ids == {"inner": "n1", "outer": "n2"}
    assert networks(FOUND, ids) == {
        "inner": ["10.0.0.9", "10.0.0.3"],
        "n1": ["10.0.0.9", "10.0.0.3"],
        "outer": ["192.0.2.5"],
        "n2": ["192.0.2.5"],
    }
    assert networks(FOUND, {}) == {"inner": ["10.0.0.9", "10.0.0.3"], "outer": ["192.0.2.5"]}


def test_ports_come_in_the_order_of_the_interfaces() -> None:
    assert [port["id"] for port in in_order(FOUND, PORTS)] == ["a", "b", "c", "x"]


def test_the_first_address_is_of_the_last_network_by_name() -> None:
    assert first_address(FOUND) == "192.0.2.5"
    assert first_address({"addresses": {}}) == ""
