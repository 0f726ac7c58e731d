"""What a server gives up for its replacement."""

from typing import Any

from hotplate.resources.openstack.nova.server import Server
from hotplate.resources.openstack.nova.server.giving_up import must_go, needed_by
from hotplate.resources.openstack.nova.server.networks import Interface

PORT = "0f6f8f0e-1111-4222-8333-444455556666"
OTHER = "0f6f8f0e-1111-4222-8333-444455557777"


def given(**properties: Any) -> dict[str, Any]:
    return Server().convert({"flavor": "f", "image": "i", **properties})


def given_up(old: dict[str, Any], new: dict[str, Any]) -> str:
    return Server().gives_up(given(**old), given(**new))


def test_servers_that_share_nothing_can_both_exist() -> None:
    assert given_up({}, {}) == ""
    assert given_up({"networks": [{"network": "n"}]}, {"networks": [{"network": "n"}]}) == ""
    one, two = {"networks": [{"port": PORT}]}, {"networks": [{"port": OTHER}]}
    assert given_up(one, two) == ""
    assert Server().gives_up(given(**one), None) == "", "another type"


def test_ports_addresses_and_volumes_move() -> None:
    networks = [{"port": PORT}, {"network": "n", "fixed_ip": "10.0.0.5"}]
    disks = [{"volume_id": "v", "boot_index": -1}]
    both = {"networks": networks, "block_device_mapping_v2": disks}
    assert given_up(both, both) == f"ports {PORT}; addresses 10.0.0.5; volumes v"


def test_a_port_with_a_name_may_be_any() -> None:
    one, two = {"networks": [{"port": PORT}]}, {"networks": [{"port": "web"}]}
    assert given_up(one, two) == "its ports"
    assert given_up({}, two) == "", "there was none"


def test_a_server_goes_before_another_boots_from_its_volume() -> None:
    both = given(image=None, block_device_mapping_v2=[{"volume_id": "v"}])
    assert must_go(both, both)
    assert Server().gives_up(both, both) == "the volume that it boots from, and is deleted for it"
    doomed = given(
        image=None, block_device_mapping_v2=[{"volume_id": "v", "delete_on_termination": True}]
    )
    assert not must_go(doomed, doomed), "the volume would be deleted too"
    assert Server().gives_up(doomed, doomed) == ""


def test_interfaces_are_taken_by_port_address_and_mac() -> None:
    extra = {"port_extra_properties": {"mac_address": "FA:00:00:00:00:01"}}
    needed = needed_by(
        given(networks=[{"port": PORT}, {"network": "n", "fixed_ip": "10.0.0.5", **extra}])
    )
    assert needed.takes(Interface(PORT, "n"))
    assert needed.takes(Interface("x", "n", addresses=frozenset(("10.0.0.5",))))
    assert needed.takes(Interface("x", "n", mac="fa:00:00:00:00:01"))
    assert not needed.takes(Interface("x", "n", mac="fa:00:00:00:00:02"))
