"""OS::Cinder::QoSAssociation."""

from collections.abc import Iterable, Mapping
from typing import Any

from hotplate.cloud import Collection, NotFound
from hotplate.resources.capabilities import PreparesReplacement
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.schema import text, texts
from hotplate.resources.openstack.setting import Setting
from hotplate.resources.resource_type import Done, Gone, Resource, Result, Wait


class QoSAssociation(Setting, PreparesReplacement):
    """That volume types have QoS specs; for administrators. A type has one at most."""

    name = "OS::Cinder::QoSAssociation"
    collection = Collection("block-storage", "/qos-specs", "qos_specs")
    named = {"qos_specs": "cinder.qos_specs", "volume_types[]": "cinder.vtype"}
    located_by = ("qos_specs", "volume_types[]")
    properties = {
        "qos_specs": text("the QoS specs, by name or id", rule="cinder.qos_specs", required=True),
        "volume_types": texts(
            "the volume types that have them, by name or id",
            rule="cinder.vtype",
            required=True,
            updatable=True,
        ),
    }

    def setting_id(self, it: CloudResource) -> str:
        return it.resource.creation_token

    def object_path(self, it: CloudResource) -> str:
        return f"/qos-specs/{it.properties['qos_specs']}"

    async def set(self, it: CloudResource) -> None:
        """Associate what is wanted; what an update leaves out only if it has these specs."""
        there = await self._associated(it)
        wanted = it.properties["volume_types"]
        left_out = [each for each in it.old_properties.get("volume_types") or () if each in there]
        await self._call(it, "disassociate", (each for each in left_out if each not in wanted))
        await self._call(it, "associate", (each for each in wanted if each not in there))

    async def remove(self, it: CloudResource) -> None:
        there = await self._associated(it)
        ours = (each for each in it.properties["volume_types"] if each in there)
        await self._call(it, "disassociate", ours)

    async def read(self, it: CloudResource) -> Object:
        there = await self._associated(it)
        ours = [each for each in it.properties["volume_types"] if each in there]
        if not ours:
            specs = it.properties["qos_specs"]
            raise NotFound(f"no volume type is associated with the QoS specs {specs}")
        found = {"id": it.resource.physical_id or self.setting_id(it), "volume_types": ours}
        return {**found, "qos_specs": it.properties["qos_specs"]}

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        return "" if new is None else "its volume types"

    async def prepare_replacement(
        self, resource: Resource, new_properties: Mapping[str, Any] | None
    ) -> Done | Wait | Gone:
        return await self.delete(resource)

    async def restore(self, resource: Resource) -> Result:
        return await self.update(resource)

    async def _associated(self, it: CloudResource) -> list[str]:
        answer = await it.service.get(f"{self.object_path(it)}/associations")
        return [each["id"] for each in answer["qos_associations"]]

    async def _call(self, it: CloudResource, verb: str, volume_types: Iterable[str]) -> None:
        # Cinder has these as GET, though they change something.
        for each in volume_types:
            await it.service.get(f"{self.object_path(it)}/{verb}", {"vol_type_id": each})
