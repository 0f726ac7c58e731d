"""OS::Neutron::SecurityGroupRule."""

from collections.abc import Mapping
from typing import Any

from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import DeletedFirst, may_be_same
from hotplate.resources.openstack.neutron.neutron_type import NeutronType, collection
from hotplate.resources.openstack.neutron.security.rules import (
    PROTOCOLS,
    RULE,
    key_of,
    range_fault,
)
from hotplate.resources.openstack.schema import text
from hotplate.resources.support import Support


class SecurityGroupRule(NeutronType, DeletedFirst):
    """A rule of a security group that exists already. The service has each rule once."""

    name = "OS::Neutron::SecurityGroupRule"
    collection = collection("security_group_rules", "security_group_rule")
    support = Support(version="7.0.0")
    renamed = {"security_group": "security_group_id", "remote_group": "remote_group_id"}
    named = {
        "security_group": "neutron.security_group",
        "remote_group": "neutron.security_group",
    }
    identifying_field = ""  # a rule cannot be changed: the token would stay in sight
    validated = frozenset(("port_range_max", "port_range_min", "protocol"))
    properties = {
        **RULE,
        "protocol": text("the protocol, by name or number", allowed=PROTOCOLS, default="tcp"),
        "remote_group": text(
            "the group on the other side, by name or id", rule="neutron.security_group"
        ),
        "security_group": text(
            "the group to which it is added, by name or id",
            rule="neutron.security_group",
            required=True,
        ),
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        if properties["remote_group"] and properties["remote_ip_prefix"]:
            names = "remote_ip_prefix, remote_group"
            return f"Cannot define the following properties at the same time: {names}"
        return range_fault(properties)

    async def search(self, it: CloudResource) -> Object | None:
        key = key_of(self.fields(it))
        query = {"security_group_id": it.properties["security_group"]}
        listed = await it.service.list_all(self.path(it), "security_group_rules", query)
        return next((each for each in listed if key_of(each) == key), None)

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        if new is None or not may_be_same(old["security_group"], new["security_group"]):
            return ""
        groups = old["remote_group"], new["remote_group"]
        is_same = groups == (None, None) or may_be_same(*groups)
        return "its place in the group" if is_same and key_of(old) == key_of(new) else ""
