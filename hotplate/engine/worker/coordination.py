"""What a worker does with the coordinator of a large traversal."""

import logging
from collections.abc import Callable, Iterable
from functools import partial

from hotplate.document import InvalidDocument
from hotplate.engine.context import Tools
from hotplate.engine.store import Store
from hotplate.engine.traversal import coordinator as steps
from hotplate.engine.traversal.appointed import Coordinator
from hotplate.engine.traversal.coordinator import NotNewest, NotOwner, portions
from hotplate.engine.traversal.rows import PlannedRows, ids_of
from hotplate.model import Task

_log = logging.getLogger("hotplate.worker")


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
            await store.transact(partial(steps.write_versions, rows=rows, part=part, by=by))
        for start in range(0, len(plan.graph.nodes), size):
            part = slice(start, start + size)
            write = partial(steps.write_nodes, tools=tools, plan=plan, rows=rows, part=part, by=by)
            self._publish(await store.transact(write))
        for ids in portions(plan.confirmed, size):
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
        self._publish(await store.transact(partial(steps.end, tools=self._tools, by=by)))
