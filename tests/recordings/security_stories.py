"""Stories of security groups and their rules."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.model import Action
from hotplate.resources.openstack.neutron.security.group import SecurityGroup
from hotplate.resources.openstack.neutron.security.rule import SecurityGroupRule
from tests.recordings.life import Life, gives_way, live, lived
from tests.recordings.stage import Recorded, Stage

SSH: Final = {"protocol": "tcp", "port_range_min": 22, "port_range_max": 22}
PING: Final = {"protocol": "icmp", "remote_ip_prefix": "10.0.0.0/8", "description": "ping"}
OUT: Final = {"direction": "egress", "protocol": "17"}


async def security_group(stage: Stage) -> None:
    """A group keeps the rules that others add to it, whatever becomes of its own."""
    life = Life(
        SecurityGroup(),
        {"name": "recorded", "description": "short", "rules": [SSH, PING]},
        changes=(
            {"name": None, "description": None, "rules": [SSH, {**PING, "description": "p"}]},
            {"rules": [OUT, {"remote_mode": "remote_group_id", "ethertype": "IPv6"}]},
            {"stateful": False, "rules": []},
            {"rules": [PING], "description": "again", "stateful": None},
        ),
        attributes=frozenset(("show",)),
    )
    await live(stage, life)
    await live(stage, Life(SecurityGroup(), {}), "plain")
    # The mark by which it would be found does not fit beside such a description.
    wordy = life.converted({"name": "recorded", "description": "d" * 240})
    resource = stage.resource(wordy, "wordy")
    await stage.act(SecurityGroup(), Action.CREATE, resource)
    told = await SecurityGroup().live_properties(resource)
    await stage.act(SecurityGroup(), Action.DELETE, resource)
    assert told["description"] == "d" * 240


async def security_group_rule(stage: Stage) -> None:
    """A rule is no business of its group; one like another can only take its place."""
    group = Life(SecurityGroup(), {"name": "of a rule", "rules": [SSH]})
    async with lived(stage, group, "group") as its:
        given: dict[str, Any] = {
            "security_group": "of a rule", "remote_group": "of a rule", "description": "all",
            "port_range_min": 80, "port_range_max": 90,
        }  # fmt: skip
        await live(stage, Life(SecurityGroupRule(), given, replacing={"protocol": "udp"}))
        plain = Life(SecurityGroupRule(), {"security_group": its.physical_id, **PING})
        async with lived(stage, plain, "plain") as resource:
            await gives_way(stage, plain, resource)
            changed = await stage.update(
                SecurityGroup(), its, {**its.properties, "rules": group.converted({})["rules"]}
            )
            told = await SecurityGroup().live_properties(changed)
            assert told["rules"] == []
            assert await SecurityGroupRule().live_properties(resource)


STORIES: Final[Mapping[str, Recorded]] = {
    "security_group": Recorded(security_group),
    "security_group_rule": Recorded(security_group_rule),
}
