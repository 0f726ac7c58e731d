"""What is parked until its time has come: the worker that finds it goes on with it, or wakes it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Final

from sqlalchemy import Connection

from hotplate.engine.check.claims import Claim, Due, claim_due
from hotplate.engine.context import Tools
from hotplate.engine.store import Store
from hotplate.engine.worker.in_hand import InHand
from hotplate.engine.worker.lease import WorkerLease
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import resource_type_for

Work = Callable[[Sequence[Claim]], Awaitable[None]]
"""Brings claims of one stack to their next resting point."""

_WOKEN: Final = 1000
"""Nodes that are woken at a time; others are left to the next time, or to another worker."""

_CLAIMED: Final = 256
_MOST: Final = 512
"""Nodes that are claimed at a time, and that a worker has in hand because they were due."""

_TOGETHER: Final = 64
"""Nodes of them that are checked without a pause: a few milliseconds."""


class DueNodes:
    """Goes on with nodes that are due.

    Those of types that call no provider are claimed by whoever finds them: to tell all workers of
    them would cost more than the work. A node that calls one is told to all, as ever: it has a
    message, which the broker gives to another worker as soon as this one dies.
    """

    def __init__(
        self, store: Store, tools: Tools, lease: WorkerLease, in_hand: InHand, work: Work
    ) -> None:
        self._store = store
        self._tools = tools
        self._lease = lease
        self._in_hand = in_hand
        self._work = work
        self._count = 0
        self._is_paused = False
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def may_claim(self) -> bool:
        """Whether nodes are claimed: not while projects wait for each other, for their turn."""
        return not self._is_paused and not self._store.is_contended

    def pause(self) -> None:
        """Claim nothing more; what is due is told to all."""
        self._is_paused = True

    def find(self, connection: Connection, may_claim: bool) -> Due:
        """Claim or wake what is due, in a transaction.

        `begin` must follow, or `forget` if it did not commit. Some is left for the next time while
        the worker has much in hand.
        """
        most = min(_CLAIMED, _MOST - self._count) if may_claim else _WOKEN
        if most <= 0:
            return Due([], [])
        return claim_due(
            connection,
            self._tools.world.now(),
            most,
            self._lease.worker_id,
            self._is_instant if may_claim else lambda type_name: False,
            self._in_hand.claiming,
        )

    def begin(self, claims: Sequence[Claim]) -> None:
        """Begin to work on what was claimed, in portions of one stack each."""
        for _, of_stack in groupby(claims, key=lambda claim: claim.node.id >> 32):
            group = list(of_stack)
            for start in range(0, len(group), _TOGETHER):
                self._begin(group[start : start + _TOGETHER])
        self.forget()

    def forget(self) -> None:
        """Let go of what a transaction meant to claim."""
        self._in_hand.claimed()

    async def cancel(self) -> None:
        """End all work."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, claims: Sequence[Claim]) -> None:
        node_ids = [claim.node.id for claim in claims]
        self._in_hand.hold(node_ids)
        self._count += len(node_ids)
        task = asyncio.ensure_future(self._work(claims))
        self._tasks.add(task)
        task.add_done_callback(partial(self._ended, node_ids))

    def _ended(self, node_ids: Sequence[int], task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._count -= len(node_ids)
        self._in_hand.release(node_ids)
        if not task.cancelled() and (error := task.exception()) is not None:
            asyncio.get_running_loop().call_exception_handler(
                {"message": "nodes that were due were dropped", "exception": error, "task": task}
            )

    def _is_instant(self, type_name: str) -> bool:
        try:
            return resource_type_for(self._tools.catalogue, type_name).instant
        except UnknownType:
            return False
