"""Resources of a large stack that are written alike share one definition, if they may."""

import json
from typing import Any

import pytest

from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound, RecipeBook, StackFacts
from hotplate.engine.wanted_definition import bind_recipe, wanted_definition
from hotplate.engine.world import RealWorld
from hotplate.model import Definition
from hotplate.resources.catalogue import installed
from hotplate.template import ResolveError, ResourceData

MANY = 600
WRONG = {"get_param": "number"}
"""No list; that is found when it is resolved."""


@pytest.fixture(scope="module")
def tools() -> Tools:
    catalogue = installed()
    return Tools(RealWorld(), RecipeBook(catalogue), catalogue)


def bound(
    tools: Tools, alike: dict[str, Any], more: dict[str, Any] | None = None, environment: str = ""
) -> Bound:
    resources: dict[str, Any] = {f"r{at}": alike for at in range(MANY)}
    parameters = {"number": {"type": "number", "default": 5}}
    template = {"heat_template_version": "wallaby", "parameters": parameters}
    text = json.dumps({**template, "resources": resources | (more or {})})
    recipe = Recipe(text, environment=environment)
    return bind_recipe(tools, StackFacts("id", "name", "project"), recipe, "digest")


def wanted(tools: Tools, found: Bound, name: str, **known: ResourceData) -> Definition:
    return wanted_definition(tools.catalogue, found, name, known)[0]


def test_what_is_written_alike_is_resolved_once(tools: Tools) -> None:
    found = bound(tools, {"type": "OS::Heat::RandomString", "properties": {"length": 9}})
    first, second, third = (wanted(tools, found, name) for name in ("r0", "r1", "r2"))
    assert second is third
    assert first == second
    assert second.properties == {"length": 9}
    assert list(found.shared) == ["r0"]


def test_the_registry_may_tell_apart_what_is_written_alike(tools: Tools) -> None:
    registry = {"resources": {"r5": {"OS::Heat::RandomString": "OS::Heat::None"}}}
    environment = json.dumps({"resource_registry": registry})
    found = bound(tools, {"type": "OS::Heat::RandomString"}, environment=environment)
    assert wanted(tools, found, "r5").type_name == "OS::Heat::None"
    assert wanted(tools, found, "r6").type_name == "OS::Heat::RandomString"


def test_what_depends_on_others_is_resolved_for_each(tools: Tools) -> None:
    value = {"type": "OS::Heat::Value", "properties": {"value": {"get_resource": "other"}}}
    found = bound(tools, value, {"other": {"type": "OS::Heat::RandomString"}})
    for text in ("a", "b"):
        offered = ResourceData(text, {})
        assert wanted(tools, found, "r7", other=offered).properties == {"value": text}


def test_nested_stacks_share_nothing(tools: Tools) -> None:
    group = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": 1, "resource_def": {"type": "OS::Heat::RandomString"}},
    }
    found = bound(tools, group)
    _, recipe = wanted_definition(tools.catalogue, found, "r7", {})
    assert recipe is not None


def test_a_fault_is_told_of_the_resource_that_has_it(tools: Tools) -> None:
    value = {"type": "OS::Heat::Value", "properties": {"value": {"list_join": [",", WRONG]}}}
    found = bound(tools, value)
    for name in ("r3", "r4"):
        with pytest.raises(ResolveError) as caught:
            wanted(tools, found, name)
        assert name in str(caught.value)
