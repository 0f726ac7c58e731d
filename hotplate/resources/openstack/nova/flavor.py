"""OS::Nova::Flavor."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from hotplate.cloud import Collection, Conflict, NotFound
from hotplate.cloud.polling import whole
from hotplate.document import Data
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import DeletedFirst
from hotplate.resources.openstack.schema import flag, integer, map_of, number, text, texts
from hotplate.resources.openstack.translation import in_order_of


class Flavor(DeletedFirst):
    """A size of servers; for administrators."""

    name = "OS::Nova::Flavor"
    collection = Collection("compute", "/flavors", "flavor", "/flavors/detail", narrow=whole)
    renamed = {
        "flavorid": "id",
        "ephemeral": "OS-FLV-EXT-DATA:ephemeral",
        "is_public": "os-flavor-access:is_public",
    }
    named = {"tenants[]": "keystone.project"}
    apart = frozenset(("extra_specs", "tenants"))
    properties = {
        "disk": integer("GiB of the root disk; 0 for that of the image", default=0),
        "ephemeral": integer("GiB of a second disk", default=0),
        "extra_specs": map_of("what hosts must have, or shall do", updatable=True),
        "flavorid": text("its id; one is made if none is given"),
        "is_public": flag("whether all projects may use it", default=True),
        "name": text("its name"),
        "ram": integer("MiB of memory", required=True),
        "rxtx_factor": number("its part of the network's bandwidth", default=1.0),
        "swap": integer("MiB of a disk for swapping", default=0),
        "tenants": texts(
            "the projects that may use it if it is not public, by name or id; else this one",
            rule="keystone.project",
            default=[],
            updatable=True,
        ),
        "vcpus": integer("virtual processors", required=True),
    }
    attributes = {
        "extra_specs": "what hosts must have, or shall do",
        "is_public": "whether all projects may use it",
    }
    attribute_fields = {"is_public": "os-flavor-access:is_public"}

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        if new is None:
            return ""
        same = [
            f"the {word} {old[key]}"
            for key, word in (("flavorid", "id"), ("name", "name"))
            if old[key] and old[key] == new[key]
        ]
        return " and ".join(same)

    def fields(self, it: CloudResource) -> dict[str, Any]:
        # An id that we choose cannot be made twice.
        return {**super().fields(it), "id": self._flavor_id(it)}

    def _flavor_id(self, it: CloudResource) -> str:
        return str(it.properties["flavorid"] or it.resource.creation_token)

    async def search(self, it: CloudResource) -> Object | None:
        try:
            found = self._one(
                await it.service.get(f"/flavors/{quote(self._flavor_id(it), safe='')}")
            )
        except NotFound:
            return None
        return found if found["name"] == self.object_name(it) else None

    def has_more(self, it: CloudResource) -> bool:
        return bool(it.properties["extra_specs"]) or not it.properties["is_public"]

    async def complete(self, it: CloudResource) -> None:
        if it.properties["extra_specs"]:
            await self._set_specs(it)
        if not it.properties["is_public"]:
            await self._set_projects(it)

    async def change(self, it: CloudResource) -> Object | None:
        if it.changed("extra_specs"):
            await self._set_specs(it)
        if it.changed("tenants") and not it.properties["is_public"]:
            await self._set_projects(it)
        return None

    async def shown_elsewhere(self, it: CloudResource, found: Object) -> Mapping[str, Data]:
        return {"extra_specs": found.get("extra_specs") or {}}

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known = await super().live(it, found)
        known["swap"] = known.get("swap") or 0
        if not it.properties.get("flavorid"):
            known.pop("flavorid", None)
        known["extra_specs"] = found.get("extra_specs") or None
        if not known["is_public"] and it.properties.get("tenants"):
            known["tenants"] = in_order_of(it.properties["tenants"], await self._projects(it))
        return known

    async def _set_specs(self, it: CloudResource) -> None:
        path = f"{self.object_path(it)}/os-extra_specs"
        wanted = {key: str(value) for key, value in (it.properties["extra_specs"] or {}).items()}
        there = (await it.service.get(path))["extra_specs"]
        for key in sorted(there.keys() - wanted.keys()):
            await it.service.delete(f"{path}/{quote(key, safe='')}")
        if wanted:
            await it.service.post(path, {"extra_specs": wanted}, repeatable=True)

    async def _projects(self, it: CloudResource) -> list[str]:
        path = f"{self.object_path(it)}/os-flavor-access"
        listed = await it.service.list_all(path, "flavor_access")
        return [str(each["tenant_id"]) for each in listed]

    async def _set_projects(self, it: CloudResource) -> None:
        wanted = set(it.properties["tenants"] or ()) or {await it.cloud.project_id()}
        there = set(await self._projects(it))
        for project in sorted(wanted - there):
            await self._access(it, "addTenantAccess", project)
        for project in sorted(there - wanted):
            await self._access(it, "removeTenantAccess", project)

    async def _access(self, it: CloudResource, action: str, project: str) -> None:
        try:
            await it.service.post(f"{self.object_path(it)}/action", {action: {"tenant": project}})
        except (Conflict, NotFound):
            return  # an earlier try has done it
