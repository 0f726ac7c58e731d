"""The base of the types that set quotas."""

from collections.abc import Mapping
from typing import Any, ClassVar

from hotplate.cloud import NotFound
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.setting import Setting
from hotplate.resources.resource_type import ResourceFailed


class QuotaSet(Setting):
    """Quotas of a project, as Nova and Cinder have them: a set with defaults and usage.

    Every property but ``project`` is a quota. One that is taken away goes back to its default.
    """

    named = {"project": "keystone.project"}
    located_by = ("project",)
    quota_fields: ClassVar[Mapping[str, str]] = {}
    """Quotas that the service calls otherwise, and the names of its fields."""

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        names = sorted(name for name in self.properties if name != "project")
        if all(properties.get(name) is None for name in names):
            listed = ", ".join(names)
            return f"At least one of the following properties must be specified: {listed}."
        return super().validate(properties, timeout)

    def object_path(self, it: CloudResource) -> str:
        return f"/os-quota-sets/{it.properties['project']}"

    def quotas(self, properties: Mapping[str, Any]) -> dict[str, int]:
        """Return the quotas that are given, under the names of the service."""
        return {
            self.quota_fields.get(name, name): value
            for name, value in properties.items()
            if name in self.properties and name != "project" and value is not None
        }

    async def set(self, it: CloudResource) -> None:
        quotas = self.quotas(it.properties)
        await self._see_usage(it, quotas)
        dropped = self.quotas(it.old_properties).keys() - quotas.keys()
        if dropped:
            defaults = await self._defaults(it)
            quotas |= {name: defaults[name] for name in sorted(dropped)}
        await it.service.put(self.object_path(it), {"quota_set": quotas}, repeatable=True)

    async def read(self, it: CloudResource) -> Object:
        """Return the quotas. Where all that were given are the defaults again, none are set."""
        found: Object = (await it.service.get(self.object_path(it)))["quota_set"]
        given = self.quotas(it.properties)
        defaults = await self._defaults(it)
        is_default = all(found.get(name) == defaults.get(name) for name in given)
        if is_default and any(value != defaults.get(name) for name, value in given.items()):
            raise NotFound(f"the project {it.properties['project']} has the default quotas")
        return {**found, "id": it.resource.physical_id or self.setting_id(it)}

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        names = {name: self.quota_fields.get(name, name) for name in self.properties}
        known = {name: found[field] for name, field in names.items() if field in found}
        given = {name for name in known if it.properties.get(name) is not None}
        return {name: known[name] for name in sorted(given)}

    async def _see_usage(self, it: CloudResource, quotas: Mapping[str, int]) -> None:
        """Refuse quotas below what the project uses, which the service may accept."""
        query = {"usage": True}
        found = (await it.service.get(self.object_path(it), query))["quota_set"]
        below = {
            name: found[name]["in_use"]
            for name, value in quotas.items()
            if name in found and 0 <= value < found[name]["in_use"]
        }
        if below:
            told = "; ".join(
                f"{name} {quotas[name]}, in use {used}" for name, used in below.items()
            )
            raise ResourceFailed(f"Invalid quota value(s), less than the project uses: {told}")

    async def _defaults(self, it: CloudResource) -> Mapping[str, Any]:
        path = f"{self.object_path(it)}/defaults"
        found: Mapping[str, Any] = (await it.service.get(path))["quota_set"]
        return found
