"""Executions that ended long ago are removed, by the server and by hand, on each database."""

import asyncio
import time
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, Table, func, insert, select, update

from hotplate.engine.embedded import Embedded, embedded
from hotplate.store.database import open_engine, transact
from hotplate.store.purge import Purged, purge, purge_definitions
from hotplate.store.workflows.listing import ListQuery
from hotplate.store.workflows.purge import PurgedWorkflows
from hotplate.store.workflows.runs import digest_of
from hotplate.store.workflows.schema import (
    workflow_action,
    workflow_execution,
    workflow_task,
    workflow_text,
)
from hotplate.workflow.engine.expiry import Expiry
from hotplate.workflow.engine.operations import Wanted, Workflows
from hotplate.workflow.engine.settings import FlowSettings
from hotplate.workflow.running import workflows
from tests.acceptance.workflows.test_on_databases import (
    PROJECT,
    define,
    ended,
    flows_of,
    run,
    until,
)

DAY = 86_400.0
TABLES = (workflow_execution, workflow_task, workflow_action, workflow_text)
FAILING = "version: '2.0'\nfailing: {tasks: {t: {action: std.fail}}}\n"


def counted(connection: Connection) -> dict[str, int]:
    return {
        table.name: int(connection.execute(select(func.count()).select_from(table)).scalar_one())
        for table in TABLES
    }


def aged(connection: Connection, days: float) -> None:
    """Let everything that has ended have ended that much earlier."""
    tables: tuple[Table, ...] = (workflow_execution, workflow_action)
    for table in tables:
        finished = table.c.finished_at
        connection.execute(
            update(table).where(finished.is_not(None)).values(finished_at=finished - days * DAY)
        )


async def lived(flows: Workflows) -> None:
    """Run a tree of 13 executions, another execution and a lone action to their ends."""
    await define(flows)
    tree = await flows.start(PROJECT, Wanted("tree", input={"count": 12}))
    leaf = await flows.start(PROJECT, Wanted("leaf", input={"number": 1}))
    for row in (tree, leaf):
        assert (await ended(flows, row["id"]))["state"] == "SUCCESS"
    lone = (await flows.run_action(PROJECT, "std.noop", {}, is_kept=True)).id

    async def is_done() -> bool:
        return bool((await flows.action(PROJECT, lone))["state"] == "SUCCESS")

    await until(is_done)


def expiry_of(engine: Embedded, days: float) -> Expiry:
    class Tools:
        store = engine.database
        now = staticmethod(time.time)
        settings = FlowSettings(days_to_keep=days)

    tools: Any = Tools()
    return Expiry(tools)


def test_a_server_removes_what_it_need_not_keep(database_url: str) -> None:
    """At its start, and then from time to time."""

    async def story() -> None:
        settings = FlowSettings(days_to_keep=10)
        async with embedded(database_url, extend=workflows(settings)) as engine:
            flows = flows_of(engine)
            await lived(flows)
            before = await engine.database.transact(counted)
            assert before == {
                "workflow_execution": 14, "workflow_task": 14, "workflow_action": 26,
                "workflow_text": 2,
            }  # fmt: skip
            assert await expiry_of(engine, 10).purge() == PurgedWorkflows()
            await engine.database.transact(partial(aged, days=11))
            young = await flows.start(PROJECT, Wanted("leaf", input={"number": 2}))
            waiting = await flows.start(PROJECT, Wanted("outside"))
            assert await expiry_of(engine, 0).purge() == PurgedWorkflows(), "0 is for ever"
        async with embedded(database_url, extend=workflows(settings)) as engine:
            flows = flows_of(engine)

            async def is_removed() -> bool:
                found = await engine.database.transact(counted)
                return found == {
                    "workflow_execution": 2, "workflow_task": 2, "workflow_action": 2,
                    "workflow_text": 2,
                }  # fmt: skip

            await until(is_removed)
            rows = await flows.entries("executions", ListQuery(PROJECT))
            assert {row["id"] for row in rows} == {young["id"], waiting["id"]}

    run(story())


def test_the_purge_takes_an_age_and_small_steps(database_url: str) -> None:
    async def live() -> None:
        async with embedded(database_url, extend=workflows()) as engine:
            await lived(flows_of(engine))
            await engine.database.transact(partial(aged, days=3))

    run(live())
    engine = open_engine(database_url)
    try:
        assert purge(engine, execution_age=5 * DAY) == Purged()
        assert purge(engine) == Purged(), "nothing by itself"
        purged = purge(engine, execution_age=2 * DAY, batch=4)
        assert purged == Purged(executions=2, actions=1, definitions=2)
        assert set(transact(engine, counted).values()) == {0}
    finally:
        engine.dispose()


def test_an_execution_that_is_brought_back_is_left_alone(database_url: str) -> None:
    async def story() -> None:
        async with embedded(database_url, extend=workflows()) as engine:
            flows = flows_of(engine)
            await define(flows, FAILING)
            failed = await flows.start(PROJECT, Wanted("failing"))
            await ended(flows, failed["id"])
            await engine.database.transact(partial(aged, days=3))
            (task,) = await flows.entries("tasks", ListQuery(PROJECT))
            expiry = expiry_of(engine, 1)
            store: Any = engine.database

            class Slow:
                """Lets somebody run the task again between the look and the removal."""

                steps = 0

                async def transact(self, work: Any) -> Any:
                    found = await store.transact(work)
                    self.steps += 1
                    if self.steps == 1:
                        assert found == [failed["id"]]
                        await flows.rerun(PROJECT, task["id"], reset=True)
                    return found

            expiry._store = Slow()  # type: ignore[assignment]
            assert await expiry.purge() == PurgedWorkflows()
            assert (await ended(flows, failed["id"]))["state"] == "ERROR"
            assert len(await flows.entries("tasks", ListQuery(PROJECT))) == 1

    run(story())


@pytest.mark.parametrize("other", ["commits", "gives up"])
def test_two_may_be_the_first_to_run_a_definition(server_url: str, other: str) -> None:
    async def story() -> None:
        async with embedded(server_url, extend=workflows()) as engine:
            flows = flows_of(engine)
            await define(flows, FAILING)
            database = open_engine(server_url)
            with database.connect() as connection, connection.begin() as transaction:
                row = {"digest": digest_of(FAILING), "body": FAILING}
                connection.execute(insert(workflow_text), [row])
                starting = asyncio.create_task(flows.start(PROJECT, Wanted("failing")))
                await asyncio.sleep(0.3)
                assert not starting.done()
                if other == "commits":
                    transaction.commit()
                else:
                    transaction.rollback()
            database.dispose()
            assert (await ended(flows, (await starting)["id"]))["state"] == "ERROR"

    run(story())


def test_a_definition_that_is_being_removed_is_stored_again(server_url: str) -> None:
    async def story() -> None:
        async with embedded(server_url, extend=workflows()) as engine:
            flows = flows_of(engine)
            await define(flows, FAILING)
            first = await flows.start(PROJECT, Wanted("failing"))
            await ended(flows, first["id"])
            await flows.delete_execution(PROJECT, first["id"], force=False)
            database = open_engine(server_url)
            with database.connect() as connection, connection.begin() as transaction:
                assert purge_definitions(connection, "", 100) == (1, None)
                starting = asyncio.create_task(flows.start(PROJECT, Wanted("failing")))
                await asyncio.sleep(0.3)
                assert not starting.done()
                transaction.commit()
            database.dispose()
            second = (await starting)["id"]
            assert (await ended(flows, second))["state"] == "ERROR"
            assert (await flows.execution(PROJECT, second))["workflow_name"] == "failing"
            assert await engine.database.transact(counted) == {
                "workflow_execution": 1, "workflow_task": 1, "workflow_action": 1,
                "workflow_text": 1,
            }  # fmt: skip

    run(story())
