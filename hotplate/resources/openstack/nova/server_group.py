"""OS::Nova::ServerGroup."""

from collections.abc import Mapping
from typing import Any

from hotplate.cloud import Collection
from hotplate.cloud.polling import whole
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import CloudType, Object
from hotplate.resources.openstack.schema import list_of, map_of, number, text


class ServerGroup(CloudType):
    """Servers that are placed together or apart; servers name it in their scheduler hints."""

    name = "OS::Nova::ServerGroup"
    collection = Collection("compute", "/os-server-groups", "server_group", narrow=whole)
    properties = {
        "name": text("its name"),
        "policies": list_of(
            "the policy by which hosts are chosen",
            allowed=("anti-affinity", "affinity", "soft-anti-affinity", "soft-affinity"),
            default=["anti-affinity"],
            items=text("a policy"),
        ),
        "rules": map_of(
            "more of the policy",
            schema={"max_server_per_host": number("servers that one host may have")},
        ),
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        policies = properties["policies"]
        if len(policies) != 1:
            return f"policies has {len(policies)} entries: a server group has one policy"
        most = (properties["rules"] or {}).get("max_server_per_host")
        if most is not None and (policies != ["anti-affinity"] or most < 1 or most != int(most)):
            return "max_server_per_host is a whole number from 1 on, for anti-affinity alone"
        return ""

    def fields(self, it: CloudResource) -> dict[str, Any]:
        most = (it.properties["rules"] or {}).get("max_server_per_host")
        return {
            "name": self.object_name(it),
            "policy": it.properties["policies"][0],
            "rules": None if most is None else {"max_server_per_host": int(most)},
        }

    async def search(self, it: CloudResource) -> Object | None:
        """Return the group with the name, if nobody uses it yet: names are not unique."""
        wanted = self.fields(it)
        listed = await it.service.list_all("/os-server-groups", "server_groups")
        return next(
            (
                each
                for each in listed
                if not each["members"]
                and (each["name"], each["policy"]) == (wanted["name"], wanted["policy"])
                and each["rules"] == (wanted["rules"] or {})
            ),
            None,
        )

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known: dict[str, Any] = {"name": found["name"], "policies": [found["policy"]]}
        if it.properties.get("rules"):
            known["rules"] = {"max_server_per_host": found["rules"].get("max_server_per_host")}
        return known
