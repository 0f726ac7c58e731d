"""OS::Neutron::SecurityGroup."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.neutron.neutron_type import NeutronType, collection
from hotplate.resources.openstack.neutron.security.rules import (
    PROTOCOLS,
    RULE,
    key_of,
    range_fault,
)
from hotplate.resources.openstack.schema import flag, maps, text
from hotplate.resources.support import Support

_OUT: Final = tuple({"direction": "egress", "ethertype": each} for each in ("IPv4", "IPv6"))
"""The rules that a new group has: everything may go out."""

Rules = list[dict[str, Any]]


class SecurityGroup(NeutronType):
    """Rules that say which traffic the ports let through.

    The group has the rules of its property, and those that others have added to it.
    """

    name = "OS::Neutron::SecurityGroup"
    collection = collection("security_groups", "security_group")
    support = Support(version="2014.1")
    named = {"rules[].remote_group_id": "neutron.security_group"}
    apart = NeutronType.apart | {"rules"}
    absent = {**NeutronType.absent, "stateful": True}
    validated = frozenset(("name", "rules"))
    properties = {
        "description": text("what it is for", updatable=True),
        "name": text("its name", updatable=True),
        "rules": maps(
            "its rules; without one for egress everything may go out",
            {
                **RULE,
                "protocol": text("the protocol, by name or number", allowed=PROTOCOLS),
                "remote_group_id": text(
                    "the group on the other side, by name or id; without it this group",
                    rule="neutron.security_group",
                ),
                "remote_mode": text(
                    "whether the other side is a group or has addresses",
                    allowed=("remote_ip_prefix", "remote_group_id"),
                    default="remote_ip_prefix",
                ),
            },
            default=[],
            updatable=True,
        ),
        "stateful": flag("whether answers are let through as well", updatable=True),
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        if properties["name"] == "default":
            return 'Security groups cannot be assigned the name "default".'
        return next(filter(None, map(range_fault, properties["rules"] or ())), "")

    def has_more(self, it: CloudResource) -> bool:
        return super().has_more(it) or bool(it.properties["rules"])

    async def complete(self, it: CloudResource) -> None:
        await super().complete(it)
        # It was made with the rules of a group to which nothing was given.
        await self._set_rules(it, own_rules({"rules": []}, it.id))

    async def change(self, it: CloudResource) -> Object | None:
        found = await super().change(it)
        if not it.changed("rules"):
            return found
        before = own_rules(it.old_properties, it.id) if it.old_properties else []
        await self._set_rules(it, before)
        return None

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        known = await super().live(it, found)
        live = {key_of(each): each for each in found["security_group_rules"]}
        known["rules"] = [
            {**written, "description": live[key]["description"] or None}
            for written in it.properties.get("rules") or ()
            if (key := key_of(_fields(written, it.id))) in live
        ]
        return known

    async def _set_rules(self, it: CloudResource, before: Rules) -> None:
        """Bring the group's own rules from what they were to what is wanted.

        Rules that are neither are somebody else's.
        """
        query = {"security_group_id": it.id}
        listed = await it.service.list_all("/security-group-rules", "security_group_rules", query)
        live = {key_of(each): each for each in listed}
        ours = set(map(key_of, before))
        wanted = {key_of(each): each for each in own_rules(it.properties, it.id)}
        for key, rule in live.items():
            if key in ours and not _is_as(wanted.get(key), rule):
                await it.service.delete(f"/security-group-rules/{rule['id']}")
        missing = [
            {**rule, "security_group_id": it.id}
            for key, rule in wanted.items()
            if key not in live or (key in ours and not _is_as(rule, live[key]))
        ]
        if missing:
            await it.service.post("/security-group-rules", {"security_group_rules": missing})


def own_rules(properties: Mapping[str, Any], group_id: str) -> Rules:
    """Return the rules that a group with these properties has of its own, in fields."""
    rules = [_fields(each, group_id) for each in properties["rules"] or ()]
    if not any(each["direction"] == "egress" for each in rules):
        rules += map(dict, _OUT)
    return rules


def _fields(rule: Mapping[str, Any], group_id: str) -> dict[str, Any]:
    found = {key: value for key, value in rule.items() if value is not None}
    mode = found.pop("remote_mode", "remote_ip_prefix")
    if mode == "remote_group_id":
        found.pop("remote_ip_prefix", None)
        found.setdefault("remote_group_id", group_id)
    else:
        found.pop("remote_group_id", None)
    return found


def _is_as(wanted: Mapping[str, Any] | None, live: Mapping[str, Any]) -> bool:
    """Tell whether a rule that is there can stay for one that is wanted."""
    if wanted is None:
        return False
    return (wanted.get("description") or "") == (live.get("description") or "")
