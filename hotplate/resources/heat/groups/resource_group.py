"""OS::Heat::ResourceGroup."""

import json
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import count, islice
from typing import Any

from hotplate.document import Data, same
from hotplate.resources.capabilities import StagedStack
from hotplate.resources.heat.groups.batches import (
    Goal,
    check_pauses,
    next_batch,
    pace_of,
    policy_schema,
)
from hotplate.resources.heat.groups.members import asked_of_group, group_attributes, in_order
from hotplate.resources.property import BadProperty, Property, PropertyKind
from hotplate.resources.resource_type import Child
from hotplate.resources.stages import Contents, Stage
from hotplate.resources.support import Support
from hotplate.template.constraint import AllowedValues, Length, Range

BATCH_CREATE = "batch_create"
ROLLING_UPDATE = "rolling_update"
REMOVED = "name_blacklist"
"""Key in the data, and the form of its value: Heat's, so that it can take a group over."""

_REMOVED_NAMES = "removed_rsrc_list"
_MOST_MEMBERS = 100_000


class ResourceGroup(StagedStack):
    """A number of equal resources; the members are a stack of their own."""

    name = "OS::Heat::ResourceGroup"
    support = Support(version="2014.1")
    properties = {
        "count": Property(
            PropertyKind.INTEGER,
            default=1,
            updatable=True,
            constraints=(Range(0, None),),
            description="number of members",
        ),
        "index_var": Property(
            default="%index%",
            constraints=(Length(3, None),),
            description="text in the members' properties that stands for a member's name",
        ),
        "resource_def": Property(
            PropertyKind.MAP,
            required=True,
            updatable=True,
            description="what each member is",
            schema={
                "type": Property(required=True, description="type of the members"),
                "properties": Property(PropertyKind.MAP, description="their properties"),
                "metadata": Property(PropertyKind.MAP, description="their metadata"),
            },
        ),
        "removal_policies": Property(
            PropertyKind.LIST,
            default=[],
            updatable=True,
            description="members that an update removes, whatever their index",
            items=Property(
                PropertyKind.MAP,
                schema={
                    "resource_list": Property(
                        PropertyKind.LIST, default=[], description="names or references of members"
                    )
                },
            ),
        ),
        "removal_policies_mode": Property(
            default="append",
            updatable=True,
            constraints=(AllowedValues(("append", "update")),),
            description="whether members removed earlier stay removed, or only those listed now",
        ),
    }
    update_policies = {
        ROLLING_UPDATE: policy_schema(has_least=True),
        BATCH_CREATE: policy_schema(has_least=False),
    }
    attributes = {
        "refs": "references of the members, in order",
        "refs_map": "references of the members by name",
        "attributes": "an attribute of every member, by name",
        _REMOVED_NAMES: "names that removal policies have taken out",
    }
    attributes_of_all = frozenset(("refs", "refs_map"))
    attribute_kinds = {
        "refs": PropertyKind.LIST,
        "refs_map": PropertyKind.MAP,
        "attributes": PropertyKind.MAP,
        _REMOVED_NAMES: PropertyKind.LIST,
    }

    def convert(self, given: Mapping[str, Any]) -> dict[str, Any]:
        values = super().convert(given)
        if values["count"] > _MOST_MEMBERS:
            raise BadProperty(
                f"a group has at most {_MOST_MEMBERS} members", ("count",), "use several groups"
            )
        return values

    def child_template(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        return _template(_goal(properties, frozenset()).members())

    def child_sample(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        return self.child_template({**properties, "count": min(1, properties["count"])})

    def members(self, properties: Mapping[str, Any]) -> int:
        return int(properties["count"])

    def has_stages(
        self, properties: Mapping[str, Any], policies: Mapping[str, Any], data: Mapping[str, Any]
    ) -> bool:
        return any(policies.values()) or bool(properties["removal_policies"] or data.get(REMOVED))

    def child_stage(
        self,
        properties: Mapping[str, Any],
        policies: Mapping[str, Any],
        data: Mapping[str, Any],
        contents: Contents,
        timeout: float | None = None,
    ) -> Stage:
        removed = _removed(data)
        if not contents.policy:
            removed = _removed_now(properties, removed, contents)
        kept = {**data, REMOVED: ",".join(sorted(removed))} if removed or data else None
        goal = _goal(properties, removed)
        present = {
            name: contents.definitions[name]
            for name in in_order(contents.definitions)
            if name not in removed
        }
        policy = _policy(policies, contents, goal, present)
        if not policy:
            return Stage(_template(goal.members()), data=kept)
        pace = pace_of(policies[policy])
        if not contents.policy:
            check_pauses(goal, present, pace, timeout)
        members, is_last = next_batch(goal, present, contents.unsettled, pace)
        return Stage(_template(members), "" if is_last else policy, pace.pause, kept)

    def asked_of_members(self, wanted: Iterable[tuple[Data, ...]]) -> dict[str, list[list[Data]]]:
        return asked_of_group(wanted)

    def publishes_members(self, wanted: Iterable[tuple[Data, ...]]) -> bool:
        return any(not path or path[0] != _REMOVED_NAMES for path in wanted)

    def child_reference(self, child: Child) -> str:
        return child.id

    def child_attributes(
        self, properties: Mapping[str, Any], child: Child, wanted: Iterable[tuple[Data, ...]]
    ) -> dict[str, Data]:
        found = group_attributes(child, wanted) if child.knows_members else {}
        found[_REMOVED_NAMES] = sorted(_removed(child.data))
        return found


def _template(members: Mapping[str, Any]) -> dict[str, Any]:
    return {"heat_template_version": "2021-04-16", "resources": members}


def _goal(properties: Mapping[str, Any], removed: AbstractSet[str]) -> Goal:
    given = {key: value for key, value in properties["resource_def"].items() if value is not None}
    # As it will be read from the template: what is there is compared with it.
    definition = json.loads(json.dumps(given))
    variable = properties["index_var"]
    mentions = _mentions(definition.get("properties"), variable)

    def of(name: str) -> dict[str, Any]:
        if not mentions:
            return definition
        return {**definition, "properties": _named(definition["properties"], variable, name)}

    common = None if mentions else definition
    return Goal(properties["count"], lambda size: _names(removed, size), of, common)


def _names(removed: AbstractSet[str], size: int) -> list[str]:
    """Return so many names that have not been removed."""
    if not removed:
        return list(map(str, range(size)))
    return list(islice((name for name in map(str, count()) if name not in removed), size))


def _mentions(value: Any, variable: str) -> bool:
    if isinstance(value, str):
        return variable in value
    if isinstance(value, dict):
        return any(_mentions(item, variable) for item in value.values())
    return isinstance(value, list) and any(_mentions(item, variable) for item in value)


def _named(value: Any, variable: str, name: str) -> Any:
    """Return the value with a member's name in place of the variable; keys stay as they are."""
    if isinstance(value, str):
        return value.replace(variable, name)
    if isinstance(value, dict):
        return {key: _named(item, variable, name) for key, item in value.items()}
    return [_named(item, variable, name) for item in value] if isinstance(value, list) else value


def _removed(data: Mapping[str, Any]) -> set[str]:
    return {name for name in str(data.get(REMOVED) or "").split(",") if name}


def _removed_now(properties: Mapping[str, Any], before: set[str], contents: Contents) -> set[str]:
    """Return the names that are left out from now on; they are not used again."""
    members = {*contents.definitions, *contents.references, *before}
    by_reference = {reference: name for name, reference in contents.references.items()}
    found = set() if properties["removal_policies_mode"] == "update" else set(before)
    for policy in properties["removal_policies"]:
        for entry in policy["resource_list"] or ():
            name = str(entry)
            if contents.exists and name not in members:
                name = by_reference.get(entry, "") if isinstance(entry, str) else ""
            if name:
                found.add(name)
    return found


def _policy(
    policies: Mapping[str, Any], contents: Contents, goal: Goal, present: Mapping[str, Any]
) -> str:
    """Return the update policy by which the group changes; empty if it does so at once.

    Members are replaced in batches only if what they are changes, not if their number does.
    """
    if contents.policy:
        return contents.policy if policies.get(contents.policy) else ""
    if contents.is_new:
        return BATCH_CREATE if policies.get(BATCH_CREATE) else ""
    if not policies.get(ROLLING_UPDATE):
        return ""
    changes = any(not same(present[name], goal.definition(name)) for name in present)
    return ROLLING_UPDATE if changes else ""
