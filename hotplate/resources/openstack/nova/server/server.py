"""OS::Nova::Server."""

import json
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from hotplate.cloud import CloudError, Conflict, NotFound
from hotplate.cloud.polling import SERVERS
from hotplate.document import Data
from hotplate.resources.capabilities import (
    DependsImplicitly,
    HostsSoftware,
)
from hotplate.resources.openstack import waiting
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Begun, Object
from hotplate.resources.openstack.nova.server import addresses, block_devices, rules
from hotplate.resources.openstack.nova.server.agent import (
    agent_configuration,
    drawn_key,
    needs_key,
    user_data_of,
)
from hotplate.resources.openstack.nova.server.changes import (
    Doing,
    act,
    failure_text,
    rebuilt,
    resized,
)
from hotplate.resources.openstack.nova.server.consoles import console_urls
from hotplate.resources.openstack.nova.server.interfaces import (
    change_interfaces,
    live_networks,
    requested_networks,
)
from hotplate.resources.openstack.nova.server.own_ports import (
    claim_ports,
    delete_own_ports,
    needs_own_ports,
)
from hotplate.resources.openstack.nova.server.properties import ATTRIBUTES, PROPERTIES
from hotplate.resources.openstack.nova.server.replaceable_server import ReplaceableServer
from hotplate.resources.openstack.nova.server.resting_server import RestingServer
from hotplate.resources.openstack.nova.server.server_object import DELETING
from hotplate.resources.openstack.nova.server.user_data import SOFTWARE_CONFIG
from hotplate.resources.openstack.place import cloud_of
from hotplate.resources.openstack.translation import in_order_of
from hotplate.resources.resource_type import (
    Done,
    ObjectMissing,
    Resource,
    ResourceFailed,
    Result,
    Wait,
)

_REFUSED: Final = "refused"
_MOST_REFUSALS: Final = 6
"""How often a deletion is asked for that Nova refuses because something else goes on."""


class Server(RestingServer, ReplaceableServer, HostsSoftware, DependsImplicitly):
    """A virtual machine."""

    name = "OS::Nova::Server"
    properties = PROPERTIES
    attributes = ATTRIBUTES
    waits_for = waiting.SERVER
    live_attributes = frozenset(("addresses", "console_urls", "first_address", "networks", "show"))
    named = {
        "flavor": "nova.flavor",
        "image": "glance.image",
        "block_device_mapping_v2[].image": "glance.image",
        "networks[].network": "neutron.network",
        "networks[].subnet": "neutron.subnet",
        "networks[].port": "neutron.port",
        "networks[].port_extra_properties.qos_policy": "neutron.qos_policy",
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        return rules.fault(properties)

    async def refusal(self, resource: Resource) -> str:
        found = await super().refusal(resource)
        return found or await rules.refusal(cloud_of(resource), resource.properties)

    def hosts_software(self, properties: Mapping[str, Any]) -> bool:
        return properties.get("user_data_format") == SOFTWARE_CONFIG

    def replacement_reason(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        for name in ("flavor", "image", "user_data"):
            if old[name] != new[name] and new[f"{name}_update_policy"] == "REPLACE":
                return f"{name}_update_policy is REPLACE"
        is_rebuilt = new["user_data_update_policy"] == "REBUILD"
        if old["user_data"] != new["user_data"] and is_rebuilt and not new["image"]:
            return "Nova does not rebuild a server that boots from a volume with new user data"
        if bool(old["image"]) != bool(new["image"]):
            return "a server that boots from an image is made anew to boot from a volume"
        return ""

    # Creation.

    async def _create(self, it: CloudResource) -> Result:
        if it.resource.physical_id is None and needs_key(it):
            # It is part of the user data, so it is stored before the server is made.
            began = Begun(it.resource.world.now(), step="key")
            return Wait(began.as_data(), 0, data=drawn_key(it))
        return await super()._create(it)

    async def make(self, it: CloudResource) -> Object:
        fields = {
            **self._fields(it),
            "networks": await requested_networks(it),
            "user_data": await user_data_of(it),
        }
        body: dict[str, Any] = {
            "server": {key: value for key, value in fields.items() if value not in (None, "", [])}
        }
        body["server"].setdefault("imageRef", "")
        if it.properties["scheduler_hints"]:
            body["os:scheduler_hints"] = it.properties["scheduler_hints"]
        answer = await it.service.post("/servers", body)
        # The answer has no status yet.
        return {**answer["server"], "status": "BUILD"}

    def _fields(self, it: CloudResource) -> dict[str, Any]:
        given = it.properties
        devices = given["block_device_mapping_v2"]
        return {
            "name": self.object_name(it),
            "imageRef": given["image"],
            "flavorRef": given["flavor"],
            "key_name": given["key_name"],
            "security_groups": [{"name": each} for each in given["security_groups"]],
            "metadata": _texts(given["metadata"]) or None,
            "availability_zone": given["availability_zone"],
            "block_device_mapping": block_devices.older_mapping(given["block_device_mapping"]),
            "block_device_mapping_v2": block_devices.mapping(devices, given["image"]),
            "config_drive": given["config_drive"],
            "OS-DCF:diskConfig": given["diskConfig"],
            "adminPass": given["admin_pass"],
            "tags": self._tags(it),
        }

    # Changes.

    async def _update(self, it: CloudResource) -> Result:
        steps: Mapping[str, Callable[[Doing], Awaitable[Doing | None]]] = {
            "fields": lambda doing: self._change_fields(it),
            "networks": lambda doing: self._change_networks(it, doing),
            "flavor": lambda doing: self._change_flavor(it, doing),
            "rebuild": lambda doing: self._rebuild(it, doing),
            "password": lambda doing: self._change_password(it),
        }
        doing = Doing.from_data(it.resource.cookie)
        begins = list(steps).index(doing.step) if doing and doing.step in steps else 0
        for name in list(steps)[begins:]:
            current = doing if doing and doing.step == name else self.now(it, name)
            following = await steps[name](current)
            if following is not None:
                return self.wait(it, following)
            if current.asked:
                it.cloud.poller.ended(SERVERS, name, current.at)
        return await self._done(it, await self.read(it))

    async def _change_fields(self, it: CloudResource) -> None:
        path = f"/servers/{it.quoted_id}"
        if it.changed("metadata"):
            old, new = (each.get("metadata") or {} for each in (it.old_properties, it.properties))
            for key in sorted(set(old) - set(new)):
                await it.service.delete(f"{path}/metadata/{key}")
            if new:
                body = {"metadata": _texts(new)}
                await it.service.post(f"{path}/metadata", body, repeatable=True)
        if it.changed("tags"):
            await it.service.put(f"{path}/tags", {"tags": self._tags(it)}, repeatable=True)
        if it.changed("name"):
            body = {"server": {"name": self.object_name(it)}}
            await it.service.put(path, body, repeatable=True)

    async def _change_networks(self, it: CloudResource, doing: Doing) -> Doing | None:
        return await change_interfaces(it, doing) if it.changed("networks") else None

    async def _change_flavor(self, it: CloudResource, doing: Doing) -> Doing | None:
        return await resized(it, doing) if it.changed("flavor") else None

    def _has_new_user_data(self, it: CloudResource) -> bool:
        is_new = "user_data" in it.old_properties and it.changed("user_data")
        return is_new and it.properties["user_data_update_policy"] == "REBUILD"

    async def _rebuild(self, it: CloudResource, doing: Doing) -> Doing | None:
        has_new_data = self._has_new_user_data(it)
        if not it.changed("image") and not has_new_data:
            return None
        policy = it.properties["image_update_policy"]
        body = {
            "imageRef": it.properties["image"],
            "adminPass": it.properties["admin_pass"],
            "preserve_ephemeral": policy == "REBUILD_PRESERVE_EPHEMERAL" or None,
            "metadata": _texts(it.properties["metadata"]) or None,
            "user_data": (await user_data_of(it) or None) if has_new_data else None,
        }
        wanted = {key: value for key, value in body.items() if value is not None}
        return await rebuilt(it, doing, wanted, is_needed=has_new_data)

    async def _change_password(self, it: CloudResource) -> None:
        has_been_set = it.changed("image") or self._has_new_user_data(it)
        if it.changed("admin_pass") and it.properties["admin_pass"] and not has_been_set:
            await act(it, "changePassword", {"adminPass": it.properties["admin_pass"]})

    # Deletion.

    async def delete(self, resource: Resource) -> Result:
        # Ports are made before the server.
        if resource.physical_id is None and not needs_own_ports(resource.properties):
            return Done()
        return await self._explained(resource, self._delete, self.located_by)

    async def _delete(self, it: CloudResource) -> Result:
        if it.resource.physical_id is not None:
            doing = Doing.from_data(it.resource.cookie) or self.now(it, _REFUSED)
            if doing.step != DELETING:
                try:
                    await it.service.delete(f"/servers/{it.quoted_id}")
                except Conflict as error:
                    if doing.checks == _MOST_REFUSALS:
                        raise
                    cookie = replace(doing.again(), step=_REFUSED).as_data()
                    return Wait(cookie, 2.0**doing.checks, reason=str(error))
                return self.wait(it, self.now(it, DELETING))
            if not await self.is_gone(it, doing):
                return self.wait(it, doing.again())
        await delete_own_ports(it)
        return Done()

    # What there is to know of a server.

    async def adopt(self, resource: Resource) -> Result:
        try:
            return await self._explained(resource, super()._check, self.located_by)
        except NotFound as error:
            raise ObjectMissing(str(error)) from None

    async def take_back(self, resource: Resource) -> Result:
        if resource.cookie is None:
            try:
                await claim_ports(await self._with_cloud(resource, self.located_by))
            except CloudError as error:
                raise ResourceFailed(str(error), type(error).__name__) from None
        return await super().take_back(resource)

    async def _properties_before(self, resource: Resource) -> dict[str, Any]:
        # Interfaces that the template does not have are another's, and stay.
        known, given = await super()._properties_before(resource), resource.properties
        if known.get("networks") and given["networks"]:
            known["networks"] = [each for each in known["networks"] if each in given["networks"]]
        return known

    async def _check(self, it: CloudResource) -> Result:
        found = await self.read(it)
        if found["status"] != "ACTIVE":
            raise ResourceFailed(failure_text(found), "ResourceInError")
        return await self._done(it, found)

    def shown(self, it: CloudResource, found: Object) -> dict[str, Data]:
        hidden = self.tag(it)
        return {
            "accessIPv4": found.get("accessIPv4"),
            "accessIPv6": found.get("accessIPv6"),
            "first_address": addresses.first_address(found),
            "instance_name": found.get("OS-EXT-SRV-ATTR:instance_name"),
            "name": found["name"],
            "os_collect_config": agent_configuration(it),
            "tags": [each for each in found.get("tags") or () if each != hidden],
            "show": dict(found),
        }

    async def shown_elsewhere(self, it: CloudResource, found: Object) -> Mapping[str, Data]:
        return await self._addresses(it, found, with_floating=False)

    async def _addresses(
        self, it: CloudResource, found: Object, *, with_floating: bool
    ) -> dict[str, Data]:
        ports = addresses.in_order(found, await addresses.ports_of(it, found))
        ids = addresses.network_ids(found, ports)
        listed: Any = await addresses.addresses(it, ports, with_floating=with_floating)
        by_network: Any = addresses.networks(found, ids)
        return {"networks": by_network, "addresses": listed}

    async def read_attributes(
        self, resource: Resource, names: Collection[str]
    ) -> Mapping[str, Data]:
        it = await self._with_cloud(resource, self.located_by)
        try:
            found = await self.read(it)
            shown = self.shown(it, found)
            if {"addresses", "networks"} & set(names):
                shown |= await self._addresses(it, found, with_floating=True)
            if "console_urls" in names:
                urls: Any = await console_urls(it)
                shown["console_urls"] = urls
        except CloudError as error:
            raise ResourceFailed(str(error), type(error).__name__) from None
        return shown

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        if found["status"] != "ACTIVE":
            return {}
        given, tag = it.properties, self.tag(it)
        tags = [each for each in found.get("tags") or () if each != tag]
        metadata = given.get("metadata")
        flavor = found["flavor"]
        known = {
            "name": found["name"],
            # Nova has texts only.
            "metadata": metadata if found["metadata"] == _texts(metadata) else found["metadata"],
            "tags": in_order_of(given.get("tags"), tags),
            "flavor": flavor.get("original_name") or flavor.get("id"),
            "key_name": found.get("key_name"),
        }
        if isinstance(found.get("image"), Mapping):
            known["image"] = found["image"]["id"]
        if given.get("networks"):
            resolved = await self._resolved(it.cloud, given, None, is_lenient=True)
            at = replace(it, properties=resolved)
            known["networks"] = await live_networks(at, given["networks"])
        return known

    def _tags(self, it: CloudResource) -> list[str]:
        return [*(it.properties.get("tags") or ()), self.tag(it)]


def _texts(values: Mapping[str, Any] | None) -> dict[str, str]:
    """Return metadata as Nova takes it: texts."""
    return {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in (values or {}).items()
    }
