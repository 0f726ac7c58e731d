"""OS::Nova::HostAggregate."""

from collections.abc import Mapping
from typing import Any

from hotplate.cloud import Collection, Conflict, NotFound
from hotplate.cloud.polling import whole
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import DeletedFirst
from hotplate.resources.openstack.schema import map_of, text, texts
from hotplate.resources.openstack.translation import in_order_of

_ZONE = "availability_zone"


class HostAggregate(DeletedFirst):
    """Hosts that have something in common; for administrators."""

    name = "OS::Nova::HostAggregate"
    collection = Collection("compute", "/os-aggregates", "aggregate", narrow=whole)
    apart = frozenset(("hosts", "metadata"))
    properties = {
        _ZONE: text("the availability zone that its hosts make up", updatable=True),
        "hosts": texts("its hosts", rule="nova.host", updatable=True),
        "metadata": map_of("what flavors may ask of its hosts", default={}, updatable=True),
        "name": text("its name", required=True, updatable=True),
    }

    def replacement_reason(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        if old[_ZONE] and not new[_ZONE]:
            return "Nova cannot take an availability zone from an aggregate"
        return ""

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        is_same = new is not None and old["name"] == new["name"]
        return f"the name {old['name']}" if is_same else ""

    async def search(self, it: CloudResource) -> Object | None:
        """Return the aggregate with the name: no two have the same."""
        listed = await it.service.list_all("/os-aggregates", "aggregates")
        return next((each for each in listed if each["name"] == it.properties["name"]), None)

    def has_more(self, it: CloudResource) -> bool:
        return bool(it.properties["hosts"] or it.properties["metadata"])

    async def complete(self, it: CloudResource) -> None:
        if it.properties["metadata"]:
            await self._set_metadata(it)
        await self._set_hosts(it, it.properties["hosts"] or [])

    async def change(self, it: CloudResource) -> Object | None:
        fields = self.changes(it)
        if fields:
            await it.service.put(self.object_path(it), {"aggregate": fields}, repeatable=True)
        if it.changed("metadata"):
            await self._set_metadata(it)
        if it.changed("hosts"):
            await self._set_hosts(it, it.properties["hosts"] or [])
        return None

    async def remove(self, it: CloudResource) -> None:
        try:
            await self._set_hosts(it, [])
        except NotFound:
            return
        await super().remove(it)

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        metadata = {key: value for key, value in found["metadata"].items() if key != _ZONE}
        return {
            "name": found["name"],
            _ZONE: found[_ZONE],
            "metadata": metadata,
            "hosts": in_order_of(it.properties.get("hosts"), found["hosts"]) or None,
        }

    async def _set_metadata(self, it: CloudResource) -> None:
        """Set the metadata; null takes a key away. Nova keeps the zone among them."""
        there = (await self.read(it))["metadata"]
        wanted = {key: str(value) for key, value in (it.properties["metadata"] or {}).items()}
        values = dict.fromkeys(sorted(there.keys() - wanted.keys() - {_ZONE})) | wanted
        if values:
            body = {"set_metadata": {"metadata": values}}
            await it.service.post(f"{self.object_path(it)}/action", body, repeatable=True)

    async def _set_hosts(self, it: CloudResource, wanted: list[str]) -> None:
        there = (await self.read(it))["hosts"]
        for host in there:
            if host not in wanted:
                await self._act(it, "remove_host", host)
        for host in dict.fromkeys(wanted):
            if host not in there:
                await self._act(it, "add_host", host)

    async def _act(self, it: CloudResource, action: str, host: str) -> None:
        try:
            await it.service.post(f"{self.object_path(it)}/action", {action: {"host": host}})
        except Conflict:
            has_host = host in (await self.read(it))["hosts"]
            if has_host != (action == "add_host"):
                raise  # not done by an earlier try
