"""Resources that came from another process are the same, and unpacked when they are asked for."""

import json
import pickle

import pytest

from hotplate.document import parse
from hotplate.template import Template, compile_template
from hotplate.template.alike import AlikeResources
from hotplate.template.packed_resources import PackedResources

NAMES = [f"r{at}" for at in range(1_000)]


@pytest.fixture(scope="module")
def template() -> Template:
    resources = {
        name: {"type": "X", "properties": {"at": at, "of": {"get_resource": NAMES[at - 1]}}}
        if at % 2
        else {"type": "X", "properties": {"same": [1]}}
        for at, name in enumerate(NAMES)
    }
    text = json.dumps({"heat_template_version": "wallaby", "resources": resources})
    return compile_template(parse(text, "template"))


def test_what_arrives_is_what_was_sent(template: Template) -> None:
    arrived = pickle.loads(pickle.dumps(template))
    assert isinstance(arrived.resources, AlikeResources)
    assert isinstance(arrived.resources.own, PackedResources)
    assert list(arrived.resources) == NAMES
    assert len(arrived.resources) == len(NAMES)
    assert arrived.data == template.data
    for name in (*NAMES[:3], *NAMES[-3:], NAMES[500]):
        mine, theirs = template.resources[name], arrived.resources[name]
        assert (mine.name, mine.path, mine.static_references, mine.like) == (
            theirs.name, theirs.path, theirs.static_references, theirs.like,
        )  # fmt: skip
    assert "r1000" not in arrived.resources
    with pytest.raises(KeyError):
        arrived.resources["r1000"]


def test_it_can_be_sent_on(template: Template) -> None:
    arrived = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(template))))
    assert [each.name for each in arrived.resources.values()] == NAMES


def test_some_are_left_out(template: Template) -> None:
    packed = PackedResources.of(template.resources).without(["r0", "r999"])
    again = pickle.loads(pickle.dumps(packed))
    for each in (packed, again):
        assert [definition.name for definition in each.values()] == NAMES[1:-1]
        assert "r0" not in each


def test_resources_in_the_same_words_are_alike(template: Template) -> None:
    resources = template.resources
    assert resources["r0"].like == ""
    assert {resources[name].like for name in NAMES[2::2]} == {"r0"}
    assert {resources[name].like for name in NAMES[1::2]} == {""}


@pytest.mark.parametrize(
    "body",
    [
        {"type": "X", "depends_on": "other"},
        {"type": "X", "condition": True},
        {"type": "X", "properties": {"a": {"get_resource": "other"}}},
        {"type": "X", "external_id": "there"},
    ],
)
def test_what_is_not_told_by_its_words_is_like_nothing(body: dict[str, object]) -> None:
    resources = {"other": {"type": "Y"}, "a": body, "b": body}
    text = json.dumps({"heat_template_version": "wallaby", "resources": resources})
    found = compile_template(parse(text, "template")).resources
    assert found["b"].like == ""
