"""Everything that runs workflows, put together for the life of one process."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, Final

from sqlalchemy import Connection

from hotplate.engine.embedded import Embedded
from hotplate.engine.evaluation import InThread
from hotplate.engine.store import Store
from hotplate.store.nodes import wake_waiting_for
from hotplate.workflow.actions import Actions, ActionSettings
from hotplate.workflow.drivers.driver import SERVICE
from hotplate.workflow.drivers.embedded import EmbeddedWorkflows
from hotplate.workflow.engine import Definitions, FlowSettings, Workflows
from hotplate.workflow.engine.calendar import Calendar
from hotplate.workflow.engine.calls import Calls
from hotplate.workflow.engine.context import FlowTools
from hotplate.workflow.engine.expiry import Expiry
from hotplate.workflow.engine.library import StoreLibrary
from hotplate.workflow.engine.lone_actions import LoneActions, Unfolding
from hotplate.workflow.engine.pooled_expressions import PooledExpressions
from hotplate.workflow.engine.runner import Runner
from hotplate.workflow.engine.threads import Threads
from hotplate.workflow.engine.upkeep import Upkeep
from hotplate.workflow.expressions import ExpressionLimits, Expressions
from hotplate.workflow.machine import RunLimits, Tools
from hotplate.workflow.machine.tools import Evaluator
from hotplate.workflow.model import WorkflowRun

_log = logging.getLogger("hotplate.workflow")

OPERATIONS: Final = "workflow operations"
"""The service of an engine that runs workflows: all that can be asked of them."""

_PATIENCE = 5.0
"""Seconds that actions in hand get to end when the process stops."""

_POLLS = (0.0, 0.05, 0.2, 0.5, 1.0)
"""Pauses between searches for the node that waits for an execution: it may not wait yet."""


def workflows(
    settings: FlowSettings | None = None,
    actions: ActionSettings | None = None,
    public_url: str = "",
) -> Callable[[Embedded], AbstractAsyncContextManager[Mapping[str, Any]]]:
    """Return what makes an engine run workflows; for `hotplate.engine.embedded.embedded`.

    ``public_url`` is how others reach this server, without a version: asynchronous actions pass
    it to those who shall report their end.
    """

    @asynccontextmanager
    async def extension(engine: Embedded) -> AsyncIterator[Mapping[str, Any]]:
        async with running(engine, settings, actions, public_url) as found:
            services = {OPERATIONS: found, SERVICE: EmbeddedWorkflows(found)}
            # Who names another that runs workflows for resources means it.
            yield {**services, **engine.tools.world.services}

    return extension


@asynccontextmanager
async def running(
    engine: Embedded,
    settings: FlowSettings | None = None,
    actions: ActionSettings | None = None,
    public_url: str = "",
) -> AsyncIterator[Workflows]:
    """Run workflows beside an engine, in the name of its worker, for the length of a block."""
    settings = settings or FlowSettings()
    threads = Threads()
    world = engine.tools.world
    tools = FlowTools(engine.database, world.now, world.uuid, threads, engine.worker, settings)
    library = StoreLibrary(engine.database, asyncio.get_running_loop())
    bounds = ExpressionLimits(seconds=settings.seconds_to_evaluate)
    expressions, loop = Expressions(bounds), asyncio.get_running_loop()
    has_pool = not isinstance(engine.tools.evaluator, InThread | None)
    limits = RunLimits(
        task_runs=settings.most_tasks,
        items=settings.most_items,
        depth=settings.deepest_nesting,
        family=settings.most_sub_workflows,
        value_bytes=settings.largest_value,
        total_bytes=settings.largest_execution,
    )

    def machine_tools(project: str) -> Tools:
        evaluating: Evaluator = expressions
        if has_pool:
            evaluating = PooledExpressions(project, bounds, engine.tools, loop)
        return Tools(evaluating, world.now, world.uuid, library.relatives(project), limits)

    callback = f"{public_url}/v2/action_executions" if public_url else ""
    known = Actions(actions or ActionSettings())
    calls = Calls(known, world.now, callback)
    runner = Runner(tools, library, machine_tools, calls)
    lone = LoneActions(tools, runner, calls, Unfolding(library, machine_tools, calls))
    operations = Workflows(tools, runner, Definitions(tools, expressions), lone, known)
    upkeep = Upkeep(tools, runner, lone, Calendar(tools, operations.start_triggered))
    waker = _Waker(engine.database, engine.publish, runner)
    operations.watch = waker.watch
    operations.unwatch = waker.unwatch
    runner.wake = upkeep.wake
    runner.ended = waker.ended
    sweeping = [
        asyncio.create_task(_for_ever(upkeep.run)),
        asyncio.create_task(_for_ever(Expiry(tools).run)),
    ]
    try:
        yield operations
    finally:
        for task in sweeping:
            task.cancel()
        for task in sweeping:
            with suppress(asyncio.CancelledError):
                await task
        await runner.stop(_PATIENCE)
        threads.close()


async def _for_ever(work: Callable[[], Awaitable[None]]) -> None:
    while True:
        try:
            await work()
        except Exception:
            _log.exception("the upkeep of workflows met an unexpected error")
        await asyncio.sleep(1)


class _Waker:
    """Wakes the nodes of stacks that wait for executions, so that they need not poll."""

    def __init__(
        self, store: Store, publish: Callable[[Iterable[int]], None], runner: Runner
    ) -> None:
        self._store = store
        self._publish = publish
        self._runner = runner
        self._watched: set[str] = set()

    def watch(self, execution_id: str) -> None:
        """A node will wait for this execution."""
        self._watched.add(execution_id)

    def unwatch(self, execution_id: str) -> None:
        """No node waits for this execution any more."""
        self._watched.discard(execution_id)

    def ended(self, run: WorkflowRun) -> None:
        """Wake the node that waits for a run, if there is one."""
        if run.id in self._watched:
            self._watched.discard(run.id)
            self._runner.in_background(self._wake(run.id))

    async def _wake(self, execution_id: str) -> None:
        def wake(connection: Connection) -> list[int]:
            return wake_waiting_for(connection, execution_id)

        for pause in _POLLS:
            await asyncio.sleep(pause)
            woken = await self._store.transact(wake)
            if woken:
                self._publish(woken)
                return
