"""What a worker does for a token that another one had: go on with it if that one is dead."""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial

from sqlalchemy import Connection

from hotplate.dispatch import Dispatcher
from hotplate.engine.context import AHEAD
from hotplate.engine.store import Store
from hotplate.engine.worker.lease import PROOF, WorkerLease
from hotplate.engine.worker.presence import ProcessHasEnded
from hotplate.store.monitoring.queue import owners_of, readied_by
from hotplate.store.nodes import claims_of, give_back_some
from hotplate.store.workers import heartbeats, remove_worker

_log = logging.getLogger("hotplate.worker")

SILENCE = 3 * PROOF
"""Seconds in which a worker without a connection to the broker must have written a heartbeat."""


class TakeOver:
    """Looks after tokens that were redelivered.

    The broker redelivers when the connection of a worker ends. So does it when a network stumbles
    and when the broker itself is started anew: a worker may have lost its connection and be alive.
    """

    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        lease: WorkerLease,
        process_has_ended: ProcessHasEnded,
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._lease = lease
        self._process_has_ended = process_has_ended

    async def go_on(self, node_ids: Sequence[int]) -> None:
        """Free nodes that a dead worker has claimed, and send those that done nodes made ready.

        The worker may have died after it recorded the end of a node and before it told anybody.
        """

        def found_left(connection: Connection) -> tuple[set[int], list[int]]:
            return owners_of(connection, node_ids), readied_by(connection, node_ids, AHEAD)

        owners, ready = await self._store.transact(found_left)
        self._dispatcher.publish(ready)
        owners.discard(self._lease.worker_id)
        dead = await self._dead(owners) if owners else []
        if dead:
            await self._store.transact(partial(_free, dead=dead))
            _log.info(
                "a worker has died: its nodes are taken over",
                extra={"worker": self._lease.worker_id, "dead": dead},
            )

    async def _dead(self, owners: set[int]) -> list[int]:
        """Return which of the workers are dead for certain."""
        before = await self._store.transact(partial(heartbeats, ids=owners))
        dead = [each for each, (name, _) in before.items() if self._process_has_ended(name)]
        unseen = [
            each
            for each, (name, _) in before.items()
            if each not in dead and await self._dispatcher.has_left(name)
        ]
        if unseen:
            await asyncio.sleep(SILENCE)
            after = await self._store.transact(partial(heartbeats, ids=unseen))
            dead += [
                each
                for each, found in after.items()
                if found == before[each] and await self._dispatcher.has_left(found[0])
            ]
        return sorted(dead)


def _free(connection: Connection, dead: Sequence[int]) -> None:
    for worker_id in dead:
        remove_worker(connection, worker_id)
        # By their generation: another worker may have freed and claimed them meanwhile.
        give_back_some(connection, sorted(claims_of(connection, worker_id)))
