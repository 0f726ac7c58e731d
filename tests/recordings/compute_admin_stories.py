"""Stories of key pairs and of what administrators make in the compute service."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import pytest

from hotplate.model import Action
from hotplate.resources.openstack.nova.flavor import Flavor
from hotplate.resources.openstack.nova.floating_ip import FloatingIP
from hotplate.resources.openstack.nova.floating_ip_association import FloatingIPAssociation
from hotplate.resources.openstack.nova.host_aggregate import HostAggregate
from hotplate.resources.openstack.nova.key_pair import KeyPair
from hotplate.resources.openstack.nova.quota import Quota
from hotplate.resources.openstack.nova.server import Server
from hotplate.resources.openstack.nova.server_group import ServerGroup
from hotplate.resources.resource_type import Gone, ResourceFailed
from tests.recordings.compute_stories import ON_PRIVATE, subnet_of
from tests.recordings.life import Life, live, lived
from tests.recordings.stage import Recorded, Stage

PUBLIC_KEY: Final = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPmVxIAqxbDqLAhPDrbYhPsGvGUMTVHVdJqBFhNLTzPq story"
)


async def key_pair(stage: Stage) -> None:
    """Keys that are given, and pairs that Nova makes."""
    given = {"name": "story-given", "public_key": PUBLIC_KEY, "type": "ssh"}
    await live(
        stage,
        Life(
            KeyPair(),
            given,
            replacing={"name": "story-other"},
            attributes=frozenset(("public_key",)),
        ),
    )
    made = Life(
        KeyPair(),
        {"name": "story-made", "save_private_key": True},
        unread=frozenset(("save_private_key",)),
        attributes=frozenset(("public_key", "private_key")),
    )
    async with lived(stage, made, "made") as resource:
        assert resource.data["private_key"]
        again = stage.resource(resource.properties, "again")
        with pytest.raises(ResourceFailed, match="has a key pair story-made already"):
            await stage.act(KeyPair(), Action.CREATE, again)
        # Its replacement has its name; that it comes back, it needs no private key.
        resource.cookie = None
        assert isinstance(await KeyPair().prepare_replacement(resource, None), Gone)
        resource.physical_id = None
        back = await KeyPair().restore(resource)
        assert back.physical_id == "story-made"
        resource.physical_id = back.physical_id


async def key_pair_of_user(stage: Stage) -> None:
    """An administrator makes a key for somebody else."""
    given = {"name": "story-of-demo", "public_key": PUBLIC_KEY, "user": "demo"}
    await live(stage, Life(KeyPair(), given, unread=frozenset(("user",))))


async def server_group(stage: Stage) -> None:
    """Server groups with and without a name and rules."""
    rules = {"max_server_per_host": 2}
    await live(
        stage,
        Life(
            ServerGroup(),
            {"name": "story-group", "policies": ["anti-affinity"], "rules": rules},
            replacing={"policies": ["soft-affinity"], "rules": None},
        ),
    )
    await live(stage, Life(ServerGroup(), {}), "plain")


async def flavor(stage: Stage) -> None:
    """Flavors for all and for some projects."""
    size = {"ram": 64, "vcpus": 1, "disk": 1, "ephemeral": 1, "swap": 16}
    specs = {"hw:cpu_policy": "shared", "quota:cpu_shares": "10"}
    await live(
        stage,
        Life(
            Flavor(),
            {**size, "name": "story-flavor", "extra_specs": specs},
            changes=({"extra_specs": {"hw:cpu_policy": "dedicated"}}, {"extra_specs": None}),
            replacing={"name": "story-flavor-2"},
            attributes=frozenset(("is_public", "extra_specs")),
        ),
    )
    await live(
        stage,
        Life(
            Flavor(),
            {"ram": 64, "vcpus": 1, "flavorid": "story-7", "is_public": False},
            changes=({"tenants": ["demo"]}, {"tenants": None}),
            unread=frozenset(("tenants",)),
        ),
        "own",
    )


async def host_aggregate(stage: Stage) -> None:
    """Hosts come and go, so do zone and metadata."""
    await live(
        stage,
        Life(
            HostAggregate(),
            {"name": "story-hosts", "metadata": {"ssd": "true", "fast": "yes"}},
            changes=(
                {"name": "story-hosts-2", "metadata": {"ssd": "false"}},
                {"metadata": None, "hosts": ["compute1", "compute2"]},
                {"hosts": ["compute2"]},
            ),
        ),
    )
    await live(
        stage,
        Life(
            HostAggregate(),
            {"name": "story-zone", "availability_zone": "story-zone"},
            changes=({"availability_zone": "story-zone-2", "metadata": {"a": "b"}},),
        ),
        "zone",
    )


async def compute_quota(stage: Stage) -> None:
    """Quotas of a project, and back to the defaults."""
    await live(
        stage,
        Life(
            Quota(),
            {"project": "alt", "cores": 7, "key_pairs": 20},
            changes=(
                {"cores": 8, "instances": 9, "ram": 4096},
                {"key_pairs": None, "metadata_items": 20},
                {"server_groups": 3, "server_group_members": 4},
            ),
            unread=frozenset(("project",)),
        ),
    )


async def older_floating_ip(stage: Stage) -> None:
    """Floating IPs as templates for nova-network have them, on a server."""
    neutron = stage.cloud.service("network")
    named = {"name": f"story-{stage.story}"}
    async with subnet_of(stage, "10.98.0.0/24") as made:
        network = await stage.cloud.look_up("neutron.network", "public")
        gateway = {**named, "external_gateway_info": {"network_id": network.id}}
        router = (await neutron.post("/routers", {"router": gateway}))["router"]["id"]
        interface = {"subnet_id": made["subnet"]}
        await neutron.put(f"/routers/{router}/add_router_interface", interface)
        given: dict[str, Any] = {**ON_PRIVATE, "networks": [{"network": made["network"]}]}
        server = stage.resource(Server().convert(given), "server")
        try:
            await stage.act(Server(), Action.CREATE, server)
            pool = Life(
                FloatingIP(),
                {"pool": "public"},
                unread=frozenset(("pool",)),
                attributes=frozenset(("ip", "pool")),
            )
            async with lived(stage, pool, "one") as one, lived(stage, pool, "two") as two:
                association = {"floating_ip": one.physical_id, "server_id": server.physical_id}
                changes = ({"floating_ip": two.physical_id},)
                life = Life(
                    FloatingIPAssociation(),
                    association,
                    changes=changes,
                    identity=frozenset(association),
                )
                await live(stage, life)
        finally:
            await stage.act(Server(), Action.DELETE, replace(server, cookie=None))
            await neutron.put(f"/routers/{router}/remove_router_interface", interface)
            await neutron.delete(f"/routers/{router}")


STORIES: Final[Mapping[str, Recorded]] = {
    "key_pair": Recorded(key_pair),
    "key_pair_of_user": Recorded(key_pair_of_user, "admin"),
    "server_group": Recorded(server_group),
    "flavor": Recorded(flavor, "admin"),
    "host_aggregate": Recorded(host_aggregate, "admin"),
    "compute_quota": Recorded(compute_quota, "admin"),
    "older_floating_ip": Recorded(older_floating_ip),
}
