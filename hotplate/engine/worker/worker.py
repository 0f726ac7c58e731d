"""A worker: claims nodes, and brings each to its next resting point."""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from sqlalchemy.exc import DBAPIError

from hotplate.dispatch import Claimed, Dispatcher
from hotplate.engine.check.claims import Claim, Outcome, OutcomeKind, Recorded, claim_nodes
from hotplate.engine.check.record import record
from hotplate.engine.check.run import Checker
from hotplate.engine.context import Tools
from hotplate.engine.evaluation import LightStore, evaluating
from hotplate.engine.published_values import Publications, PublishedValues
from hotplate.engine.recipes.book import Bound
from hotplate.engine.store import Store
from hotplate.engine.traversal.claimed_coordinator import Coordinator
from hotplate.engine.worker.ahead import Ahead
from hotplate.engine.worker.binding import Binding
from hotplate.engine.worker.coordination import Coordination
from hotplate.engine.worker.due import DueNodes
from hotplate.engine.worker.in_hand import InHand
from hotplate.engine.worker.lease import WorkerLease
from hotplate.engine.worker.outage import Outage
from hotplate.engine.worker.ports import Recorder, WorkerPorts
from hotplate.engine.worker.presence import ProcessHasEnded
from hotplate.engine.worker.sweep import Sweep
from hotplate.engine.worker.takeover import TakeOver
from hotplate.model import Action, Status, Task, Version
from hotplate.store.fairness.batching import Batcher
from hotplate.store.fairness.fair_queue import at_work_for
from hotplate.store.monitoring.queue import ready_after
from hotplate.store.nodes import put_back
from hotplate.store.sealing import CannotOpen, KeyRefused
from hotplate.store.stacks import projects_of
from hotplate.store.versions import published

_log = logging.getLogger("hotplate.worker")

_CLAIMS = 128
"""Nodes that one transaction claims: others wait for it, and for the work on what it claims."""

_STEP = 0.001
"""Seconds for which nodes are checked before others in the event loop have a turn."""

AnyClaim = Claim | Coordinator


class Worker:
    """One of any number of workers on a database."""

    def __init__(
        self,
        store: Store,
        tools: Tools,
        dispatcher: Dispatcher,
        name: str = "worker",
        process_has_ended: ProcessHasEnded = lambda name: False,
    ) -> None:
        tools = evaluating(tools, store)
        store = LightStore(store, tools)
        self._store = store
        self._tools = tools
        self._dispatcher = dispatcher
        self._in_hand = InHand()
        self._outage = Outage(store, tools.world)
        self._lease = WorkerLease(store, tools, self._outage, name, self._in_hand)
        self._due = DueNodes(store, tools, self._lease, self._in_hand, self._go_on)
        self._sweep = Sweep(
            store, tools, dispatcher, self._lease, self._outage, process_has_ended, self._due
        )
        self._take_over = TakeOver(store, dispatcher, self._lease, process_has_ended)
        self._owners = tools.owners
        self._recorder = Recorder(
            self._write, dispatcher.publish, lambda: store.is_contended, self._owners.learn
        )
        self._ports = WorkerPorts(store, tools, self._recorder, self._lease)
        self._checker = Checker(tools, self._ports)
        self._binding = Binding(store, tools)
        self._coordination = Coordination(store, tools, dispatcher.publish)
        self._claims = Batcher(
            self._claim,
            _CLAIMS,
            line=self._owners.line_of,
            weight=len,
            is_contended=lambda: store.is_contended,
            is_apart=lambda: store.is_contended,
        )
        self._published = Publications()
        self._ahead = Ahead(tools, self._checker.at_once, self._published)
        self.processed = 0
        """Nodes that were claimed and worked on."""

    @property
    def id(self) -> int:
        """The id by which the database knows this worker; another after it was taken for dead."""
        return self._lease.worker_id

    @property
    def in_hand(self) -> int:
        """How many nodes are being worked on."""
        return len(self._in_hand)

    @property
    def has_valid_lease(self) -> bool:
        """Whether the heartbeat of this worker was written lately."""
        return self._lease.is_valid

    async def start(self) -> None:
        """Register with the database; from now on nodes can be claimed."""
        await self._lease.register()

    async def run(self, slots: int = 64) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._dispatcher.run(self, slots))
            group.create_task(self._lease.keep())
            group.create_task(self._sweep.repeat())

    async def attend(self) -> None:
        """Be known as alive until cancelled, and claim nothing."""
        await self._lease.keep()

    async def drain(self, seconds: float) -> None:
        """Take nothing more, and give what is in hand so long to come to its resting point."""
        self._due.pause()
        await self._dispatcher.pause()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._in_hand:
                    self._in_hand.let_go.clear()
                    await self._in_hand.let_go.wait()

    async def stop(self) -> None:
        """Give back what is in hand, for others to go on with."""
        self._outage.stop()
        self._dispatcher.publish(await self._lease.give_up())
        _log.info("worker stopped", extra={"worker": self.id, "processed": self.processed})

    async def sweep(self) -> float | None:
        """Publish everything that no message has named; return when the next node is due."""
        return await self._sweep.once()

    async def ready_after(self, node_id: int, most: int) -> list[int]:
        """Return ready nodes of the stack of a node that come after it, in order."""
        return await self._store.read(partial(ready_after, node_id=node_id, most=most))

    async def projects_of(self, stacks: Sequence[int]) -> dict[int, str]:
        """Return whose stacks are, by their numbers; fewer if the database is away."""
        known = self._owners.of_stacks(stacks)
        unknown = [each for each in stacks if each not in known]
        if not unknown:
            return known
        try:
            return known | await self._store.read_soon(partial(projects_of, numbers=unknown))
        except DBAPIError as error:
            self._outage.tolerate(error)
            return known

    def seen(self, is_seen: bool) -> None:
        """Note whether other workers see by the dispatcher that this process is alive."""
        self._lease.seen(is_seen)

    async def handle(
        self, node_ids: Sequence[int], is_redelivered: bool = False, claimed: Claimed | None = None
    ) -> None:
        """Claim nodes of one stack and bring each to its next resting point.

        ``claimed`` is told how many could be claimed. If another worker had them before, it is
        looked after what that one has left.
        """
        try:
            if is_redelivered:
                await self._take_over.go_on(node_ids)
        except DBAPIError as error:
            self._outage.tolerate(error)
        with self._in_hand.holding(node_ids), self._tolerating(node_ids):
            claims = await self._claims.ask(node_ids)
            if claimed is not None:
                claimed(len(claims))
            if claims:
                await self._work_on(claims)

    async def _go_on(self, claims: Sequence[Claim]) -> None:
        """Bring claims of one stack to their next resting point, which are in hand."""
        with self._tolerating([claim.node.id for claim in claims]):
            await self._work_on(claims)

    @contextmanager
    def _tolerating(self, node_ids: Sequence[int]) -> Iterator[None]:
        """Work on nodes of one stack in here; what cannot be done is left to later."""
        try:
            # In the event loop, too, this is done for whoever has the stack.
            with at_work_for([self._owners.of(node_ids[0])]):
                yield
        except DBAPIError as error:
            # The next heartbeat lets go what was claimed, and a sweep finds it again.
            self._outage.tolerate(error)
        except (CannotOpen, KeyRefused) as error:
            self._leave(node_ids, error)

    async def _work_on(self, claims: Sequence[AnyClaim]) -> None:
        """Bring claims of one stack to their next resting point, or give them back and raise."""
        project = claims[0].stack.project
        self.processed += len(claims)
        self._owners.learn([claims[0].node.id], project)
        with at_work_for([project]):
            try:
                nodes = [claim for claim in claims if isinstance(claim, Claim)]
                if len(nodes) < len(claims):
                    await self._coordinate(claims, nodes)
                else:
                    await self._check_all(nodes)
            except Exception:
                # Whatever went wrong here, the nodes must not stay claimed while nothing is done.
                ids = [claim.node.id for claim in claims]
                await self._store.transact(partial(put_back, ids=ids, worker_id=self.id))
                raise

    async def _coordinate(self, claims: Sequence[AnyClaim], nodes: Sequence[Claim]) -> None:
        """Work on coordinators and beside them on other nodes, for which they may wait."""
        work = [self._coordination.run(each) for each in claims if isinstance(each, Coordinator)]
        if nodes:
            work.append(self._check_all(nodes))
        for end in await asyncio.gather(*work, return_exceptions=True):
            if end is not None:
                raise end

    async def _claim(self, tokens: Sequence[Sequence[int]]) -> list[list[AnyClaim]]:
        """Claim the nodes of several tokens; return what each of them got."""
        try:
            return await self._claim_all(tokens)
        except (CannotOpen, KeyRefused):
            # What cannot be opened belongs to one of them; the others go on.
            return [await self._claim_one(token) for token in tokens]

    async def _claim_one(self, token: Sequence[int]) -> list[AnyClaim]:
        try:
            return (await self._claim_all([token]))[0]
        except (CannotOpen, KeyRefused) as error:
            self._leave(token, error)
            return []

    def _leave(self, node_ids: Sequence[int], error: Exception) -> None:
        """Say why nodes are left alone: a sweep comes back to them."""
        _log.error(
            "nodes are left alone, for their data cannot be read: %s",
            error,
            extra={"nodes": list(node_ids)},
        )

    async def _claim_all(self, tokens: Sequence[Sequence[int]]) -> list[list[AnyClaim]]:
        """Claim them in one transaction. Raises what says that the data of one cannot be read."""
        ids = {node_id for token in tokens for node_id in token}
        with at_work_for({self._owners.of(token[0]) for token in tokens}):
            found = await self._store.transact(
                partial(claim_nodes, ids=sorted(ids), worker_id=self.id)
            )
        claims = {claim.node.id: claim for claim in found}
        # A node that is in two tokens is given to the first.
        return [
            [claims.pop(node_id) for node_id in dict.fromkeys(token) if node_id in claims]
            for token in tokens
        ]

    async def _check_all(self, claims: Sequence[Claim]) -> None:
        """Check nodes of one stack: those that call no provider at once, then the others together.

        The outcomes of the former are recorded with each other.
        """
        bound = await self._binding.bound(claims[0].stack)
        values = await self._published_for(claims, bound)
        at_once: list[Outcome] = []
        later: list[Claim] = []
        since = self._tools.world.uptime()
        for claim in claims:
            if self._tools.world.uptime() - since > _STEP:
                await asyncio.sleep(0)
                since = self._tools.world.uptime()
            outcome = self._checker.at_once(claim, bound, values)
            if outcome is None:
                later.append(claim)
            else:
                at_once.append(outcome)
        if at_once:
            kept = await self._recorder.record_all(at_once)
            for outcome, is_kept in zip(at_once, kept, strict=True):
                if is_kept:
                    self._note(outcome, bound, values)
        ends = await asyncio.gather(
            *(self._check(claim, bound, values) for claim in later), return_exceptions=True
        )
        for end in ends:
            if end is not None:
                raise end

    async def _check(self, claim: Claim, bound: Bound, values: PublishedValues) -> None:
        outcome = await self._checker.check(claim, bound, values)
        if outcome is not None:
            self._note(outcome, bound, values)

    def _note(self, outcome: Outcome, bound: Bound, values: PublishedValues) -> None:
        """Remember what a recorded outcome means for later nodes and for the next sweep."""
        claim = outcome.claim
        if outcome.kind is OutcomeKind.PARKED:
            if outcome.due is not None:
                self._sweep.hasten(outcome.due)
        elif (
            outcome.kind is OutcomeKind.FINISHED
            and claim.node.task is Task.UPDATE
            and claim.is_current
            and claim.node.name in bound.template.graph
            and bound.template.graph.required_by(claim.node.name)
        ):
            values.add(claim.version)

    def _note_further(self, outcomes: Sequence[Outcome]) -> None:
        """Remember what nodes offer that were never in hand: they ended as they became ready."""
        self.processed += len(outcomes)
        for outcome in outcomes:
            stack = outcome.claim.stack
            bound = self._tools.book.known(stack.id, stack.recipe)
            if bound is not None:
                self._note(outcome, bound, self._published.of(stack))

    async def _published_for(self, claims: Sequence[Claim], bound: Bound) -> PublishedValues:
        """Return what the nodes' dependencies offer, loading what this worker has not seen."""
        stack = claims[0].stack
        values = self._published.of(stack)
        graph, explicit = bound.template.graph, bound.template.explicit_graph
        names: dict[str, None] = {}
        certain: set[str] = set()
        for claim in claims:
            is_asking = claim.node.task in (Task.UPDATE, Task.PREPARE) and claim.is_current
            if is_asking and claim.node.name in graph:
                names.update(dict.fromkeys(graph.requires(claim.node.name)))
                certain.update(explicit.requires(claim.node.name))
        missing = values.missing(names)
        if missing:
            for version in await self._store.transact(
                partial(published, stack_id=stack.id, owner=stack.sequence, names=missing)
            ):
                # The types may know of implicit dependencies that the traversal began without.
                if version.name in certain or _has_been_made(version):
                    values.add(version)
        return values

    async def _write(self, outcomes: Sequence[Outcome]) -> Recorded:
        """Write outcomes, however long the database is away: what was done must not be forgotten.

        What has only been begun is given up instead: no provider was called, and it is unknown
        whether the first try was committed. All other outcomes end a claim, so none counts twice.
        """
        work = partial(record, tools=self._tools, outcomes=outcomes, ahead=self._ahead.outcomes)
        try:
            recorded = await self._store.transact(work)
        except DBAPIError as error:
            self._outage.tolerate(error)
        else:
            self._note_further(recorded.further)
            return recorded
        ended = [outcome for outcome in outcomes if outcome.kind is not OutcomeKind.BEGUN]
        recorded = Recorded()
        if ended:
            recorded = await self._outage.outlast(
                partial(record, tools=self._tools, outcomes=ended)
            )
        begun = [outcome for outcome in outcomes if outcome.kind is OutcomeKind.BEGUN]
        recorded.lost.update(outcome.claim.node.id for outcome in begun)
        return recorded


def _has_been_made(version: Version) -> bool:
    return version.action is not Action.INIT and version.status is not Status.IN_PROGRESS
