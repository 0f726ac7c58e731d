"""An engine in one process: database, worker, dispatcher and operations, put together."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    suppress,
)
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from hotplate.bounded import Evaluator
from hotplate.dispatch import Dispatcher, LocalDispatcher
from hotplate.engine.authority import services_for_users
from hotplate.engine.context import Tools
from hotplate.engine.evaluation import evaluating
from hotplate.engine.recipes.book import RecipeBook
from hotplate.engine.requests.operations import Operations
from hotplate.engine.worker.garbage_collection import collecting_seldom
from hotplate.engine.worker.presence import name_of_this_process, process_has_ended
from hotplate.engine.worker.worker import Worker
from hotplate.engine.world import RealWorld
from hotplate.model.limits import DEEPEST_NESTING
from hotplate.resources.catalogue import Catalogue, installed
from hotplate.store.database import Database, make_file
from hotplate.store.events import last_time
from hotplate.store.fairness.threads import InTurn
from hotplate.store.sealing import KeyFile, Sealer
from hotplate.store.upgrade import upgrade

Open = Callable[[str], Database]
MakeEvaluator = Callable[[Tools], Evaluator]
Dispatching = Callable[[], AbstractAsyncContextManager[Dispatcher]]

_THREADS = 4
"""Transactions at the same time on a database server; SQLite has one writer anyway."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How large and how deep stacks may become, and what may be in them."""

    most_resources: int = 0
    """Resources that a stack may have, nested stacks included; 0 for no limit."""

    deepest_nesting: int = DEEPEST_NESTING
    """Levels of nested stacks."""

    allows_unverified: bool = False
    """Whether resources may be external whose type cannot tell whether there is such an object."""

    switched_off: tuple[str, ...] = ()
    """Types that no new resource may have."""


_DEFAULT_BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class Opened:
    """An engine that answers and accepts, while others do the work."""

    operations: Operations
    database: Database
    tools: Tools
    dispatcher: Dispatcher


@dataclass(frozen=True, slots=True)
class Embedded:
    """A running engine."""

    operations: Operations
    database: Database
    tools: Tools
    worker: Worker
    dispatcher: Dispatcher
    is_working: bool = True
    """Whether nodes are worked on in this process; if not, it only accepts and answers."""

    @property
    def publish(self) -> Callable[[Iterable[int]], None]:
        """Tells workers of nodes that are ready."""
        return self.dispatcher.publish


Extend = Callable[[Embedded], AbstractAsyncContextManager[Mapping[str, Any]]]
"""Adds services that need the engine themselves, for as long as it runs."""


def _open(url: str) -> Database:
    return Database(url, threads=_THREADS)


def sealed(key_file: Path) -> Open:
    """Return what opens databases whose secrets are sealed, with the master keys in a file."""

    def open_database(url: str) -> Database:
        return Database(url, threads=_THREADS, sealer=Sealer(KeyFile(key_file)))

    return open_database


@asynccontextmanager
async def _in_this_process() -> AsyncIterator[Dispatcher]:
    yield LocalDispatcher()


@dataclass(frozen=True, slots=True)
class Role:
    """What a process does of the work, and how it is told of it."""

    evaluator: MakeEvaluator | None = None
    """Where what is heavy is evaluated; in threads if None."""

    dispatching: Dispatching = _in_this_process
    """Tells workers of what is ready: those of this process, unless it says otherwise."""

    is_working: bool = True
    """Whether nodes are claimed; if not, they are left to other processes on the database."""


_ALONE = Role()


@asynccontextmanager
async def opened(
    database: Path | str,
    services: Mapping[str, Any] | None = None,
    catalogue: Catalogue | None = None,
    open_database: Open = _open,
    bounds: Bounds = _DEFAULT_BOUNDS,
    role: Role = _ALONE,
) -> AsyncIterator[Opened]:
    """Open an SQLite file or the database at a URL; its tables are made if need be.

    No worker is started: whatever is accepted waits for one. What can be secret is sealed if
    ``open_database`` is made by `sealed`. Without a catalogue all installed types are known.
    """
    url = f"sqlite:///{database}" if isinstance(database, Path) else database
    await asyncio.to_thread(make_file, url)
    world = RealWorld(services=services or {})
    catalogue = installed() if catalogue is None else catalogue
    tools = Tools(
        world,
        RecipeBook(catalogue),
        catalogue,
        allows_unverified=bounds.allows_unverified,
        most_resources=bounds.most_resources,
        deepest_nesting=bounds.deepest_nesting,
        switched_off=bounds.switched_off,
    )
    if role.evaluator is not None:
        tools = replace(tools, evaluator=role.evaluator(tools))
    store = await asyncio.to_thread(open_database, url)
    turns = world.turns = InTurn(store.precedence)
    try:
        world.clock.begin_at(await asyncio.to_thread(_upgraded, store.engine))
        tools = evaluating(tools, store)
        for each in services_for_users(world.services):
            each.attach(store)
        async with role.dispatching() as dispatcher:
            operations = Operations(store, tools, dispatcher)
            world.services = {**world.services, "software": operations.software}
            yield Opened(operations, store, tools, dispatcher)
    finally:
        await asyncio.to_thread(turns.close)
        await asyncio.to_thread(store.close)


def _upgraded(engine: Engine) -> float:
    """Bring a database to the newest schema; return the last time that anybody has noted in it."""
    upgrade(engine)
    with engine.connect() as connection, connection.begin():
        return last_time(connection) or 0.0


@asynccontextmanager
async def embedded(
    database: Path | str,
    services: Mapping[str, Any] | None = None,
    catalogue: Catalogue | None = None,
    open_database: Open = _open,
    extend: Extend | None = None,
    bounds: Bounds = _DEFAULT_BOUNDS,
    role: Role = _ALONE,
) -> AsyncIterator[Embedded]:
    """Run an engine on a database, opened as `opened` does.

    Work that another process left in the middle goes on at once. At the end what is in hand is
    given back, for whoever opens the database next. ``extend`` adds services that need the engine
    themselves. Should the worker die, the caller is
    interrupted, and what the worker died of is raised.
    """
    opening = opened(database, services, catalogue, open_database, bounds, role)
    async with opening as parts:
        store, tools = parts.database, parts.tools
        worker = Worker(store, tools, parts.dispatcher, name_of_this_process(), process_has_ended)
        engine = Embedded(parts.operations, store, tools, worker, parts.dispatcher, role.is_working)
        await worker.start()
        extensions = AsyncExitStack()
        if extend is not None:
            more = await extensions.enter_async_context(extend(engine))
            tools.world.services = {**tools.world.services, **more}
        running = asyncio.create_task(worker.run() if role.is_working else worker.attend())
        running.add_done_callback(partial(_interrupt, asyncio.current_task()))
        try:
            with collecting_seldom():
                yield engine
        finally:
            await extensions.aclose()
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            await worker.stop()


def _interrupt(caller: asyncio.Task[Any] | None, worker: asyncio.Task[None]) -> None:
    if caller is not None and not worker.cancelled() and worker.exception() is not None:
        caller.cancel()
