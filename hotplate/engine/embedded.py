"""An engine in one process: database, worker, dispatcher and operations, put together."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hotplate.dispatch import LocalDispatcher
from hotplate.engine.operations import Operations
from hotplate.engine.presence import is_gone, name_of_this_process
from hotplate.engine.recipes import RecipeBook
from hotplate.engine.traversal import Tools
from hotplate.engine.worker import Worker
from hotplate.engine.world import RealWorld
from hotplate.resources.catalogue import Catalogue, installed
from hotplate.store.database import Database
from hotplate.store.upgrade import upgrade

Open = Callable[[str], Database]


@dataclass(frozen=True, slots=True)
class Embedded:
    """A running engine."""

    operations: Operations
    database: Database
    tools: Tools


@asynccontextmanager
async def embedded(
    file: Path,
    services: Mapping[str, Any] | None = None,
    catalogue: Catalogue | None = None,
    open_database: Open = Database,
) -> AsyncIterator[Embedded]:
    """Run an engine on an SQLite file, which is made or brought up to date first.

    Work that another process left in the middle goes on at once. At the end what is in hand is
    given back, for whoever opens the file next. Without a catalogue all installed types are known.
    Should the worker die, the caller is interrupted, and what the worker died of is raised.
    """
    await asyncio.to_thread(file.parent.mkdir, parents=True, exist_ok=True)
    world = RealWorld(services=services or {})
    tools = Tools(world, RecipeBook(), installed() if catalogue is None else catalogue)
    dispatcher = LocalDispatcher()
    database = await asyncio.to_thread(open_database, f"sqlite:///{file}")
    try:
        await asyncio.to_thread(upgrade, database.engine)
        worker = Worker(database, tools, dispatcher, name_of_this_process(), is_gone)
        await worker.start()
        running = asyncio.create_task(worker.run())
        running.add_done_callback(partial(_interrupt, asyncio.current_task()))
        try:
            yield Embedded(Operations(database, tools, dispatcher), database, tools)
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            await worker.stop()
    finally:
        await asyncio.to_thread(database.close)


def _interrupt(caller: asyncio.Task[Any] | None, worker: asyncio.Task[None]) -> None:
    if caller is not None and not worker.cancelled() and worker.exception() is not None:
        caller.cancel()
