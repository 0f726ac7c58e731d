"""OS::Neutron::Quota."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.cloud import NotFound
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import DeletedFirst, may_be_same
from hotplate.resources.openstack.neutron.neutron_type import NeutronType, collection
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


class Quota(NeutronType, DeletedFirst):
    """How much a project may have. Its physical id is a name; deleting it brings the defaults."""

    name = "OS::Neutron::Quota"
    collection = collection("quotas", "quota")
    support = Support(version="8.0.0")
    named = {"project": "keystone.project"}
    located_by = ("project",)
    validated = frozenset(_COUNTED)
    properties = {
        **{
            name: integer(f"how many {what}; -1 for any", between=(-1, None), updatable=True)
            for name, what in _COUNTED.items()
        },
        "project": text("the project, by name or id", rule="keystone.project", required=True),
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        if all(properties[name] is None for name in _COUNTED):
            names = ", ".join(_COUNTED)
            return f"At least one of the following properties must be specified: {names}"
        return ""

    def object_path(self, it: CloudResource) -> str:
        return f"/quotas/{it.properties['project']}"

    async def make(self, it: CloudResource) -> Object:
        return await self._put(it, self._given(it.properties))

    async def change(self, it: CloudResource) -> Object | None:
        """Set all values; one that is taken away becomes the default."""
        gone = {name for name in self._given(it.old_properties) if it.properties[name] is None}
        defaults: Mapping[str, Any] = {}
        if gone:
            defaults = (await it.service.get(f"{self.object_path(it)}/default"))["quota"]
        return await self._put(
            it, {**self._given(it.properties), **{name: defaults[name] for name in gone}}
        )

    async def read(self, it: CloudResource) -> Object:
        """Return the quotas. Raises NotFound if nothing of what was set is in force."""
        answer = await it.service.get(self.object_path(it))
        found: dict[str, Any] = answer["quota"]
        given = self._given(it.properties)
        if given and not any(found.get(name) == value for name, value in given.items()):
            words = f"the quotas of project {it.properties['project']} are others by now"
            raise NotFound(words, "network")
        return self._known(it, found)

    async def search(self, it: CloudResource) -> Object | None:
        try:
            found = await self.read(it)
        except NotFound:
            return None
        return found if self._given(it.properties).items() <= found.items() else None

    def physical_id_of(self, found: Object) -> str:
        return str(found["physical_id"])

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        values = {name: found[name] for name in _COUNTED if name in found}
        return {**values, "project": it.properties["project"]}

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        is_same = new is not None and may_be_same(old["project"], new["project"])
        return f"the quotas of project {old['project']}" if is_same else ""

    def _given(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        return {name: properties[name] for name in _COUNTED if properties.get(name) is not None}

    async def _put(self, it: CloudResource, values: Mapping[str, Any]) -> Object:
        body = {"quota": dict(values)}
        answer = await it.service.put(self.object_path(it), body, repeatable=True)
        return self._known(it, answer["quota"])

    def _known(self, it: CloudResource, found: Object) -> Object:
        return {**found, "physical_id": it.resource.physical_id or it.resource.physical_name}
