"""Whose the stacks are that wait for a slot: asked when slots are scarce."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from hotplate.dispatch.dispatcher import Handler
from hotplate.dispatch.round_robin import RoundRobin

T = TypeVar("T")


class ProjectLookup(Generic[T]):
    """Asks whose the stacks are that wait, while the dispatcher goes on."""

    def __init__(self, turns: RoundRobin[T], handler: Handler, learned: Callable[[], None]) -> None:
        self._turns = turns
        self._handler = handler
        self._learned = learned
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Ask, if something is unknown and nobody is asking."""
        if self._task is None and (unknown := self._turns.unknown()):
            self._task = asyncio.create_task(self._ask(unknown))

    def stop(self) -> None:
        """Ask no more."""
        if self._task is not None:
            self._task.cancel()

    async def _ask(self, stacks: list[int]) -> None:
        try:
            projects = await self._handler.projects_of(stacks)
        finally:
            self._task = None
        self._turns.learn(stacks, projects)
        self._learned()
