"""Properties that templates may give under an older name."""

from typing import Any

import pytest

from hotplate.resources.property import BadProperty, Property, PropertyKind, convert_all
from hotplate.validation.static import property_faults
from hotplate.validation.static.written_properties import WrittenProperties

SUBNET = Property(older=("subnet_id",))
SCHEMA = {
    "network": Property(required=True, older=("network_id",)),
    "network_id": Property(hidden=True),
    "fixed_ips": Property(
        PropertyKind.LIST,
        items=Property(
            PropertyKind.MAP, schema={"subnet": SUBNET, "subnet_id": Property(hidden=True)}
        ),
    ),
}


def test_a_value_moves_to_the_name_of_today_however_deep() -> None:
    given: dict[str, Any] = {"network_id": "n", "fixed_ips": [{"subnet_id": "s"}]}
    found = convert_all(SCHEMA, given)
    assert (found["network"], found["network_id"]) == ("n", None)
    assert found["fixed_ips"] == [{"subnet": "s", "subnet_id": None}]
    assert convert_all(SCHEMA, found) == found


def test_both_names_at_once_are_refused() -> None:
    with pytest.raises(BadProperty, match="at the same time: network, network_id"):
        convert_all(SCHEMA, {"network": "n", "network_id": "m"})


def test_what_is_required_may_have_its_older_name() -> None:
    assert not list(property_faults(SCHEMA, WrittenProperties(frozenset(("network_id",)))))
    (fault,) = property_faults(SCHEMA, WrittenProperties())
    assert fault.message == "Property network not assigned"
