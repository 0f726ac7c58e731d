"""Groups of instances: what their members are made of, and how they change."""

from typing import Any

import pytest

from hotplate.resources import BadProperty, ResourceFailed
from hotplate.resources.capabilities import Scalable
from hotplate.resources.heat.groups.instance_group import CfnAutoScalingGroup, InstanceGroup
from hotplate.resources.resource_type import Child
from hotplate.resources.scaling import Adjustment, Measure
from hotplate.resources.stages import Contents
from hotplate.template import ResourceData

KIND = InstanceGroup()
CFN = CfnAutoScalingGroup()
LAUNCH = {"properties": {"ImageId": "i"}, "metadata": {"m": 1}}
KNOWN = [ResourceData("other", {}), ResourceData("conf", {("launch",): LAUNCH})]
UP = Adjustment("g", Measure.CHANGE, 1, "up")


def given(**more: Any) -> dict[str, Any]:
    values = {"AvailabilityZones": [], "LaunchConfigurationName": "conf", "Size": 2, **more}
    return KIND.convert(KIND.completed(values, KNOWN))


def cfn(**more: Any) -> dict[str, Any]:
    sizes = {"MinSize": 1, "MaxSize": 3}
    values = {"AvailabilityZones": [], "LaunchConfigurationName": "conf", **sizes, **more}
    return CFN.convert(CFN.completed(values, KNOWN))


def test_members_are_what_the_launch_configuration_says() -> None:
    assert KIND.member(given(), "mark") == {
        "type": "OS::Heat::ScaledResource",
        "properties": {
            "ImageId": "i",
            "Tags": [{"Key": "metering.groupname", "Value": "mark"}],
        },
        "metadata": {"m": 1},
    }
    own = [{"Key": "metering.mine", "Value": "x"}]
    assert KIND.member(given(Tags=own), "mark")["properties"]["Tags"] == own
    member = CFN.member(cfn(VPCZoneIdentifier=["net"]), "mark")
    assert member["properties"]["SubnetId"] == "net"


def test_a_name_is_no_reference() -> None:
    with pytest.raises(ResourceFailed, match="requires a reference to the configuration"):
        KIND.completed({"LaunchConfigurationName": "config"}, KNOWN)


def test_without_a_policy_old_members_stay_as_they_are() -> None:
    old = {"type": "OS::Heat::ScaledResource", "properties": {"ImageId": "old"}}
    there = Contents({"a": old}, order=("a",), exists=True, is_new=False, creation_token="m")
    policies = KIND.policies(given(), {})
    members = KIND.child_stage(given(), policies, {}, there).template["resources"]
    assert members["a"] == old
    assert len(members) == 2
    policies = KIND.policies(given(), {"RollingUpdate": {"MaxBatchSize": 5}})
    members = KIND.child_stage(given(), policies, {}, there).template["resources"]
    assert members["a"]["properties"]["ImageId"] == "i"


@pytest.mark.parametrize(
    ("text", "seconds"), [("PT0S", 0), ("PT1M30S", 90), ("PT1H", 3600), ("PT59M", 3540)]
)
def test_pauses(text: str, seconds: int) -> None:
    policies = KIND.policies(given(), {"RollingUpdate": {"PauseTime": text}})
    assert policies["rolling_updates"]["pause_time"] == seconds


@pytest.mark.parametrize("text", ["PT1H1S", "5", "P1D", "PT-1S"])
def test_pauses_that_are_none(text: str) -> None:
    with pytest.raises(BadProperty):
        KIND.policies(given(), {"RollingUpdate": {"PauseTime": text}})


def test_only_the_group_of_aws_scales() -> None:
    there = Contents({"a": {}}, order=("a",), exists=True, is_new=False)
    assert not isinstance(KIND, Scalable)
    assert CFN.scaled(cfn(), {}, there, UP, 0).stage is not None


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        (cfn(), ""),
        (cfn(DesiredCapacity=4), "DesiredCapacity must be between"),
        (cfn(VPCZoneIdentifier=["a", "b"]), "Anything other than one VPCZoneIdentifier"),
        (cfn(InstanceId="x"), "InstanceId needs a compute service"),
        (cfn(InstanceId="x", LaunchConfigurationName=None), "InstanceId needs a compute service"),
    ],
)
def test_faults(values: dict[str, Any], fault: str) -> None:
    assert CFN.validate(values).startswith(fault)
    assert bool(CFN.validate(values)) == bool(fault)


def test_neither_an_instance_nor_a_configuration() -> None:
    with pytest.raises(BadProperty, match="Either 'InstanceId' or"):
        cfn(LaunchConfigurationName=None)


def test_the_group_of_aws_tells_of_its_cooldown() -> None:
    assert CFN.kept_metadata({}) == {"scaling_in_progress": False}


def test_addresses() -> None:
    members = {"a": ResourceData("a", {"PublicIp": "10.0.0.1"}), "b": ResourceData("b", {})}
    child = Child("c", "arn", {}, members)
    assert KIND.child_attributes(given(), child, []) == {"InstanceList": "10.0.0.1,0.0.0.0"}
    assert KIND.child_attributes(given(), Child("c", "arn", {}, {}), []) == {"InstanceList": None}
    assert KIND.asked_of_members([("InstanceList",)]) == {"*": [["PublicIp"]]}
