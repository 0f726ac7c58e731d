"""The base of the types that set quotas."""

from collections.abc import Mapping
from typing import Any, ClassVar

from hotplate.cloud import NotFound
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import DeletedFirst, may_be_same
from hotplate.resources.openstack.setting import Setting
from hotplate.resources.resource_type import ResourceFailed


class QuotaSet(Setting, DeletedFirst):
    """Quotas of a project: a set with defaults.

    Every property but ``project`` is a quota. One that is taken away goes back to its default.
    """

    named = {"project": "keystone.project"}
    located_by = ("project",)
    quota_fields: ClassVar[Mapping[str, str]] = {}
    """Quotas that the service calls otherwise, and the names of its fields."""

    defaults_path: ClassVar[str] = "defaults"
    tells_usage: ClassVar[bool] = True
    """The service tells what is in use beside the quotas, as Nova and Cinder do."""

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        names = sorted(name for name in self.properties if name != "project")
        if all(properties.get(name) is None for name in names):
            listed = ", ".join(names)
            return f"At least one of the following properties must be specified: {listed}."
        return super().validate(properties, timeout)

    def object_path(self, it: CloudResource) -> str:
        return f"{self.path(it)}/{it.properties['project']}"

    def quotas(self, properties: Mapping[str, Any]) -> dict[str, int]:
        """Return the quotas that are given, under the names of the service."""
        return {
            self.quota_fields.get(name, name): value
            for name, value in properties.items()
            if name in self.properties and name != "project" and value is not None
        }

    async def set(self, it: CloudResource) -> None:
        quotas = self.quotas(it.properties)
        if self.tells_usage:
            await self._see_usage(it, quotas)
        dropped = self.quotas(it.old_properties).keys() - quotas.keys()
        if dropped:
            defaults = await self._defaults(it)
            quotas |= {name: defaults[name] for name in sorted(dropped)}
        await it.service.put(self.object_path(it), {self.collection.key: quotas}, repeatable=True)

    async def read(self, it: CloudResource) -> Object:
        """Return the quotas. Where all that were given are the defaults again, none are set."""
        found = self._one(await it.service.get(self.object_path(it)))
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

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        is_same = new is not None and may_be_same(old["project"], new["project"])
        return f"the quotas of project {old['project']}" if is_same else ""

    async def _see_usage(self, it: CloudResource, quotas: Mapping[str, int]) -> None:
        """Refuse quotas below what the project uses, which the service may accept."""
        query = {"usage": True}
        found = self._one(await it.service.get(self.object_path(it), query))
        below = {
            name: found[name]["in_use"]
            for name, value in quotas.items()
            if name in found and 0 <= value < found[name]["in_use"]
        }
        if below:
            reasons = "; ".join(
                f"{name} {quotas[name]}, in use {used}" for name, used in below.items()
            )
            raise ResourceFailed(f"Invalid quota value(s), less than the project uses: {reasons}")

    async def _defaults(self, it: CloudResource) -> Mapping[str, Any]:
        return self._one(await it.service.get(f"{self.object_path(it)}/{self.defaults_path}"))
