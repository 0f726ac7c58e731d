"""The texts of a large recipe are stored in portions before the transaction that accepts it."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import Connection, func, select

from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.refusals import AlreadyExists, Moved
from hotplate.engine.requests.patch import Patch
from hotplate.store.recipes import keep_contents
from hotplate.store.schema import content

TEMPLATE = json.dumps({"heat_template_version": "wallaby", "resources": {}})
DIGITS = "0123456789abcdef"
WORDS = random.Random(19)
FILE = 100_000


def recipe(files: int) -> Recipe:
    texts = {f"f{at}": "".join(WORDS.choices(DIGITS, k=FILE)) for at in range(files)}
    return Recipe(TEMPLATE, texts)


def counted(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(content)).scalar_one()


def play(url: str, story: Callable[[Embedded], Awaitable[Any]]) -> None:
    async def told() -> None:
        async with embedded(url) as engine:
            await story(engine)

    asyncio.run(told())


def test_no_transaction_stores_much_at_a_time(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted, stored = recipe(20), []

    def watched(connection: Connection, *args: Any, **more: Any) -> set[str]:
        before = counted(connection)
        found = keep_contents(connection, *args, **more)
        stored.append(counted(connection) - before)
        return found

    async def story(engine: Embedded) -> None:
        await engine.operations.create("p", "s", wanted)
        assert await engine.database.read(counted) >= 21

    monkeypatch.setattr("hotplate.engine.requests.kept_ahead.keep_contents", watched)
    monkeypatch.setattr("hotplate.engine.recipes.stored.keep_contents", watched)
    play(database_url, story)
    assert sum(stored) >= 21
    assert 2 <= max(stored) <= 6  # of 100,000 characters each, at most 512 KB


def test_who_is_refused_leaves_nothing_behind_and_harms_nobody(database_url: str) -> None:
    async def story(engine: Embedded) -> None:
        shared = recipe(8)
        stack_id = await engine.operations.create("p", "s", shared)
        before = await engine.database.read(counted)
        with pytest.raises(AlreadyExists):
            await engine.operations.create("p", "s", recipe(8))
        more = Recipe(TEMPLATE, {**shared.files, **recipe(1).files})
        with pytest.raises(Moved):
            await engine.operations.update(stack_id, more, expected=99)
        assert await engine.database.read(counted) == before
        kept = await engine.operations.patched(await engine.operations.stack(stack_id), Patch())
        assert dict(kept.files) == dict(shared.files)

    play(database_url, story)


def test_an_update_reads_back_what_it_was_given(database_url: str) -> None:
    async def story(engine: Embedded) -> None:
        stack_id = await engine.operations.create("p", "s", recipe(1))
        wanted = recipe(12)
        await engine.operations.update(stack_id, wanted)
        stack = await engine.operations.stack(stack_id)
        kept = await engine.operations.patched(stack, Patch())
        assert dict(kept.files) == dict(wanted.files)

    play(database_url, story)
