"""Tokens of one stack that come at the same time share the work of binding its recipe."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import RecipeBook, StackFacts
from hotplate.engine.worker.binding import Binding
from hotplate.engine.world import RealWorld
from hotplate.model import Stack
from hotplate.resources.catalogue import Catalogue

T = TypeVar("T")
TEMPLATE = "heat_template_version: wallaby\nresources: {}\n"


class Slow:
    """A store without a database whose transactions begin when the test says so."""

    is_contended = False

    def __init__(self) -> None:
        self.asked = 0
        self.goes_on = asyncio.Event()

    async def transact(self, work: Callable[[Connection], T]) -> T:
        self.asked += 1
        await self.goes_on.wait()
        return work(None)  # type: ignore[arg-type]

    read = read_soon = transact

    def stream(self, work: Callable[[Connection], Iterator[bytes]]) -> AsyncIterator[bytes]:
        raise AssertionError


class Book(RecipeBook):
    """Knows the recipes that the database would have."""

    fails = False

    def bound(self, connection: Any, stack: Any, digest: str) -> Any:
        if self.fails:
            raise LookupError(digest)
        facts = StackFacts(stack.id, stack.name, stack.project)
        bound = self.bind(facts, Recipe(TEMPLATE), digest)
        self.keep(stack.id, bound)
        return bound


def stack(stack_id: str = "s", recipe: str = "digest") -> Stack:
    found = Stack.__new__(Stack)
    found.id, found.name, found.project, found.recipe = stack_id, "name", "p", recipe
    return found


def binding() -> tuple[Binding, Slow, Book]:
    catalogue = Catalogue(())
    book, store = Book(catalogue), Slow()
    return Binding(store, Tools(RealWorld(), book, catalogue)), store, book


async def asked(found: Binding, *stacks: Stack) -> list[asyncio.Task[Any]]:
    tasks = [asyncio.create_task(found.bound(each)) for each in stacks]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


def test_many_nodes_of_a_stack_bind_its_recipe_once() -> None:
    async def play() -> None:
        found, store, _ = binding()
        tasks = await asked(found, *(stack() for _ in range(5)))
        assert store.asked == 1
        store.goes_on.set()
        bound = await asyncio.gather(*tasks)
        assert len({id(each) for each in bound}) == 1
        await found.bound(stack())
        assert store.asked == 1

    asyncio.run(play())


def test_stacks_and_their_recipes_do_not_wait_for_each_other() -> None:
    async def play() -> None:
        found, store, _ = binding()
        tasks = await asked(found, stack("a"), stack("b"), stack("a", "newer"))
        assert store.asked == 3
        store.goes_on.set()
        digests = [each.digest for each in await asyncio.gather(*tasks)]
        assert digests == ["digest", "digest", "newer"]

    asyncio.run(play())


def test_the_others_get_it_if_the_first_is_given_up() -> None:
    async def play() -> None:
        found, store, _ = binding()
        first, second = await asked(found, stack(), stack())
        first.cancel()
        store.goes_on.set()
        assert (await second).digest == "digest"
        assert store.asked == 1

    asyncio.run(play())


def test_a_failure_reaches_all_and_the_next_one_tries_again() -> None:
    async def play() -> None:
        found, store, book = binding()
        book.fails = True
        tasks = await asked(found, stack(), stack())
        store.goes_on.set()
        for each in tasks:
            with pytest.raises(LookupError):
                await each
        book.fails = False
        assert (await found.bound(stack())).digest == "digest"

    asyncio.run(play())
