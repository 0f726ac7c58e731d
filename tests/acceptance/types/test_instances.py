"""Groups of instances in the words of AWS on the real engine; a template is the instance."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hotplate.document import InvalidDocument
from hotplate.engine.embedded import Embedded
from hotplate.engine.recipes import Recipe
from hotplate.model import Action, Status
from hotplate.plan.decide import Step
from tests.acceptance.types.groups import (
    complete,
    created,
    history,
    inside,
    members,
    most_at_once,
    updated,
)
from tests.acceptance.types.stories import ended, tell
from tests.acceptance.types.test_scaling import signalled

INSTANCE = """
heat_template_version: wallaby
parameters:
  ImageId: {type: string}
  InstanceType: {type: string}
  Tags: {type: json}
  SubnetId: {type: string, default: none}
resources:
  it:
    type: OS::Heat::TestResource
    properties:
      value:
        list_join:
        - " "
        - [{get_param: ImageId}, {get_param: InstanceType}, {get_param: SubnetId}]
      wait_secs: 0.02
outputs:
  PublicIp: {value: {get_attr: [it, output]}}
"""


def stack(
    group: dict[str, Any] | None = None,
    kind: str = "OS::Heat::InstanceGroup",
    policy: dict[str, Any] | None = None,
    mapped: str = "OS::Heat::ScaledResource",
    metadata: dict[str, Any] | None = None,
    **launch: Any,
) -> Recipe:
    """A launch configuration, a group, and a policy of it."""
    sizes = {"Size": 2} if kind == "OS::Heat::InstanceGroup" else {"MinSize": 1, "MaxSize": 4}
    resources: dict[str, Any] = {
        "config": {
            "type": "AWS::AutoScaling::LaunchConfiguration",
            "properties": {"ImageId": "image", "InstanceType": "small", **launch},
            "metadata": metadata or {},
        },
        "group": {
            "type": kind,
            "properties": {
                "AvailabilityZones": ["nova"],
                "LaunchConfigurationName": {"get_resource": "config"},
                **sizes,
                **(group or {}),
            },
        },
    }
    if policy is not None:
        resources["group"]["update_policy"] = policy
    if kind != "OS::Heat::InstanceGroup":
        resources["up"] = {
            "type": "AWS::AutoScaling::ScalingPolicy",
            "properties": {
                "AutoScalingGroupName": {"get_resource": "group"},
                "AdjustmentType": "ChangeInCapacity",
                "ScalingAdjustment": 1,
            },
        }
    template = {
        "heat_template_version": "wallaby",
        "resources": resources,
        "outputs": {"list": {"value": {"get_attr": ["group", "InstanceList"]}}},
    }
    environment = json.dumps({"resource_registry": {mapped: "instance.yaml"}})
    return Recipe(json.dumps(template), {"instance.yaml": INSTANCE}, environment=environment)


CFN = "AWS::AutoScaling::AutoScalingGroup"


def test_an_instance_group(tmp_path: Path) -> None:
    """Without a policy old members stay as they are when the configuration changes."""

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, stack())
        assert (await engine.operations.outputs(stack_id))["list"] == ",".join(
            ["image small none"] * 2
        )
        first = await members(engine, stack_id)
        group_id = await inside(engine, stack_id)
        tags = [{"Key": "metering.groupname", "Value": group_id}]
        assert all(each.definition.properties["Tags"] == tags for each in first.values())
        assert all(each.type == "OS::Heat::ScaledResource" for each in first.values())
        outputs = await updated(engine, stack_id, stack({"Size": 3}, InstanceType="large"))
        assert sorted(outputs["list"].split(",")) == [
            "image large none",
            "image small none",
            "image small none",
        ]
        assert (await updated(engine, stack_id, stack({"Size": 0})))["list"] is None
        await updated(engine, stack_id, stack({"Size": 1, "Tags": [{"Key": "k", "Value": "v"}]}))
        assert await inside(engine, stack_id) != group_id
        await engine.operations.delete(stack_id)
        await complete(engine, stack_id)

    tell(tmp_path, story)


def test_a_rolling_update_and_the_names_of_instances(tmp_path: Path) -> None:
    """By the policy all members change, a few at a time; an instance may be mapped by its type."""
    policy = {"RollingUpdate": {"MaxBatchSize": 1, "MinInstancesInService": 1, "PauseTime": "PT0S"}}

    async def story(engine: Embedded) -> None:
        recipe = stack({"Size": 3}, policy=policy, mapped="AWS::EC2::Instance")
        stack_id = await created(engine, recipe)
        new = stack({"Size": 3}, policy=policy, mapped="AWS::EC2::Instance", ImageId="new")
        planned = await engine.operations.preview_update(stack_id, new)
        steps = [each.step for each in planned.planned if len(each.path) == 2]
        assert steps == [Step.UPDATE] * 3
        outputs = await updated(engine, stack_id, new)
        assert outputs["list"] == ",".join(["new small none"] * 3)
        events = await history(engine, await inside(engine, stack_id))
        assert most_at_once(events, {Action.UPDATE}) == 1

    tell(tmp_path, story)


def test_metadata_of_the_configuration_reaches_the_members(tmp_path: Path) -> None:
    policy: dict[str, Any] = {"RollingUpdate": {}}

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, stack(policy=policy, metadata={"a": 1}))
        for metadata in ({"a": 1}, {"a": 2}):
            await updated(engine, stack_id, stack(policy=policy, metadata=metadata))
            found = await members(engine, stack_id)
            assert all(each.definition.metadata == metadata for each in found.values())

    tell(tmp_path, story)


def test_a_group_of_aws_scales(tmp_path: Path) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, stack(kind=CFN))
        version = (await engine.operations.resources(stack_id))["up"]
        assert version.reference == version.attributes["AlarmUrl"]
        outputs = await signalled(engine, stack_id, "up")
        assert outputs["list"] == "image small none,image small none"
        subnet = {"VPCZoneIdentifier": ["net"], "DesiredCapacity": 3, "Cooldown": 600}
        outputs = await updated(engine, stack_id, stack(subnet, kind=CFN))
        assert outputs["list"] == ",".join(["image small net"] * 3)
        assert await signalled(engine, stack_id, "up") == outputs
        found = await members(engine, stack_id)
        tags = next(iter(found.values())).definition.properties["Tags"]
        assert [tag["Key"] for tag in tags] == [
            "metering.groupname",
            "metering.AutoScalingGroupName",
        ]

    tell(tmp_path, story)


@pytest.mark.parametrize(
    ("recipe", "fault"),
    [
        (stack(ImageId=""), "If without InstanceId, ImageId and InstanceType are required."),
        (stack(InstanceId="x"), "needs a compute service"),
        (stack(BlockDeviceMappings=[{"DeviceName": "vdb"}]), "Ebs is missing"),
        (
            stack(BlockDeviceMappings=[{"DeviceName": "a", "Ebs": {"VolumeSize": "1"}}]),
            "SnapshotId is missing",
        ),
        (stack(KernelId="x"), "Property KernelId not implemented yet"),
        (
            stack(BlockDeviceMappings=[{"DeviceName": "a", "Ebs": {"SnapshotId": "s", "Iops": 1}}]),
            "Property Iops not implemented yet",
        ),
        (stack({"Size": -1}), "DesiredCapacity must be between"),
        (stack({"LaunchConfigurationName": "config"}), "not just the name of the resource"),
        (stack({"LaunchConfigurationName": "config"}, kind=CFN), "not just the name of the"),
        (stack({"MinSize": 5}, kind=CFN), "MinSize can not be greater than MaxSize"),
        (stack({"VPCZoneIdentifier": ["a", "b"]}, kind=CFN), "other than one VPCZoneIdentifier"),
        (stack({"InstanceId": "x"}, kind=CFN), "needs a compute service"),
        (stack({"LaunchConfigurationName": None}, kind=CFN), "Either 'InstanceId' or"),
        (stack({"HealthCheckType": "EC2"}, kind=CFN), "Property HealthCheckType not implemented"),
        (stack(policy={"RollingUpdate": {"PauseTime": "PT2H"}}), "Maximum PauseTime is 1 hour"),
        (stack(policy={"RollingUpdate": {"PauseTime": "soon"}}), '"soon" is no time'),
    ],
)
def test_what_is_refused_at_once(tmp_path: Path, recipe: Recipe, fault: str) -> None:
    async def story(engine: Embedded) -> None:
        with pytest.raises(InvalidDocument, match=fault):
            await engine.operations.create("p", "s", recipe)

    tell(tmp_path, story)


def late(value: Any, **more: Any) -> Recipe:
    """A group whose size, or whose configuration, is told by another resource."""
    recipe = stack(more)
    template = json.loads(recipe.template)
    template["resources"]["value"] = {
        "type": "OS::Heat::Value",
        "properties": {"value": value},
    }
    given = template["resources"]["group"]["properties"]
    told = "LaunchConfigurationName" if isinstance(value, str) else "Size"
    given[told] = {"get_attr": ["value", "value"]}
    return replace(recipe, template=json.dumps(template))


@pytest.mark.parametrize(
    ("recipe", "fault"),
    [
        (late(-1), "DesiredCapacity must be between"),
        (late("config"), "not just the name of the resource"),
        (late([1]), "Property error: Properties.Size: "),
    ],
)
def test_what_is_seen_late(tmp_path: Path, recipe: Recipe, fault: str) -> None:
    """The group fails where other resources tell the value. It can be deleted all the same."""

    async def story(engine: Embedded) -> None:
        stack_id = await engine.operations.create("p", "s", recipe)
        assert fault in (await ended(engine, stack_id)).reason
        await engine.operations.delete(stack_id)
        await complete(engine, stack_id)

    tell(tmp_path, story)


@pytest.mark.parametrize(
    "before",
    [(), (Action.CHECK,), (Action.SUSPEND, Action.RESUME)],
    ids=["created", "checked", "up"],
)
def test_an_update_that_fails_before_it_begins(tmp_path: Path, before: tuple[Action, ...]) -> None:
    """It is the update that failed, whatever came before; the group and its members stay."""

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, late(2))
        group_id, first = await inside(engine, stack_id), await members(engine, stack_id)
        for action in before:
            await engine.operations.visit(stack_id, action)
            await complete(engine, stack_id)
        await engine.operations.update(stack_id, late(-1))
        assert (await ended(engine, stack_id)).reason.startswith("Resource UPDATE failed: ")
        failed = (await engine.operations.resources(stack_id))["group"]
        assert (failed.action, failed.status) == (Action.UPDATE, Status.FAILED)
        await updated(engine, stack_id, late(2))
        assert await inside(engine, stack_id) == group_id
        assert (await members(engine, stack_id)).keys() == first.keys()

    tell(tmp_path, story)


def test_an_access_policy(tmp_path: Path) -> None:
    def allowing(*names: str) -> Recipe:
        resources = {
            "policy": {
                "type": "OS::Heat::AccessPolicy",
                "properties": {"AllowedResources": list(names)},
            },
            "value": {"type": "OS::Heat::Value", "properties": {"value": 1}},
        }
        return Recipe(json.dumps({"heat_template_version": "wallaby", "resources": resources}))

    async def story(engine: Embedded) -> None:
        stack_id = await created(engine, allowing("value"))
        first = (await engine.operations.resources(stack_id))["policy"]
        await updated(engine, stack_id, allowing("value", "policy"))
        assert (await engine.operations.resources(stack_id))["policy"].uuid != first.uuid
        with pytest.raises(InvalidDocument, match="AccessPolicy resource nobody not in stack"):
            await engine.operations.update(stack_id, allowing("nobody"))
        await engine.operations.delete(stack_id)
        await complete(engine, stack_id)

    tell(tmp_path, story)


def test_a_handle_that_every_update_makes_anew(tmp_path: Path) -> None:
    """What was told before does not count: the condition waits again."""
    told = {"Status": "SUCCESS", "Reason": "r", "Data": "d", "UniqueId": "1"}
    template = {
        "heat_template_version": "wallaby",
        "resources": {
            "handle": {"type": "OS::Heat::UpdateWaitConditionHandle"},
            "condition": {
                "type": "AWS::CloudFormation::WaitCondition",
                "properties": {"Handle": {"get_resource": "handle"}, "Timeout": 30},
            },
        },
    }
    recipe = Recipe(json.dumps(template))

    async def story(engine: Embedded) -> None:
        stack_id = await engine.operations.create("p", "s", recipe)
        seen = set()
        for number in range(3):
            if number:
                planned = (await engine.operations.preview_update(stack_id, recipe)).planned
                assert {each.path[0]: each.step for each in planned}["handle"] is Step.REPLACE
                await engine.operations.update(stack_id, recipe)
            while True:
                version = (await engine.operations.resources(stack_id))["handle"]
                if version.reference and version.reference not in seen:
                    break
            seen.add(version.reference)
            await engine.operations.signal(stack_id, "handle", told)
            await complete(engine, stack_id)

    tell(tmp_path, story)
