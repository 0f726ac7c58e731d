"""What the check of a node asks of the worker that has claimed it."""

from typing import Protocol

from hotplate.engine.check.claims import Claim
from hotplate.engine.check.lease import ClaimLease
from hotplate.engine.check.listening import ReceivedSignals
from hotplate.engine.check.outcome import Outcome
from hotplate.engine.nested_stacks import ChildReport
from hotplate.engine.object_ownership import ObjectUse
from hotplate.model import Stack, Version
from hotplate.resources.stages import Contents


class Ports(Protocol):
    """The way from a check to the database. All methods may be called for many nodes at once."""

    async def record(self, outcome: Outcome) -> bool:
        """Write an outcome; False if the claim is lost, after which nothing more may be done."""

    def lease_of(self, claim: Claim) -> ClaimLease:
        """Return the lease under which providers are called for a claim."""

    async def report_of(self, stack_id: str) -> ChildReport:
        """Return how a nested stack stands and what it offers."""

    async def contents_of(self, stack_id: str) -> Contents:
        """Return what is in a nested stack, whatever it is doing."""

    async def signals_to(self, version: Version, reference: str) -> ReceivedSignals:
        """Return the signals to the resource that a version listens to, given its reference."""

    async def refusal_of(self, taking: ObjectUse, version: Version, stack: Stack) -> str:
        """Return why a version may not take an object; empty if it may."""
