"""What is secret in a stack may change while nothing else does: its members are left alone."""

from typing import Any

from tests.api.conftest import Api

INSTANCE = """
heat_template_version: wallaby
parameters:
  ImageId: {type: string}
  InstanceType: {type: string}
  UserData: {type: string, default: ""}
  Tags: {type: json, default: {}}
resources:
  it: {type: OS::Heat::Value, properties: {value: {get_param: UserData}}}
outputs:
  PublicIp: {value: {get_attr: [it, value]}}
"""


def group(size: int, data: str = "", **config: Any) -> dict[str, Any]:
    more = {"UserData": data} if data else {}
    return {
        "heat_template_version": "wallaby",
        "resources": {
            "config": {
                "type": "AWS::AutoScaling::LaunchConfiguration",
                "properties": {"ImageId": "cirros", "InstanceType": "m1.nano", **more, **config},
            },
            "group": {
                "type": "OS::Heat::InstanceGroup",
                "properties": {
                    "AvailabilityZones": ["nova"],
                    "LaunchConfigurationName": {"get_resource": "config"},
                    "Size": size,
                },
            },
        },
    }


def body(template: dict[str, Any]) -> dict[str, Any]:
    return {
        "template": template,
        "files": {"instance.yaml": INSTANCE},
        "environment": {"resource_registry": {"AWS::EC2::Instance": "instance.yaml"}},
    }


def test_members_that_stay_as_they_are_are_left_alone(api: Api) -> None:
    """Their secret is not handed to the group any more; it is still one."""
    stack_id = _created(api, group(2, "one secret"))
    before = _members(api, stack_id)
    for changed in (group(3, "one secret"), group(3), group(4), group(4, "other")):
        _updated(api, stack_id, changed)
        now = _members(api, stack_id)
        assert {now[name] for name in before if name in now} == {"CREATE_COMPLETE"}
    (group_links,) = (
        each["links"]
        for each in api.get(f"/stacks/s/{stack_id}/resources").json()["resources"]
        if each["resource_name"] == "group"
    )
    inside = next(each["href"] for each in group_links if each["rel"] == "nested")
    for name in before:
        links = api.get(f"{inside}/resources/{name}").json()["resource"]["links"]
        member = next(each["href"] for each in links if each["rel"] == "nested")
        assert api.get(f"{member}/environment").json()["parameters"]["UserData"] == "******"


def test_a_nested_stack_learns_what_is_secret_from_now_on_and_need_not_forget(api: Api) -> None:
    def outer(hidden: bool) -> dict[str, Any]:
        return {
            "heat_template_version": "wallaby",
            "parameters": {"word": {"type": "string", "default": "zebra", "hidden": hidden}},
            "resources": {
                "inner": {
                    "type": "instance.yaml",
                    "properties": {
                        "ImageId": "a",
                        "InstanceType": "b",
                        "UserData": {"get_param": "word"},
                    },
                }
            },
        }

    stack_id = _created(api, outer(False))
    path = f"/stacks/s/{stack_id}/resources/inner"
    links = api.get(path).json()["resource"]["links"]
    shown = next(each["href"] for each in links if each["rel"] == "nested")
    assert "zebra" in api.get(f"{shown}/environment").text
    _updated(api, stack_id, outer(True))
    assert api.get(path).json()["resource"]["resource_status"] == "UPDATE_COMPLETE"
    since = api.get(path).json()["resource"]["updated_time"]
    assert "zebra" not in api.get(f"{shown}/environment").text
    _updated(api, stack_id, outer(False))
    assert api.get(path).json()["resource"]["updated_time"] == since


def _created(api: Api, template: dict[str, Any]) -> str:
    answer = api.post("/stacks", json={"stack_name": "s", **body(template)})
    stack_id: str = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    return stack_id


def _updated(api: Api, stack_id: str, template: dict[str, Any]) -> None:
    assert api.put(f"/stacks/s/{stack_id}", json=body(template)).status_code == 202
    assert api.wait(stack_id) == "UPDATE_COMPLETE"


def _members(api: Api, stack_id: str) -> dict[str, str]:
    found = api.get(f"/stacks/s/{stack_id}/resources?nested_depth=1").json()["resources"]
    return {
        each["resource_name"]: each["resource_status"]
        for each in found
        if each["resource_type"] == "OS::Heat::ScaledResource"
    }
