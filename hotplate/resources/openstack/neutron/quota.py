"""OS::Neutron::Quota."""

from typing import Final

from hotplate.resources.openstack.neutron.neutron_type import collection
from hotplate.resources.openstack.quota import QuotaSet
from hotplate.resources.openstack.schema import integer, text
from hotplate.resources.support import Support

_COUNTED: Final = {
    "floatingip": "floating IPs",
    "network": "networks",
    "port": "ports",
    "rbac_policy": "RBAC policies",
    "router": "routers",
    "security_group": "security groups",
    "security_group_rule": "rules of security groups",
    "subnet": "subnets",
    "subnetpool": "subnet pools",
}


class Quota(QuotaSet):
    """How much a project may have in the network service; for administrators."""

    name = "OS::Neutron::Quota"
    collection = collection("quotas", "quota")
    support = Support(version="8.0.0")
    defaults_path = "default"
    tells_usage = False
    validated = frozenset(_COUNTED)
    properties = {
        **{
            name: integer(f"how many {what}; -1 for any", between=(-1, None), updatable=True)
            for name, what in _COUNTED.items()
        },
        "project": text("the project, by name or id", rule="keystone.project", required=True),
    }
