"""A worker: claims nodes, checks them, and looks after what others dropped."""

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from hotplate.dispatch import Dispatcher
from hotplate.engine.check.claims import Claim, claim_nodes
from hotplate.engine.check.lease import ClaimLease
from hotplate.engine.check.listening import Heard, hear
from hotplate.engine.check.outcome import Outcome, OutcomeKind, Recorded
from hotplate.engine.check.record import record
from hotplate.engine.check.recorder import Gathering, Recorder
from hotplate.engine.check.run import Checker
from hotplate.engine.context import Tools
from hotplate.engine.nested_stacks import ChildReport, child_reports, nested_contents
from hotplate.engine.object_ownership import ObjectUse, refusal
from hotplate.engine.published_values import PublishedValues
from hotplate.engine.recipes import Bound
from hotplate.engine.store import Store
from hotplate.engine.traversal.between import run_deferred_changes
from hotplate.engine.traversal.interruption import time_out
from hotplate.model import Stack, Task, Version
from hotplate.resources.stages import Contents
from hotplate.store.database import is_transient
from hotplate.store.deferred_changes import stacks_with_deferred_changes
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
from hotplate.store.stacks import lock_stack, overdue_stacks
from hotplate.store.versions import published
from hotplate.store.workers import (
    beat,
    known_workers,
    register_worker,
    remove_dead_workers,
    remove_worker,
)

T = TypeVar("T")

_log = logging.getLogger("hotplate.worker")

HEARTBEAT = 2.0
EXPIRY = 10.0
LONGEST_CALL = 5.0
"""Seconds that a call to a provider may take; types give up before."""

SWEEP = 1.0
_KEPT_TRAVERSALS = 64
_SHORTEST_PAUSE = 0.1
_LONGEST_PAUSE = 4.0
"""Seconds between two tries while the database is away."""


IsGone = Callable[[str], bool]
"""Tells of a worker by its name whether it is certain that it will never write again."""


@dataclass(frozen=True, slots=True)
class _Sweep:
    ready: list[int]
    due: float | None
    deferred_changes: list[str]
    """Stacks for which there is something to do between two traversals."""


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
        if EXPIRY - LONGEST_CALL <= HEARTBEAT:
            raise ValueError("a worker must be heard before a call to a provider can outlast it")
        self._store = store
        self._tools = tools
        self._dispatcher = dispatcher
        self._name = name
        self._is_gone = is_gone
        self._id = 0
        self._lease = 0.0
        """By the clock that goes on while the process is stopped."""
        self._renewing = asyncio.Lock()
        self._recorder = Recorder(self._write, dispatcher.publish)
        self._claims = Gathering(self._claim)
        self._looks = Gathering(self._look_at)
        self._checker = Checker(
            tools,
            self._recorder.record,
            self._lease_of,
            self._look,
            self._hear,
            self._inspect,
            self._held,
        )
        self._known: OrderedDict[tuple[str, int], PublishedValues] = OrderedDict()
        self._sooner = asyncio.Event()
        self._in_hand: Counter[int] = Counter()
        self._away_since: float | None = None
        self._is_stopping = False
        self.processed = 0
        """Nodes that were claimed and worked on."""

    @property
    def id(self) -> int:
        """The id by which the database knows this worker; another after it was taken for dead."""
        return self._id

    @property
    def in_hand(self) -> int:
        """How many nodes are being worked on."""
        return len(self._in_hand)

    @property
    def is_heard(self) -> bool:
        """Whether the database has heard of this worker lately."""
        return self._tools.world.uptime() < self._lease

    async def start(self) -> None:
        """Register with the database; from now on nodes can be claimed."""

        def register(connection: Connection) -> int:
            return register_worker(connection, self._name, self._tools.clock(connection))

        asked = self._tools.world.uptime()
        self._id = await self._store.transact(register)
        self._lease = asked + EXPIRY - LONGEST_CALL
        _log.info("worker started", extra={"worker": self._id})

    async def run(self, slots: int = 64) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._dispatcher.run(self.handle, slots))
            group.create_task(self._beat_for_ever())
            group.create_task(self._sweep_for_ever())

    async def stop(self) -> None:
        """Give back what is in hand, for others to go on with."""
        self._is_stopping = True

        def leave(connection: Connection) -> None:
            give_back(connection, self._id)
            remove_worker(connection, self._id)

        await self._store.transact(leave)
        _log.info("worker stopped", extra={"worker": self._id, "processed": self.processed})

    async def handle(self, node_ids: Sequence[int]) -> None:
        """Claim nodes of one stack and bring each to its next resting point."""
        self._in_hand.update(node_ids)
        try:
            await self._handle(node_ids)
        except DBAPIError as error:
            # The next heartbeat lets go what was claimed, and a sweep finds it again.
            self._bear(error)
        finally:
            self._in_hand.subtract(node_ids)
            for node_id in node_ids:
                if not self._in_hand[node_id]:
                    del self._in_hand[node_id]

    async def _handle(self, node_ids: Sequence[int]) -> None:
        claims = await self._claims.ask(node_ids)
        if not claims:
            return
        self.processed += len(claims)
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

    async def _check(self, claim: Claim, bound: Bound, known: PublishedValues) -> None:
        outcome = await self._checker.check(claim, bound, known)
        if outcome is not None:
            self._learn(outcome, bound, known)

    def _learn(self, outcome: Outcome, bound: Bound, known: PublishedValues) -> None:
        claim = outcome.claim
        if outcome.kind is OutcomeKind.PARKED:
            self._sooner.set()
        elif (
            outcome.kind is OutcomeKind.FINISHED
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

    async def _known_for(self, claims: Sequence[Claim], bound: Bound) -> PublishedValues:
        """Return what the nodes' dependencies offer, loading what this worker has not seen."""
        stack = claims[0].stack
        key = (stack.id, stack.sequence)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = PublishedValues()
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
        """Write outcomes, however long the database is away: what was done must not be forgotten.

        What has only been begun is given up instead: nobody outside was asked, and nobody can tell
        whether the first try was committed. All other outcomes end a claim, so none counts twice.
        """
        try:
            return await self._store.transact(partial(record, tools=self._tools, outcomes=outcomes))
        except DBAPIError as error:
            self._bear(error)
        ended = [outcome for outcome in outcomes if outcome.kind is not OutcomeKind.BEGUN]
        recorded = Recorded()
        if ended:
            recorded = await self._patiently(partial(record, tools=self._tools, outcomes=ended))
        begun = [outcome for outcome in outcomes if outcome.kind is OutcomeKind.BEGUN]
        recorded.lost.update(outcome.claim.node.id for outcome in begun)
        return recorded

    async def _patiently(self, work: Callable[[Connection], T]) -> T:
        """Run work that is not given up while the database is away."""
        pause = _SHORTEST_PAUSE
        while True:
            try:
                result = await self._store.transact(work)
            except DBAPIError as error:
                self._bear(error)
                if self._is_stopping:
                    raise
            else:
                self._note_return()
                return result
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _claim(self, tokens: Sequence[Sequence[int]]) -> list[list[Claim]]:
        """Claim the nodes of several tokens; return what each of them got."""
        ids = {node_id for token in tokens for node_id in token}
        found = await self._store.transact(
            partial(claim_nodes, ids=sorted(ids), worker_id=self._id)
        )
        claims = {claim.node.id: claim for claim in found}
        # A node that is in two tokens is given to the first.
        return [
            [claims.pop(node_id) for node_id in dict.fromkeys(token) if node_id in claims]
            for token in tokens
        ]

    async def _hear(self, version: Version, reference: str) -> Heard:
        return await self._store.read(partial(hear, version=version, reference=reference))

    async def _held(self, taking: ObjectUse, version: Version, stack: Stack) -> str:
        return await self._store.read(partial(refusal, use=taking, version=version, stack=stack))

    async def _inspect(self, child_id: str) -> Contents:
        return await self._store.read(
            partial(nested_contents, book=self._tools.book, stack_id=child_id)
        )

    async def _look(self, child_id: str) -> ChildReport:
        return await self._looks.ask(child_id)

    async def _look_at(self, child_ids: Sequence[str]) -> list[ChildReport]:
        return await self._store.transact(
            partial(
                child_reports,
                book=self._tools.book,
                catalogue=self._tools.catalogue,
                stack_ids=child_ids,
            )
        )

    async def _beat_for_ever(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT)
            try:
                if not await self._renew():
                    _log.warning("taken for dead, starting anew", extra={"worker": self._id})
                    await self.start()
            except DBAPIError as error:
                self._bear(error)
            else:
                self._note_return()

    def _bear(self, error: DBAPIError) -> None:
        """Live on while the database is away; raise whatever else went wrong."""
        if not is_transient(error):
            raise error
        if self._away_since is None:
            self._away_since = self._tools.world.now()
            reason = " ".join(str(error.orig).split())
            _log.error("the database is away", extra={"worker": self._id, "reason": reason})

    def _note_return(self) -> None:
        if self._away_since is not None:
            seconds = round(self._tools.world.now() - self._away_since, 1)
            _log.info("the database is back", extra={"worker": self._id, "seconds": seconds})
            self._away_since = None

    async def _renew(self) -> bool:
        """Say that this worker is alive; False if it has been taken for dead.

        The lease counts from before the question: whenever the database notes it, that is later.
        """
        asked = self._tools.world.uptime()
        is_known = await self._patiently(self._beat)
        if is_known:
            self._lease = asked + EXPIRY - LONGEST_CALL
        return is_known

    def _lease_of(self, claim: Claim) -> ClaimLease:
        return ClaimLease(claim, self._is_held, self._holds)

    async def _holds(self, claim: Claim) -> bool:
        """Tell whether nobody can take a node from this worker during a call to a provider.

        A process that slept must find out here that it was taken for dead: the provider cannot.
        """
        while claim.node.worker == self._id:
            if self.is_heard:
                return True
            if not await self._renew_for_all():
                return False
        return False

    async def _renew_for_all(self) -> bool:
        """Renew the lease unless somebody else did so while this one waited for its turn."""
        async with self._renewing:
            return self.is_heard or await self._renew()

    def _is_held(self, claim: Claim) -> bool:
        """Tell the same by the clock alone, in any thread."""
        return claim.node.worker == self._id and self.is_heard

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
            swept = None
            try:
                swept = await self.sweep()
            except DBAPIError as error:
                self._bear(error)
            wait = SWEEP
            if swept is not None:
                wait = min(SWEEP, max(0.0, swept - self._tools.world.now()))
            self._sooner.clear()
            try:
                # Not wait_for: woken and cancelled at the same moment, it would forget the latter.
                async with asyncio.timeout(max(wait, 0.01)):
                    await self._sooner.wait()
            except TimeoutError:
                continue
            await asyncio.sleep(0.01)

    async def sweep(self) -> float | None:
        """Look after everything that nobody was told of; return when the next node is due."""
        swept = await self._store.transact(self._sweep)
        self._dispatcher.publish(swept.ready)
        for stack_id in swept.deferred_changes:
            # Each for itself: a stack is locked before those inside it, and no other with it.
            self._dispatcher.publish(
                await self._store.transact(partial(self._run_deferred_changes, stack_id=stack_id))
            )
        return swept.due

    def _sweep(self, connection: Connection) -> _Sweep:
        now = self._tools.world.now()
        for stack_id in overdue_stacks(connection, now):
            # Read one by one: with a stack ends what is inside it, which may be overdue as well.
            stack = lock_stack(connection, stack_id)
            if stack is not None and stack.deadline is not None and stack.deadline <= now:
                time_out(connection, self._tools, stack)
        if not self.is_heard:
            # The database was away, perhaps: whoever sweeps is alive and takes nothing from itself.
            beat(connection, self._id, self._tools.clock(connection))
        expired = self._tools.clock(connection) - EXPIRY
        for worker_id, name in known_workers(connection).items():
            if self._is_gone(name):
                _log.info("taking over", extra={"worker": self._id, "gone": worker_id})
                remove_worker(connection, worker_id)
        # First the workers: one that beats at this moment keeps its row and with it its nodes.
        remove_dead_workers(connection, expired)
        taken = take_from_dead(connection, expired)
        if taken:
            _log.info("took over nodes", extra={"worker": self._id, "nodes": len(taken)})
        wake_due(connection, now)
        return _Sweep(
            [node_id for node_id, _ in ready_nodes(connection)],
            next_due(connection),
            stacks_with_deferred_changes(connection),
        )

    def _run_deferred_changes(self, connection: Connection, stack_id: str) -> list[int]:
        stack = lock_stack(connection, stack_id)
        return [] if stack is None else run_deferred_changes(connection, self._tools, stack)
