"""Transactions do light work only: what is heavy is done between two tries."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection

from hotplate.bounded import Evaluation, Heavy, Pattern, TooHeavy, at_hand, is_light, light
from hotplate.document import InvalidDocument
from hotplate.engine.context import Tools
from hotplate.engine.evaluation import InThread, LightStore, evaluating
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import RecipeBook, StackFacts
from hotplate.engine.world import RealWorld
from hotplate.resources.catalogue import Catalogue, installed

T = TypeVar("T")
STACK = StackFacts("id", "name", "project")


class Counting:
    """A store without a database that counts its transactions."""

    is_contended = False

    def __init__(self) -> None:
        self.transactions = 0

    async def transact(self, work: Callable[[Connection], T]) -> T:
        self.transactions += 1
        return work(None)  # type: ignore[arg-type]

    read = read_soon = transact

    def stream(self, work: Callable[[Connection], Iterator[bytes]]) -> AsyncIterator[bytes]:
        raise AssertionError


def tools(catalogue: Catalogue | None = None) -> Tools:
    known = catalogue or Catalogue(())
    return Tools(RealWorld(), RecipeBook(known), known)


def heavy(tools: Tools, number: int) -> int:
    assert not is_light()
    return number * 2


def refused(tools: Tools) -> int:
    raise InvalidDocument([])


def must_be_elsewhere() -> Any:
    raise TooHeavy


def run(work: Callable[[Connection], T]) -> tuple[T, int]:
    store = Counting()
    light_store = LightStore(store, evaluating(tools(), store))
    return asyncio.run(light_store.transact(work)), store.transactions


def test_a_transaction_is_run_again_with_the_answers_at_hand() -> None:
    def work(connection: Connection) -> int:
        found = (at_hand(Evaluation("p", heavy, (n,)), must_be_elsewhere) for n in (1, 2, 3))
        return sum(found)

    assert run(work) == (12, 4)


def test_light_work_is_done_at_once() -> None:
    assert run(lambda connection: at_hand(Evaluation("p", heavy, (1,)), lambda: 7)) == (7, 1)


def test_what_an_evaluation_refuses_is_raised_where_it_is_needed() -> None:
    def work(connection: Connection) -> str:
        try:
            at_hand(Evaluation("p", refused), must_be_elsewhere)
        except InvalidDocument:
            return "refused"
        return "accepted"

    assert run(work) == ("refused", 2)


def test_what_nobody_can_do_elsewhere_is_done_all_the_same() -> None:
    def work(connection: Connection) -> str:
        return must_be_elsewhere() if is_light() else "done"

    assert run(work) == ("done", 2)


def test_outside_of_light_work_nothing_is_put_off() -> None:
    assert at_hand(Evaluation("p", heavy, (1,)), lambda: 7) == 7
    with light(), pytest.raises(Heavy):
        at_hand(Evaluation("p", heavy, (1,)), must_be_elsewhere)


def test_evaluations_with_other_facts_have_other_answers() -> None:
    keys = {Evaluation("p", heavy, (number,)).key for number in (1, 2, 1)}
    assert len(keys) == 2
    assert Evaluation("p", refused).key not in keys


def _template(**properties: Any) -> str:
    resource = {"type": "OS::Heat::Value", "properties": properties}
    return json.dumps({"heat_template_version": "wallaby", "resources": {"a": resource}})


@pytest.mark.parametrize(
    "properties",
    [
        {"value": {"yaql": {"expression": "$.data", "data": 1}}},
        {"value": {"list_join": ["", [{"list_join": ["x" * 900, ["y"] * 100]}] * 4]}},
    ],
)
def test_dear_properties_are_too_heavy_for_a_moment(properties: dict[str, Any]) -> None:
    book = RecipeBook(installed())
    bound = book.bind(STACK, Recipe(_template(**properties)), "digest")
    with light(), pytest.raises(TooHeavy):
        bound.template.properties("a")
    assert bound.template.properties("a")


def test_cheap_properties_take_a_moment() -> None:
    bound = RecipeBook(installed()).bind(STACK, Recipe(_template(value="x" * 1000)), "digest")
    with light():
        assert bound.template.properties("a") == {"value": "x" * 1000}


def test_a_long_template_is_too_heavy_for_a_moment_unless_it_is_known() -> None:
    book, recipe = RecipeBook(installed()), Recipe(_template(value="x" * 3000))
    with light(), pytest.raises(TooHeavy):
        book.bind(STACK, recipe, "digest")
    book.compiled(recipe.template)
    with light():
        book.bind(STACK, recipe, "digest")


def test_a_pattern_that_looks_around_is_too_heavy_for_a_moment() -> None:
    with light():
        assert Pattern("[a-z]+").matches_whole("abc")
    looking = Pattern("(?=a)[a-z]+")
    with light(), pytest.raises(TooHeavy):
        looking.matches_whole("abc")


def test_without_an_evaluator_threads_of_this_process_evaluate() -> None:
    store = Counting()
    made = evaluating(tools(), store)
    assert isinstance(made.evaluator, InThread)
    assert asyncio.run(made.evaluate(Evaluation("p", heavy, (4,)))) == 8
    assert evaluating(made, store) is made
