"""Requests about workflows that come at the same time, to two processes on one database."""

import asyncio
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hotplate.engine.embedded import embedded
from hotplate.store.workflows.definitions import DefinitionKind, StoredEnvironment
from hotplate.store.workflows.listing import ListQuery
from hotplate.workflow.engine import operations
from hotplate.workflow.engine.definitions import Place
from hotplate.workflow.engine.library import flow_of
from hotplate.workflow.engine.operations import Wanted
from hotplate.workflow.engine.refusals import Forbidden, Taken
from hotplate.workflow.engine.settings import FlowSettings
from hotplate.workflow.running import workflows
from tests.acceptance.workflows.test_on_databases import (
    PROJECT,
    define,
    ended,
    flows_of,
    run,
    trigger,
)
from tests.databases import sqlite_file

ROUNDS = 25
RERUN = """
version: '2.0'
again:
  tasks:
    fails: {action: std.fail, on-success: waits}
    waits: {action: std.async_noop}
"""


def test_two_changes_of_an_environment_both_hold(server_url: str) -> None:
    async def story() -> None:
        async with (
            embedded(server_url, extend=workflows()) as first,
            embedded(server_url, extend=workflows()) as second,
        ):
            here, there = flows_of(first), flows_of(second)
            await here.create_environment(
                StoredEnvironment("", PROJECT, "e", "", {}, "private", 0.0)
            )
            for number in range(ROUNDS):
                await asyncio.gather(
                    here.update_environment(PROJECT, "e", {"description": f"d{number}"}),
                    there.update_environment(PROJECT, "e", {"variables": {"n": number}}),
                )
                found = await here.environment(PROJECT, "e")
                assert (found.description, found.variables) == (f"d{number}", {"n": number})

    run(story())


def test_two_may_define_the_same_by_putting_it(server_url: str) -> None:
    async def story() -> None:
        async with (
            embedded(server_url, extend=workflows()) as first,
            embedded(server_url, extend=workflows()) as second,
        ):
            here, there = flows_of(first).definitions, flows_of(second).definitions
            for number in range(ROUNDS):
                text = f"version: '2.0'\nw{number}: {{tasks: {{t: {{action: std.noop}}}}}}\n"
                put: list[Any] = await asyncio.gather(
                    *(each.update(DefinitionKind.WORKFLOW, text, Place(PROJECT))
                      for each in (here, there)),
                    return_exceptions=True,
                )  # fmt: skip
                assert all(isinstance(each, list | Taken) for each in put), put
                assert any(isinstance(each, list) for each in put)

    run(story())


def test_an_execution_that_goes_on_meanwhile_is_not_deleted(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with embedded(database_url, extend=workflows()) as engine:
            flows = flows_of(engine)
            await define(flows, RERUN)
            execution_id = (await flows.start(PROJECT, Wanted("again")))["id"]
            await ended(flows, execution_id)
            (task,) = await flows.entries("tasks", ListQuery(PROJECT))
            look = flows.execution

            async def looked(project: str | None, wanted: str) -> dict[str, Any]:
                row = await look(project, wanted)
                monkeypatch.undo()
                await flows.skip(PROJECT, task["id"])
                return row

            monkeypatch.setattr(flows, "execution", looked)
            with pytest.raises(Forbidden, match="RUNNING"):
                await flows.delete_execution(PROJECT, execution_id, force=False)
            assert (await flows.execution(PROJECT, execution_id))["state"] == "RUNNING"
            await flows.delete_execution(PROJECT, execution_id, force=True)
            assert await flows.entries("executions", ListQuery(PROJECT)) == []

    run(story())


def test_a_definition_is_as_large_as_the_operator_allows(tmp_path: Path) -> None:
    """It is read again when it is run, and in a thread, for that takes its time."""
    text = (
        f"version: '2.0'\nlarge:\n  description: {'x' * 3_000_000}\n  tasks: {{t: {{action: a}}}}"
    )
    action = f"version: '2.0'\na:\n  description: {'x' * 3_000_000}\n  base: std.noop\n"
    threads: list[threading.Thread] = []

    def watched(stored: Any) -> Any:
        threads.append(threading.current_thread())
        return flow_of(stored)

    async def story() -> None:
        settings = FlowSettings(largest_definition=4_000_000)
        async with embedded(sqlite_file(tmp_path / "a.db"), extend=workflows(settings)) as engine:
            flows = flows_of(engine)
            await define(flows, text)
            place = Place(PROJECT)
            await flows.definitions.create(DefinitionKind.ACTION, action, place)
            row = await flows.start(PROJECT, Wanted("large"))
            assert (await ended(flows, row["id"]))["state"] == "SUCCESS"
            wanted = trigger("t", first_at=time.time() + 1000)
            large: Any = {"workflow_name": "large", "workflow_input": {}}
            await flows.create_trigger(replace(wanted, **large))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(operations, "flow_of", watched)
        run(story())
    assert len(threads) == 2
    assert threading.main_thread() not in threads
