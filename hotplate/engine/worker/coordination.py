"""What a worker does with the coordinator of a large traversal."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from hotplate.document import InvalidDocument
from hotplate.engine.context import Tools
from hotplate.engine.store import Store
from hotplate.engine.traversal import clearing
from hotplate.engine.traversal import coordinator as steps
from hotplate.engine.traversal.appointed import Coordinator, NotNewest, NotOwner
from hotplate.engine.traversal.coordinator import portions
from hotplate.engine.traversal.rows import PlannedRows, ids_of
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
            for ids in portions(drafts, self._tools.portion):
                opened = partial(steps.open_some, by=by, ids=ids)
                self._publish(await transact(opened))
            if not await transact(partial(steps.rest, by=by)):
                return
        await self._close(by)

    async def _write_graph(self, by: Coordinator) -> None:
        """Write versions and nodes, and let them count once all of them are there."""
        store, tools, size = self._store, self._tools, self._tools.portion
        plan = await store.read(partial(steps.read_plan, tools=tools, by=by))
        count = ids_of(plan.graph)
        base = await store.transact(partial(steps.reserve_ids, by=by, count=count))
        stack, now = by.stack, tools.world.now()
        rows = PlannedRows(
            tools.world, stack, plan.graph, plan.types, stack.sequence, stack.recipe, now, base
        )
        for start in range(0, len(plan.graph.missing), size):
            part = slice(start, start + size)
            versions = partial(steps.write_versions, plan=plan, rows=rows, part=part, by=by)
            await store.transact(versions)
        # Older work on a version is looked at, and noted on it.
        few = size if len(plan.older) <= size else max(1, size // 4)
        for start in range(0, len(plan.graph.nodes), few):
            part = slice(start, start + few)
            write = partial(steps.write_nodes, tools=tools, plan=plan, rows=rows, part=part, by=by)
            self._publish(await store.transact(write))
        for ids in portions(plan.confirmed, HANDED_OVER * size):
            await store.transact(partial(steps.take_over, plan=plan, ids=ids, by=by))
        for ids in portions(await store.read(partial(steps.read_stale, rows=rows)), size):
            await store.transact(partial(steps.remove_stale, rows=rows, ids=ids, by=by))
        for ids in portions(plan.gone, size):
            await store.transact(partial(steps.forget_versions, ids=ids, by=by))
        await store.transact(partial(steps.install, plan=plan, by=by))

    async def _close(self, by: Coordinator) -> None:
        """Remove what is not needed any more, then complete the stack."""
        store, size = self._store, self._tools.portion
        nodes, versions = await store.read(partial(steps.read_remains, by=by))
        for ids in portions(nodes, size):
            await store.transact(partial(steps.remove_remains, nodes=ids, by=by))
        for ids in portions(versions, size):
            await store.transact(partial(steps.remove_remains, versions=ids, by=by))
        kept = await store.read(partial(steps.read_kept, by=by))
        end = partial(steps.end, tools=self._tools, by=by, kept=kept)
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
            for ids in portions(waiting.nodes, max(1, tools.portion // 4)):
                give_up = partial(clearing.give_up_some, tools=tools, by=by, ids=ids)
                self._publish(await store.transact(give_up))
            if waiting.is_all:
                return
            await asyncio.sleep(_ROUND)

    async def _clear(self, by: Coordinator) -> None:
        """Take away what a stack has left."""
        store, size = self._store, self._tools.portion
        await self._stop(by)
        for ids in portions(await store.read(partial(clearing.read_unbegun, by=by)), size):
            removed = partial(clearing.remove_some, by=by, ids=ids)
            self._publish(await store.transact(removed))
        for ids in portions(await store.read(partial(clearing.read_abandoned, by=by)), size):
            await store.transact(partial(clearing.remove_abandoned, by=by, ids=ids))
        await store.transact(partial(clearing.end_clearing, by=by))
