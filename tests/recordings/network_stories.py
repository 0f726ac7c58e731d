"""Stories of the types of the network service."""

from collections.abc import Mapping
from typing import Final

from hotplate.resources.openstack.neutron.net import Net
from tests.recordings.life import Life, live
from tests.recordings.stage import Recorded, Stage


async def net(stage: Stage) -> None:
    """A network with and without a name of its own."""
    life = Life(
        Net(),
        {"name": "recorded", "tags": ["one"], "value_specs": {"description": "for all"}},
        changes=(
            {"name": "renamed", "admin_state_up": False},
            {"tags": ["two", "three"], "port_security_enabled": False},
            {"name": None, "tags": None, "dns_domain": "example.org."},
            {"value_specs": {"description": "for some"}},
        ),
        replacing={"availability_zone_hints": []},
        attributes=frozenset(("status", "mtu", "subnets")),
    )
    await live(stage, life)
    await live(stage, Life(Net(), {}, changes=({"admin_state_up": False},)), "plain")


STORIES: Final[Mapping[str, Recorded]] = {"net": Recorded(net)}
