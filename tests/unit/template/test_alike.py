"""What a large template says many times is compiled once, and looks as if it were not."""

import json
import pickle
from typing import Any

from hotplate.document import parse
from hotplate.template import BoundTemplate, Template, compile_template, parameter_values
from hotplate.template.alike import AlikeResources, in_own_words, with_words
from hotplate.template.definition import ResourceDefinition

PLAIN = {"type": "T", "properties": {"length": 3}, "deletion_policy": "Retain"}


def template(resources: dict[str, Any], **more: Any) -> Template:
    body = {"heat_template_version": "wallaby", "resources": resources, **more}
    return compile_template(parse(json.dumps(body), "t.json"))


def many(count: int) -> dict[str, Any]:
    named = {f"r{at}": PLAIN for at in range(count)}
    return {"first": {"type": "U"}, **named, "last": {"type": "U", "depends_on": ["r1"]}}


def facts(found: ResourceDefinition) -> tuple[Any, ...]:
    parts = [getattr(each, "value", None) for each in found.parts()]
    return found.name, found.type, found.path, found.depends_on, found.like, parts


def bound(found: Template) -> BoundTemplate:
    return BoundTemplate(found, parameter_values(found, {}))


def test_many_that_are_alike_are_built_when_they_are_asked_for() -> None:
    large, small = template(many(300)), template(many(3))
    assert isinstance(large.resources, AlikeResources)
    assert not isinstance(small.resources, AlikeResources)
    assert list(large.resources) == list(many(300))
    for name in many(3):
        assert facts(large.resources[name]) == facts(small.resources[name])
    assert large.resources["r2"].like == "r0"
    assert large.resources["r2"].path == ("resources", "r2")


def test_both_forms_tell_the_same_of_their_words() -> None:
    for found in (template(many(300)), template(many(3))):
        words = {name: each.name for name, each in with_words(found.resources)}
        assert words["r0"] == words["r1"] == words["r2"] == "r0"
        assert (words["first"], words["last"]) == ("first", "last")
        assert [each.name for each in in_own_words(found.resources)] == ["first", "r0", "last"]


def test_a_stack_of_them_has_all_dependencies_and_policies() -> None:
    found = bound(template(many(300)))
    assert found.explicit_graph.requires("last") == ("r1",)
    assert found.explicit_graph.requires("r1") == ()
    assert found.deletion_policy("r299").value == "Retain"
    assert found.deletion_policy("first").value == "Delete"


def test_what_a_condition_switches_off_is_not_there() -> None:
    off = {"type": "T", "condition": {"equals": ["a", "b"]}}
    found = bound(template({**many(300), "off": off}))
    assert "off" not in found.resources
    assert len(found.resources) == 302
    assert "off" not in {each.name for each in in_own_words(found.resources)}


def test_they_are_the_same_in_another_process() -> None:
    found = template({**many(300), **{f"own{at}": {"type": f"T{at}"} for at in range(600)}})
    arrived = pickle.loads(pickle.dumps(found))
    for name, each in found.resources.items():
        assert facts(arrived.resources[name]) == facts(each)
    assert arrived.data == found.data
