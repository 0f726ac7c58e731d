"""Stories of stacks that are made in this process, on a database of their own."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from hotplate.engine.embedded import Embedded, embedded
from hotplate.model import Stack, Status
from tests.databases import sqlite_file


def tell(home: Path, story: Callable[[Embedded], Awaitable[None]]) -> None:
    async def told() -> None:
        async with asyncio.timeout(60), embedded(sqlite_file(home / "hotplate.db")) as engine:
            await story(engine)

    asyncio.run(told())


async def ended(engine: Embedded, stack_id: str) -> Stack:
    while True:
        stack = await engine.operations.stack(stack_id)
        if stack.status is not Status.IN_PROGRESS:
            return stack
        await asyncio.sleep(0.01)
