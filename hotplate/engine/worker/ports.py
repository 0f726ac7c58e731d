"""What the checks of nodes ask of their worker, answered from the database."""

from collections.abc import Sequence
from functools import partial

from hotplate.engine.check.claims import Claim
from hotplate.engine.check.lease import ClaimLease
from hotplate.engine.check.listening import ReceivedSignals, received_signals
from hotplate.engine.check.outcome import Outcome
from hotplate.engine.check.recorder import Recorder
from hotplate.engine.context import Tools
from hotplate.engine.nested_stacks import ChildReport, child_reports, nested_contents
from hotplate.engine.object_ownership import ObjectUse, refusal
from hotplate.engine.store import Store
from hotplate.engine.worker.lease import WorkerLease
from hotplate.model import Stack, Version
from hotplate.resources.stages import Contents
from hotplate.store.fairness.batching import Batcher
from hotplate.store.fairness.fair_queue import on_behalf_of


class WorkerPorts:
    """The ports of `check.ports.Ports`. What many checks ask at the same time is asked together."""

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
