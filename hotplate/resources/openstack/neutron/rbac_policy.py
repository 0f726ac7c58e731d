"""OS::Neutron::RBACPolicy."""

from collections.abc import Mapping
from typing import Any

from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import DeletedFirst, may_be_same
from hotplate.resources.openstack.neutron.neutron_type import NeutronType, collection
from hotplate.resources.openstack.schema import text
from hotplate.resources.support import Support


class RBACPolicy(NeutronType, DeletedFirst):
    """Lets another project use an object. The service has each of them once."""

    name = "OS::Neutron::RBACPolicy"
    collection = collection("rbac_policies", "rbac_policy")
    support = Support(version="6.0.0")
    identifying_field = ""
    validated = frozenset(("action", "object_type"))
    properties = {
        "action": text(
            "what is allowed", allowed=("access_as_shared", "access_as_external"), required=True
        ),
        "object_id": text("the object, by name or id", required=True),
        "object_type": text(
            "what sort of object it is",
            allowed=("network", "qos_policy", "security_group", "address_scope", "subnetpool"),
            required=True,
        ),
        "target_tenant": text(
            "the id of the project that may use it; * for all", required=True, updatable=True
        ),
        "tenant_id": text("the project that owns it; for administrators"),
    }

    def named_in(self, properties: Mapping[str, Any]) -> Mapping[str, str]:
        kind = properties.get("object_type")
        return {"object_id": f"neutron.{kind}"} if kind else {}

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        kind, action = properties["object_type"], properties["action"]
        if kind != "network" and action != "access_as_shared":
            return f"the action {action} is not for object_type {kind}"
        return ""

    async def search(self, it: CloudResource) -> Object | None:
        names = ("object_type", "object_id", "action", "target_tenant")
        query = {name: it.properties[name] for name in names}
        listed = await it.service.list_all(self.path(it), "rbac_policies", query)
        return next(iter(listed), None)

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        if new is None or not may_be_same(old["object_id"], new["object_id"]):
            return ""
        names = ("object_type", "action", "target_tenant")
        is_same = all(old[name] == new[name] for name in names)
        return "what it allows" if is_same else ""
