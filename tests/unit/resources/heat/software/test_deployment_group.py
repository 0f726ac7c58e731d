"""OS::Heat::SoftwareDeploymentGroup and its relatives."""

import json
from typing import Any

import pytest

from hotplate.resources.heat.software.deployment_group import (
    SoftwareDeploymentGroup,
    SoftwareDeployments,
    StructuredDeploymentGroup,
    StructuredDeployments,
)
from hotplate.resources.property import convert_all
from hotplate.resources.resource_type import Child, ResourceType
from hotplate.resources.stages import Contents
from hotplate.template import ResourceData

KIND = SoftwareDeploymentGroup()
SERVERS = {"one": "s1", "two": "s2", "three": "s3"}


def properties(**given: Any) -> dict[str, Any]:
    return KIND.convert({"servers": SERVERS, "config": "c", **given})


def members(template: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = template["resources"]
    return found


def test_there_is_a_deployment_for_each_server_under_its_name() -> None:
    found = members(KIND.child_template(properties(input_values={"a": 1}, name="n")))
    assert list(found) == ["one", "two", "three"]
    assert found["two"] == {
        "type": "OS::Heat::SoftwareDeployment",
        "properties": {
            "server": "s2",
            "config": "c",
            "input_values": {"a": 1},
            "actions": ["CREATE", "UPDATE"],
            "name": "n",
            "signal_transport": "CFN_SIGNAL",
        },
    }


def test_one_of_them_is_enough_of_a_sample() -> None:
    assert list(members(KIND.child_sample(properties()))) == ["one"]
    assert members(KIND.child_sample(properties(servers={}))) == {}


def test_members_of_the_other_sort_are_structured() -> None:
    kind = StructuredDeploymentGroup()
    given = kind.convert({"servers": {"a": "s"}, "input_key": "in"})
    (member,) = members(kind.child_template(given)).values()
    assert member["type"] == "OS::Heat::StructuredDeployment"
    assert member["properties"]["input_key"] == "in"
    assert member["properties"]["input_values_validate"] == "LAX"


@pytest.mark.parametrize("kind", [SoftwareDeployments(), StructuredDeployments()])
def test_old_names_are_not_told_of(kind: ResourceType) -> None:
    assert kind.support.status.value == "HIDDEN"


def test_attributes_are_maps_over_the_deployments() -> None:
    reported: dict[str, Any] = {"deploy_stdout": "o", "deploy_stderr": "e", "deploy_status_code": 0}
    child = Child(
        "id",
        "arn",
        {},
        {
            "one": ResourceData("1", {**reported, "greeting": {"x": "hi"}}),
            "two": ResourceData("2", {"greeting": None}),
        },
    )
    wanted = [
        ("deploy_stdouts",),
        ("deploy_stderrs", "one"),
        ("greeting",),
        ("greeting", "one", "x"),
        ("greeting", "two", "x"),
        ("resource.one", "greeting"),
        (),
    ]
    found = KIND.child_attributes(properties(), child, wanted)
    assert found["deploy_stdouts"] == {"one": "o", "two": None}
    assert found["deploy_stderrs"] == {"one": "e", "two": None}
    assert found["deploy_status_codes"] == {"one": 0, "two": None}
    assert found[json.dumps(["greeting"])] == {"one": {"x": "hi"}, "two": None}
    assert found[json.dumps(["greeting", "one", "x"])] == "hi"
    assert found[json.dumps(["greeting", "two", "x"])] is None
    assert found[json.dumps(["resource.one", "greeting"])] == {"x": "hi"}


def stages(given: dict[str, Any], policies: dict[str, Any], contents: Contents) -> list[list[str]]:
    """Return which members each stage brings to their goal, until there is no more."""
    values = convert_all(KIND.update_policies, policies)
    goal = members(KIND.child_template(given))
    seen = []
    while True:
        stage = KIND.child_stage(given, values, {}, contents)
        present = members(stage.template)
        done = [name for name in goal if present.get(name) == goal[name]]
        seen.append(done)
        if not stage.policy:
            return seen
        contents = Contents(present, is_new=contents.is_new, policy=stage.policy)


def test_batches_are_created_one_after_the_other() -> None:
    policies = {"batch_create": {"max_batch_size": 2}}
    assert KIND.has_stages(properties(), convert_all(KIND.update_policies, policies), {})
    assert stages(properties(), policies, Contents()) == [["one", "two"], ["one", "two", "three"]]
    assert stages(properties(), {"rolling_update": {}}, Contents()) == [["one", "two", "three"]]


def test_any_change_rolls_over_the_servers() -> None:
    before = members(KIND.child_template(properties(servers={**SERVERS, "gone": "s4"})))
    contents = Contents(before, is_new=False)
    given = properties(input_values={"a": 1})
    seen = stages(given, {"rolling_update": {"max_batch_size": 1}}, contents)
    assert [len(done) for done in seen] == [1, 2, 3]


def test_a_server_that_is_left_out_leaves_at_once() -> None:
    before = members(KIND.child_template(properties(servers={**SERVERS, "gone": "s4"})))
    values = convert_all(KIND.update_policies, {"rolling_update": {}})
    given = properties(input_values={"a": 1})
    stage = KIND.child_stage(given, values, {}, Contents(before, is_new=False))
    assert set(members(stage.template)) == set(SERVERS)
