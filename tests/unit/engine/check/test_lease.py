"""The lease of a claim, as calls in coroutines and in threads see it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hotplate.engine.check.lease import ClaimLease
from hotplate.resources.lease import LeaseLost

CLAIM: Any = object()


class Clock:
    """Says whether the lease holds, and whether it could be renewed."""

    def __init__(self, is_certain: bool, is_renewable: bool) -> None:
        self.is_certain = is_certain
        self.is_renewable = is_renewable
        self.questions = 0

    async def holds(self, claim: Any) -> bool:
        self.questions += 1
        await asyncio.sleep(0)
        self.is_certain = self.is_renewable
        return self.is_renewable

    def lease(self) -> ClaimLease:
        return ClaimLease(CLAIM, lambda claim: self.is_certain, self.holds)


def refused(work: Callable[[ClaimLease], Any], clock: Clock) -> bool:
    async def run() -> bool:
        lease = clock.lease()
        try:
            await work(lease)
        except LeaseLost:
            assert lease.is_lost
            return True
        assert not lease.is_lost
        return False

    return asyncio.run(run())


def in_a_thread(lease: ClaimLease) -> Any:
    return asyncio.to_thread(lease.confirm)


async def on_the_loop(lease: ClaimLease) -> None:
    lease.confirm()


@pytest.mark.parametrize("work", [in_a_thread, on_the_loop])
def test_as_long_as_it_is_held_the_clock_is_all_that_is_asked(
    work: Callable[[ClaimLease], Any],
) -> None:
    clock = Clock(is_certain=True, is_renewable=False)
    assert not refused(work, clock)
    assert clock.questions == 0


def test_a_thread_waits_until_its_worker_has_been_heard_of() -> None:
    clock = Clock(is_certain=False, is_renewable=True)
    assert not refused(in_a_thread, clock)
    assert clock.questions == 1


def test_a_thread_whose_claim_was_taken_is_refused() -> None:
    assert refused(in_a_thread, Clock(is_certain=False, is_renewable=False))


def test_on_the_loop_nobody_waits() -> None:
    clock = Clock(is_certain=False, is_renewable=True)
    assert refused(on_the_loop, clock)
    assert clock.questions == 0


def test_a_coroutine_is_let_through_once_the_lease_is_renewed() -> None:
    assert not refused(lambda lease: lease.hold(), Clock(is_certain=False, is_renewable=True))
    assert refused(lambda lease: lease.hold(), Clock(is_certain=False, is_renewable=False))
