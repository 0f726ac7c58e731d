"""What all types of the network service have in common."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.cloud import Collection
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import CloudType, Object
from hotplate.resources.openstack.creation_tokens import token_text, without_token
from hotplate.resources.openstack.schema import map_of, texts
from hotplate.resources.openstack.states import States

BUILT: Final = States(ended=frozenset(("ACTIVE", "DOWN")), going_on=frozenset(("BUILD",)))
"""What objects wait for that an agent or a driver builds; one that nothing uses may stay DOWN."""

_LONGEST: Final = 255
"""How long a description may be."""

TAGS: Final = texts("words to find it by", updatable=True)
VALUE_SPECS: Final = map_of(
    "more fields of the request, for what a plug-in of the service offers",
    updatable=True,
    default={},
)


def collection(plural: str, key: str, path: str = "") -> Collection:
    """Return a collection of the network service; ``plural`` is how its lists are called."""
    return Collection("network", path or f"/{plural.replace('_', '-')}", key, list_key=plural)


class NeutronType(CloudType):
    """An object of the network service. Tags have a call of their own, value_specs none."""

    apart = frozenset(("tags", "value_specs"))
    identifying_field = "description"
    absent = {
        "admin_state_up": True,
        "description": "",
        "dns_domain": "",
        "dns_name": "",
        "port_security_enabled": True,
    }

    def fields(self, it: CloudResource) -> dict[str, Any]:
        return {**super().fields(it), **(it.properties.get("value_specs") or {})}

    def changes(self, it: CloudResource) -> dict[str, Any]:
        """Return the fields that change; what is taken out of value_specs is set to null."""
        fields = super().changes(it)
        new: Mapping[str, Any] = it.properties.get("value_specs") or {}
        old: Mapping[str, Any] = it.old_properties.get("value_specs") or {}
        for key in dict.fromkeys((*new, *old)):
            if new.get(key) != old.get(key):
                fields[key] = new.get(key)
        return fields

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        specs = properties.get("value_specs") or {}
        taken = sorted({"shared", "tenant_id", *self.properties} & set(specs))
        if taken:
            return f"{', '.join(taken)} not allowed in value_specs"
        return super().validate(properties, timeout)

    def token_text(self, it: CloudResource) -> str:
        """Return the token; a description that leaves no room for it comes later."""
        return token_text(it.resource) if self._is_postponed(it) else super().token_text(it)

    def has_more(self, it: CloudResource) -> bool:
        return bool(it.properties.get("tags")) or self._is_postponed(it)

    async def complete(self, it: CloudResource) -> None:
        if self._is_postponed(it):
            body = {
                self.collection.key: {self.identifying_field: it.properties[self.identifying_field]}
            }
            await it.service.put(self.object_path(it), body, repeatable=True)
        if it.properties.get("tags"):
            await self._set_tags(it)

    async def change(self, it: CloudResource) -> Object | None:
        if "tags" in self.properties and it.changed("tags"):
            await self._set_tags(it)
        return await super().change(it)

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known = await super().live(it, found)
        if "tags" in self.properties and "tags" in found:
            known["tags"] = found["tags"]
        specs = it.properties.get("value_specs")
        if specs:
            known["value_specs"] = {
                key: without_token(found[key]) if key == self.identifying_field else found[key]
                for key in specs
                if key in found
            }
        return known

    def _is_postponed(self, it: CloudResource) -> bool:
        return (
            bool(it.properties.get(self.identifying_field))
            and len(super().token_text(it)) > _LONGEST
        )

    async def _set_tags(self, it: CloudResource) -> None:
        body = {"tags": it.properties.get("tags") or []}
        await it.service.put(f"{self.object_path(it)}/tags", body, repeatable=True)
