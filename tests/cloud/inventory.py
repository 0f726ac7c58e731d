"""What is in the test cloud: so that a test sees what it has made, and that nothing is left."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from hotplate.cloud import Cloud, load_settings
from tests.cloud.box.places import credentials

COLLECTIONS: Final[Mapping[str, tuple[str, str, str]]] = {
    "networks": ("network", "/networks", "networks"),
    "subnets": ("network", "/subnets", "subnets"),
    "ports": ("network", "/ports", "ports"),
    "routers": ("network", "/routers", "routers"),
    "floating IPs": ("network", "/floatingips", "floatingips"),
    "security groups": ("network", "/security-groups", "security_groups"),
    "security group rules": ("network", "/security-group-rules", "security_group_rules"),
    "trunks": ("network", "/trunks", "trunks"),
    "servers": ("compute", "/servers", "servers"),
    "server groups": ("compute", "/os-server-groups", "server_groups"),
    "key pairs": ("compute", "/os-keypairs", "keypairs"),
    "volumes": ("block-storage", "/volumes", "volumes"),
    "backups": ("block-storage", "/backups", "backups"),
    "images": ("image", "/images", "images"),
}
"""Service, path and key of what a user of a project can make."""

Inventory = Mapping[str, frozenset[str]]


async def inventory(user: str) -> Inventory:
    """Return the ids of everything in the project of a user."""
    async with Cloud(load_settings(credentials(user))) as cloud:
        own = await cloud.project_id()
        return {
            what: frozenset(
                str(each.get("id") or each["keypair"]["name"])
                for each in await cloud.service(service).list_all(path, key)
                if each.get("project_id", own) == own
            )
            for what, (service, path, key) in COLLECTIONS.items()
        }


def added(before: Inventory, after: Inventory) -> Counter[str]:
    """Return how many objects of each sort there are that were not there before."""
    return Counter({what: count for what in after if (count := len(after[what] - before[what]))})
