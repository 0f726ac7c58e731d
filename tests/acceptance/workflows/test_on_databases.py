"""Workflows on each of the databases: sub-workflows, items, waits, take-over, triggers, lists."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest
from sqlalchemy import Connection, update

from hotplate.engine.embedded import Embedded, embedded
from hotplate.store.workflows.definitions import DefinitionKind, Trigger
from hotplate.store.workflows.listing import Comparison, Filter, ListQuery
from hotplate.store.workflows.schema import workflow_action
from hotplate.workflow import running as flows_running
from hotplate.workflow.actions import Action, Actions, Caller
from hotplate.workflow.engine.definitions import Place
from hotplate.workflow.engine.operations import Wanted, Workflows
from hotplate.workflow.engine.refusals import Forbidden, Wrong
from hotplate.workflow.engine.settings import FlowSettings
from hotplate.workflow.machine import Result
from hotplate.workflow.running import OPERATIONS, workflows

PROJECT = "project"
PATIENCE = 60
TEXT = """
version: '2.0'
tree:
  input: [count]
  output: {all: <% $.all %>}
  tasks:
    each:
      with-items: i in <% range($.count) %>
      workflow: leaf number=<% $.i %>
      publish: {all: <% task().result.select($.twice) %>}
leaf:
  input: [number]
  output: {twice: <% $.number * 2 %>}
  tasks:
    t: {action: std.noop}
patient:
  tasks:
    wait:
      action: std.fail
      wait-before: 1
      retry: {count: 2, delay: 1}
      on-error: sleep
    sleep: {action: std.sleep seconds=1}
outside:
  tasks:
    wait: {action: std.async_noop}
performing:
  output: {got: <% $.got %>}
  output-on-error: {failed: true}
  tasks:
    first: {action: std.noop, on-success: second}
    second:
      action: test.slow
      safe-rerun: SAFE
      publish: {got: <% task().result %>}
"""


class Slow:
    """An action that can be held up, as if its process were killed while it is performed."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.go_on = asyncio.Event()

    async def called(self, times: int) -> None:
        """Return when it has been called so often."""

        async def is_called() -> bool:
            return len(self.calls) >= times

        await until(is_called)

    async def perform(self, given: Any, caller: Caller) -> Result:
        self.calls.append(caller.action_id)
        await self.go_on.wait()
        return Result(value="done")


def flows_of(engine: Embedded) -> Workflows:
    found = engine.tools.world.services[OPERATIONS]
    assert isinstance(found, Workflows)
    return found


async def define(flows: Workflows, text: str = TEXT.replace("SAFE", "false")) -> None:
    await flows.definitions.create(DefinitionKind.WORKFLOW, text, Place(PROJECT))


async def ended(flows: Workflows, execution_id: str) -> dict[str, Any]:
    while True:
        row = await flows.execution(PROJECT, execution_id)
        if row["state"] not in ("IDLE", "RUNNING"):
            return row
        await asyncio.sleep(0.02)


async def until(look: Callable[[], Awaitable[Any]]) -> Any:
    """Look again and again until there is something to see."""
    while True:
        found = await look()
        if found:
            return found
        await asyncio.sleep(0.02)


def run(work: Coroutine[Any, Any, None]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(PATIENCE):
            await work

    asyncio.run(bounded())


def test_trees_waits_pauses_and_lists(database_url: str) -> None:
    async def story() -> None:
        async with embedded(database_url, extend=workflows()) as engine:
            flows = flows_of(engine)
            await define(flows)
            rows = await asyncio.gather(
                *(flows.start(PROJECT, Wanted("tree", input={"count": 12})) for _ in range(5))
            )
            for row in rows:
                found = await ended(flows, row["id"])
                assert found["state"] == "SUCCESS", found["state_info"]
                assert sorted(json.loads(found["output"])["all"]) == [2 * i for i in range(12)]
            query = ListQuery(PROJECT, (Filter("workflow_name", Comparison.EQ, "leaf"),))
            assert len(await flows.entries("executions", query)) == 60
            begun = time.time()
            patient = await flows.start(PROJECT, Wanted("patient"))
            found = await ended(flows, patient["id"])
            assert found["state"] == "SUCCESS", found["state_info"]
            assert time.time() - begun >= 4, "one second each: before, two retries, the sleep"
            await steered(flows)
            for row in rows:
                await flows.delete_execution(PROJECT, row["id"], force=False)
            assert await flows.entries("executions", query) == []

    run(story())


async def steered(flows: Workflows) -> None:
    outside = (await flows.start(PROJECT, Wanted("outside")))["id"]
    await flows.set_state(PROJECT, outside, "PAUSED")
    (task,) = await flows.entries(
        "tasks", ListQuery(PROJECT, (Filter("execution_id", Comparison.EQ, outside),))
    )
    (action,) = await flows.entries(
        "action_executions", ListQuery(PROJECT, (Filter("task_id", Comparison.EQ, task["id"]),))
    )
    await flows.finish_action(PROJECT, action["id"], Result(value=1))
    assert (await flows.execution(PROJECT, outside))["state"] == "PAUSED"
    await flows.set_state(PROJECT, outside, "RUNNING")
    assert (await ended(flows, outside))["state"] == "SUCCESS"
    cancelled = (await flows.start(PROJECT, Wanted("outside")))["id"]
    found = await flows.set_state(PROJECT, cancelled, "CANCELLED", "enough")
    assert (found["state"], found["state_info"]) == ("CANCELLED", "enough")
    with pytest.raises(Wrong):
        await flows.set_state(PROJECT, cancelled, "RUNNING")


@pytest.mark.parametrize("is_safe", [True, False], ids=["safe", "other"])
def test_what_a_dead_worker_performed(
    database_url: str, is_safe: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow()
    monkeypatch.setattr(
        flows_running,
        "Actions",
        lambda settings: Actions(
            settings, [Action("test.slow", "Waits.", {}, perform=slow.perform)]
        ),
    )

    def abandon(connection: Connection) -> None:
        connection.execute(
            update(workflow_action).where(workflow_action.c.hand == "held").values(worker=4711)
        )

    async def story() -> None:
        async with embedded(database_url, extend=workflows()) as first:
            flows = flows_of(first)
            await define(flows, TEXT.replace("SAFE", str(is_safe).lower()))
            execution_id = (await flows.start(PROJECT, Wanted("performing")))["id"]
            await slow.called(1)
            # Another process on the same database, and this one is dead for all that it knows.
            async with embedded(database_url, extend=workflows()) as second:
                await second.database.transact(abandon)
                if is_safe:
                    await slow.called(2)
                    assert slow.calls[0] == slow.calls[1], "the same key"
                    slow.go_on.set()
                found = await ended(flows_of(second), execution_id)
                slow.go_on.set()
            if is_safe:
                assert found["state"] == "SUCCESS", found["state_info"]
                assert json.loads(found["output"]) == {"got": "done"}
            else:
                assert found["state"] == "ERROR"
                assert "outcome unknown" in found["state_info"]
                assert '"second"' in found["state_info"]
                assert json.loads(found["output"])["failed"] is True
                assert len(slow.calls) == 1

    run(story())


ODD = """
version: '2.0'
odd:
  input: [name: std.noop, pause: 0, wait: 0]
  tasks:
    first: {action: std.sleep seconds=1, on-success: second}
    second: {action: "<% $.name %>", wait-before: <% $.wait %>, on-success: third}
    third: {action: std.echo output=1 delay=<% $.pause %>}
"""


def test_what_no_database_takes_ends_the_execution(database_url: str) -> None:
    """Later than at its start, so that nobody is there to be refused."""
    odd: list[tuple[dict[str, Any], str]] = [
        ({"name": "x" * 300}, "up to 255 characters"),
        ({"name": "a\0b"}, "that can be printed"),
        ({"name": "a\ud800b"}, "that can be printed"),
        ({"pause": "inf"}, "longer than 1000000000 seconds"),
        ({"pause": 10**350}, "longer than 1000000000 seconds"),
        ({"wait": 10**350}, "a whole number from 0 to 1000000000"),
    ]

    async def story() -> None:
        async with embedded(database_url, extend=workflows()) as engine:
            flows = flows_of(engine)
            await define(flows, ODD)
            begun = [await flows.start(PROJECT, Wanted("odd", input=given)) for given, _ in odd]
            for row, (given, words) in zip(begun, odd, strict=True):
                found = await ended(flows, row["id"])
                assert found["state"] == "ERROR", given
                assert words in found["state_info"], given

    run(story())


def test_triggers_and_limits(database_url: str) -> None:
    settings = FlowSettings(most_active_executions=3, most_triggers=2, most_definitions=5)

    async def story() -> None:
        async with embedded(database_url, extend=workflows(settings)) as engine:
            flows = flows_of(engine)
            await define(flows)
            with pytest.raises(Forbidden, match="maximum of 5 definitions"):
                await flows.definitions.create(
                    DefinitionKind.WORKFLOW,
                    "version: '2.0'\nmore: {tasks: {t: {action: std.noop}}}\n",
                    Place(PROJECT),
                )
            await flows.create_trigger(trigger("now", first_at=time.time() + 1))
            query = ListQuery(PROJECT, (Filter("workflow_name", Comparison.EQ, "leaf"),))
            rows = await until(lambda: flows.entries("executions", query))
            assert json.loads((await ended(flows, rows[0]["id"]))["output"]) == {"twice": 14}

            async def is_gone() -> bool:
                return not await flows.entries("cron_triggers", ListQuery(PROJECT))

            await until(is_gone)
            assert len(await flows.entries("executions", query)) == 1
            for name in ("a", "b"):
                await flows.create_trigger(trigger(name, pattern="0 0 1 1 *"))
            with pytest.raises(Forbidden, match="maximum of 2 cron triggers"):
                await flows.create_trigger(trigger("c", pattern="0 0 1 1 *"))
            for _ in range(3):
                await flows.start(PROJECT, Wanted("outside"))
            with pytest.raises(Forbidden, match="maximum of 3 executions that have not ended"):
                await flows.start(PROJECT, Wanted("outside"))

    run(story())


def trigger(name: str, first_at: float | None = None, pattern: str | None = None) -> Trigger:
    return Trigger(
        id="",
        project=PROJECT,
        name=name,
        pattern=pattern,
        workflow_name="leaf",
        workflow_id="",
        workflow_input={"number": 7},
        workflow_params={},
        first_at=first_at,
        next_at=0.0,
        remaining=None,
        scope="private",
        created_at=0.0,
    )
