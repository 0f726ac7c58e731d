"""Stories of what mostly administrators make in the network service."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.resources.openstack.neutron.metering import MeteringLabel, MeteringRule
from hotplate.resources.openstack.neutron.net import Net
from hotplate.resources.openstack.neutron.port import Port
from hotplate.resources.openstack.neutron.provider_net import ProviderNet
from hotplate.resources.openstack.neutron.qos import (
    QoSBandwidthLimitRule,
    QoSDscpMarkingRule,
    QoSMinimumBandwidthRule,
    QoSMinimumPacketRateRule,
    QoSPolicy,
)
from hotplate.resources.openstack.neutron.quota import Quota
from hotplate.resources.openstack.neutron.rbac_policy import RBACPolicy
from hotplate.resources.openstack.neutron.segment import Segment
from hotplate.resources.openstack.neutron.subnet import Subnet
from hotplate.resources.openstack.neutron.subnet_pool import AddressScope, SubnetPool
from hotplate.resources.openstack.neutron.trunk import Trunk
from tests.recordings.life import Life, gives_way, live, lived
from tests.recordings.stage import Recorded, Stage


async def provider_net(stage: Stage) -> None:
    """A network of an administrator."""
    life = Life(
        ProviderNet(),
        {"network_type": "vxlan", "segmentation_id": "771", "shared": False, "tags": ["one"]},
        changes=(
            {"name": "recorded", "admin_state_up": False, "router_external": True},
            {"dns_domain": "example.org.", "port_security_enabled": False, "tags": None},
            {"shared": True, "name": None, "dns_domain": None, "port_security_enabled": None},
        ),
        replacing={"segmentation_id": "772"},
        attributes=frozenset(("status", "segments", "subnets")),
    )
    await live(stage, life)


async def trunk(stage: Stage) -> None:
    """A trunk gets and loses the ports whose traffic it carries."""
    async with lived(stage, Life(Net(), {}), "net") as net:
        port = Life(Port(), {"network": net.physical_id, "name": "of a trunk"})
        plain = Life(Port(), {"network": net.physical_id})
        async with (
            lived(stage, port, "parent") as parent,
            lived(stage, plain, "one") as first,
            lived(stage, plain, "two") as second,
        ):
            one, two = (
                {"port": each.physical_id, "segmentation_id": number, "segmentation_type": "vlan"}
                for each, number in ((first, 101), (second, 102))
            )
            life = Life(
                Trunk(),
                {"port": parent.physical_id, "name": "recorded", "sub_ports": [one]},
                changes=(
                    {"name": None, "description": "more", "admin_state_up": False},
                    {"sub_ports": [two, {**one, "segmentation_id": 103}], "admin_state_up": None},
                    {"sub_ports": None, "description": None},
                ),
                attributes=frozenset(("port_id",)),
            )
            await live(stage, life)


async def rbac_policy(stage: Stage) -> None:
    """Others may use a network."""
    one, other = "1" * 32, "2" * 32
    async with lived(stage, Life(Net(), {"name": "of a policy"}), "net"):
        life = Life(
            RBACPolicy(),
            {
                "object_type": "network",
                "object_id": "of a policy",
                "action": "access_as_shared",
                "target_tenant": one,
            },
            changes=({"target_tenant": other},),
        )
        async with lived(stage, life) as resource:
            given = Life(life.type, {**life.properties, "target_tenant": other})
            await gives_way(stage, given, resource)


async def subnet_pool(stage: Stage) -> None:
    """A pool of addresses in a scope."""
    async with lived(stage, Life(AddressScope(), {"name": "of a pool"}), "scope"):
        life = Life(
            SubnetPool(),
            {"prefixes": ["10.90.0.0/16"], "name": "recorded", "tags": ["one"]},
            changes=(
                {"name": None, "address_scope": "of a pool", "tags": ["two"]},
                {"prefixes": ["10.90.0.0/15"], "default_prefixlen": 26, "min_prefixlen": 20},
                {"max_prefixlen": 28, "default_quota": 512, "address_scope": None},
            ),
            replacing={"prefixes": ["10.94.0.0/16"], "tags": None},
        )
        await live(stage, life)


async def address_scope(stage: Stage) -> None:
    """A scope in which addresses are unique."""
    life = Life(
        AddressScope(),
        {"name": "recorded"},
        changes=({"name": None}, {"shared": True}),
        replacing={"ip_version": 6, "name": "recorded anew"},
    )
    await live(stage, life)
    pool = Life(
        SubnetPool(),
        {"prefixes": ["10.88.0.0/16"], "shared": True},
        changes=({"is_default": True}, {"is_default": False}),
    )
    await live(stage, pool, "pool")


async def segment(stage: Stage) -> None:
    """A part of a network."""
    async with lived(stage, Life(Net(), {"name": "of a segment"}), "net"):
        life = Life(
            Segment(),
            {"network": "of a segment", "network_type": "vxlan", "segmentation_id": 871},
            changes=(
                {"name": "recorded", "description": "more"},
                {"name": None, "description": None},
            ),
            replacing={"segmentation_id": 872},
        )
        await live(stage, life)
    async with lived(stage, Life(Net(), {"name": "of one segment"}), "of_one") as net:
        query = {"network_id": net.physical_id}
        listed = await stage.cloud.service("network").list_all("/segments", "segments", query)
        own = str(listed[0]["id"])
        given = {"network": net.physical_id, "cidr": "10.89.0.0/24"}
        await live(stage, Life(Subnet(), given, changes=({"segment": own},)), "subnet")
        told = await Net().read_attributes(net, ["segments"])
        assert told["segments"] == listed


async def qos(stage: Stage) -> None:
    """A policy and its rules."""
    policy = Life(
        QoSPolicy(),
        {"name": "recorded qos", "description": "some"},
        changes=({"name": "of rules", "description": None}, {"shared": True}),
        attributes=frozenset(("rules",)),
    )
    async with lived(stage, policy, "policy"), lived(stage, Life(Net(), {}), "net") as net:
        port = Life(
            Port(),
            {"network": net.physical_id, "qos_policy": "of rules"},
            changes=({"qos_policy": None}, {"qos_policy": "of rules"}),
            attributes=frozenset(("qos_policy_id",)),
        )
        await live(stage, port, "port")
        for life in (
            Life(
                QoSBandwidthLimitRule(),
                {"policy": "of rules", "max_kbps": 1000},
                changes=({"max_kbps": 2000, "max_burst_kbps": 100}, {"direction": "ingress"}),
            ),
            Life(
                QoSDscpMarkingRule(),
                {"policy": "of rules", "dscp_mark": 10},
                changes=({"dscp_mark": 46},),
            ),
            Life(
                QoSMinimumBandwidthRule(),
                {"policy": "of rules", "min_kbps": 1000},
                changes=({"min_kbps": 2000}, {"direction": "ingress"}),
            ),
            Life(
                QoSMinimumPacketRateRule(),
                {"policy": "of rules", "min_kpps": 1000},
                changes=({"min_kpps": 2000}, {"direction": "any"}),
            ),
        ):
            name = life.type.name.rpartition("::")[2]
            async with lived(stage, life, name) as resource:
                given = {key: resource.properties[key] for key in life.properties}
                given |= {key: resource.properties[key] for each in life.changes for key in each}
                await gives_way(stage, Life(life.type, given), resource, f"{name}2")


async def network_quota(stage: Stage) -> None:
    """The quotas of a project that nobody else uses; what is taken away is the default."""
    keystone = stage.cloud.service("identity")
    body = {"project": {"name": "recorded quotas", "domain_id": "default"}}
    project = (await keystone.post("/projects", body))["project"]["id"]
    try:
        life = Life(
            Quota(),
            {"project": project, "network": 7},
            changes=(
                {"port": 8, "subnet": 9, "router": 3, "floatingip": 2},
                {"security_group": 4, "security_group_rule": 5, "rbac_policy": 6},
                {"network": None, "subnetpool": 11},
            ),
            unread=frozenset(("project",)),
        )
        async with lived(stage, life) as resource:
            given: dict[str, Any] = {
                key: value for key, value in resource.properties.items() if value is not None
            }
            await gives_way(stage, Life(life.type, given, unread=life.unread), resource)
    finally:
        await keystone.delete(f"/projects/{project}")


async def metering(stage: Stage) -> None:
    """A label and what it measures."""
    label = Life(
        MeteringLabel(),
        {"name": "recorded", "description": "some"},
        replacing={"shared": True},
        attributes=frozenset(("name", "description")),
    )
    await live(stage, label, "label")
    async with lived(stage, Life(MeteringLabel(), {}), "of_a_rule") as owner:
        life = Life(
            MeteringRule(),
            {"metering_label_id": owner.physical_id, "remote_ip_prefix": "10.95.0.0/24"},
            attributes=frozenset(("direction", "remote_ip_prefix")),
        )
        async with lived(stage, life) as resource:
            await gives_way(stage, life, resource)


STORIES: Final[Mapping[str, Recorded]] = {
    "address_scope": Recorded(address_scope, "admin"),
    "metering": Recorded(metering, "admin"),
    "network_quota": Recorded(network_quota, "admin"),
    "provider_net": Recorded(provider_net, "admin"),
    "qos": Recorded(qos, "admin"),
    "rbac_policy": Recorded(rbac_policy),
    "segment": Recorded(segment, "admin"),
    "subnet_pool": Recorded(subnet_pool),
    "trunk": Recorded(trunk),
}
