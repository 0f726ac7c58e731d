"""Executions while the database is in trouble: what happened in the world is not lost."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import DataError, OperationalError

from hotplate.actions import Action, Actions
from hotplate.engine.embedded import embedded
from hotplate.flows import runner, running
from hotplate.flows.operations import Wanted
from hotplate.flows.running import workflows
from hotplate.store.database import Database
from hotplate.store.workflow_listing import Wish
from hotplate.workflow.machine import Machine, Result, Step
from tests.acceptance.test_workflows_on_databases import (
    PROJECT,
    Slow,
    define,
    ended,
    flows_of,
    run,
    until,
)

T = TypeVar("T")
MOST_TRIES = 100


def away() -> OperationalError:
    """Return what SQLite says when it cannot open its file."""
    origin = sqlite3.OperationalError("unable to open database file")
    origin.sqlite_errorcode = 14
    return OperationalError("", None, origin)


class Troubled(Database):
    """A database that does not do what it is asked to while it is in trouble."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.trouble: Exception | None = None
        self.reading_trouble: Exception | None = None
        self.refused = 0

    async def transact(self, work: Callable[[Connection], T]) -> T:
        return await super().transact(work) if self._is_well(self.trouble) else None  # type: ignore[return-value]

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await super().read(work) if self._is_well(self.reading_trouble) else None  # type: ignore[return-value]

    def _is_well(self, trouble: Exception | None) -> bool:
        if trouble is not None:
            self.refused += 1
            if isinstance(trouble, DataError):
                self.trouble = None  # the same work fails for ever, but only that
            raise trouble
        return True


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    """The action test.slow; waits for the database are short."""
    slow = Slow()
    more = [Action("test.slow", "Waits.", {}, perform=slow.perform)]
    monkeypatch.setattr(running, "Actions", lambda settings: Actions(settings, more))
    monkeypatch.setattr(runner, "_SHORTEST_PAUSE", 0.001)
    monkeypatch.setattr(runner, "_LONGEST_PAUSE", 0.001)
    return slow


@pytest.mark.parametrize("what", ["trouble", "reading_trouble"])
def test_an_outcome_outlives_a_database_that_is_away_for_long(
    tmp_path: Path, slow: Slow, what: str
) -> None:
    async def story() -> None:
        opening = embedded(tmp_path / "a.db", open_database=Troubled, extend=workflows())
        async with opening as engine:
            database: Any = engine.database
            flows = flows_of(engine)
            await define(flows)
            execution_id = (await flows.start(PROJECT, Wanted("performing")))["id"]
            await slow.called(1)
            # So that the outcome needs the rows, which are read within the step.
            flows._runner.forget(execution_id)
            setattr(database, what, away())
            slow.go_on.set()

            async def is_enough() -> bool:
                return bool(database.refused > MOST_TRIES + 20)

            await until(is_enough)
            setattr(database, what, None)
            found = await ended(flows, execution_id)
            assert found["state"] == "SUCCESS", found["state_info"]
            assert json.loads(found["output"]) == {"got": "done"}

    run(story())


def test_who_gave_up_waiting_does_no_harm_to_the_others(tmp_path: Path, slow: Slow) -> None:
    """A request that was cancelled, told in one step with the end of an action."""

    def describe(machine: Machine) -> Step:
        return machine.describe("other words")

    async def story() -> None:
        opening = embedded(tmp_path / "a.db", open_database=Troubled, extend=workflows())
        async with opening as engine:
            database: Any = engine.database
            flows = flows_of(engine)
            await define(flows)
            execution_id = (await flows.start(PROJECT, Wanted("outside")))["id"]
            (action,) = await flows.entries("action_executions", Wish(PROJECT))
            database.trouble = away()
            hands = flows._runner
            request = asyncio.create_task(
                hands.tell(execution_id, lambda tree: tree.news(execution_id, describe))
            )
            end = hands.finish(execution_id, execution_id, action["id"], Result(value=1))
            news = asyncio.create_task(end)
            await asyncio.sleep(0)
            request.cancel()

            async def is_refused() -> bool:
                return bool(database.refused > 10)

            await until(is_refused)
            database.trouble = None
            await news
            found = await ended(flows, execution_id)
            assert found["state"] == "SUCCESS", found["state_info"]

    run(story())


def test_what_the_database_will_never_take_ends_the_execution(tmp_path: Path, slow: Slow) -> None:
    async def story() -> None:
        opening = embedded(tmp_path / "a.db", open_database=Troubled, extend=workflows())
        async with opening as engine:
            database: Any = engine.database
            flows = flows_of(engine)
            await define(flows)
            execution_id = (await flows.start(PROJECT, Wanted("performing")))["id"]
            await slow.called(1)
            fault = DataError("INSERT ...", {"password": "s3cret"}, sqlite3.DataError("too long"))
            database.trouble = fault
            slow.go_on.set()
            found = await ended(flows, execution_id)
            assert (found["state"], found["state_info"]) == ("ERROR", "internal error: DataError")

    run(story())


def test_an_action_that_was_taken_is_performed_when_the_database_is_back(
    tmp_path: Path, slow: Slow
) -> None:
    """Taken into hand and not begun is not the same as begun: its outcome is not unknown."""

    async def story() -> None:
        opening = embedded(tmp_path / "a.db", open_database=Troubled, extend=workflows())
        async with opening as engine:
            database: Any = engine.database
            flows = flows_of(engine)
            await define(flows)
            hands: Any = flows._runner
            hands._is_stopping = True  # takes nothing yet
            execution_id = (await flows.start(PROJECT, Wanted("performing")))["id"]
            hands.forget(execution_id)
            tell = hands.tell

            def heal() -> None:
                database.reading_trouble = None

            async def told(*args: Any, **options: Any) -> Any:
                hands.tell = tell
                database.reading_trouble = away()
                asyncio.get_running_loop().call_later(0.3, heal)
                return await tell(*args, **options)

            hands.tell = told
            hands._is_stopping = False
            slow.go_on.set()
            await slow.called(1)
            found = await ended(flows, execution_id)
            assert found["state"] == "SUCCESS", found["state_info"]

    run(story())
