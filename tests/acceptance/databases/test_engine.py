"""The real engine on SQLite, PostgreSQL and MariaDB."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import Connection, func, select

from hotplate.dispatch import LocalDispatcher
from hotplate.engine.recipes import Recipe
from hotplate.engine.refusals import AlreadyExists
from hotplate.engine.requests.acceptance import Options
from hotplate.engine.requests.operations import Operations
from hotplate.model import Action, Event, Stack, Status
from hotplate.store.database import Database, open_engine
from hotplate.store.schema import node, stack, version, worker
from hotplate.store.upgrade import upgrade
from tests.acceptance.databases.running_engine import Running, running

T = TypeVar("T")

TEMPLATE = """
heat_template_version: wallaby
parameters:
  v: {type: string, default: x}
  fail: {type: boolean, default: false}
resources:
  a: {type: OS::Heat::RandomString}
  b:
    type: OS::Heat::Value
    properties: {value: {list_join: ['-', [{get_attr: [a, value]}, {get_param: v}]]}}
  c:
    type: OS::Heat::TestResource
    properties:
      value: {get_attr: [b, value]}
      fail: {get_param: fail}
      update_replace: true
outputs:
  o: {value: {get_attr: [c, output]}}
"""
BUSY = "heat_template_version: wallaby\nresources:\n" + "".join(
    f"  r{number}: {{type: 'Test::Busy'}}\n" for number in range(48)
)
ROUNDS = {"sqlite": 100}
"""How many rounds are played in any case; on the others as many as fit."""

SECONDS = 8.0


def recipe(value: str, fail: bool = False) -> Recipe:
    return Recipe(TEMPLATE, parameters={"v": value, "fail": fail})


def told(events: list[Event]) -> list[str]:
    return [f"{event.name} {event.action.value} {event.status.value}" for event in events]


def in_order(expected: list[str], lines: list[str]) -> bool:
    """Whether the lines contain all that is expected, in that order."""
    rest = iter(lines)
    return all(line in rest for line in expected)


def count_rows(connection: Connection) -> tuple[int, int]:
    nodes = connection.execute(select(func.count()).select_from(node)).scalar_one()
    versions = connection.execute(select(func.count()).select_from(version)).scalar_one()
    return nodes, versions


def test_a_stack_lives_through_create_replacement_rollback_and_delete(database_url: str) -> None:
    async def story() -> None:
        async with running(database_url) as engine:
            await _life(engine)

    asyncio.run(story())


async def _life(engine: Running) -> None:
    operations = engine.operations
    stack_id = await operations.create("p", "Web ä😀", recipe("x"), Options(rollback=True))
    with pytest.raises(AlreadyExists):
        await operations.create("p", "Web ä😀", recipe("x"))
    # A name that differs in its case only is another name.
    other = await operations.create("p", "web ä😀", recipe("x"))
    assert (await engine.ended(stack_id)).status is Status.COMPLETE
    first = (await operations.resources(stack_id))["c"]
    text = (await operations.outputs(stack_id))["o"]
    assert text.endswith("-x")

    await operations.update(stack_id, recipe("y"))
    assert (await engine.ended(stack_id)).status is Status.COMPLETE
    second = (await operations.resources(stack_id))["c"]
    assert second.physical_id != first.physical_id
    assert (await operations.outputs(stack_id))["o"] == f"{text[:-1]}y"

    before = len(await operations.events(stack_id))
    await operations.update(stack_id, recipe("z", fail=True))
    ended = await engine.ended(stack_id)
    assert (ended.action, ended.status) == (Action.ROLLBACK, Status.COMPLETE)
    assert (await operations.outputs(stack_id))["o"] == f"{text[:-1]}y"
    events = await operations.events(stack_id)
    assert [event.number for event in events] == sorted({event.number for event in events})
    failed = told(events)[before:]
    name = "Web ä😀"
    expected = [
        f"{name} UPDATE IN_PROGRESS",
        "b UPDATE COMPLETE",
        "c CREATE FAILED",
        f"{name} UPDATE FAILED",
        f"{name} ROLLBACK IN_PROGRESS",
        f"{name} ROLLBACK COMPLETE",
    ]
    assert in_order(expected, failed), failed

    await operations.delete(stack_id)
    ended = await engine.ended(stack_id)
    assert (ended.action, ended.status) == (Action.DELETE, Status.COMPLETE)
    assert told(await operations.events(stack_id))[-1] == f"{name} DELETE COMPLETE"
    assert (await engine.ended(other)).status is Status.COMPLETE
    assert await engine.database.transact(count_rows) == (0, 3)


GROUP = """
heat_template_version: wallaby
parameters:
  count: {type: number}
  v: {type: string}
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: {get_param: count}
      resource_def: {type: member.yaml, properties: {v: {get_param: v}}}
outputs:
  all: {value: {get_attr: [group, value]}}
"""
MEMBER = """
heat_template_version: wallaby
parameters:
  v: {type: string}
resources:
  a: {type: OS::Heat::RandomString}
  b:
    type: OS::Heat::TestResource
    properties: {value: {get_param: v}, update_replace: true, wait_secs: 0.05}
outputs:
  value: {value: {get_attr: [b, output]}}
"""


def group(count: int, value: str) -> Recipe:
    return Recipe(GROUP, files={"member.yaml": MEMBER}, parameters={"count": count, "v": value})


def test_two_workers_bring_a_tree_of_stacks_up_and_down(database_url: str) -> None:
    """A child that ends just when its parent's node lies down does not leave it asleep."""

    async def story() -> None:
        async with running(database_url, "ann") as engine, running(database_url, "bob") as other:
            await _tree(engine, other)

    asyncio.run(story())


async def _tree(engine: Running, other: Running) -> None:
    stack_id = await engine.operations.create("p", "tree", group(12, "x"))
    assert (await engine.ended(stack_id)).status is Status.COMPLETE
    assert (await engine.operations.outputs(stack_id))["all"] == ["x"] * 12
    await other.operations.update(stack_id, group(8, "y"))
    await asyncio.sleep(0.05)
    await engine.operations.update(stack_id, group(15, "z"))
    assert (await engine.ended(stack_id)).status is Status.COMPLETE
    assert (await engine.operations.outputs(stack_id))["all"] == ["z"] * 15
    nodes, versions = await engine.database.transact(count_rows)
    assert (nodes, versions) == (0, 1 + 15 + 15 * 2)
    await other.operations.delete(stack_id)
    assert (await engine.ended(stack_id)).status is Status.COMPLETE
    assert await engine.database.transact(count_rows) == (0, 0)


class Worked:
    """A worker process."""

    def __init__(self, url: str, name: str) -> None:
        program = Path(__file__).with_name("running_engine.py")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.acceptance.databases.running_engine", url, name],
            stdin=subprocess.PIPE,
            cwd=program.parents[3],
        )

    def end(self) -> None:
        self.process.communicate(timeout=30)
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def claimants(connection: Connection) -> set[str]:
    """Return the names of the workers that have nodes in hand."""
    query = select(worker.c.name).join(node, node.c.worker == worker.c.id).distinct()
    return set(connection.execute(query).scalars())


def test_two_processes_share_the_work_and_one_takes_over_from_the_other(database_url: str) -> None:
    engine = open_engine(database_url)
    upgrade(engine)
    engine.dispose()
    ann, bob = Worked(database_url, "ann"), Worked(database_url, "bob")
    try:
        asyncio.run(_shared_work(database_url, ann))
    finally:
        ann.kill()
        bob.end()


async def _shared_work(url: str, ann: Worked) -> None:
    async with running(url, "idle", slots=1, token_size=1) as engine:
        # Nobody runs this dispatcher: the others find the nodes by themselves.
        accept_only = Operations(engine.database, engine.tools, LocalDispatcher())
        stack_id = await accept_only.create("p", "s", Recipe(BUSY))
        await _claimed_by("bob", engine.database)
        await _claimed_by("ann", engine.database)
        ann.kill()
        ended = await engine.ended(stack_id)
        assert ended.status is Status.COMPLETE
        assert await engine.database.transact(count_rows) == (0, 48)
        versions = await engine.operations.resources(stack_id)
        assert all(each.status is Status.COMPLETE for each in versions.values())
        begun = told(await engine.operations.events(stack_id))
        assert {begun.count(f"r{number} CREATE COMPLETE") for number in range(48)} == {1}


async def _claimed_by(name: str, database: Database) -> None:
    """Return when a worker has something in hand."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if name in await database.transact(claimants):
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"{name} does not work")


class Noting:
    """A store that notes in which order changes of a stack were accepted, and to what."""

    is_contended = False

    def __init__(self, database: Database, accepted: list[tuple[int, str]]) -> None:
        self._database = database
        self._accepted = accepted

    async def transact(self, work: Callable[[Connection], T]) -> T:
        def noted(connection: Connection) -> tuple[T, tuple[int, str]]:
            result = work(connection)
            row = connection.execute(select(stack.c.sequence, stack.c.recipe)).one()
            return result, (row[0], row[1])

        result, note = await self._database.transact(noted)
        self._accepted.append(note)
        return result

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self._database.read(work)

    async def read_soon(self, work: Callable[[Connection], T]) -> T:
        return await self._database.read_soon(work)

    def stream(self, work: Callable[[Connection], Iterator[bytes]]) -> AsyncIterator[bytes]:
        return self._database.stream(work)


@asynccontextmanager
async def several_databases(url: str, number: int) -> AsyncIterator[list[Database]]:
    databases = [Database(url, threads=2) for _ in range(number)]
    try:
        yield databases
    finally:
        for database in databases:
            database.close()


def test_of_parallel_updates_the_last_accepted_holds(database_url: str) -> None:
    asyncio.run(_parallel_updates(database_url))


async def _parallel_updates(url: str) -> None:
    rounds = 0
    async with running(url) as engine, several_databases(url, 3) as databases:
        stack_id = await engine.operations.create("p", "s", recipe("start"))
        await engine.ended(stack_id)
        least = ROUNDS.get(url.split(":", maxsplit=1)[0], 20)
        begin = time.monotonic()
        while rounds < least or (rounds < 100 and time.monotonic() < begin + SECONDS):
            await _round(engine, databases, stack_id, rounds)
            rounds += 1
    print(f"{rounds} rounds in {time.monotonic() - begin:.1f} s")
    assert rounds >= 20


async def _round(engine: Running, databases: list[Database], stack_id: str, number: int) -> None:
    before = await engine.operations.stack(stack_id)
    accepted: list[tuple[int, str]] = []
    values = [f"{number}-{each}" for each in range(6)]
    await asyncio.gather(
        *(
            Operations(
                Noting(databases[each % 3], accepted), engine.tools, engine.dispatcher
            ).update(stack_id, recipe(value))
            for each, value in enumerate(values)
        )
    )
    ended = await engine.ended(stack_id)
    _assert_last_holds(before, ended, accepted)
    found = await engine.operations.recipe(stack_id)
    value = found.parameters["v"]
    assert value in values
    assert (await engine.operations.outputs(stack_id))["o"].endswith(f"-{value}")
    assert await engine.database.transact(count_rows) == (0, 3)


def _assert_last_holds(before: Stack, ended: Stack, accepted: list[tuple[int, str]]) -> None:
    """Every accepted change has a place of its own in the order; the last is what there is."""
    assert (ended.action, ended.status) == (Action.UPDATE, Status.COMPLETE)
    by_sequence = {sequence: digest for sequence, digest in accepted if sequence > before.sequence}
    assert sorted(by_sequence) == list(range(before.sequence + 1, before.sequence + 7))
    assert ended.sequence == before.sequence + 6
    assert ended.recipe == by_sequence[ended.sequence]
