"""Groups that scale, over the wire."""

from copy import deepcopy
from typing import Any

from tests.api.conftest import Api
from tests.api.resources.test_signals import _local, output

TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "group": {
            "type": "OS::Heat::AutoScalingGroup",
            "properties": {
                "min_size": 1,
                "max_size": 3,
                "resource": {"type": "OS::Heat::RandomString"},
            },
        },
        "up": {
            "type": "OS::Heat::ScalingPolicy",
            "properties": {
                "auto_scaling_group_id": {"get_resource": "group"},
                "adjustment_type": "change_in_capacity",
                "scaling_adjustment": 1,
                "cooldown": 3600,
            },
        },
    },
    "outputs": {
        "size": {"value": {"get_attr": ["group", "current_size"]}},
        "address": {"value": {"get_attr": ["up", "alarm_url"]}},
        "group": {"value": {"get_resource": "group"}},
    },
}


def created(api: Api) -> tuple[str, str]:
    answer = api.post("/stacks", json={"stack_name": "s", "template": TEMPLATE})
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    return f"/stacks/s/{stack_id}", stack_id


def rested(api: Api, stack_id: str) -> None:
    async def is_complete() -> bool:
        versions = await api.engine.operations.resources(stack_id)
        return versions["group"].status.value == "COMPLETE"

    api.until(is_complete)


def metadata(api: Api, path: str) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"{path}/resources/group/metadata").json()["metadata"]
    return found


def test_an_alarm_makes_the_group_grow_and_then_it_rests(api: Api) -> None:
    path, stack_id = created(api)
    shown = api.get(f"{path}/resources/group").json()["resource"]
    assert output(api, path, "group") == shown["physical_resource_id"]
    alarm = {"previous": "ok", "current": "alarm", "reason": "too much to do"}
    assert api.post(_local(output(api, path, "address")), json=alarm).json() is None
    rested(api, stack_id)
    assert output(api, path, "size") == 2
    assert api.post(f"{path}/resources/up/signal").json() is None  # it cools down
    rested(api, stack_id)
    assert output(api, path, "size") == 2
    told = metadata(api, path)
    assert told["scaling_in_progress"] is False
    assert list(told["cooldown_end"].values()) == ["change_in_capacity : 1"]
    events = api.get(f"{path}/resources/up/events").json()["events"]
    signals = [event for event in events if event["resource_status"] == "SIGNAL_COMPLETE"]
    assert [event["resource_status_reason"] for event in signals] == [
        "alarm state changed from ok to alarm (too much to do)"
    ]
    assert api.get(path).json()["stack"]["stack_status"] == "CREATE_COMPLETE"


def test_a_policy_without_its_group_says_so(api: Api) -> None:
    policy: Any = TEMPLATE["resources"]
    alone = {"up": {**policy["up"], "properties": {**policy["up"]["properties"]}}}
    alone["up"]["properties"]["auto_scaling_group_id"] = "nobody"
    template = {"heat_template_version": "2021-04-16", "resources": alone}
    answer = api.post("/stacks", json={"stack_name": "t", "template": template})
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    answer = api.post(f"/stacks/t/{stack_id}/resources/up/signal")
    assert answer.status_code == 400
    text = 'Alarm up could not find scaling group named "nobody"'
    assert text in answer.json()["error"]["message"]


def test_metadata_that_refers_to_a_group_follows_its_signals(api: Api) -> None:
    template: Any = deepcopy(TEMPLATE)
    template["resources"]["balancer"] = {
        "type": "OS::Heat::TestResource",
        "metadata": {"members": {"get_attr": ["group", "current_size"]}, "own": "word"},
    }
    answer = api.post("/stacks", json={"stack_name": "s", "template": template})
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    page = f"/stacks/s/{stack_id}/resources/balancer/metadata"
    assert api.get(page).json()["metadata"] == {"members": 1, "own": "word"}
    api.post(f"/stacks/s/{stack_id}/resources/up/signal")
    rested(api, stack_id)
    assert api.get(page).json()["metadata"] == {"members": 2, "own": "word"}


INSTANCE = """\
heat_template_version: 2021-04-16
parameters:
  ImageId: {type: string}
  InstanceType: {type: string}
  UserData: {type: string}
  Tags: {type: json}
resources:
  thing: {type: OS::Heat::TestResource}
outputs:
  PublicIp: {value: {get_attr: [thing, output]}}
  AvailabilityZone: {value: ""}
  PrivateDnsName: {value: ""}
  PublicDnsName: {value: ""}
  PrivateIp: {value: ""}
"""


def instances(data: str) -> dict[str, Any]:
    launch = {"ImageId": "image", "InstanceType": "flavor", "UserData": data}
    pace = {"MinInstancesInService": 3, "MaxBatchSize": 2}
    group = {"AvailabilityZones": ["nova"], "LaunchConfigurationName": {"Ref": "launch"}, "Size": 4}
    template = {
        "HeatTemplateFormatVersion": "2012-12-12",
        "Resources": {
            "launch": {"Type": "AWS::AutoScaling::LaunchConfiguration", "Properties": launch},
            "group": {
                "Type": "OS::Heat::InstanceGroup",
                "Properties": group,
                "UpdatePolicy": {"RollingUpdate": pace},
            },
        },
    }
    registry = {"AWS::EC2::Instance": "instance.yaml"}
    return {
        "template": template,
        "environment": {"resource_registry": registry},
        "files": {"instance.yaml": INSTANCE},
    }


def test_all_members_are_updated_when_a_rolling_update_is_over(api: Api) -> None:
    """Those as well that were made to keep the number of members in service."""
    answer = api.post("/stacks", json={"stack_name": "s", **instances("old")})
    assert answer.status_code == 201, answer.text
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    path = f"/stacks/s/{stack_id}"

    def members() -> dict[str, str]:
        listed = api.get(f"{path}/resources?nested_depth=1").json()["resources"]
        return {
            item["resource_name"]: item["resource_status"]
            for item in listed
            if item.get("parent_resource") == "group"
        }

    before = members()
    assert len(before) == 4
    api.put(path, json=instances("new"))
    assert api.wait(stack_id) == "UPDATE_COMPLETE"
    after = members()
    assert len(after) == 4
    assert after.keys() != before.keys(), "none was made in between"
    assert set(after.values()) == {"UPDATE_COMPLETE"}
