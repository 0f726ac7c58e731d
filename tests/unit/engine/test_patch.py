"""A patch says only what differs."""

import json

import pytest

from hotplate.document import InvalidDocument
from hotplate.engine.patch import Patch, patched
from hotplate.engine.recipes import Recipe

OLD = Recipe(
    "the template",
    {"a.yaml": "{parameters: {p: a}}", "b.yaml": "{parameters: {p: b}}"},
    ("a.yaml", "b.yaml"),
    '{"resource_registry": {"X": "OS::Heat::None"}, "parameters": {"q": 1}}',
    {"p": "explicit", "r": 2},
)


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
