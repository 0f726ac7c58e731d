"""What the versions of a large stack have that are as is wanted, is known without resolving it."""

import json
from typing import Any

import pytest

from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound, RecipeBook, StackFacts
from hotplate.engine.wanted_definition import bind_recipe, is_as_wanted, wanted_definition
from hotplate.engine.world import RealWorld
from hotplate.evaluation.transfer import Transfer
from hotplate.model import Action, Status, Version
from hotplate.resources.catalogue import installed

MANY = 600


@pytest.fixture(scope="module")
def tools() -> Tools:
    catalogue = installed()
    return Tools(RealWorld(), RecipeBook(catalogue), catalogue)


def bound(tools: Tools, more: dict[str, Any], environment: str = "") -> Bound:
    resources: dict[str, Any] = {f"r{at}": {"type": "OS::Heat::RandomString"} for at in range(MANY)}
    text = json.dumps({"heat_template_version": "wallaby", "resources": {**resources, **more}})
    recipe = Recipe(text, environment=environment)
    return bind_recipe(tools, StackFacts("id", "name", "project"), recipe, "digest")


def version(name: str, fingerprint: str) -> Version:
    return Version(
        1, "uuid", "stack", "stack", name, "T", Action.CREATE, Status.COMPLETE, 1, "", 0.0,
        fingerprint=fingerprint,
    )  # fmt: skip


def test_they_are_those_of_the_definitions(tools: Tools) -> None:
    more = {"own": {"type": "OS::Heat::RandomString", "properties": {"length": 9}}}
    found = Transfer(tools).loads(Transfer(tools).dumps(bound(tools, more)))
    assert len(found.fingerprints) == MANY + 1
    for name in ("r0", f"r{MANY - 1}", "own"):
        wanted, _ = wanted_definition(tools.catalogue, found, name, {})
        assert found.fingerprints[name] == wanted.fingerprint()
        assert is_as_wanted(tools.catalogue, found, name, version(name, wanted.fingerprint()), {})
        assert not is_as_wanted(tools.catalogue, found, name, version(name, "other"), {})
    assert found.fingerprints["r0"] == found.fingerprints["r1"] != found.fingerprints["own"]


def test_what_depends_on_others_or_is_visited_each_time_has_none(tools: Tools) -> None:
    value = {"type": "OS::Heat::Value", "properties": {"value": {"get_resource": "r0"}}}
    group = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": 1, "resource_def": {"type": "OS::Heat::RandomString"}},
    }
    always = {
        "type": "OS::Heat::UpdateWaitConditionHandle",
    }
    found = bound(tools, {"value": value, "group": group, "always": always})
    assert found.fingerprints.keys().isdisjoint({"value", "group", "always"})


def test_the_registry_may_tell_apart_what_is_written_alike(tools: Tools) -> None:
    registry = {"resources": {"r5": {"OS::Heat::RandomString": "OS::Heat::None"}}}
    found = bound(tools, {}, json.dumps({"resource_registry": registry}))
    assert found.fingerprints["r5"] != found.fingerprints["r6"]


def test_small_stacks_keep_their_definitions_instead(tools: Tools) -> None:
    text = json.dumps(
        {"heat_template_version": "wallaby", "resources": {"r": {"type": "OS::Heat::None"}}}
    )
    found = bind_recipe(tools, StackFacts("id", "name", "project"), Recipe(text), "digest")
    assert not found.fingerprints
    wanted_definition(tools.catalogue, found, "r", {})
    assert "r" in found.definitions


def test_the_book_notes_what_a_stack_wants_as_before(tools: Tools) -> None:
    book = RecipeBook(tools.catalogue)
    first = bound(tools, {})
    second = bound(tools, {"r0": {"type": "OS::Heat::None"}})
    second.digest = "second"
    book.keep("stack", first)
    assert first.unchanged is None
    book.keep("stack", second)
    assert second.unchanged is not None
    assert second.unchanged.since == first.digest
    assert second.unchanged.among({"r0", "r1"}, second.fingerprints) == {"r1"}
