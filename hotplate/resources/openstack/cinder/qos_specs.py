"""OS::Cinder::QoSSpecs."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.cloud import Collection
from hotplate.cloud.polling import whole
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import CloudType, Object
from hotplate.resources.openstack.schema import map_of, text

_CONSUMER: Final = "consumer"
"""The one key that is a field of its own: who sees to it that the specs are kept."""

_USUAL_CONSUMER: Final = "back-end"


class QoSSpecs(CloudType):
    """How fast volumes may be; for administrators. Names are unique."""

    name = "OS::Cinder::QoSSpecs"
    collection = Collection(
        "block-storage", "/qos-specs", "qos_specs", list_key="qos_specs", narrow=whole
    )
    properties = {
        "name": text("its name"),
        "specs": map_of(
            "the limits by name; consumer says who keeps them", required=True, updatable=True
        ),
    }

    def fields(self, it: CloudResource) -> dict[str, Any]:
        return {"name": self.object_name(it), **_written(it.properties["specs"])}

    async def search(self, it: CloudResource) -> Object | None:
        """Return the specs of that name; what they contain tells whose they are."""
        name, wanted = self.object_name(it), _written(it.properties["specs"])
        for each in await it.service.list_all("/qos-specs", "qos_specs"):
            if each["name"] == name and _live_specs(each, wanted) == wanted:
                return each
        return None

    async def change(self, it: CloudResource) -> Object | None:
        path = self.object_path(it)
        there = await self.read(it)
        wanted = {_CONSUMER: _USUAL_CONSUMER, **_written(it.properties["specs"])}
        live = {_CONSUMER: there[_CONSUMER], **there["specs"]}
        new = {key: value for key, value in wanted.items() if live.get(key) != value}
        if new:
            await it.service.put(path, {"qos_specs": new}, repeatable=True)
        gone = sorted(live.keys() - wanted.keys())
        if gone:
            await it.service.put(f"{path}/delete_keys", {"keys": gone}, repeatable=True)
        return None

    async def remove(self, it: CloudResource) -> None:
        # Cinder has this as a GET, though it changes something.
        await it.service.get(f"{self.object_path(it)}/disassociate_all")
        await super().remove(it)

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        written = _written(it.properties.get("specs") or {})
        return {"name": found["name"], "specs": _live_specs(found, written)}


def _written(specs: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(value) for key, value in specs.items()}


def _live_specs(found: Object, written: Mapping[str, str]) -> dict[str, str]:
    """Return the specs; a consumer that the template leaves to Cinder is none of them."""
    is_left_out = _CONSUMER not in written and found[_CONSUMER] == _USUAL_CONSUMER
    return {**({} if is_left_out else {_CONSUMER: found[_CONSUMER]}), **found["specs"]}
