"""Options, and texts of a recipe that stay as they were sent."""

import asyncio
from typing import Any

import pytest

from hotplate.api.http.faults import Fault
from hotplate.api.http.settings import Settings
from hotplate.api.stacks.recipe_body import options_of, patch_of, recipe_of
from hotplate.engine.requests.acceptance import Options

SETTINGS = Settings()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, Options()),
        ({"disable_rollback": True}, Options(rollback=False)),
        ({"disable_rollback": "False"}, Options(rollback=True)),
        ({"timeout_mins": 5}, Options(timeout=5)),
        ({"timeout_mins": "5"}, Options(timeout=5)),
        ({"timeout_mins": 0}, Options()),
        ({"timeout_mins": None, "tags": None}, Options()),
        ({"tags": "a, b,,a"}, Options(tags=("a", "b"))),
        ({"tags": ["a", "b c"]}, Options(tags=("a", "b c"))),
        ({"tags": ""}, Options(tags=())),
    ],
)
def test_options_are_read(body: dict[str, Any], expected: Options) -> None:
    assert options_of(body, SETTINGS) == expected


def test_tags_that_do_not_stay_are_cleared() -> None:
    assert options_of({}, SETTINGS, tags_stay=False).tags == ()
    assert options_of({"tags": "a"}, SETTINGS, tags_stay=False).tags == ("a",)


async def at_once(function: Any, *args: Any) -> Any:
    return function(None, *args)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"disable_rollback": "yes"}, 'Unrecognized value "yes" for "disable_rollback"'),
        ({"timeout_mins": "-5"}, '"timeout_mins" must be a whole number'),
        ({"timeout_mins": "1_0"}, '"timeout_mins" must be a whole number'),
        ({"timeout_mins": "9999999999"}, '"timeout_mins" must be between'),
        ({"tags": "a," + "b" * 81}, "is longer than 80 characters"),
        ({"tags": ["b" * 81]}, "is longer than 80 characters"),
    ],
)
def test_wrong_options_are_named(body: dict[str, Any], said: str) -> None:
    with pytest.raises(Fault) as caught:
        options_of(body, SETTINGS)
    assert said in caught.value.message
    assert caught.value.status == 400


def test_texts_stay_as_they_were_sent() -> None:
    body = {"template": "a: 1 # note", "environment": "parameters: {b: 1} # note"}
    recipe = asyncio.run(recipe_of(body, SETTINGS, at_once))
    assert recipe.template == body["template"]
    assert recipe.environment == body["environment"]


def test_an_object_keeps_its_order() -> None:
    recipe = asyncio.run(
        recipe_of({"template": {"b": 1, "a": {"d": "ü", "c": 2}}}, SETTINGS, at_once)
    )
    assert recipe.template == '{"b":1,"a":{"d":"ü","c":2}}'


def test_an_inline_environment_that_repeats_the_files_is_empty() -> None:
    body = {
        "template": "x",
        "files": {"e": "parameters: {a: [1, 2]}"},
        "environment_files": ["e"],
        "environment": {"parameters": {"a": [1, 2]}},
    }
    assert asyncio.run(recipe_of(body, SETTINGS, at_once)).environment == ""


def test_a_patch_may_name_files_that_the_stack_has() -> None:
    body = {"environment_files": ["e"], "clear_parameters": ["a", "a"]}
    patch = asyncio.run(patch_of(body, SETTINGS, at_once))
    assert patch.template is None
    assert patch.environment_files == ("e",)
    assert patch.cleared == ("a",)
