"""Secrets kept out of answers."""

import gc
import json
import tracemalloc
from typing import Any

import pytest

from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound, RecipeBook, StackFacts
from hotplate.engine.recipes.hidden_parameters import hidden_names, secrets_of
from hotplate.engine.recipes.stored import digest_of_recipe
from hotplate.resources.catalogue import Catalogue
from hotplate.secret import STARS

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

STACK = StackFacts("id", "name", "project")


def _bound() -> Bound:
    recipe = Recipe(TEMPLATE)
    return RecipeBook(Catalogue(())).bind(STACK, recipe, digest_of_recipe(recipe))


def test_secrets_are_the_values_of_hidden_parameters() -> None:
    assert secrets_of(_bound()).texts == {"abcdef", "4711", "abc", "x1,x2", "x1", "x2"}


def test_the_secrets_of_a_stack_are_looked_for_once() -> None:
    bound = _bound()
    assert secrets_of(bound) is secrets_of(bound)


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
    bound = RecipeBook(Catalogue(())).bind(STACK, recipe, digest_of_recipe(recipe))
    shown = secrets_of(bound).masked(["first word", "second word", {"a": "third word"}, 4711])
    assert shown == [STARS, STARS, {"a": STARS}, STARS]


def test_files_are_not_kept_in_memory_because_they_were_read_once() -> None:
    def names() -> frozenset[str]:
        body = f"{TEMPLATE}# {'x' * 4_000_000}"
        recipe = Recipe("heat_template_version: 2021-04-16", {"inner.yaml": body})
        return hidden_names(RecipeBook(Catalogue(())).bind(STACK, recipe, digest_of_recipe(recipe)))

    tracemalloc.start()
    try:
        assert "short" in names()
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < 2_000_000
    finally:
        tracemalloc.stop()
