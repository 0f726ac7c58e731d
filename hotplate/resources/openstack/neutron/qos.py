"""OS::Neutron::QoSPolicy and its rules."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from hotplate.cloud import Collection
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import DeletedFirst, may_be_same
from hotplate.resources.openstack.neutron.neutron_type import NeutronType
from hotplate.resources.openstack.schema import flag, integer, text
from hotplate.resources.property import Property
from hotplate.resources.support import Support

_BOTH: Final = ("egress", "ingress")
_MARKS: Final = (0, *range(8, 41, 2), 46, 48, 56)


class QoSPolicy(NeutronType):
    """What ports and networks are promised, or limited to. For administrators."""

    name = "OS::Neutron::QoSPolicy"
    collection = Collection("network", "/qos/policies", "policy", list_key="policies")
    support = Support(version="6.0.0")
    properties = {
        "description": text("what it is for", updatable=True),
        "name": text("its name", updatable=True),
        "shared": flag("whether all projects may use it", default=False, updatable=True),
        "tenant_id": text("the project that owns it"),
    }
    attributes = {"rules": "its rules"}


def _rule(name: str) -> Collection:
    return Collection("network", f"/{name}s", name)


def _direction(*allowed: str) -> Property:
    return text(
        "the traffic that it is for, seen from the server",
        allowed=allowed,
        default="egress",
        updatable=True,
    )


class _Rule(NeutronType, DeletedFirst):
    """A rule of a policy. A policy has at most one of a sort, or one for each direction."""

    named = {"policy": "neutron.qos_policy"}
    located_by = ("policy",)
    apart = NeutronType.apart | {"policy"}
    identifying_field = ""
    common: ClassVar[Mapping[str, Property]] = {
        "policy": text("the policy, by name or id", rule="neutron.qos_policy", required=True),
        "tenant_id": text("the project that owns it"),
    }

    def path(self, it: CloudResource) -> str:
        return f"/qos/policies/{it.properties['policy']}{self.collection.path}"

    async def search(self, it: CloudResource) -> Object | None:
        listed = await it.service.list_all(self.path(it), f"{self.collection.key}s")
        same = {key: value for key, value in self.first_fields(it).items() if key != "tenant_id"}
        return next((each for each in listed if same.items() <= each.items()), None)

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        return {**await super().live(it, found), "policy": it.properties["policy"]}

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        if new is None or not may_be_same(old["policy"], new["policy"]):
            return ""
        is_same = "any" in (one := (old.get("direction"), new.get("direction"))) or one[0] == one[1]
        return "its place in the policy" if is_same else ""


class QoSBandwidthLimitRule(_Rule):
    """Limits the bandwidth."""

    name = "OS::Neutron::QoSBandwidthLimitRule"
    collection = _rule("bandwidth_limit_rule")
    support = Support(version="6.0.0")
    properties = {
        **_Rule.common,
        "direction": _direction(*_BOTH),
        "max_burst_kbps": integer(
            "by how much it may be exceeded for a moment, in kbit",
            between=(0, None),
            default=0,
            updatable=True,
        ),
        "max_kbps": integer(
            "the limit in kbit/s", between=(0, None), required=True, updatable=True
        ),
    }


class QoSDscpMarkingRule(_Rule):
    """Puts a mark on packets by which others treat them."""

    name = "OS::Neutron::QoSDscpMarkingRule"
    collection = _rule("dscp_marking_rule")
    support = Support(version="7.0.0")
    properties = {
        **_Rule.common,
        "dscp_mark": integer("the mark", allowed=_MARKS, required=True, updatable=True),
    }


class QoSMinimumBandwidthRule(_Rule):
    """Promises a bandwidth."""

    name = "OS::Neutron::QoSMinimumBandwidthRule"
    collection = _rule("minimum_bandwidth_rule")
    support = Support(version="14.0.0")
    properties = {
        **_Rule.common,
        "direction": _direction(*_BOTH),
        "min_kbps": integer(
            "what is promised in kbit/s", between=(0, None), required=True, updatable=True
        ),
    }


class QoSMinimumPacketRateRule(_Rule):
    """Promises a rate of packets."""

    name = "OS::Neutron::QoSMinimumPacketRateRule"
    collection = _rule("minimum_packet_rate_rule")
    support = Support(version="19.0.0")
    properties = {
        **_Rule.common,
        "direction": _direction("any", *_BOTH),
        "min_kpps": integer(
            "what is promised, in thousands of packets a second",
            between=(0, None),
            required=True,
            updatable=True,
        ),
    }
