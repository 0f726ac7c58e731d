"""OS::Neutron::SubnetPool and OS::Neutron::AddressScope."""

from collections.abc import Mapping
from ipaddress import collapse_addresses, ip_network
from itertools import pairwise
from typing import Any, Final

from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.neutron.neutron_type import TAGS, NeutronType, collection
from hotplate.resources.openstack.schema import flag, integer, list_of, text
from hotplate.resources.support import Support

_LENGTHS: Final = ("min_prefixlen", "default_prefixlen", "max_prefixlen")
"""Lengths of prefixes, none greater than the next. The service tells them as texts."""


class SubnetPool(NeutronType):
    """Addresses from which subnets get theirs."""

    name = "OS::Neutron::SubnetPool"
    collection = collection("subnetpools", "subnetpool")
    support = Support(version="6.0.0")
    renamed = {"address_scope": "address_scope_id"}
    named = {"address_scope": "neutron.address_scope"}
    validated = frozenset(("default_prefixlen", "max_prefixlen", "min_prefixlen"))
    properties = {
        "address_scope": text(
            "the scope in which its addresses are unique, by name or id",
            rule="neutron.address_scope",
            updatable=True,
        ),
        "default_prefixlen": integer(
            "how long the prefix of a subnet is that does not say it",
            between=(0, None),
            updatable=True,
        ),
        "default_quota": integer(
            "how many addresses a project may have of it", between=(0, None), updatable=True
        ),
        "is_default": flag(
            "whether subnets get their addresses from it that name no pool; for administrators",
            default=False,
            updatable=True,
        ),
        "max_prefixlen": integer(
            "how long the prefix of a subnet may be", between=(0, None), updatable=True
        ),
        "min_prefixlen": integer(
            "how long the prefix of a subnet must be", between=(0, None), updatable=True
        ),
        "name": text("its name", updatable=True),
        "prefixes": list_of(
            "its addresses; an update can only add some",
            items=text("an address and a prefix length", rule="net_cidr"),
            length=(1, None),
            required=True,
            updatable=True,
        ),
        "shared": flag("whether all projects may use it; for administrators", default=False),
        "tags": TAGS,
        "tenant_id": text("the project that owns it; for administrators"),
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        given = [(name, properties[name]) for name in _LENGTHS if properties[name] is not None]
        for (less, low), (more, high) in pairwise(given):
            if low > high:
                return f"{less} {low} is greater than {more} {high}"
        return ""

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known = await super().live(it, found)
        return {
            name: int(value) if name in _LENGTHS and value is not None else value
            for name, value in known.items()
        }

    def replacement_reason(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        if not contains(new["prefixes"], old["prefixes"]):
            return "a subnet pool keeps the prefixes that it has"
        return ""


class AddressScope(NeutronType):
    """Subnet pools whose addresses do not overlap."""

    name = "OS::Neutron::AddressScope"
    collection = collection("address_scopes", "address_scope")
    support = Support(version="6.0.0")
    named = {"tenant_id": "keystone.project"}
    identifying_field = ""
    properties = {
        "ip_version": integer("4 or 6", default=4, allowed=(4, 6)),
        "name": text("its name", updatable=True),
        "shared": flag("whether all projects may use it", default=False, updatable=True),
        "tenant_id": text(
            "the project that owns it, by name or id; for administrators", rule="keystone.project"
        ),
    }


def contains(prefixes: list[str], others: list[str]) -> bool:
    """Tell whether all addresses of some prefixes are also in others."""
    for version in (4, 6):
        whole = _merged(prefixes, version)
        if any(
            not any(_is_in(each, other) for other in whole) for each in _merged(others, version)
        ):
            return False
    return True


def _merged(prefixes: list[str], version: int) -> list[Any]:
    found = [ip_network(each, strict=False) for each in prefixes]
    return list(collapse_addresses([each for each in found if each.version == version]))  # type: ignore[type-var]


def _is_in(one: Any, other: Any) -> bool:
    return bool(one.subnet_of(other))
