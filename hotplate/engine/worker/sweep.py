"""The sweep: finds what no message tells of, such as lost messages and nodes of dead workers."""

import asyncio
import logging
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from hotplate.dispatch import Dispatcher
from hotplate.engine.check.claims import Due
from hotplate.engine.context import Tools
from hotplate.engine.store import Store
from hotplate.engine.traversal.between import run_deferred_changes
from hotplate.engine.traversal.interruption import time_out
from hotplate.engine.worker.due import DueNodes
from hotplate.engine.worker.lease import WorkerLease
from hotplate.engine.worker.outage import Outage
from hotplate.engine.worker.presence import ProcessHasEnded
from hotplate.store.deferred_changes import stacks_with_deferred_changes
from hotplate.store.nodes import next_due, ready_nodes, take_from_dead
from hotplate.store.sealing import CannotOpen, KeyRefused
from hotplate.store.stacks import lock_stack, overdue_stacks
from hotplate.store.workers import known_workers, remove_dead_workers, remove_worker

T = TypeVar("T")
_log = logging.getLogger("hotplate.worker")

SWEEP = 1.0
"""Seconds between two sweeps. What is due in between is woken without one."""

_PAUSE = 0.01
"""Seconds that pass in any case before something else is done."""

_MANY = 10_000
_REST = 3.0
"""Seconds before it is read again what is ready, if that was so many nodes."""

_GATHERING = 0.05
"""Seconds between two times at which nodes are woken: thousands that are due one after the other
are woken, sent and claimed together."""


@dataclass(frozen=True, slots=True)
class _Found:
    new: list[int]
    """Nodes that have become ready by this very sweep, but for those that were due."""

    due: Due
    following: float | None
    """When the next node is due."""

    ready: list[int] | None
    """The nodes that are ready, of each stack the first of them; None if it was looked not long
    ago."""

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
        process_has_ended: ProcessHasEnded,
        due: DueNodes,
    ) -> None:
        self._store = store
        self._tools = tools
        self._dispatcher = dispatcher
        self._lease = lease
        self._outage = outage
        self._process_has_ended = process_has_ended
        self._due = due
        self._sooner = asyncio.Event()
        self._until = math.inf
        """When there is something to do, by the clock of the event loop; unknown meanwhile."""

        self._rested = -math.inf
        """When it is read again what is ready."""

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
        try:
            await self._repeat()
        finally:
            await self._due.cancel()

    async def _repeat(self) -> None:
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
        """Go on with what is due, or tell of it; return when the next node is due."""
        due, following = await self._claiming(self._wake)
        self._due.begin(due.claims)
        self._dispatcher.publish(due.woken)
        return following

    async def once(self) -> float | None:
        """Tell of every node that is ready; return when the next one is due."""
        swept = await self._claiming(self._find)
        self._due.begin(swept.due.claims)
        new = [*swept.new, *swept.due.woken]
        if swept.ready is None:
            self._dispatcher.publish(new)
        else:
            self._dispatcher.remind(swept.ready, new)
        for stack_id in swept.deferred_changes:
            # Each for itself: a stack is locked before those nested in it, and no other with it.
            self._dispatcher.publish(
                await self._store.transact(partial(self._run_deferred_changes, stack_id=stack_id))
            )
        return swept.following

    async def _claiming(self, work: Callable[[Connection, bool], T]) -> T:
        """Run a transaction that may claim nodes, which it is told as well."""
        may_claim = self._due.may_claim
        try:
            return await self._store.transact(lambda connection: work(connection, may_claim))
        except (CannotOpen, KeyRefused):
            # Whoever claims it says what cannot be opened.
            return await self._store.transact(lambda connection: work(connection, False))
        except BaseException:
            self._due.forget()
            raise

    def _find(self, connection: Connection, may_claim: bool) -> _Found:
        new = self._time_out(connection) + self._take_over(connection)
        due, following = self._wake(connection, may_claim)
        return _Found(
            new, due, following, self._ready(connection), stacks_with_deferred_changes(connection)
        )

    def _ready(self, connection: Connection) -> list[int] | None:
        """Return what is ready, unless there is much of it and it was read just before.

        Then it is most likely on its way, and to read it again and again would hold it up.
        """
        now = self._tools.world.uptime()
        if now < self._rested:
            return None
        ready = ready_nodes(connection)
        if len(ready) > _MANY:
            self._rested = now + _REST
        return ready

    def _wake(self, connection: Connection, may_claim: bool) -> tuple[Due, float | None]:
        return self._due.find(connection, may_claim), next_due(connection)

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
            if self._process_has_ended(name):
                _log.info(
                    "a worker has died: its nodes are taken over",
                    extra={"worker": worker_id, "dead": other_id},
                )
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
