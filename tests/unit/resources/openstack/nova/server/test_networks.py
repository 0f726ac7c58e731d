"""Which interfaces of a server stay, go and come."""

from typing import Any

from hotplate.resources.openstack.nova.server import Server
from hotplate.resources.openstack.nova.server.networks import (
    Allocation,
    Entry,
    Interface,
    allocation,
    changes,
    entries,
)


def listed(*networks: dict[str, Any]) -> tuple[Entry, ...]:
    given = {"flavor": "f", "image": "i", "networks": list(networks)}
    return entries(Server().convert(given))


def live(port: str, network: str = "n1", *addresses: str, **more: Any) -> Interface:
    return Interface(port, network, frozenset(("s1",)), frozenset(addresses), **more)


def test_a_server_without_networks_gets_what_nova_chooses() -> None:
    assert allocation({"networks": None}) is Allocation.AUTO
    assert allocation({"networks": []}) is Allocation.AUTO
    assert allocation({"networks": [{"allocate_network": "none"}]}) is Allocation.NONE
    assert allocation({"networks": [{"network": "n"}]}) is Allocation.LISTED


def test_what_nova_cannot_ask_for_needs_a_port_of_ours() -> None:
    one, two, three, four = listed(
        {"network": "n"}, {"subnet": "s"}, {"uuid": "n", "port_extra_properties": {}}, {"port": "p"}
    )
    assert [each.needs_own_port for each in (one, two, three, four)] == [False, True, True, False]
    assert three.network == "n", "an older name of network"


def test_what_fits_stays() -> None:
    new = listed({"network": "n1"}, {"network": "n2"})
    found = changes(new, new, [live("a"), live("b", "n2")])
    assert [(entry.index, each.port) for entry, each in found.kept] == [(0, "a"), (1, "b")]
    assert (found.surplus, found.missing) == ((), ())


def test_another_address_is_another_interface() -> None:
    old, new = listed({"network": "n1"}), listed({"network": "n1", "fixed_ip": "10.0.0.9"})
    found = changes(old, new, [live("a", "n1", "10.0.0.5")])
    assert [each.port for each in found.surplus] == ["a"]
    assert found.missing == new
    # Asked again once the new one is attached, nothing is left to do.
    again = changes(old, new, [live("b", "n1", "10.0.0.9")])
    assert (again.surplus, again.missing) == ((), ())


def test_what_others_attached_stays() -> None:
    old, new = listed({"network": "n1"}), listed({"network": "n1"}, {"network": "n2"})
    found = changes(old, new, [live("a"), live("by_hand", "n3")])
    assert found.surplus == ()
    assert [each.network for each in found.missing] == ["n2"]
    assert changes(old, listed({"network": "n2"}), [live("a"), live("b", "n3")]).surplus == (
        live("a"),
    )


def test_a_port_of_the_template_serves_no_other_entry() -> None:
    old, new = listed({"port": "p"}), listed({"network": "n1"})
    found = changes(old, new, [live("p")])
    assert [each.port for each in found.surplus] == ["p"]
    assert found.missing == new


def test_if_nova_chose_everything_goes_that_is_not_wanted() -> None:
    found = changes(None, listed({"network": "n2"}), [live("a"), live("b", "n2")])
    assert [each.port for each in found.surplus] == ["a"]
    assert not found.missing


def test_a_tag_and_a_mac_address_cannot_be_changed() -> None:
    entry = listed({"network": "n1", "tag": "t"})[0]
    assert not live("a").fits(entry)
    assert live("a", tag="t").fits(entry)
    extra = listed({"network": "n1", "port_extra_properties": {"mac_address": "FA:00:00:00:00:01"}})
    assert live("a", is_own=True, mac="fa:00:00:00:00:01").fits(extra[0])
    assert not live("a", is_own=True, mac="fa:00:00:00:00:02").fits(extra[0])
    assert not live("a", mac="fa:00:00:00:00:01").fits(extra[0]), "not a port of ours"
