"""OS::Neutron::Router."""

from collections.abc import Mapping
from typing import Any

from hotplate.resources.capabilities import DependsImplicitly
from hotplate.resources.openstack import waiting
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.neutron.agents import L3, agents_of, set_agents
from hotplate.resources.openstack.neutron.neutron_type import (
    BUILT,
    TAGS,
    VALUE_SPECS,
    NeutronType,
    collection,
)
from hotplate.resources.openstack.schema import flag, list_of, map_of, maps, text, texts


class Router(NeutronType, DependsImplicitly):
    """Connects subnets with each other and, by its gateway, with an external network."""

    name = "OS::Neutron::Router"
    collection = collection("routers", "router")
    states = BUILT
    renamed = {
        "external_gateway_info.network": "network_id",
        "external_gateway_info.external_fixed_ips[].subnet": "subnet_id",
    }
    named = {
        "external_gateway_info.network": "neutron.network",
        "external_gateway_info.external_fixed_ips[].subnet": "neutron.subnet",
    }
    apart = NeutronType.apart | {"l3_agent_id", "l3_agent_ids"}
    validated = frozenset(("distributed", "ha", "l3_agent_id", "l3_agent_ids", "value_specs"))
    waits_for = waiting.ROUTER
    live_attributes = frozenset(("external_gateway_info", "show", "status"))
    properties = {
        "admin_state_up": flag("whether it forwards traffic", default=True, updatable=True),
        "availability_zone_hints": list_of(
            "zones in which it is made, the best first", updatable=True
        ),
        "distributed": flag("whether every host routes by itself; for administrators"),
        "external_gateway_info": map_of(
            "its gateway to an external network",
            schema={
                "enable_snat": flag("whether addresses are translated", updatable=True),
                "external_fixed_ips": maps(
                    "its addresses in that network",
                    {
                        "ip_address": text("the address", rule="ip_addr"),
                        "subnet": text(
                            "the subnet of the address, by name or id", rule="neutron.subnet"
                        ),
                    },
                    updatable=True,
                ),
                "network": text(
                    "the external network, by name or id", required=True, updatable=True
                ),
            },
            updatable=True,
        ),
        "ha": flag("whether several agents serve it; for administrators"),
        "l3_agent_id": text("an agent that serves it", updatable=True, hidden=True),
        "l3_agent_ids": texts("the agents that serve it; for administrators", updatable=True),
        "name": text("its name", updatable=True),
        "tags": TAGS,
        "tenant_id": text("the project that owns it; for administrators"),
        "value_specs": VALUE_SPECS,
    }
    attributes = {
        "admin_state_up": "whether it forwards traffic",
        "external_gateway_info": "its gateway to an external network",
        "name": "its name",
        "status": "the status that the service tells",
        "tenant_id": "the project that owns it",
    }

    def convert(self, given: Mapping[str, Any]) -> dict[str, Any]:
        found = super().convert(given)
        if one := found["l3_agent_id"]:
            found["l3_agent_ids"] = [*(found["l3_agent_ids"] or ()), one]
            found["l3_agent_id"] = None
        return found

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        agents = [*(properties["l3_agent_ids"] or ()), *filter(None, [properties["l3_agent_id"]])]
        for name, value in (("l3_agent_ids", agents), ("ha", properties["ha"])):
            if properties["distributed"] and value:
                return (
                    f"Cannot define the following properties at the same time: distributed, {name}"
                )
        if len(agents) > 1 and not properties["ha"]:
            return "a router with several agents must have ha"
        return super().validate(properties, timeout)

    def replacement_reason(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        if (old["availability_zone_hints"] or []) != (new["availability_zone_hints"] or []):
            return "a router stays in the zones in which it was made"
        return ""

    def has_more(self, it: CloudResource) -> bool:
        return super().has_more(it) or bool(it.properties["l3_agent_ids"])

    async def complete(self, it: CloudResource) -> None:
        await super().complete(it)
        if it.properties["l3_agent_ids"]:
            await set_agents(it, L3, it.properties["l3_agent_ids"])

    async def change(self, it: CloudResource) -> Object | None:
        if it.changed("l3_agent_ids"):
            await set_agents(it, L3, it.properties["l3_agent_ids"] or [])
        return await super().change(it)

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known = await super().live(it, found)
        if it.properties.get("l3_agent_ids"):
            known["l3_agent_ids"] = await agents_of(it, L3)
        return known
