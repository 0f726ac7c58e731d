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

from hotplate.engine.embedded import embedded
from hotplate.store.database import Database
from hotplate.store.workflows.listing import Comparison, Filter, ListQuery
from hotplate.workflow import running
from hotplate.workflow.actions import Action, Actions
from hotplate.workflow.engine import runner
from hotplate.workflow.engine.kept_trees import KeptTrees
from hotplate.workflow.engine.operations import Wanted
from hotplate.workflow.machine import Machine, Result, Step
from hotplate.workflow.running import workflows
from tests.acceptance.workflows.test_on_databases import (
    PROJECT,
    Slow,
    define,
    ended,
    flows_of,
    run,
    until,
)
from tests.databases import sqlite_file

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
        self.gate: asyncio.Event | None = None
        """While it is closed, what was committed is not told."""

    async def transact(self, work: Callable[[Connection], T]) -> T:
        if self.gate is not None:
            found = await super().transact(work)
            await self.gate.wait()
            return found
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
        opening = embedded(
            sqlite_file(tmp_path / "a.db"), open_database=Troubled, extend=workflows()
        )
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
        opening = embedded(
            sqlite_file(tmp_path / "a.db"), open_database=Troubled, extend=workflows()
        )
        async with opening as engine:
            database: Any = engine.database
            flows = flows_of(engine)
            await define(flows)
            execution_id = (await flows.start(PROJECT, Wanted("outside")))["id"]
            (action,) = await flows.entries("action_executions", ListQuery(PROJECT))
            database.trouble = away()
            hands = flows._runner
            request = asyncio.create_task(
                hands.send(execution_id, lambda tree: tree.apply(execution_id, describe))
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
        opening = embedded(
            sqlite_file(tmp_path / "a.db"), open_database=Troubled, extend=workflows()
        )
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
        opening = embedded(
            sqlite_file(tmp_path / "a.db"), open_database=Troubled, extend=workflows()
        )
        async with opening as engine:
            database: Any = engine.database
            flows = flows_of(engine)
            await define(flows)
            hands: Any = flows._runner
            hands._is_stopping = True  # takes nothing yet
            execution_id = (await flows.start(PROJECT, Wanted("performing")))["id"]
            hands.forget(execution_id)
            send = hands.send

            def heal() -> None:
                database.reading_trouble = None

            async def sent(*args: Any, **options: Any) -> Any:
                hands.send = send
                database.reading_trouble = away()
                asyncio.get_running_loop().call_later(0.3, heal)
                return await send(*args, **options)

            hands.send = sent
            hands._is_stopping = False
            slow.go_on.set()
            await slow.called(1)
            found = await ended(flows, execution_id)
            assert found["state"] == "SUCCESS", found["state_info"]

    run(story())


@pytest.mark.parametrize("kind", ["execution", "action"])
def test_who_starts_something_and_is_gone_has_started_it(
    tmp_path: Path, slow: Slow, kind: str
) -> None:
    async def story() -> None:
        opening = embedded(
            sqlite_file(tmp_path / "a.db"), open_database=Troubled, extend=workflows()
        )
        async with opening as engine:
            database: Any = engine.database
            flows = flows_of(engine)
            await define(flows)
            database.gate = asyncio.Event()
            beginning: Any = flows.start(PROJECT, Wanted("performing"))
            if kind == "action":
                beginning.close()
                beginning = flows.run_action(PROJECT, "test.slow", {}, is_kept=True)
            request = asyncio.create_task(beginning)
            query = ListQuery(PROJECT, (Filter("name", Comparison.EQ, "test.slow"),))
            await until(lambda: flows.entries("action_executions", query))
            request.cancel()
            database.gate.set()
            slow.go_on.set()
            await slow.called(1)

            async def is_over() -> bool:
                (row,) = await flows.entries("action_executions", query)
                return bool(row["state"] == "SUCCESS")

            await until(is_over)

    run(story())


def test_large_trees_do_not_stay_in_memory(tmp_path: Path) -> None:
    text = "version: '2.0'\nw: {input: [a], tasks: {t: {action: std.async_noop}}}\n"

    async def story() -> None:
        async with embedded(sqlite_file(tmp_path / "a.db"), extend=workflows()) as engine:
            flows = flows_of(engine)
            flows._runner._trees = KeptTrees(most_characters=12_000)
            await define(flows, text)
            begun = [
                await flows.start(PROJECT, Wanted("w", input={"a": "x" * 5_000})) for _ in range(6)
            ]
            assert len(flows._runner._trees) < 3
            for action in await flows.entries("action_executions", ListQuery(PROJECT)):
                await flows.finish_action(PROJECT, action["id"], Result(value=1))
            for row in begun:
                assert (await ended(flows, row["id"]))["state"] == "SUCCESS"

    run(story())


def test_the_upkeep_ends_though_it_is_woken_at_the_same_moment(tmp_path: Path) -> None:
    async def story() -> None:
        async with embedded(sqlite_file(tmp_path / "a.db"), extend=workflows()) as engine:
            flows: Any = flows_of(engine)
            wake = flows._runner.wake
            upkeep = wake.__self__
            sweeping = asyncio.create_task(upkeep.run())
            await upkeep._store.read(lambda connection: None)
            await asyncio.sleep(0.2)  # it has looked, and waits
            upkeep._sooner.set()
            sweeping.cancel()
            await asyncio.wait({sweeping}, timeout=5)
            assert sweeping.cancelled()

    run(story())
