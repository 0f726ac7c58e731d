"""What goes from one process to another is the same there."""

import gc
import json

import pytest

from hotplate.api.templates import validate
from hotplate.bounded import Evaluation
from hotplate.document import InvalidDocument
from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import RecipeBook, StackFacts
from hotplate.engine.recipes.hidden_parameters import secrets_of
from hotplate.engine.refusals import Entity, NotFound
from hotplate.engine.wanted_definition import bind_recipe
from hotplate.engine.world import RealWorld
from hotplate.evaluation.transfer import Transfer
from hotplate.resources.catalogue import installed
from hotplate.template import ResourceData
from hotplate.template.bound_template import BoundTemplate

STACK = StackFacts("id", "name", "project")
TEMPLATE = {
    "heat_template_version": "wallaby",
    "parameters": {
        "word": {
            "type": "string",
            "hidden": True,
            "default": "open sesame",
            "constraints": [{"allowed_pattern": "[a-z ]+"}],
        }
    },
    "conditions": {"always": {"equals": [1, 1]}},
    "resources": {
        "a": {"type": "OS::Heat::RandomString", "condition": "always"},
        "b": {
            "type": "OS::Heat::Value",
            "properties": {
                "value": {"list_join": ["-", [{"get_param": "word"}, {"get_attr": ["a", "value"]}]]}
            },
        },
    },
    "outputs": {"o": {"value": {"get_attr": ["b", "value"]}}},
}


def tools() -> Tools:
    catalogue = installed()
    return Tools(RealWorld(), RecipeBook(catalogue), catalogue)


def test_a_bound_recipe_does_the_same_on_the_other_side() -> None:
    here, there = tools(), tools()
    bound = bind_recipe(here, STACK, Recipe(json.dumps(TEMPLATE)), "digest")
    arrived = Transfer(there).loads(Transfer(here).dumps(bound))
    known = {"a": ResourceData("x", {"value": "4711"})}
    assert arrived.template.properties("b", known) == bound.template.properties("b", known)
    assert arrived.template.graph.order() == bound.template.graph.order()
    assert secrets_of(arrived).texts == secrets_of(bound).texts
    assert "sesame" not in repr(arrived.template.properties("b", known))


def test_a_template_that_is_known_is_not_built_anew() -> None:
    here, there = tools(), tools()
    recipe = Recipe(json.dumps(TEMPLATE))
    sent = [Transfer(here).dumps(bind_recipe(here, STACK, recipe, "digest")) for _ in range(2)]
    first, second = (Transfer(there).loads(each) for each in sent)
    assert first.template.template is second.template.template
    assert there.book.compiled(recipe.template) is first.template.template


def test_an_evaluation_finds_the_tools_of_the_other_side() -> None:
    here, there = tools(), tools()
    evaluation = Evaluation("project", bind_recipe, (STACK, Recipe(json.dumps(TEMPLATE)), "digest"))
    arrived = Transfer(there).loads(Transfer(here).dumps(evaluation))
    assert arrived.run(there, None).template.resources.keys() == {"a", "b"}


@pytest.mark.parametrize("text", ["a: b", "heat_template_version: wallaby\nresources: {a: 1}"])
def test_a_refusal_arrives_with_all_its_problems(text: str) -> None:
    here, there = tools(), tools()
    with pytest.raises(InvalidDocument) as caught:
        bind_recipe(here, STACK, Recipe(text), "digest")
    arrived = Transfer(there).loads(Transfer(here).dumps(caught.value))
    assert type(arrived) is type(caught.value)
    assert arrived.problems == caught.value.problems
    assert str(arrived) == str(caught.value)


def test_other_errors_arrive_as_they_are() -> None:
    here = tools()
    error = NotFound(Entity.RESOURCE, "r", "s")
    arrived = Transfer(here).loads(Transfer(here).dumps(error))
    assert (type(arrived), str(arrived), arrived.entity) == (NotFound, str(error), Entity.RESOURCE)


@pytest.mark.parametrize("is_json", [True, False])
def test_an_answer_does_not_repeat_what_was_asked(is_json: bool) -> None:
    here, there = tools(), tools()
    many = {f"r{at}": {"type": "OS::Heat::RandomString"} for at in range(3_000)}
    text = json.dumps({**TEMPLATE, "resources": many, "outputs": {}})
    recipe = Recipe(text if is_json else f"# not JSON\n{text}")
    evaluation = Evaluation("project", bind_recipe, (STACK, recipe, "digest"))
    arrived = Transfer(there).loads(Transfer(here).dumps(evaluation))
    answer = Transfer(there).dumps(arrived.run(there, None), arrived.args)
    bound = Transfer(here).loads(answer, evaluation.args)
    assert bound.recipe is recipe
    assert bound.template.template.document.text == recipe.template
    assert (recipe.template.encode() in answer) is not is_json
    assert bound.template.template.data == json.loads(text)


def test_of_what_is_repeated_neither_names_nor_fingerprints_are_sent() -> None:
    here, there = tools(), tools()
    many = dict.fromkeys(map(str, range(3_000)), {"type": "OS::Heat::RandomString"}.copy())
    recipe = Recipe("").with_template({"heat_template_version": "wallaby", "resources": many})
    assert recipe.is_repeated
    evaluation = Evaluation("project", bind_recipe, (STACK, recipe, "digest"))
    arrived = Transfer(there).loads(Transfer(here).dumps(evaluation))
    answer = Transfer(there).dumps(arrived.run(there, None), arrived.args)
    assert len(answer) < 10_000
    bound = Transfer(here).loads(answer, evaluation.args)
    assert bound.template.template.data["resources"] == many
    assert list(bound.template.resources) == list(many)
    assert bound.template.graph.order() == tuple(many)
    assert len(bound.fingerprints) == len(many)
    assert bound.fingerprints["7"] == bound.fingerprints["2999"]


def test_a_large_text_is_a_piece_of_its_own() -> None:
    text = "x" * 1_000_000
    pieces = Transfer(tools()).pieces((text, "short"))
    assert max(map(len, pieces)) == len(text)
    assert Transfer(tools()).loads(b"".join(pieces)) == (text, "short")


def test_what_validate_answers_does_not_bring_the_template_back() -> None:
    template = {
        "heat_template_version": "wallaby",
        "parameters": {"p": {"type": "string", "default": "x"}},
        "resources": {f"r{number}": {"type": "OS::Heat::None"} for number in range(2000)},
    }
    found = validate._document(tools(), "project", Recipe(json.dumps(template)), nested=True)
    assert list(found["Parameters"]) == ["p"]
    assert len(Transfer(tools()).dumps(found)) < 2000


def test_what_arrived_goes_with_its_last_user() -> None:
    """An unpickler that remembers itself is not even found by the search for garbage."""

    def living() -> int:
        gc.collect()
        return sum(type(each) is BoundTemplate for each in gc.get_objects())

    here, there = tools(), tools()
    evaluation = Evaluation("project", bind_recipe, (STACK, Recipe(json.dumps(TEMPLATE)), "digest"))
    answer = Transfer(there).dumps(evaluation.run(there, None), evaluation.args)
    before = living()
    for _ in range(5):
        Transfer(here).loads(answer, evaluation.args)
    assert living() == before
