"""Stacks hear of the end of their executions without looking; nothing that was dropped is lost."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, func, select, update

from hotplate.engine.embedded import embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.operations import Operations
from hotplate.model import Status
from hotplate.resources.mistral import external_resource
from hotplate.store.schema import node, stack
from hotplate.store.workflows.definitions import DefinitionKind
from hotplate.store.workflows.schema import workflow_action, workflow_execution
from hotplate.workflow.engine import upkeep
from hotplate.workflow.engine.definitions import Place
from hotplate.workflow.engine.operations import Wanted, Workflows
from hotplate.workflow.running import OPERATIONS, workflows
from tests.databases import sqlite_file

PATIENCE = 60
TEXT = """
version: '2.0'
slow:
  output: {resource_id: made}
  tasks:
    wait: {action: std.sleep seconds=1}
delayed:
  tasks:
    wait: {action: std.noop, wait-before: 1}
outside:
  tasks:
    wait: {action: std.async_noop}
"""
TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "made": {
            "type": "OS::Mistral::ExternalResource",
            "properties": {"actions": {"CREATE": {"workflow": "slow"}}},
        }
    },
}


async def until(look: Any) -> Any:
    while True:
        found = await look()
        if found:
            return found
        await asyncio.sleep(0.02)


def test_the_end_of_an_execution_wakes_the_stack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(external_resource, "_FIRST_POLL", 1000.0)
    monkeypatch.setattr(external_resource, "_LONGEST_POLL", 1000.0)

    async def story() -> None:
        async with embedded(sqlite_file(tmp_path / "hotplate.db"), extend=workflows()) as engine:
            flows: Workflows = engine.tools.world.services[OPERATIONS]
            await flows.definitions.create(DefinitionKind.WORKFLOW, TEXT, Place("p"))
            recipe = Recipe(json.dumps(TEMPLATE))
            stack_id = await engine.operations.create("p", "s", recipe)

            async def is_over() -> bool:
                stack = await engine.operations.stack(stack_id)
                return stack.status is not Status.IN_PROGRESS

            await until(is_over)
            stack = await engine.operations.stack(stack_id)
            assert stack.status is Status.COMPLETE, stack.reason

    async def bounded() -> None:
        async with asyncio.timeout(PATIENCE):
            await story()

    asyncio.run(bounded())


ENDLESS = {
    "heat_template_version": "2021-04-16",
    "resources": {
        f"made{number}": {
            "type": "OS::Mistral::ExternalResource",
            "properties": {"actions": {"CREATE": {"workflow": "outside"}}},
        }
        for number in range(15)
    },
}


@pytest.mark.parametrize("way", ["delete", "cancel", "roll back"])
def test_stacks_that_are_stopped_at_once_leave_nothing_running(tmp_path: Path, way: str) -> None:
    """Some of the executions are being started just then, others looked at, others not begun."""

    async def stopped(operations: Operations, stack_id: str) -> None:
        if way == "delete":
            await operations.delete(stack_id)
        elif way == "cancel":
            await operations.cancel(stack_id, roll_back=False)
        else:
            await operations.roll_back(stack_id)

    async def story() -> None:
        async with embedded(sqlite_file(tmp_path / "hotplate.db"), extend=workflows()) as engine:
            operations = engine.operations
            flows: Workflows = engine.tools.world.services[OPERATIONS]
            await flows.definitions.create(DefinitionKind.WORKFLOW, TEXT, Place("p"))
            recipe = Recipe(json.dumps(ENDLESS))
            stacks = [await operations.create("p", f"s{number}", recipe) for number in range(8)]

            def running(connection: Connection) -> int:
                counted = select(func.count()).select_from(workflow_execution)
                counted = counted.where(workflow_execution.c.state == "RUNNING")
                return int(connection.execute(counted).scalar_one())

            async def is_under_way() -> bool:
                return await engine.database.read(running) > 0

            await until(is_under_way)
            await asyncio.gather(*(stopped(operations, stack_id) for stack_id in stacks))

            def going_on(connection: Connection) -> int:
                busy = select(func.count()).where(stack.c.status == "IN_PROGRESS")
                nodes = select(func.count()).where(node.c.state != "done")
                found = [connection.execute(each).scalar_one() for each in (busy, nodes)]
                return sum(map(int, found)) + running(connection)

            async def is_over() -> bool:
                return await engine.database.read(going_on) == 0

            await until(is_over)

    async def bounded() -> None:
        async with asyncio.timeout(PATIENCE):
            await story()

    asyncio.run(bounded())


def test_an_action_that_was_dropped_is_not_held_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "_STRAY", 1.0)

    async def story() -> None:
        async with embedded(sqlite_file(tmp_path / "hotplate.db"), extend=workflows()) as engine:
            flows: Workflows = engine.tools.world.services[OPERATIONS]
            await flows.definitions.create(DefinitionKind.WORKFLOW, TEXT, Place("p"))
            execution_id = (await flows.start("p", Wanted("outside")))["id"]

            def hold(connection: Connection) -> None:
                connection.execute(
                    update(workflow_action).values(hand="held", worker=engine.worker.id)
                )

            await engine.database.transact(hold)

            async def is_over() -> bool:
                return (await flows.execution("p", execution_id))["state"] == "ERROR"

            await until(is_over)
            assert "outcome unknown" in (await flows.execution("p", execution_id))["state_info"]

    async def bounded() -> None:
        async with asyncio.timeout(PATIENCE):
            await story()

    asyncio.run(bounded())


def test_what_is_due_in_a_paused_execution_is_no_reason_to_look_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweeps: list[float] = []
    sweep = upkeep.Upkeep.sweep

    async def counted(self: upkeep.Upkeep) -> float | None:
        sweeps.append(0.0)
        return await sweep(self)

    monkeypatch.setattr(upkeep.Upkeep, "sweep", counted)

    async def story() -> None:
        async with embedded(sqlite_file(tmp_path / "hotplate.db"), extend=workflows()) as engine:
            flows: Workflows = engine.tools.world.services[OPERATIONS]
            await flows.definitions.create(DefinitionKind.WORKFLOW, TEXT, Place("p"))
            execution_id = (await flows.start("p", Wanted("delayed")))["id"]
            await flows.set_state("p", execution_id, "PAUSED")
            await asyncio.sleep(1.5)
            sweeps.clear()
            await asyncio.sleep(2)
            assert len(sweeps) <= 6
            await flows.set_state("p", execution_id, "RUNNING")

            async def is_over() -> bool:
                return (await flows.execution("p", execution_id))["state"] == "SUCCESS"

            await until(is_over)

    async def bounded() -> None:
        async with asyncio.timeout(PATIENCE):
            await story()

    asyncio.run(bounded())
