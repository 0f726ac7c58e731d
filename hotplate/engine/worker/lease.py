"""The lease of a worker: its heartbeat, and until when no other worker takes its nodes."""

import asyncio
import logging
from collections.abc import Container
from contextlib import suppress

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from hotplate.engine.check.claims import Claim
from hotplate.engine.context import Tools
from hotplate.engine.store import Store
from hotplate.engine.worker.heartbeat_expiry import HeartbeatExpiry
from hotplate.engine.worker.outage import Outage
from hotplate.store.fairness import fair_queue
from hotplate.store.fairness.fair_queue import on_behalf_of
from hotplate.store.nodes import claims_of, give_back, give_back_some
from hotplate.store.workers import (
    beat,
    bring_back_heartbeats,
    end_stalled_transactions,
    register_worker,
    remove_worker,
)

_log = logging.getLogger("hotplate.worker")

HEARTBEAT = 2.0
EXPIRY = 10.0
LONGEST_CALL = 5.0
"""Seconds that a call to a provider may take; types give up before."""

PROOF = 0.2
"""Seconds between two heartbeats of a worker that the others do not see at the broker."""


class WorkerLease:
    """What the database knows of a worker, and for how long that is certain.

    ``in_hand`` are the ids of nodes that are worked on.
    """

    def __init__(
        self, store: Store, tools: Tools, outage: Outage, name: str, in_hand: Container[int]
    ) -> None:
        if EXPIRY - LONGEST_CALL <= HEARTBEAT:
            raise ValueError(
                "a heartbeat must be due before a call to a provider can outlast the lease"
            )
        self._store = store
        self._tools = tools
        self._outage = outage
        self._name = name
        self._in_hand = in_hand
        self._until = 0.0
        """By the clock that goes on while the process is stopped."""
        self._expiry = HeartbeatExpiry()
        self._renewing = asyncio.Lock()
        self._is_seen = True
        self._sooner = asyncio.Event()
        self.worker_id = 0
        """By which the database knows the worker; another after it was taken for dead."""

    @property
    def is_valid(self) -> bool:
        """Whether the database has noted a heartbeat lately. May be asked in any thread."""
        return self._tools.world.uptime() < self._until

    async def register(self) -> None:
        """Make the worker known to the database; from now on nodes can be claimed."""

        def register(connection: Connection) -> int:
            now = self._tools.clock(connection)
            self._expiry.expired(now, self._tools.world.uptime(), EXPIRY)
            bring_back_heartbeats(connection, now, EXPIRY)
            return register_worker(connection, self._name, now)

        asked = self._tools.world.uptime()
        self.worker_id = self._outage.worker_id = await self._store.transact(register)
        self._until = asked + EXPIRY - LONGEST_CALL
        _log.info("worker started", extra={"worker": self.worker_id})

    async def give_up(self) -> list[int]:
        """Give back all claims, for others to go on with, and be forgotten; return the nodes."""

        def leave(connection: Connection) -> list[int]:
            given_back = give_back(connection, self.worker_id)
            remove_worker(connection, self.worker_id)
            return given_back

        return await self._store.transact(leave)

    def seen(self, is_seen: bool) -> None:
        """Note whether others see at the broker that this process is alive.

        If not, a missing heartbeat is all they need to take its nodes: it proves at once, and
        again and again, that it is alive, and asks the database before each call to a provider.
        """
        if self._is_seen and not is_seen:
            self._until = 0.0
            self._sooner.set()
        self._is_seen = is_seen

    async def keep(self) -> None:
        """Write heartbeats until cancelled."""
        while True:
            self._sooner.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT if self._is_seen else PROOF):
                    await self._sooner.wait()
            try:
                if not await self._renew():
                    _log.warning(
                        "this worker's heartbeat expired and others have its nodes: starting anew",
                        extra={"worker": self.worker_id},
                    )
                    await self.register()
            except DBAPIError as error:
                self._outage.tolerate(error)
            else:
                self._outage.end()

    async def holds(self, claim: Claim) -> bool:
        """Tell whether no other worker can take a node during a call to a provider.

        A process that slept must find out here that it was taken for dead: the provider cannot.
        If the lease has run out the database is asked first whether the worker is still known.
        """
        while claim.node.worker == self.worker_id:
            if self.is_valid:
                return True
            if not await self._renew_once():
                return False
        return False

    def is_certain(self, claim: Claim) -> bool:
        """Tell the same by the clock alone, in any thread."""
        return claim.node.worker == self.worker_id and self.is_valid

    def expired(self, connection: Connection) -> float:
        """Return the time by the database; whose heartbeat is older has died.

        If somebody has set the database's clock, nobody counts as dead before all have had the
        time to write another heartbeat.
        """
        if not self.is_valid:
            # The database was away, perhaps: whoever asks is alive and takes nothing from itself.
            beat(connection, self.worker_id, self._tools.clock(connection))
        now = self._tools.clock(connection)
        expired = self._expiry.expired(now, self._tools.world.uptime(), EXPIRY)
        if self._expiry.was_put_back:
            bring_back_heartbeats(connection, now, EXPIRY)
        return expired

    async def _renew_once(self) -> bool:
        """Renew the lease unless another task did so while this one waited for its turn."""
        async with self._renewing:
            return self.is_valid or await self._renew()

    async def _renew(self) -> bool:
        """Write a heartbeat; False if the worker has been taken for dead.

        The lease counts from before the question: whenever the database notes it, that is later.
        """
        asked = self._tools.world.uptime()
        with on_behalf_of(fair_queue.HEARTBEAT):
            is_known = await self._outage.outlast(self._beat)
        if is_known:
            self._until = asked + EXPIRY - LONGEST_CALL
        return is_known

    def _beat(self, connection: Connection) -> bool:
        """Write a heartbeat, and let go what is claimed and not worked on.

        That happens when the answer to a claim never came, or the database was away just when
        nodes were to be put back: no other worker takes nodes from one that is alive.
        """
        if stalled := end_stalled_transactions(connection):
            _log.warning(
                "ended stalled transactions of this process", extra={"transactions": stalled}
            )
        claimed = claims_of(connection, self.worker_id)
        dropped = [claim for claim in claimed if claim[0] not in self._in_hand]
        give_back_some(connection, dropped)
        return beat(connection, self.worker_id, self._tools.clock(connection))
