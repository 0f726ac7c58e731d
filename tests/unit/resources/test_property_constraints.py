"""Custom constraints of properties: what needs no cloud is checked when values are converted."""

import pytest

from hotplate.resources.property import BadProperty, Property, PropertyKind
from hotplate.template import CustomConstraint

ADDRESS = Property(constraints=(CustomConstraint("ip_addr"),))


def test_a_value_is_put_to_constraints_that_need_no_cloud() -> None:
    assert ADDRESS.convert("192.0.2.1") == "192.0.2.1"
    with pytest.raises(BadProperty, match="Error validating value 'x': it is not an IP address"):
        ADDRESS.convert("x", ("address",))


def test_items_of_a_list_are_checked_one_by_one() -> None:
    addresses = Property(PropertyKind.LIST, items=ADDRESS)
    with pytest.raises(BadProperty) as fault:
        addresses.convert(["192.0.2.1", "x"], ("addresses",))
    assert fault.value.path == ("addresses", 1)
    with pytest.raises(BadProperty, match="'x'"):
        Property(PropertyKind.LIST, constraints=ADDRESS.constraints).convert(["192.0.2.1", "x"])


def test_an_expiration_stays_valid_when_it_has_passed() -> None:
    expires = Property(constraints=(CustomConstraint("expiration"),))
    assert expires.convert("2001-01-01T00:00:00Z") == "2001-01-01T00:00:00Z"


def test_constraints_that_need_a_cloud_are_left_to_it() -> None:
    network = Property(constraints=(CustomConstraint("neutron.network"),))
    assert network.convert("nowhere") == "nowhere"
