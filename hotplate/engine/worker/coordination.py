"""What a worker does with the coordinator of a large traversal."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from hotplate.document import InvalidDocument
from hotplate.engine.context import SMALLER, Tools
from hotplate.engine.store import Store
from hotplate.engine.traversal import clearing
from hotplate.engine.traversal import coordinator as steps
from hotplate.engine.traversal.claimed_coordinator import Coordinator, NotNewest, NotOwner
from hotplate.engine.traversal.coordinator import parts, portions
from hotplate.engine.traversal.planned_rows import PlannedRows, id_count
from hotplate.model import STOPPING, Task

_log = logging.getLogger("hotplate.worker")

HANDED_OVER = 4
"""Portions of versions that are handed over at once: that is one statement for all of them."""

_ROUND = 0.2
_ROUNDS = 25
"""Seconds between two looks at what waits and shall not, and how many: a call may take its time."""


class Coordination:
    """Coordinates large traversals. Between two portions everybody else has a turn."""

    def __init__(
        self, store: Store, tools: Tools, publish: Callable[[Iterable[int]], None]
    ) -> None:
        self._store = store
        self._tools = tools
        self._publish = publish

    def _size(self) -> int:
        """Return how much a portion has now: others wait for it."""
        portion = self._tools.portion
        return portion // SMALLER if self._store.is_contended else portion

    async def run(self, by: Coordinator) -> None:
        """Bring a coordinator to its next resting point."""
        try:
            await self._run(by)
        except NotNewest:
            await self._store.transact(partial(steps.leave, by=by))
        except NotOwner:
            _log.info("coordinator was taken over", extra={"stack": by.stack.id})

    async def _run(self, by: Coordinator) -> None:
        transact = self._store.transact
        if by.node.task is Task.CLEAR:
            await self._clear(by)
            return
        if by.node.task in STOPPING:
            await self._stop(by)
            await transact(partial(clearing.go_on_with_plan, by=by))
            by = replace(by, node=replace(by.node, task=Task.PLAN))
        if by.node.task is Task.PLAN:
            try:
                await self._write_graph(by)
            except InvalidDocument as fault:
                reason = str(fault)
                give_up = partial(steps.give_up, tools=self._tools, by=by, reason=reason)
                self._publish(await transact(give_up))
                return
        if by.node.task is not Task.CLOSE:
            drafts = await self._store.read(partial(steps.read_drafts, by=by))
            for ids in portions(drafts, self._size):
                opened = partial(steps.open_some, by=by, ids=ids)
                self._publish(await transact(opened))
            if not await transact(partial(steps.rest, by=by)):
                return
        await self._close(by)

    async def _write_graph(self, by: Coordinator) -> None:
        """Write versions and nodes, and let them count once all of them are there."""
        store, tools = self._store, self._tools
        plan = await store.read(partial(steps.read_plan, tools=tools, by=by))
        count = id_count(plan)
        base = await store.transact(partial(steps.reserve_ids, by=by, count=count))
        stack, now = by.stack, tools.world.now()
        rows = PlannedRows(
            tools.world, stack, plan, plan.types, stack.sequence, stack.recipe, now, base
        )
        for part in parts(len(plan.missing), self._size):
            write_versions = partial(steps.write_versions, plan=plan, rows=rows, part=part, by=by)
            await store.transact(write_versions)
        # Older work on a version is looked at, and noted on it.
        part_of = 1 if len(plan.older) <= tools.portion else 4
        for part in parts(len(plan.nodes), lambda: self._size() // part_of):
            write = partial(steps.write_nodes, tools=tools, plan=plan, rows=rows, part=part, by=by)
            self._publish(await store.transact(write))
        for versions in portions(plan.disowned, self._size):
            await store.transact(partial(steps.let_go, versions=versions, by=by))
        for ids in portions(plan.confirmed, lambda: HANDED_OVER * self._size()):
            await store.transact(partial(steps.own_settled, plan=plan, ids=ids, by=by))
        for ids in portions(await store.read(partial(steps.read_stale, rows=rows)), self._size):
            await store.transact(partial(steps.remove_stale, rows=rows, ids=ids, by=by))
        for ids in portions(plan.gone, self._size):
            await store.transact(partial(steps.forget_versions, ids=ids, by=by))
        await store.transact(partial(steps.install, plan=plan, by=by))

    async def _close(self, by: Coordinator) -> None:
        """Remove what is not needed any more, then complete the stack."""
        store = self._store
        nodes, versions = await store.read(partial(steps.read_remains, by=by))
        for ids in portions(nodes, self._size):
            await store.transact(partial(steps.remove_remains, nodes=ids, by=by))
        for ids in portions(versions, self._size):
            await store.transact(partial(steps.remove_remains, versions=ids, by=by))
        kept = await store.read(partial(steps.read_kept, by=by))
        found = await store.read(partial(steps.read_found, by=by))
        end = partial(steps.end, tools=self._tools, by=by, kept=kept, found=found)
        self._publish(await store.transact(end))

    async def _stop(self, by: Coordinator) -> None:
        """Stop what goes on inside the stack, and end what only waits."""
        store, tools = self._store, self._tools
        is_over = False
        while not is_over:
            stop = partial(clearing.stop_some, tools=tools, by=by)
            ready, is_over = await store.transact(stop)
            self._publish(ready)
        for _ in range(_ROUNDS):
            waiting = await store.read(partial(clearing.read_waiting, by=by))
            # Each is written with an event: four times as much as a node that is removed.
            for ids in portions(waiting.nodes, lambda: self._size() // 4):
                give_up = partial(clearing.give_up_some, tools=tools, by=by, ids=ids)
                self._publish(await store.transact(give_up))
            if waiting.is_all:
                return
            await asyncio.sleep(_ROUND)

    async def _clear(self, by: Coordinator) -> None:
        """Take away what a stack has left."""
        store = self._store
        await self._stop(by)
        for ids in portions(await store.read(partial(clearing.read_unbegun, by=by)), self._size):
            removed = partial(clearing.remove_some, by=by, ids=ids)
            self._publish(await store.transact(removed))
        for ids in portions(await store.read(partial(clearing.read_abandoned, by=by)), self._size):
            await store.transact(partial(clearing.remove_abandoned, by=by, ids=ids))
        await store.transact(partial(clearing.end_clearing, by=by))
