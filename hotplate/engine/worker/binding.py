"""What the stacks of claimed nodes are made of, bound once for all nodes that ask at a time."""

import asyncio
from functools import partial

from hotplate.engine.context import Tools
from hotplate.engine.recipes.book import Bound
from hotplate.engine.recipes.hidden_parameters import known_secrets
from hotplate.engine.store import Store
from hotplate.model import Stack


class Binding:
    """Binds recipes for one worker.

    A worker that has not accepted a stack itself gets many tokens of it before it knows its
    recipe. Binding a large one takes seconds of the processor: the first to ask does it.
    """

    def __init__(self, store: Store, tools: Tools) -> None:
        self._store = store
        self._tools = tools
        self._under_way: dict[tuple[str, str], asyncio.Task[Bound]] = {}

    async def bound(self, stack: Stack) -> Bound:
        """Return what a stack is made of; its secrets are known."""
        bound = self._tools.book.known(stack.id, stack.recipe)
        if bound is not None and bound.secrets is not None:
            return bound
        key = (stack.id, stack.recipe)
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.create_task(self._made(stack))
            task.add_done_callback(partial(self._forget, key))
        # Not ended with the first that asked: others may wait for it as well.
        return await asyncio.shield(task)

    async def _made(self, stack: Stack) -> Bound:
        bound = self._tools.book.known(stack.id, stack.recipe)
        if bound is None:
            bound = await self._store.transact(
                partial(self._tools.book.bound, stack=stack, digest=stack.recipe)
            )
        return await known_secrets(self._tools, stack.project, bound)

    def _forget(self, key: tuple[str, str], task: asyncio.Task[Bound]) -> None:
        del self._under_way[key]
        if not task.cancelled():
            task.exception()  # is known now, also if nobody waits for it any more
