"""The way from checks to the database: outcomes recorded together, questions answered."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial

from hotplate.engine.check.claims import Claim, Outcome, Recorded
from hotplate.engine.check.lease import ClaimLease
from hotplate.engine.check.listening import ReceivedSignals, received_signals
from hotplate.engine.context import Tools
from hotplate.engine.nested_stacks import ChildReport, child_reports, nested_contents
from hotplate.engine.object_ownership import ObjectUse, refusal
from hotplate.engine.store import Store
from hotplate.engine.worker.lease import WorkerLease
from hotplate.model import Stack, Version
from hotplate.resources.stages import Contents
from hotplate.store.fairness.batching import Batcher
from hotplate.store.fairness.fair_queue import at_work_for, on_behalf_of

Write = Callable[[Sequence[Outcome]], Awaitable[Recorded]]
Publish = Callable[[Iterable[int]], None]
Learn = Callable[[Iterable[int], str], None]
"""Takes nodes that have become ready, and whose they are."""


_STACK = 8
"""To begin something in a nested stack takes as long as so many outcomes."""


class Recorder:
    """Group commit: whatever arrives during one transaction goes into the next."""

    _MOST = 200
    """Outcomes of one transaction: others wait for it, some 20 ms of the processor."""

    def __init__(
        self,
        write: Write,
        publish: Publish,
        is_contended: Callable[[], bool] = lambda: False,
        learn: Learn = lambda ready, project: None,
    ) -> None:
        self._write = write
        self._publish = publish
        self._learn = learn
        # Projects take turns. What is to be written together is one question: there are many.
        self._outcomes: Batcher[Sequence[Outcome], list[bool]] = Batcher(
            self._written,
            self._MOST,
            line=lambda outcomes: outcomes[0].claim.stack.project,
            weight=lambda outcomes: sum(map(_weight, outcomes)),
            is_contended=is_contended,
            # Each has its own turns at the database then, and waits for no other's outcomes.
            is_apart=is_contended,
        )

    async def record(self, outcome: Outcome) -> bool:
        """Write one outcome; False if the claim is lost."""
        (is_kept,) = await self._outcomes.ask([outcome])
        return is_kept

    async def record_all(self, outcomes: Sequence[Outcome]) -> list[bool]:
        """Write outcomes of one stack; for each tell whether the claim was still held."""
        return await self._outcomes.ask(outcomes)

    async def _written(self, asked: Sequence[Sequence[Outcome]]) -> list[list[bool]]:
        outcomes = [outcome for together in asked for outcome in together]
        projects = {outcome.claim.stack.project for outcome in outcomes}
        with at_work_for(projects):
            recorded = await self._write(outcomes)
        if len(projects) == 1:
            self._learn(recorded.ready, *projects)
        self._publish(recorded.ready)
        lost = recorded.lost
        return [[each.claim.node.id not in lost for each in together] for together in asked]


def _weight(outcome: Outcome) -> int:
    return 1 if outcome.request is None else _STACK


class WorkerPorts:
    """The `Ports` of checked nodes. What many checks ask at the same time is asked together."""

    def __init__(self, store: Store, tools: Tools, recorder: Recorder, lease: WorkerLease) -> None:
        self._store = store
        self._tools = tools
        self._recorder = recorder
        self._lease = lease
        self._reports = Batcher(self._read_reports)

    async def record(self, outcome: Outcome) -> bool:
        """Write an outcome; False if the claim is lost."""
        return await self._recorder.record(outcome)

    def lease_of(self, claim: Claim) -> ClaimLease:
        """Return the lease under which providers are called for a claim."""
        return ClaimLease(claim, self._lease.is_certain, self._lease.holds)

    async def report_of(self, stack_id: str) -> ChildReport:
        """Return how a nested stack stands and what it offers."""
        return await self._reports.ask(stack_id)

    async def contents_of(self, stack_id: str) -> Contents:
        """Return what is in a nested stack."""
        return await self._store.read(
            partial(nested_contents, book=self._tools.book, stack_id=stack_id)
        )

    async def signals_to(self, version: Version, reference: str) -> ReceivedSignals:
        """Return the signals to the resource that a version listens to."""
        return await self._store.read(
            partial(
                received_signals,
                cache=self._tools.signals,
                version=version,
                reference=reference,
            )
        )

    async def refusal_of(self, use: ObjectUse, version: Version, stack: Stack) -> str:
        """Return why a version may not take an object; empty if it may."""
        return await self._store.read(partial(refusal, use=use, version=version, stack=stack))

    async def _read_reports(self, stack_ids: Sequence[str]) -> list[ChildReport]:
        work = partial(
            child_reports,
            book=self._tools.book,
            catalogue=self._tools.catalogue,
            stack_ids=stack_ids,
        )
        # Not where others wait to write: a nested stack may be large. They may be anybody's.
        with on_behalf_of(""):
            return await self._store.read(work)
