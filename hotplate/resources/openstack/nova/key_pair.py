"""OS::Nova::KeyPair."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hotplate.cloud import Collection, NotFound
from hotplate.cloud.polling import whole
from hotplate.document import Data
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Begun, Object
from hotplate.resources.openstack.deleted_first import DeletedFirst
from hotplate.resources.openstack.schema import flag, text
from hotplate.resources.resource_type import Resource, ResourceFailed, Result, Wait

_GENERATES: Final = "2.91"
"""The last microversion in which Nova makes keys."""

_IS_FREE: Final = "name_was_free"


class KeyPair(DeletedFirst):
    """A key with which users log in to servers. Nova makes one if the public key is not given."""

    name = "OS::Nova::KeyPair"
    collection = Collection("compute", "/os-keypairs", "keypair", narrow=whole)
    named = {"user": "keystone.user"}
    located_by = ("user",)
    properties = {
        "name": text("its name", required=True, length=(1, 255)),
        "public_key": text("the public key; without it a pair is made"),
        "save_private_key": flag(
            "whether the private key of a pair that is made is kept", default=False
        ),
        "type": text("the kind of key", allowed=("ssh", "x509")),
        "user": text(
            "the user whose it is, by name or id; for administrators", rule="keystone.user"
        ),
    }
    attributes = {
        "private_key": "the private key, if a pair was made and it is kept",
        "public_key": "the public key",
    }
    secret_attributes = frozenset(("private_key",))

    async def adopt(self, resource: Resource) -> Result:
        given = resource.properties
        is_kept = given.get("save_private_key") and not given.get("public_key")
        if is_kept and "private_key" not in resource.data:
            raise ResourceFailed(
                "the private key of a pair that others made cannot be recovered: "
                "take save_private_key away"
            )
        return await super().adopt(resource)

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        is_same = new is not None and (old["name"], old["user"]) == (new["name"], new["user"])
        return f"the name {old['name']}" if is_same else ""

    def physical_id_of(self, found: Object) -> str:
        return str(found["name"])

    async def _create(self, it: CloudResource) -> Result:
        """Make the key. One that is made twice has another private key: see that it is ours."""
        data = it.resource.data
        is_kept = bool(it.properties["save_private_key"]) and not self._public_key(it)
        if not is_kept or "private_key" in data:
            return await super()._create(it)
        if it.resource.physical_id is not None:
            if not data.get(_IS_FREE):
                raise ResourceFailed(f"the key {it.id} exists, and nobody knows its private key")
            await self.remove(it)
        elif not data.get(_IS_FREE):
            if await self.search(it) is not None:
                name = it.properties["name"]
                raise ResourceFailed(f"the user has a key pair {name} already")
            cookie = Begun(it.resource.world.now(), step="free").as_data()
            return Wait(cookie, 0, data={**data, _IS_FREE: True})
        made = await self.make(it)
        keys = {key: made[key] for key in ("public_key", "private_key")}
        it.resource.data = {**data, **keys}
        return replace(await self._done(it, made), data=it.resource.data)

    def _public_key(self, it: CloudResource) -> str:
        """Return the key that is given, or that of a pair that was deleted for its replacement."""
        return str(it.properties["public_key"] or it.resource.data.get("public_key") or "")

    async def make(self, it: CloudResource) -> Object:
        fields = {
            "name": it.properties["name"],
            "public_key": self._public_key(it) or None,
            "type": it.properties["type"],
            "user_id": it.properties["user"],
        }
        body = {"keypair": {key: value for key, value in fields.items() if value is not None}}
        is_made = "public_key" not in body["keypair"] and await it.service.supports("2.92")
        version = _GENERATES if is_made else ""
        return self._one(await it.service.post("/os-keypairs", body, microversion=version))

    async def read(self, it: CloudResource) -> Object:
        return self._one(await it.service.get(self.object_path(it), self._of_user(it)))

    async def remove(self, it: CloudResource) -> None:
        await it.service.delete(self.object_path(it), self._of_user(it))

    async def search(self, it: CloudResource) -> Object | None:
        named = replace(it.resource, physical_id=it.properties["name"])
        try:
            found = await self.read(replace(it, resource=named))
        except NotFound:
            return None
        key = self._public_key(it)
        return found if not key or found["public_key"].split() == key.split() else None

    def _of_user(self, it: CloudResource) -> dict[str, Any]:
        user = it.properties.get("user")
        return {"user_id": user} if user else {}

    def shown(self, it: CloudResource, found: Object) -> dict[str, Data]:
        return {
            "private_key": it.resource.data.get("private_key", ""),
            "public_key": found.get("public_key"),
            "show": {key: value for key, value in found.items() if key != "private_key"},
        }

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        given = it.properties.get("public_key")
        known = {
            "name": found["name"],
            "type": found.get("type") if it.properties.get("type") else None,
        }
        if given:
            is_same = found["public_key"].split() == given.split()
            known["public_key"] = given if is_same else found["public_key"]
        return known
