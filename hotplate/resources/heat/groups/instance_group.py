"""OS::Heat::InstanceGroup and AWS::AutoScaling::AutoScalingGroup: groups of instances.

A member is an OS::Heat::ScaledResource: an AWS::EC2::Instance, unless the registry maps that name.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from hotplate.document import Data
from hotplate.resources.capabilities import CompletesProperties
from hotplate.resources.heat.groups.autoscaling_group import MOST_MEMBERS, size_fault
from hotplate.resources.heat.groups.launch_configuration import LAUNCH
from hotplate.resources.heat.groups.scalable import ROLLING, EqualMembers, ScalableGroup
from hotplate.resources.property import BadProperty, Property, PropertyKind, convert_all
from hotplate.resources.resource_type import Child, ResourceFailed
from hotplate.resources.support import Support
from hotplate.template import NoValue, ResourceData
from hotplate.template.constraint import CustomConstraint

_LAUNCHED = "LaunchConfiguration"
_ADDRESS = "PublicIp"
_NO_ADDRESS = "0.0.0.0"  # noqa: S104 (shown in place of an address, nobody listens there)
_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?")
_LONGEST_PAUSE = 3600
_ROLLING_SCHEMA = Property(
    PropertyKind.MAP,
    schema={
        "MinInstancesInService": Property(
            PropertyKind.INTEGER,
            default=0,
            description="members that are left in service while others change",
        ),
        "MaxBatchSize": Property(
            PropertyKind.INTEGER, default=1, description="members that change at the same time"
        ),
        "PauseTime": Property(default="PT0S", description="time between two batches: PT5M30S"),
    },
)
_TAGS = Property(
    PropertyKind.LIST,
    description="tags of the members",
    items=Property(
        PropertyKind.MAP,
        schema={"Key": Property(required=True), "Value": Property(required=True)},
    ),
)
_INSTANCES: dict[str, Property] = {
    "AvailabilityZones": Property(PropertyKind.LIST, required=True, description="has no effect"),
    "LoadBalancerNames": Property(PropertyKind.LIST, description="has no effect"),
    "Tags": _TAGS,
    _LAUNCHED: Property(PropertyKind.MAP, updatable=True, hidden=True),
}


class InstanceGroup(EqualMembers, CompletesProperties):
    """So many equal instances, as a launch configuration describes them."""

    name = "OS::Heat::InstanceGroup"
    support = Support()
    updates_all = True
    rolling: ClassVar[str] = "RollingUpdate"
    """Name of the update policy by which members change."""

    properties = {
        **_INSTANCES,
        "LaunchConfigurationName": Property(
            required=True, updatable=True, description="the reference of a launch configuration"
        ),
        "Size": Property(
            PropertyKind.INTEGER, required=True, updatable=True, description="number of members"
        ),
    }
    update_policies = {"RollingUpdate": _ROLLING_SCHEMA}
    attributes = {"InstanceList": "addresses of the members, with commas between them"}
    attribute_kinds = {"InstanceList": PropertyKind.STRING}

    validated = frozenset(("Size",))

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        return size_fault(0, MOST_MEMBERS, properties["Size"]) or _reference_fault(properties)

    def completed(
        self, properties: dict[str, Any], known: Iterable[ResourceData]
    ) -> dict[str, Any]:
        reference = properties.get("LaunchConfigurationName")
        for each in known:
            if reference and each.reference == reference:
                launch = each.attributes.get(LAUNCH)
                return {**properties, _LAUNCHED: launch if isinstance(launch, dict) else {}}
        if not reference:
            return properties
        raise ResourceFailed(_no_reference(reference), "ValueError")

    def member(self, properties: Mapping[str, Any], creation_token: str) -> dict[str, Any]:
        launched = properties[_LAUNCHED] or {}
        given = {**launched.get("properties", {}), **self._more(properties)}
        definition = {
            "type": "OS::Heat::ScaledResource",
            "properties": {**given, "Tags": self._tags(properties, creation_token)},
        }
        metadata = launched.get("metadata")
        return {**definition, "metadata": metadata} if metadata else definition

    def child_sample(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        if properties[_LAUNCHED] is None:  # it comes from another resource, and is known later
            return {"heat_template_version": "2021-04-16", "resources": {}}
        return super().child_sample(properties)

    def _more(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Return what members are given besides what the launch configuration says."""
        return {}

    def _tags(self, properties: Mapping[str, Any], creation_token: str) -> list[dict[str, Any]]:
        """Return the tags of the members: by one of them they are metered together."""
        tags = list(properties["Tags"] or ())
        if any(tag["Key"].startswith("metering.") for tag in tags):
            return tags
        return [*tags, {"Key": "metering.groupname", "Value": creation_token}]

    def bounds(self, properties: Mapping[str, Any]) -> tuple[int, int]:
        return 0, MOST_MEMBERS

    def desired(self, properties: Mapping[str, Any]) -> int | None:
        wanted: int | None = properties["Size"]
        return wanted

    def policies(self, properties: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        policy = convert_all(self.update_policies, given)[self.rolling]
        if policy is None:
            return {ROLLING: None}
        pace = {
            "max_batch_size": max(1, policy["MaxBatchSize"]),
            "min_in_service": max(0, policy["MinInstancesInService"]),
            "pause_time": _seconds(policy["PauseTime"], (self.rolling, "PauseTime")),
        }
        return {ROLLING: pace}

    def asked_of_members(self, wanted: Iterable[tuple[Data, ...]]) -> dict[str, list[list[Data]]]:
        return {"*": [[_ADDRESS]]} if any(path[:1] == ("InstanceList",) for path in wanted) else {}

    def child_attributes(
        self, properties: Mapping[str, Any], child: Child, wanted: Iterable[tuple[Data, ...]]
    ) -> dict[str, Data]:
        members = child.members.values()
        found: list[Any] = [each.attributes.get(_ADDRESS) or _NO_ADDRESS for each in members]
        failed: Any = next((each for each in found if isinstance(each, NoValue)), None)
        if failed is not None:
            return {"InstanceList": failed}
        return {"InstanceList": ",".join(map(str, found)) or None}


class CfnAutoScalingGroup(InstanceGroup, ScalableGroup):
    """A group of instances whose size policies change, in the words of AWS."""

    name = "AWS::AutoScaling::AutoScalingGroup"
    support = Support(version="2014.1")
    rolling = "AutoScalingRollingUpdate"
    properties = {
        **_INSTANCES,
        "LaunchConfigurationName": Property(
            updatable=True, description="the reference of a launch configuration"
        ),
        "InstanceId": Property(
            constraints=(CustomConstraint("nova.server"),),
            description="an instance to take the properties from",
        ),
        "MaxSize": Property(
            PropertyKind.INTEGER,
            required=True,
            updatable=True,
            description="greatest number of members",
        ),
        "MinSize": Property(
            PropertyKind.INTEGER,
            required=True,
            updatable=True,
            description="least number of members",
        ),
        "Cooldown": Property(
            PropertyKind.INTEGER,
            updatable=True,
            description="seconds after a change in which the size is not adjusted again",
        ),
        "DesiredCapacity": Property(
            PropertyKind.INTEGER,
            updatable=True,
            description="number of members when the group is made or its definition changes",
        ),
        "HealthCheckGracePeriod": Property(PropertyKind.INTEGER, hidden=True, implemented=False),
        "HealthCheckType": Property(hidden=True, implemented=False),
        "VPCZoneIdentifier": Property(
            PropertyKind.LIST, items=Property(), description="the subnet of the members, one"
        ),
    }
    update_policies = {"AutoScalingRollingUpdate": _ROLLING_SCHEMA}

    validated = frozenset(
        ("MinSize", "MaxSize", "DesiredCapacity", "VPCZoneIdentifier", "InstanceId")
    )

    def convert(self, given: Mapping[str, Any]) -> dict[str, Any]:
        values = super().convert(given)
        if not values["LaunchConfigurationName"] and not values["InstanceId"]:
            raise BadProperty("Either 'InstanceId' or 'LaunchConfigurationName' must be provided.")
        return values

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        lower, upper = self.bounds(properties)
        fault = size_fault(lower, min(upper, MOST_MEMBERS), self.desired(properties))
        if fault:
            return fault
        if len(properties["VPCZoneIdentifier"] or [""]) != 1:
            return "Anything other than one VPCZoneIdentifier is not supported."
        if properties["InstanceId"]:
            return "InstanceId needs a compute service that is not here; use a configuration"
        return _reference_fault(properties)

    def _more(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        subnets = properties["VPCZoneIdentifier"]
        return {"SubnetId": subnets[0]} if subnets else {}

    def _tags(self, properties: Mapping[str, Any], creation_token: str) -> list[dict[str, Any]]:
        own = {"Key": "metering.AutoScalingGroupName", "Value": creation_token}
        return [*super()._tags(properties, creation_token), own]

    def bounds(self, properties: Mapping[str, Any]) -> tuple[int, int]:
        return properties["MinSize"], properties["MaxSize"]

    def desired(self, properties: Mapping[str, Any]) -> int | None:
        wanted: int | None = properties["DesiredCapacity"]
        return wanted

    def pause_after(self, properties: Mapping[str, Any]) -> float | None:
        seconds: float | None = properties["Cooldown"]
        return seconds


def _reference_fault(properties: Mapping[str, Any]) -> str:
    """Return what is wrong with a launch configuration that no other resource of the stack is."""
    reference = properties["LaunchConfigurationName"]
    return _no_reference(reference) if reference and properties[_LAUNCHED] is None else ""


def _no_reference(given: str) -> str:
    text = f"LaunchConfigurationName ({given}) requires a reference to the configuration"
    return f"{text} not just the name of the resource."


def _seconds(text: str, path: tuple[str, ...]) -> int:
    """Return the seconds of a time such as PT1M30S. Raises BadProperty."""
    found = _DURATION.fullmatch(text)
    if found is None:
        raise BadProperty(f'"{text}" is no time', path, "write it like PT5M30S")
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    total = 3600 * hours + 60 * minutes + seconds
    if total > _LONGEST_PAUSE:
        raise BadProperty("Maximum PauseTime is 1 hour.", path)
    return total
