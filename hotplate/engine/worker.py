"""A worker: claims nodes, checks them, and looks after what others dropped."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection

from hotplate.dispatch import Dispatcher
from hotplate.engine.check import Checker
from hotplate.engine.claims import Claim, claim_nodes
from hotplate.engine.known import Known
from hotplate.engine.nested import ChildNews, look_at_child
from hotplate.engine.outcomes import Kind, Outcome, Recorded, record
from hotplate.engine.recipes import Bound
from hotplate.engine.recorder import Recorder
from hotplate.engine.store import Store
from hotplate.engine.traversal import Tools, time_out
from hotplate.model import Stack, Task
from hotplate.store.nodes import (
    claims_of,
    give_back,
    give_back_some,
    next_due,
    put_back,
    ready_nodes,
    take_from_dead,
    wake_due,
)
from hotplate.store.stacks import lock_stacks, overdue_stacks
from hotplate.store.versions import published
from hotplate.store.workers import (
    beat,
    known_workers,
    register_worker,
    remove_dead_workers,
    remove_worker,
)

T = TypeVar("T")

HEARTBEAT = 2.0
EXPIRY = 10.0
LONGEST_CALL = 5.0
"""Seconds that a call to a provider may take; types give up before."""

SWEEP = 1.0
_KEPT_TRAVERSALS = 64


IsGone = Callable[[str], bool]
"""Tells of a worker by its name whether it is certain that it will never write again."""


@dataclass(frozen=True, slots=True)
class _Sweep:
    ready: list[int]
    due: float | None


class Worker:
    """One of any number of workers on a database."""

    def __init__(
        self,
        store: Store,
        tools: Tools,
        dispatcher: Dispatcher,
        name: str = "worker",
        is_gone: IsGone = lambda name: False,
    ) -> None:
        self._store = store
        self._tools = tools
        self._dispatcher = dispatcher
        self._name = name
        self._is_gone = is_gone
        self._id = 0
        self._lease = 0.0
        self._recorder = Recorder(self._write, dispatcher.publish)
        self._checker = Checker(tools, self._recorder.record, self._holds, self._look)
        self._known: OrderedDict[tuple[str, int], Known] = OrderedDict()
        self._sooner = asyncio.Event()
        self._in_hand: Counter[int] = Counter()

    async def start(self) -> None:
        """Register with the database; from now on nodes can be claimed."""

        def register(connection: Connection) -> int:
            return register_worker(connection, self._name, self._tools.clock(connection))

        asked = self._tools.world.now()
        self._id = await self._store.transact(register)
        self._lease = asked + EXPIRY - LONGEST_CALL

    async def run(self, slots: int = 64) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._dispatcher.run(self.handle, slots))
            group.create_task(self._beat_for_ever())
            group.create_task(self._sweep_for_ever())

    async def stop(self) -> None:
        """Give back what is in hand, for others to go on with."""

        def leave(connection: Connection) -> None:
            give_back(connection, self._id)
            remove_worker(connection, self._id)

        await self._store.transact(leave)

    async def handle(self, node_ids: Sequence[int]) -> None:
        """Claim nodes of one stack and bring each to its next resting point."""
        self._in_hand.update(node_ids)
        try:
            await self._handle(node_ids)
        finally:
            self._in_hand -= Counter(node_ids)

    async def _handle(self, node_ids: Sequence[int]) -> None:
        claims = await self._store.transact(partial(claim_nodes, ids=node_ids, worker_id=self._id))
        if not claims:
            return
        try:
            await self._work_on(claims)
        except Exception:
            # Whatever went wrong here, the nodes must not stay in hands that do nothing.
            ids = [claim.node.id for claim in claims]
            await self._store.transact(partial(put_back, ids=ids, worker_id=self._id))
            raise

    async def _work_on(self, claims: Sequence[Claim]) -> None:
        bound = await self._bound(claims[0].stack)
        known = await self._known_for(claims, bound)
        at_once: list[Outcome] = []
        later: list[Claim] = []
        for claim in claims:
            outcome = self._checker.at_once(claim, bound, known)
            if outcome is None:
                later.append(claim)
            else:
                at_once.append(outcome)
        if at_once:
            kept = await self._recorder.record_all(at_once)
            for outcome, is_kept in zip(at_once, kept, strict=True):
                if is_kept:
                    self._learn(outcome, bound, known)
        ends = await asyncio.gather(
            *(self._check(claim, bound, known) for claim in later), return_exceptions=True
        )
        for end in ends:
            if end is not None:
                raise end

    async def _check(self, claim: Claim, bound: Bound, known: Known) -> None:
        outcome = await self._checker.check(claim, bound, known)
        if outcome is not None:
            self._learn(outcome, bound, known)

    def _learn(self, outcome: Outcome, bound: Bound, known: Known) -> None:
        claim = outcome.claim
        if outcome.kind is Kind.PARKED:
            self._sooner.set()
        elif (
            outcome.kind is Kind.FINISHED
            and claim.node.task is Task.UPDATE
            and claim.is_current
            and claim.node.name in bound.template.graph
            and bound.template.graph.required_by(claim.node.name)
        ):
            known.add(claim.version)

    async def _bound(self, stack: Stack) -> Bound:
        known = self._tools.book.known(stack.id, stack.recipe)
        if known is not None:
            return known
        return await self._store.transact(
            partial(self._tools.book.bound, stack=stack, digest=stack.recipe)
        )

    async def _known_for(self, claims: Sequence[Claim], bound: Bound) -> Known:
        """Return what the nodes' dependencies offer, loading what this worker has not seen."""
        stack = claims[0].stack
        key = (stack.id, stack.sequence)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Known()
            while len(self._known) > _KEPT_TRAVERSALS:
                self._known.popitem(last=False)
        graph = bound.template.graph
        names: dict[str, None] = {}
        for claim in claims:
            if claim.node.task is Task.UPDATE and claim.is_current and claim.node.name in graph:
                names.update(dict.fromkeys(graph.requires(claim.node.name)))
        missing = known.missing(names)
        if missing:
            for version in await self._store.transact(
                partial(published, stack_id=stack.id, owner=stack.sequence, names=missing)
            ):
                known.add(version)
        return known

    async def _write(self, outcomes: Sequence[Outcome]) -> Recorded:
        return await self._store.transact(partial(record, tools=self._tools, outcomes=outcomes))

    async def _look(self, child_id: str) -> ChildNews:
        return await self._store.transact(
            partial(look_at_child, book=self._tools.book, stack_id=child_id)
        )

    async def _beat_for_ever(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT)
            if not await self._renew():
                await self.start()

    async def _renew(self) -> bool:
        """Say that this worker is alive; False if it has been taken for dead."""
        asked = self._tools.world.now()
        is_known = await self._store.transact(self._beat)
        if is_known:
            self._lease = asked + EXPIRY - LONGEST_CALL
        return is_known

    async def _holds(self, claim: Claim) -> bool:
        """Tell whether nobody can take a node from this worker during a call to a provider.

        A process that slept must find out here that it was taken for dead: the provider cannot.
        """
        while claim.node.worker == self._id:
            if self._tools.world.now() < self._lease:
                return True
            if not await self._renew():
                return False
        return False

    def _beat(self, connection: Connection) -> bool:
        """Say that this worker is alive, and let go what it claimed and does not work on.

        That happens when the answer to a claim never came, or the database was away just when
        nodes were to be put back: nobody else takes nodes from a worker that is alive.
        """
        claimed = claims_of(connection, self._id)
        dropped = [claim for claim in claimed if claim[0] not in self._in_hand]
        give_back_some(connection, dropped)
        return beat(connection, self._id, self._tools.clock(connection))

    async def _sweep_for_ever(self) -> None:
        while True:
            swept = await self.sweep()
            wait = SWEEP
            if swept is not None:
                wait = min(SWEEP, max(0.0, swept - self._tools.world.now()))
            self._sooner.clear()
            try:
                await asyncio.wait_for(self._sooner.wait(), max(wait, 0.01))
            except TimeoutError:
                continue
            await asyncio.sleep(0.01)

    async def sweep(self) -> float | None:
        """Look after everything that nobody was told of; return when the next node is due."""
        swept = await self._store.transact(self._sweep)
        self._dispatcher.publish(swept.ready)
        return swept.due

    def _sweep(self, connection: Connection) -> _Sweep:
        now = self._tools.world.now()
        overdue = overdue_stacks(connection, now)
        for stack in lock_stacks(connection, overdue).values() if overdue else ():
            if stack.deadline is not None and stack.deadline <= now:
                time_out(connection, self._tools, stack)
        expired = self._tools.clock(connection) - EXPIRY
        for worker_id, name in known_workers(connection).items():
            if self._is_gone(name):
                remove_worker(connection, worker_id)
        # First the workers: one that beats at this moment keeps its row and with it its nodes.
        remove_dead_workers(connection, expired)
        take_from_dead(connection, expired)
        wake_due(connection, now)
        return _Sweep([node_id for node_id, _ in ready_nodes(connection)], next_due(connection))
