"""Secrets kept out of answers."""

import gc
import json
import tracemalloc
from typing import Any

import pytest

from hotplate.engine.hidden_parameters import STARS, hidden_names, masked, secrets_of
from hotplate.engine.recipes import Bound, Recipe, RecipeBook, digest_of_recipe
from hotplate.resources.catalogue import Catalogue

TEMPLATE = """
heat_template_version: 2021-04-16
parameters:
  plain: {type: string, default: everybody knows}
  short: {type: string, hidden: true, default: abc}
  long: {type: string, hidden: true, default: abcdef}
  number: {type: number, hidden: true, default: 4711}
  listed: {type: comma_delimited_list, hidden: true, default: "x1,x2"}
  empty: {type: string, hidden: true, default: ""}
"""


def _bound() -> Bound:
    recipe = Recipe(TEMPLATE)
    return RecipeBook(Catalogue(())).bind("id", "name", "project", recipe, digest_of_recipe(recipe))


def test_secrets_are_the_values_of_hidden_parameters_the_longest_first() -> None:
    secrets = secrets_of(_bound())
    assert set(secrets) >= {"abcdef", "4711", "abc", "x1,x2"}
    assert "everybody knows" not in secrets
    assert "" not in secrets
    assert list(secrets) == sorted(secrets, key=len, reverse=True)


@pytest.mark.parametrize("way", ["parameter", "default"])
def test_what_a_hidden_list_or_map_holds_is_secret(way: str) -> None:
    given = {"listed": "first word,second word", "mapped": '{"user": ["third word", 4711]}'}
    template: dict[str, Any] = {
        "heat_template_version": "2021-04-16",
        "parameters": {
            "listed": {"type": "comma_delimited_list", "hidden": True},
            "mapped": {"type": "json", "hidden": True},
        },
    }
    if way == "default":
        for name, value in given.items():
            template["parameters"][name]["default"] = value
    recipe = Recipe(json.dumps(template), parameters=given if way == "parameter" else {})
    bound = RecipeBook(Catalogue(())).bind(
        "id", "name", "project", recipe, digest_of_recipe(recipe)
    )
    shown = masked(["first word", "second word", {"a": "third word"}, 4711], secrets_of(bound))
    assert shown == [STARS, STARS, {"a": STARS}, STARS]


def test_files_are_not_kept_in_memory_because_they_were_read_once() -> None:
    def names() -> frozenset[str]:
        body = f"{TEMPLATE}# {'x' * 4_000_000}"
        recipe = Recipe("heat_template_version: 2021-04-16", {"inner.yaml": body})
        return hidden_names(
            RecipeBook(Catalogue(())).bind(
                "id", "name", "project", recipe, digest_of_recipe(recipe)
            )
        )

    tracemalloc.start()
    try:
        assert "short" in names()
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < 2_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("abcdef", STARS),
        ("before abcdef after", f"before {STARS} after"),
        ("abc", STARS),
        # A short secret inside a text would be found everywhere.
        ("abc and more", "abc and more"),
        (4711, STARS),
        (4712, 4712),
        (True, True),
        (None, None),
        ({"a": ["abcdef", {"b": 4711}]}, {"a": [STARS, {"b": STARS}]}),
    ],
)
def test_stars_stand_where_a_secret_stood(value: Any, shown: Any) -> None:
    assert masked(value, ("abcdef", "4711", "abc")) == shown


def test_without_secrets_nothing_is_changed() -> None:
    value = {"a": ["b"]}
    assert masked(value, ()) is value
