"""What OS::Heat::Stack and AWS::CloudFormation::Stack make of their properties."""

from typing import Any

import pytest

from hotplate.resources import Catalogue, ResourceFailed
from hotplate.resources.heat.remote_stack import RemoteStack
from hotplate.resources.heat.stack import CfnStack, Stack
from hotplate.resources.resource_type import Child, Source

STACK, CFN = Stack(), CfnStack()
CHILD = Child("id", "arn:openstack:heat::p:stacks/name/id", {"a": 1, "OS::stack_id": "x"}, {})


def properties(**given: Any) -> dict[str, Any]:
    return STACK.convert({"template": "{}", **given})


def test_a_region_decides_who_acts() -> None:
    for here in ({}, None, {"insecure": True}):
        assert STACK.variant({"context": here}) is STACK
    for there in ({"region_name": "far"}, {"credential_secret_id": "x"}):
        assert isinstance(STACK.variant({"context": there}), RemoteStack)


def test_nobody_names_the_one_that_acts_elsewhere() -> None:
    catalogue = Catalogue([STACK])
    assert list(catalogue) == ["OS::Heat::Stack"]
    assert catalogue.get(RemoteStack.name) is STACK.variants[0]
    assert RemoteStack.name not in catalogue


def test_what_is_inside_is_what_is_given() -> None:
    given = properties(parameters={"a": 1}, timeout=5)
    assert STACK.child_source(given, {}) == Source("{}", {"a": 1})
    assert STACK.child_timeout(given) == 5
    assert STACK.child_timeout(properties(timeout=0)) is None
    cfn = CFN.convert({"TemplateURL": "u", "Parameters": {"a": 1}, "TimeoutInMinutes": 5})
    assert CFN.child_source(cfn, {"u": "text"}) == Source("text", {"a": 1})
    assert CFN.child_timeout(cfn) == 5
    with pytest.raises(ResourceFailed, match='the template "u" was not given'):
        CFN.child_source(cfn, {})


def test_references_and_attributes() -> None:
    assert STACK.child_reference(CHILD) == "id"
    assert CFN.child_reference(CHILD) == CHILD.arn
    found = STACK.child_attributes(properties(), CHILD, ())
    assert found["stack_name"] == "name"
    assert found["outputs"] == CHILD.outputs
    assert CFN.child_attributes({}, CHILD, [("Outputs.b",)]) == {
        "Outputs.a": 1,
        "Outputs.OS::stack_id": "x",
        "Outputs.b": None,
    }
    assert [CFN.has_attribute(name) for name in ("Outputs.b", "show", "b")] == [True, True, False]
    assert [STACK.has_attribute(name) for name in ("outputs", "show", "a")] == [True, True, False]


def test_nonsense_is_refused() -> None:
    assert "below 0" in STACK.validate(properties(timeout=-1))
    assert "below 0" in CFN.validate(CFN.convert({"TemplateURL": "u", "TimeoutInMinutes": -1}))
    elsewhere = properties(template="[", context={"region_name": "far"})
    assert "template" in STACK.validate(elsewhere)
    by_secret = properties(context={"credential_secret_id": "x"})
    assert STACK.validate(by_secret) == ""
    assert STACK.validate(properties(context={"region_name": "far"})) == ""
