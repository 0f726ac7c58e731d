"""OS::Cinder::VolumeType."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from hotplate.cloud import Collection, Conflict, NotFound
from hotplate.cloud.polling import whole
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import CloudType, Object
from hotplate.resources.openstack.schema import flag, map_of, text, texts

TYPES = Collection("block-storage", "/types", "volume_type", narrow=whole)


class VolumeType(CloudType):
    """A kind of volumes; for administrators."""

    name = "OS::Cinder::VolumeType"
    collection = TYPES
    renamed = {"is_public": "os-volume-type-access:is_public", "metadata": "extra_specs"}
    named = {"projects[]": "keystone.project"}
    apart = frozenset(("projects",))
    identifying_field = "description"
    properties = {
        "description": text("what it is for", updatable=True),
        "is_public": flag("whether all projects may use it", default=True, updatable=True),
        "metadata": map_of("what back ends must have, or shall do", updatable=True),
        "name": text("its name", required=True, updatable=True),
        "projects": texts(
            "the projects that may use it if it is not public, by name or id",
            rule="keystone.project",
            default=[],
            updatable=True,
        ),
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        if properties.get("projects") and properties.get("is_public"):
            return "projects can be given only if is_public is false: all may use a public type"
        return super().validate(properties, timeout)

    async def search(self, it: CloudResource) -> Object | None:
        text = self.token_text(it)
        listed = await it.service.list_all("/types", "volume_types", {"is_public": "None"})
        return next((each for each in listed if each.get("description") == text), None)

    def has_more(self, it: CloudResource) -> bool:
        return bool(it.properties.get("projects"))

    async def complete(self, it: CloudResource) -> None:
        await self._set_projects(it)

    async def change(self, it: CloudResource) -> Object | None:
        path = self.object_path(it)
        becomes_public = bool(it.properties["is_public"])
        if it.changed("projects") and becomes_public:
            await self._set_projects(it)  # only what is not public has any
        names = [name for name in ("name", "description", "is_public") if it.changed(name)]
        if names:
            # Cinder takes null for no change.
            fields = {name: it.properties.get(name) for name in names}
            fields = {name: "" if value is None else value for name, value in fields.items()}
            await it.service.put(path, {"volume_type": fields}, repeatable=True)
        if it.changed("projects") and not becomes_public:
            await self._set_projects(it)
        if it.changed("metadata"):
            await self._set_specs(it)
        return None

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known = await super().live(it, found)
        if not known["is_public"]:
            known["projects"] = await self._projects(it)
        return known

    async def _set_specs(self, it: CloudResource) -> None:
        path = f"{self.object_path(it)}/extra_specs"
        wanted = it.properties.get("metadata") or {}
        there = (await it.service.get(path))["extra_specs"]
        for key in sorted(there.keys() - wanted.keys()):
            await it.service.delete(f"{path}/{quote(key, safe='')}")
        if wanted:
            await it.service.post(path, {"extra_specs": wanted}, repeatable=True)

    async def _set_projects(self, it: CloudResource) -> None:
        wanted = list(it.properties.get("projects") or ())
        there = await self._projects(it)
        for project in wanted:
            if project not in there:
                await self._access(it, "addProjectAccess", project)
        for project in there:
            if project not in wanted:
                await self._access(it, "removeProjectAccess", project)

    async def _projects(self, it: CloudResource) -> list[str]:
        try:
            answer = await it.service.get(f"{self.object_path(it)}/os-volume-type-access")
        except NotFound:
            return []  # it is public, or gone
        return [each["project_id"] for each in answer["volume_type_access"]]

    async def _access(self, it: CloudResource, action: str, project: str) -> None:
        path = f"{self.object_path(it)}/action"
        try:
            await it.service.post(path, {action: {"project": project}}, repeatable=True)
        except (Conflict, NotFound):
            if (project in await self._projects(it)) != (action == "addProjectAccess"):
                raise
