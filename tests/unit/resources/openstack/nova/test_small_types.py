"""Rules of the smaller types of the compute service that need no cloud."""

import asyncio
from typing import Any

import pytest

from hotplate.resources.openstack.cloud_type import CloudType
from hotplate.resources.openstack.nova.flavor import Flavor
from hotplate.resources.openstack.nova.host_aggregate import HostAggregate
from hotplate.resources.openstack.nova.key_pair import KeyPair
from hotplate.resources.openstack.nova.quota import Quota
from hotplate.resources.openstack.nova.server_group import ServerGroup
from hotplate.resources.resource_type import ResourceFailed
from tests.unit.resources.acting import resource


def fault(kind: CloudType, **given: Any) -> str:
    return kind.validate(kind.convert(given))


def test_a_server_group_has_one_policy() -> None:
    group = ServerGroup()
    assert fault(group) == ""
    assert "has one policy" in fault(group, policies=["affinity", "anti-affinity"])
    assert "has 0 entries" in fault(group, policies=[])
    rules = {"max_server_per_host": 2}
    assert fault(group, rules=rules) == ""
    assert "for anti-affinity alone" in fault(group, policies=["affinity"], rules=rules)
    assert "whole number" in fault(group, rules={"max_server_per_host": 1.5})


def test_quotas_that_nova_no_longer_has_are_refused() -> None:
    assert fault(Quota(), project="p", cores=1) == ""
    assert "Nova has no quotas for fixed_ips, floating_ips" in fault(
        Quota(), project="p", fixed_ips=1, floating_ips=2
    )
    assert fault(Quota(), project="p").startswith("At least one of the following properties")


def test_what_only_one_can_have_is_given_up() -> None:
    key = KeyPair()
    one, two = key.convert({"name": "k"}), key.convert({"name": "k", "public_key": "x"})
    assert key.gives_up(one, two) == "the name k"
    assert key.gives_up(one, key.convert({"name": "l"})) == ""
    assert key.gives_up(one, None) == ""
    flavor = Flavor()
    size = {"ram": 1, "vcpus": 1}
    named = flavor.convert({**size, "name": "f", "flavorid": "7"})
    assert flavor.gives_up(named, named) == "the id 7 and the name f"
    assert flavor.gives_up(flavor.convert(size), flavor.convert(size)) == ""


def test_a_private_key_of_others_is_not_known() -> None:
    key = KeyPair()
    made = resource(key, {"name": "k", "save_private_key": True}, physical_id="k")
    with pytest.raises(ResourceFailed, match="cannot be recovered"):
        asyncio.run(key.adopt(made))


def test_an_aggregate_without_its_zone_is_another_one() -> None:
    kind = HostAggregate()
    zoned = kind.convert({"name": "a", "availability_zone": "z"})
    plain = kind.convert({"name": "a"})
    assert kind.replacement_reason(zoned, plain)
    assert kind.replacement_reason(plain, zoned) == ""
    assert kind.gives_up(zoned, plain) == "the name a"
