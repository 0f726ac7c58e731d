"""A patch says only what differs."""

import json
from dataclasses import replace
from typing import Any

import pytest

from hotplate.document import InvalidDocument
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import RecipeBook
from hotplate.engine.requests.patch import Patch
from hotplate.engine.requests.patch import patched as patched_with
from hotplate.resources.catalogue import Catalogue

OLD = Recipe(
    "the template",
    {"a.yaml": "{parameters: {p: a}}", "b.yaml": "{parameters: {p: b}}"},
    ("a.yaml", "b.yaml"),
    '{"resource_registry": {"X": "OS::Heat::None"}, "parameters": {"q": 1}}',
    {"p": "explicit", "r": 2},
)


BOOK = RecipeBook(Catalogue(()))


def patched(old: Recipe, patch: Patch) -> Recipe:
    return patched_with(old, patch, BOOK)


def test_an_empty_patch_changes_nothing_but_the_spelling() -> None:
    same = patched(OLD, Patch())
    assert (same.template, same.files, same.environment_files, same.parameters) == (
        OLD.template,
        OLD.files,
        OLD.environment_files,
        OLD.parameters,
    )
    assert json.loads(same.environment) == json.loads(OLD.environment)


def test_v10_environment_files_are_appended() -> None:
    new = patched(OLD, Patch(files={"c.yaml": "{}"}, environment_files=("c.yaml",)))
    assert new.environment_files == ("a.yaml", "b.yaml", "c.yaml")


def test_v11_a_name_that_is_sent_again_keeps_its_place_and_gets_its_new_content() -> None:
    new = patched(OLD, Patch(files={"a.yaml": "{}"}, environment_files=("a.yaml",)))
    assert new.environment_files == ("a.yaml", "b.yaml")
    assert new.files["a.yaml"] == "{}"


def test_v12_changed_content_counts_although_the_list_is_not_sent() -> None:
    assert patched(OLD, Patch(files={"b.yaml": "{}"})).files["b.yaml"] == "{}"


def test_v16_explicit_parameters_stay_until_they_are_cleared() -> None:
    new = patched(OLD, Patch(parameters={"r": 3}, cleared=("p", "q")))
    assert new.parameters == {"r": 3}
    assert json.loads(new.environment) == {"resource_registry": {"X": "OS::Heat::None"}}


def test_what_is_given_inline_is_laid_over_what_was() -> None:
    new = patched(OLD, Patch(environment="resource_registry: {Y: OS::Heat::Value}"))
    assert json.loads(new.environment)["resource_registry"] == {
        "X": "OS::Heat::None",
        "Y": "OS::Heat::Value",
    }


def test_an_environment_file_without_content_is_refused() -> None:
    with pytest.raises(InvalidDocument, match=r"lost\.yaml"):
        patched(OLD, Patch(environment_files=("lost.yaml",)))


A, B = "file:///home/a/tht/defaults.yaml", "file:///srv/b/tht/defaults.yaml"
MINE = "file:///home/a/mine.yaml"
MOVING = Recipe("the template", {A: "{}", MINE: "{}", "script": "#!"}, (A, MINE))


def test_a_file_from_another_checkout_takes_its_old_place() -> None:
    new = patched(MOVING, Patch(files={B: "{parameters: {p: 1}}"}, environment_files=(B,)))
    assert new.environment_files == (B, MINE)
    assert new.files == {B: "{parameters: {p: 1}}", MINE: "{}", "script": "#!"}


def test_what_another_text_names_is_kept() -> None:
    using = replace(MOVING, template=f"get_file: {A}")
    new = patched(using, Patch(files={B: "{}"}, environment_files=(B,)))
    assert new.environment_files == (B, MINE)
    assert A in new.files


def test_a_listed_file_from_elsewhere_without_content_is_the_one_that_is_there() -> None:
    new = patched(MOVING, Patch(environment_files=(B,)))
    assert (new.environment_files, new.files) == (MOVING.environment_files, MOVING.files)


def test_content_may_be_sent_under_the_name_of_a_file() -> None:
    new = patched(MOVING, Patch(files={"defaults.yaml": "{parameters: {p: 1}}"}))
    assert new.environment_files == ("defaults.yaml", MINE)
    assert A not in new.files


def test_a_stated_name_stays_with_the_file() -> None:
    stated = Patch(files={A: "{}"}, environment_files=(A,), environment_names={A: "site"})
    named = patched(MOVING, stated)
    assert [each.name for each in named.listed.values()] == ["site", "mine.yaml"]
    other = "file:///x/y.yaml"
    moved = patched(
        named,
        Patch(files={other: "{}"}, environment_files=(other,), environment_names={other: "site"}),
    )
    assert moved.environment_files == (other, MINE)
    assert moved.environment_names == {other: "site"}
    twins = Patch(files={MINE: ""}, environment_files=(MINE,), environment_names={MINE: "site"})
    with pytest.raises(InvalidDocument, match="cannot both be called"):
        patched(moved, twins)


@pytest.mark.parametrize("name", [A, "defaults.yaml", B])
def test_a_file_is_taken_off_the_list(name: str) -> None:
    new = patched(MOVING, Patch(cleared_files=(name,)))
    assert new.environment_files == (MINE,)
    assert A not in new.files


def test_a_file_that_is_taken_off_and_sent_goes_to_the_end() -> None:
    new = patched(
        MOVING, Patch(cleared_files=("defaults.yaml",), files={A: "{}"}, environment_files=(A,))
    )
    assert new.environment_files == (MINE, A)


def test_what_is_not_listed_cannot_be_taken_off() -> None:
    with pytest.raises(InvalidDocument, match=r'"default\.yaml".*did you mean "defaults\.yaml"'):
        patched(MOVING, Patch(cleared_files=("default.yaml",)))


def given(recipe: Recipe) -> dict[str, Any]:
    template = BOOK.compiled(json.dumps({"heat_template_version": "wallaby"}))
    return dict(BOOK.environment(recipe, template).parameters)


def test_a_value_that_only_a_file_gives_is_cleared() -> None:
    old = replace(OLD, parameters={})
    new = patched(old, Patch(cleared=("p",)))
    assert given(new) == {"q": 1}
    assert new.files == old.files, "the files are as they were sent"
    # It stays so until a file gives it again.
    assert given(patched(new, Patch(parameters={"r": 1}))) == {"q": 1, "r": 1}
    again = Patch(files={"a.yaml": old.files["a.yaml"]})
    assert given(patched(new, again)) == {"q": 1, "p": "a"}


def test_a_default_for_all_templates_cannot_be_cleared() -> None:
    files = {"a.yaml": "parameter_defaults: {p: a}"}
    old = Recipe("the template", files, ("a.yaml",))
    with pytest.raises(InvalidDocument, match='gives "p" a value for all templates'):
        patched(old, Patch(cleared=("p",)))
    # Where there is a value to be cleared, it is, and the default counts.
    assert patched(replace(old, parameters={"p": 1}), Patch(cleared=("p",))).parameters == {}
    assert patched(old, Patch(cleared=("unknown",))).dropped == {}


def test_a_new_template_drops_what_it_does_not_declare() -> None:
    template = json.dumps(
        {"heat_template_version": "wallaby", "parameters": {"r": {"type": "number"}}}
    )
    new = patched(OLD, Patch(template=template))
    assert given(new) == {"r": 2}
    assert new.parameters == {"r": 2}
    # What is sent with it is a slip, and stays to be refused.
    assert given(patched(OLD, Patch(template=template, parameters={"x": 1}))) == {"r": 2, "x": 1}
    sent = Patch(template=template, files={"b.yaml": OLD.files["b.yaml"]})
    assert given(patched(OLD, sent)) == {"r": 2, "p": "b"}


def test_how_an_inline_environment_joins_the_files_is_kept() -> None:
    inline = {"parameters": {"p": "!"}, "parameter_merge_strategies": {"p": "merge"}}
    old = replace(OLD, parameters={}, environment=json.dumps(inline))
    assert given(old) == given(patched(old, Patch())) == {"p": "b!"}
