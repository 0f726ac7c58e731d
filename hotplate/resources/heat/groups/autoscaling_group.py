"""OS::Heat::AutoScalingGroup."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hotplate.document import Data
from hotplate.resources.heat.groups.scalable import ROLLING, ScalableGroup, asked, steps_of
from hotplate.resources.heat.provider_template import attribute_at
from hotplate.resources.property import BadProperty, Property, PropertyKind
from hotplate.resources.resource_type import Child
from hotplate.resources.support import Support
from hotplate.template.constraint import Range

MOST_MEMBERS = 100_000
_MOST_DIGITS = 9


class AutoScalingGroup(ScalableGroup):
    """Equal resources of any type, as many as policies say, between two bounds."""

    name = "OS::Heat::AutoScalingGroup"
    support = Support(version="2014.1")
    properties = {
        "resource": Property(
            PropertyKind.MAP,
            required=True,
            updatable=True,
            description="what each member is, as a template would say it",
        ),
        "max_size": Property(
            PropertyKind.INTEGER,
            required=True,
            updatable=True,
            constraints=(Range(0, None),),
            description="greatest number of members",
        ),
        "min_size": Property(
            PropertyKind.INTEGER,
            required=True,
            updatable=True,
            constraints=(Range(0, None),),
            description="least number of members",
        ),
        "cooldown": Property(
            PropertyKind.INTEGER,
            updatable=True,
            description="seconds after a change in which the size is not adjusted again",
        ),
        "desired_capacity": Property(
            PropertyKind.INTEGER,
            updatable=True,
            description="number of members when the group is made or its definition changes",
        ),
        "rolling_updates": Property(
            PropertyKind.MAP,
            default={"min_in_service": 0, "max_batch_size": 1, "pause_time": 0},
            updatable=True,
            description="how the members are changed",
            schema={
                "min_in_service": Property(
                    PropertyKind.INTEGER,
                    default=0,
                    constraints=(Range(0, None),),
                    description="members that are left in service while others change",
                ),
                "max_batch_size": Property(
                    PropertyKind.INTEGER,
                    default=1,
                    constraints=(Range(1, None),),
                    description="members that change at the same time, at most",
                ),
                "pause_time": Property(
                    PropertyKind.NUMBER,
                    default=0,
                    constraints=(Range(0, None),),
                    description="seconds between two batches",
                ),
            },
        ),
    }
    attributes = {
        "outputs": "an attribute of every member, by name",
        "outputs_list": "an attribute of every member, the oldest first",
        "current_size": "number of members",
        "refs": "references of the members, the oldest first",
        "refs_map": "references of the members by name",
    }
    attribute_kinds = {
        "outputs": PropertyKind.MAP,
        "outputs_list": PropertyKind.LIST,
        "current_size": PropertyKind.INTEGER,
        "refs": PropertyKind.LIST,
        "refs_map": PropertyKind.MAP,
    }

    def convert(self, given: Mapping[str, Any]) -> dict[str, Any]:
        values = super().convert(given)
        if values["max_size"] > MOST_MEMBERS:
            text = f"a group has at most {MOST_MEMBERS} members"
            raise BadProperty(text, ("max_size",), "use several groups")
        return values

    validated = frozenset(("min_size", "max_size", "desired_capacity"))

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        lower, upper = self.bounds(properties)
        return size_fault(lower, upper, self.desired(properties))

    def member(self, properties: Mapping[str, Any], creation_token: str) -> dict[str, Any]:
        given: dict[str, Any] = properties["resource"]
        return {key: value for key, value in given.items() if value is not None}

    def bounds(self, properties: Mapping[str, Any]) -> tuple[int, int]:
        return properties["min_size"], properties["max_size"]

    def desired(self, properties: Mapping[str, Any]) -> int | None:
        wanted: int | None = properties["desired_capacity"]
        return wanted

    def pause_after(self, properties: Mapping[str, Any]) -> float | None:
        seconds: float | None = properties["cooldown"]
        return seconds

    def policies(self, properties: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        return {ROLLING: properties["rolling_updates"]}

    def asked_of_members(self, wanted: Iterable[tuple[Data, ...]]) -> dict[str, list[list[Data]]]:
        return asked(wanted)

    def child_attributes(
        self, properties: Mapping[str, Any], child: Child, wanted: Iterable[tuple[Data, ...]]
    ) -> dict[str, Data]:
        members = child.members
        references: dict[str, Data] = {name: each.reference for name, each in members.items()}
        found: dict[str, Data] = {
            "current_size": len(members),
            "refs": list(references.values()),
            "refs_map": references,
        }
        for path in wanted:
            if not path or path[0] in found:
                continue
            steps = steps_of(path)
            values: dict[str, Any] = {
                name: attribute_at(each.attributes, steps) if steps else each.reference
                for name, each in members.items()
            }
            found[json.dumps(list(path))] = _of_members(str(path[0]), steps, values)
        return found


def _of_members(name: str, steps: list[Data], values: dict[str, Any]) -> Data:
    """Return an attribute of the group, given what each of its members says; null if none does."""
    if name.startswith("resource."):
        index = name.removeprefix("resource.").partition(".")[0]
        in_order = list(values.values())
        is_number = index.isascii() and index.isdigit() and len(index) <= _MOST_DIGITS
        return in_order[int(index)] if is_number and int(index) < len(in_order) else None
    if not steps:
        return None
    return values if name == "outputs" else list(values.values())


def size_fault(lower: int, upper: int, desired: int | None) -> str:
    """Return what is wrong with the sizes of a group, in the words that Heat has for it."""
    if upper < lower:
        return "MinSize can not be greater than MaxSize"
    if lower < 0:
        return "The size of AutoScalingGroup can not be less than zero"
    if desired is not None and not lower <= desired <= upper:
        return "DesiredCapacity must be between MinSize and MaxSize"
    return ""
