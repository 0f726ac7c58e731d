"""OS::Neutron::Net."""

from collections.abc import Collection, Mapping
from typing import Any

from hotplate.document import Data
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.neutron.agents import DHCP, agents_of, set_agents
from hotplate.resources.openstack.neutron.neutron_type import (
    BUILT,
    TAGS,
    VALUE_SPECS,
    NeutronType,
    collection,
)
from hotplate.resources.openstack.neutron.segment import segments_of
from hotplate.resources.openstack.schema import flag, list_of, text, texts


class Net(NeutronType):
    """A network."""

    name = "OS::Neutron::Net"
    collection = collection("networks", "network")
    states = BUILT
    renamed = {"qos_policy": "qos_policy_id"}
    named = {"qos_policy": "neutron.qos_policy"}
    apart = NeutronType.apart | {"dhcp_agent_ids"}
    live_attributes = frozenset(("segments", "show", "status", "subnets"))
    properties = {
        "admin_state_up": flag("whether it carries traffic", default=True, updatable=True),
        "availability_zone_hints": list_of("zones in which it is made, the best first"),
        "dhcp_agent_ids": texts(
            "the DHCP agents that serve it; for administrators", updatable=True
        ),
        "dns_domain": text(
            "the domain of its ports' names, with a dot at the end",
            rule="dns_domain",
            updatable=True,
        ),
        "name": text("its name", updatable=True),
        "port_security_enabled": flag(
            "whether its ports are protected unless they say otherwise", updatable=True
        ),
        "qos_policy": text(
            "the QoS policy of its ports, by name or id", rule="neutron.qos_policy", updatable=True
        ),
        "shared": flag("whether all projects may use it", default=False, updatable=True),
        "tags": TAGS,
        "tenant_id": text("the project that owns it; for administrators"),
        "value_specs": VALUE_SPECS,
    }
    attributes = {
        "admin_state_up": "whether it carries traffic",
        "l2_adjacency": "whether all of its ports reach each other directly",
        "mtu": "how many bytes a packet may have",
        "name": "its name",
        "port_security_enabled": "whether its ports are protected unless they say otherwise",
        "qos_policy_id": "the QoS policy of its ports",
        "segments": "the segments that it consists of",
        "status": "the status that the service tells",
        "subnets": "the ids of its subnets",
        "tenant_id": "the project that owns it",
    }

    def has_more(self, it: CloudResource) -> bool:
        return super().has_more(it) or bool(it.properties["dhcp_agent_ids"])

    async def complete(self, it: CloudResource) -> None:
        await super().complete(it)
        if it.properties["dhcp_agent_ids"]:
            await set_agents(it, DHCP, it.properties["dhcp_agent_ids"])

    async def change(self, it: CloudResource) -> Object | None:
        if it.changed("dhcp_agent_ids"):
            await set_agents(it, DHCP, it.properties["dhcp_agent_ids"] or [])
        return await super().change(it)

    async def shown_on_request(
        self, it: CloudResource, names: Collection[str]
    ) -> Mapping[str, Data]:
        return {"segments": await segments_of(it.service, it.id)} if "segments" in names else {}

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known = await super().live(it, found)
        if it.properties.get("dhcp_agent_ids"):
            known["dhcp_agent_ids"] = await agents_of(it, DHCP)
        return known
