"""The sweep: finds what no message tells of, such as lost messages and nodes of dead workers."""

import asyncio
import logging
import math
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from hotplate.dispatch import Dispatcher
from hotplate.engine.context import Tools
from hotplate.engine.store import Store
from hotplate.engine.traversal.between import run_deferred_changes
from hotplate.engine.traversal.interruption import time_out
from hotplate.engine.worker.lease import WorkerLease
from hotplate.engine.worker.outage import Outage
from hotplate.engine.worker.presence import IsGone
from hotplate.store.deferred_changes import stacks_with_deferred_changes
from hotplate.store.nodes import next_due, ready_nodes, take_from_dead, wake_due
from hotplate.store.stacks import lock_stack, overdue_stacks
from hotplate.store.workers import known_workers, remove_dead_workers, remove_worker

_log = logging.getLogger("hotplate.worker")

SWEEP = 1.0
"""Seconds between two sweeps. What is due in between is woken without one."""

_PAUSE = 0.01
"""Seconds that pass in any case before something else is done."""

_GATHERING = 0.05
"""Seconds between two times at which nodes are woken: thousands that are due one after the other
are woken, sent and claimed together."""

_DUE = 1000
"""Nodes that are woken at a time; others are left to the next time, or to another worker."""


@dataclass(frozen=True, slots=True)
class _Found:
    woken: list[int]
    """Nodes that have become ready by this very sweep."""

    ready: list[int]
    due: float | None
    deferred_changes: list[str]
    """Stacks for which there is something to do between two traversals."""


class Sweep:
    """Sweeps for one worker. Any number of them may sweep at the same time."""

    def __init__(
        self,
        store: Store,
        tools: Tools,
        dispatcher: Dispatcher,
        lease: WorkerLease,
        outage: Outage,
        is_gone: IsGone,
    ) -> None:
        self._store = store
        self._tools = tools
        self._dispatcher = dispatcher
        self._lease = lease
        self._outage = outage
        self._is_gone = is_gone
        self._sooner = asyncio.Event()
        self._until = math.inf
        """When there is something to do, by the clock of the event loop; unknown meanwhile."""

        self._next = -math.inf
        """When the next sweep is to come, by the same clock."""

    def hasten(self, due: float) -> None:
        """Wake a node that was parked just now no later than it is due."""
        at = asyncio.get_running_loop().time() + max(_PAUSE, due - self._tools.world.now())
        if at < self._until:
            self._until = at
            self._sooner.set()

    async def repeat(self) -> None:
        """Sweep every second, and wake what is due in between, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            # What is parked meanwhile may have come too late for this time.
            self._until, due = math.inf, None
            is_sweep = loop.time() >= self._next
            try:
                due = await (self.once() if is_sweep else self.wake())
            except DBAPIError as error:
                self._outage.tolerate(error)
            if is_sweep:
                self._next = loop.time() + SWEEP
            self._until = min(self._until, self._next)
            if due is not None:
                wait = max(_GATHERING, due - self._tools.world.now())
                self._until = min(self._until, loop.time() + wait)
            while (wait := self._until - loop.time()) > 0:
                self._sooner.clear()
                # Not wait_for: woken and cancelled at the same moment, it would forget the latter.
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await self._sooner.wait()

    async def wake(self) -> float | None:
        """Make ready what is due, and tell of it; return when the next node is due."""
        woken, due = await self._store.transact(self._wake)
        self._dispatcher.publish(woken)
        return due

    async def once(self) -> float | None:
        """Tell of every node that is ready; return when the next one is due."""
        swept = await self._store.transact(self._find)
        self._dispatcher.remind(swept.ready, swept.woken)
        for stack_id in swept.deferred_changes:
            # Each for itself: a stack is locked before those nested in it, and no other with it.
            self._dispatcher.publish(
                await self._store.transact(partial(self._run_deferred_changes, stack_id=stack_id))
            )
        return swept.due

    def _find(self, connection: Connection) -> _Found:
        ready = self._time_out(connection) + self._take_over(connection)
        woken, due = self._wake(connection)
        return _Found(
            ready + woken, ready_nodes(connection), due, stacks_with_deferred_changes(connection)
        )

    def _wake(self, connection: Connection) -> tuple[list[int], float | None]:
        found = wake_due(connection, self._tools.world.now(), _DUE)
        return [node_id for node_id, _ in found], next_due(connection)

    def _time_out(self, connection: Connection) -> list[int]:
        """Fail stacks whose time is up; return the nodes that are ready because of it."""
        now = self._tools.world.now()
        ready: list[int] = []
        for stack_id in overdue_stacks(connection, now):
            # Read one by one: with a stack end its nested stacks, which may be overdue as well.
            stack = lock_stack(connection, stack_id)
            if stack is not None and stack.deadline is not None and stack.deadline <= now:
                ready += time_out(connection, self._tools, stack)
        return ready

    def _take_over(self, connection: Connection) -> list[int]:
        """Make ready what workers had claimed that are dead; return these nodes."""
        worker_id = self._lease.worker_id
        expired = self._lease.expired(connection)
        for other_id, name in known_workers(connection).items():
            if self._is_gone(name):
                _log.info("taking over", extra={"worker": worker_id, "dead": other_id})
                remove_worker(connection, other_id)
        # First the workers: one that beats at this moment keeps its row and with it its nodes.
        remove_dead_workers(connection, expired)
        taken = take_from_dead(connection, expired)
        if taken:
            _log.info("took over nodes", extra={"worker": worker_id, "nodes": len(taken)})
        return taken

    def _run_deferred_changes(self, connection: Connection, stack_id: str) -> list[int]:
        stack = lock_stack(connection, stack_id)
        return [] if stack is None else run_deferred_changes(connection, self._tools, stack)
