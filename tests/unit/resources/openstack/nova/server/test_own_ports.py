"""Ports that are made for servers."""

from typing import Any

from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.nova.server import Server
from hotplate.resources.openstack.nova.server.networks import entries
from hotplate.resources.openstack.nova.server.own_ports import needs_own_ports, port_fields
from tests.unit.resources.acting import resource

NOWHERE: Any = None
MARK = "(hotplate 0f6f8f0e-1111-4222-8333-444455556666)"


def fields(network: dict[str, Any], groups: tuple[str, ...] = ()) -> dict[str, Any]:
    given = {"flavor": "f", "image": "i", "networks": [network]}
    it = resource(Server(), given)
    at = CloudResource(it, NOWHERE, NOWHERE, it.properties, {})
    return port_fields(at, entries(it.properties)[0], "n", groups)


def test_a_port_has_the_address_and_groups_of_its_entry() -> None:
    assert fields({"subnet": "s", "fixed_ip": "10.0.0.5"}, ("g",)) == {
        "network_id": "n",
        "fixed_ips": [{"ip_address": "10.0.0.5", "subnet_id": "s"}],
        "security_groups": ["g"],
        "description": MARK,
    }


def test_extra_properties_are_fields_of_the_port() -> None:
    extra = {
        "allowed_address_pairs": [{"ip_address": "10.0.0.0/28"}],
        "qos_policy": "q",
        "no_fixed_ips": True,
        "value_specs": {"description": "mine", "dns_name": "web"},
    }
    assert fields({"network": "n", "port_extra_properties": extra}) == {
        "network_id": "n",
        "admin_state_up": True,
        "allowed_address_pairs": [{"ip_address": "10.0.0.0/28"}],
        "binding:vnic_type": "normal",
        "qos_policy_id": "q",
        "dns_name": "web",
        "fixed_ips": [],
        "description": f"mine {MARK}",
    }


def test_ports_are_ours_only_where_nova_could_not_make_them() -> None:
    kind = Server()
    base = {"flavor": "f", "image": "i"}
    assert not needs_own_ports(kind.convert(base))
    assert not needs_own_ports(kind.convert({**base, "security_groups": ["g"]}))
    assert needs_own_ports(kind.convert({**base, "networks": [{"subnet": "s"}]}))
    later = {**base, "networks": [{"network": "n"}], "security_groups": ["g"]}
    assert needs_own_ports(kind.convert(later)), "an update may attach more"
