"""The lease of a claim: whether its worker may call a provider, read before every call."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from hotplate.engine.check.claims import Claim
from hotplate.resources.lease import LeaseLost

IsCertain = Callable[[Claim], bool]
"""Tells by the clock alone whether a claim is certain to be held during a call. For any thread."""

Holds = Callable[[Claim], Awaitable[bool]]
"""The same; if the time is up the database is asked first whether the worker is still known."""

_PATIENCE: Final = 5.0
"""Seconds for which a thread waits until the heartbeat of its worker is written again."""


class ClaimLease:
    """Lets calls to a provider through as long as no other worker can have taken the claim.

    Once it has refused one the claim counts as lost, whatever a type makes of the refusal.
    """

    def __init__(self, claim: Claim, is_certain: IsCertain, holds: Holds) -> None:
        self._claim = claim
        self._is_certain = is_certain
        self._holds = holds
        self._loop = asyncio.get_running_loop()
        self.is_lost = False

    def confirm(self) -> None:
        """Return if the claim is held. Raises LeaseLost.

        In a thread it waits a little for the heartbeat; the event loop must not wait.
        """
        if not self._is_certain(self._claim) and not self._is_renewed():
            self._refuse()

    async def hold(self) -> None:
        """Return once the claim is certain to be held during a call. Raises LeaseLost."""
        if not await self._holds(self._claim):
            self._refuse()

    def _is_renewed(self) -> bool:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            return False
        renewal = asyncio.run_coroutine_threadsafe(self._renew(), self._loop)
        try:
            # By the clock once more: the process may have been stopped with the answer in hand.
            return renewal.result(_PATIENCE) and self._is_certain(self._claim)
        except TimeoutError:
            renewal.cancel()
            return False

    async def _renew(self) -> bool:
        return await self._holds(self._claim)

    def _refuse(self) -> None:
        self.is_lost = True
        raise LeaseLost("another worker has taken over; nothing was done")


LeaseOf = Callable[[Claim], ClaimLease]
"""Gives the lease under which calls for a claim are made."""
