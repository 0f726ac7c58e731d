"""The purge beside transactions that are about to use what it would remove."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random

import pytest
from sqlalchemy import Connection, Delete, Engine, delete, insert, select

from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import fetch
from hotplate.engine.recipes.stored import keep
from hotplate.store.database import create_tables, open_engine, transact
from hotplate.store.purge import Purged, purge, purge_contents, purge_recipes
from hotplate.store.schema import stack
from tests.unit.store.rows import stack_row

RECIPE = Recipe("template", files={"a": "file"}, parameters={"p": 1})


def opened(url: str) -> Engine:
    engine = open_engine(url)
    create_tables(engine)
    return engine


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = opened(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def server(server_url: str) -> Iterator[Engine]:
    engine = opened(server_url)
    yield engine
    engine.dispose()


def use(connection: Connection, stack_id: str, recipe: Recipe) -> None:
    row = stack_row(stack_id, recipe=keep(connection, "p", recipe))
    connection.execute(insert(stack), [row])


def run(connection: Connection, statement: Delete) -> None:
    connection.execute(statement)


def readable(connection: Connection, stack_id: str | None = None) -> int:
    """Read the recipe of one stack or of every stack in full; return how many these are."""
    query = select(stack.c.recipe)
    if stack_id is not None:
        query = query.where(stack.c.id == stack_id)
    digests = connection.execute(query).scalars().all()
    for digest in digests:
        fetch(connection, "p", digest)
    return len(digests)


def test_what_is_used_stays_and_what_is_not_goes(engine: Engine) -> None:
    transact(engine, lambda connection: keep(connection, "p", RECIPE))
    used = Recipe("template", files={"a": "file", "b": "other"})
    transact(engine, lambda connection: use(connection, "s", used))
    assert purge(engine) == Purged(recipes=1, contents=1)
    assert transact(engine, readable) == 1


def test_a_recipe_that_is_about_to_be_used_is_not_removed(server: Engine) -> None:
    transact(server, lambda connection: keep(connection, "p", RECIPE))
    with server.connect() as connection, connection.begin() as transaction:
        use(connection, "s", RECIPE)
        assert purge(server) == Purged()
        transaction.commit()
    assert purge(server) == Purged()
    assert transact(server, readable) == 1


def test_a_recipe_that_is_being_removed_is_stored_again(server: Engine) -> None:
    transact(server, lambda connection: keep(connection, "p", RECIPE))
    with ThreadPoolExecutor() as pool, server.connect() as connection:
        with connection.begin() as transaction:
            assert purge_recipes(connection, "", 100) == (1, None)
            assert purge_contents(connection, "", 100)[0] > 0
            user = pool.submit(transact, server, lambda other: use(other, "s", RECIPE))
            time.sleep(0.2)
            assert not user.done()
            transaction.commit()
        user.result(timeout=10)
    assert transact(server, readable) == 1


def test_creating_deleting_and_purging_at_the_same_time(engine: Engine) -> None:
    end = time.monotonic() + 3
    stop = threading.Event()

    def come_and_go(seed: int) -> int:
        random, number = Random(seed), 0
        while time.monotonic() < end and not stop.is_set():
            number += 1
            name = f"{seed}-{number}"
            chosen = Recipe(f"t{random.randrange(3)}", files={"f": f"f{random.randrange(3)}"})
            transact(engine, partial(use, stack_id=name, recipe=chosen))
            transact(engine, partial(readable, stack_id=name))
            transact(engine, partial(run, statement=delete(stack).where(stack.c.id == name)))
        return number

    def purge_again_and_again() -> int:
        removed = 0
        while time.monotonic() < end and not stop.is_set():
            removed += purge(engine).contents
        return removed

    with ThreadPoolExecutor() as pool:
        futures = [pool.submit(come_and_go, seed) for seed in range(3)]
        futures += [pool.submit(purge_again_and_again) for _ in range(2)]
        try:
            numbers = [future.result() for future in futures]
        finally:
            stop.set()
    print(numbers)
    transact(engine, readable)
    transact(engine, partial(run, statement=delete(stack)))
    purge(engine)
    assert purge(engine) == Purged()
