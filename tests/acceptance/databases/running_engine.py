"""The real engine on a real database, for tests; as a program, a worker process of its own."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from hotplate.dispatch import LocalDispatcher
from hotplate.engine.context import Tools
from hotplate.engine.recipes.book import RecipeBook
from hotplate.engine.requests.operations import Operations
from hotplate.engine.worker import lease
from hotplate.engine.worker.worker import Worker
from hotplate.engine.world import RealWorld
from hotplate.model import Stack, Status
from hotplate.resources.catalogue import Catalogue
from hotplate.resources.heat.delay import Delay
from hotplate.resources.heat.groups.autoscaling_group import AutoScalingGroup
from hotplate.resources.heat.groups.resource_group import ResourceGroup
from hotplate.resources.heat.groups.scaling_policy import ScalingPolicy
from hotplate.resources.heat.none import NoneType
from hotplate.resources.heat.random_string import RandomString
from hotplate.resources.heat.test_resource import TestResource
from hotplate.resources.heat.value import Value
from hotplate.resources.resource_type import Creation, Done, Resource, ResourceType, Result
from hotplate.store.database import Database, create_tables


class Busy(ResourceType):
    """Keeps a worker's hands full for a moment."""

    name = "Test::Busy"
    creation = Creation.REPEATABLE

    async def create(self, resource: Resource) -> Result:
        await asyncio.sleep(0.3)
        return Done(physical_id=resource.physical_name)


def tools() -> Tools:
    """Return what the engine needs, all of it real."""
    types = [
        RandomString(),
        Value(),
        NoneType(),
        TestResource(),
        Delay(),
        ResourceGroup(),
        AutoScalingGroup(),
        ScalingPolicy(),
        Busy(),
    ]
    catalogue = Catalogue(types)
    return Tools(RealWorld(), RecipeBook(catalogue), catalogue)


@dataclass(frozen=True, slots=True)
class Running:
    """An engine at work."""

    database: Database
    tools: Tools
    dispatcher: LocalDispatcher
    operations: Operations

    async def ended(self, stack_id: str, seconds: float = 60) -> Stack:
        """Return the stack when nothing is in progress any more."""
        end = time.monotonic() + seconds
        while True:
            stack = await self.operations.stack(stack_id)
            if stack.status is not Status.IN_PROGRESS:
                return stack
            if time.monotonic() > end:
                raise AssertionError(f"still {stack.action} {stack.status}: {stack.reason}")
            await asyncio.sleep(0.005)


@asynccontextmanager
async def running(
    url: str, name: str = "worker", slots: int = 64, token_size: int = 64
) -> AsyncIterator[Running]:
    """An engine with one worker, until the end of the block. Nothing may go wrong silently."""
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
    database = Database(url, threads=4)
    create_tables(database.engine)
    dispatcher = LocalDispatcher(token_size)
    kit = tools()
    worker = Worker(database, kit, dispatcher, name)
    await worker.start()
    task = asyncio.create_task(worker.run(slots))
    try:
        yield Running(database, kit, dispatcher, Operations(database, kit, dispatcher))
        if task.done():
            task.result()
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await worker.stop()
        database.close()
    assert not faults


async def _work(url: str, name: str) -> None:
    # A test does not wait ten seconds for a worker that it killed.
    lease.HEARTBEAT = 0.2
    lease.EXPIRY = 2.0
    lease.LONGEST_CALL = 1.0
    async with running(url, name, slots=1, token_size=4):
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_work(sys.argv[1], sys.argv[2]))
