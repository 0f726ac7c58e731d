"""Following an operation to its end, whoever does the work."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from hotplate.cli.progress.progress import Item, Progress
from hotplate.client import Api, Happening, Refusal, StackName

_FRAME = 0.2
"""Seconds between two pictures."""

_LINGERS = 30.0
"""Seconds that a command stays for what was in hand when its stack failed."""

_NOW_AND_THEN = 3.0
"""Seconds between two questions to those that are at work."""

_MANY = 2_000
"""With more resources than that, none of them is asked."""

_SELDOM = 2.0
"""Seconds between two readings of the whole tree."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How an operation ended."""

    state: str
    reason: str
    seconds: float | None
    """How long it was followed, None if it was at rest already."""

    @property
    def is_complete(self) -> bool:
        """Whether it came to a good end."""
        return self.state.endswith("_COMPLETE")

    @property
    def is_timed_out(self) -> bool:
        """Whether its time was up."""
        return not self.is_complete and self.reason.lower().startswith("timed out")


class View(Protocol):
    """Shows progress."""

    def begin(self, progress: Progress) -> None:
        """Show that it begins."""

    def event(self, event: Happening, item: Item | None) -> None:
        """Show an event."""

    def reason(self, item: Item) -> None:
        """Show what something at work says of itself now."""

    def tick(self, now: float) -> None:
        """Show the passing of time."""

    def end(self) -> None:
        """Leave the last picture, however it ended."""


async def follow(
    api: Api,
    stack: StackName,
    progress: Progress,
    view: View,
    after: str = "",
    lingers: bool = False,
) -> Ended:
    """Show what happens until the stack has come to rest; return how it ended.

    ``lingers``: stay a while after a failure, until what was in hand by then has ended as well.
    """
    view.begin(progress)
    following = _Following(api, stack, progress, view)
    ticking = [asyncio.create_task(_tick(view)), asyncio.create_task(following.listen())]
    try:
        ended = await following.run(after)
        if ended.is_complete:
            progress.settle()
        if lingers and not ended.is_complete:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LINGERS):
                    await following.let_end()
        return ended
    finally:
        for task in ticking:
            task.cancel()
        await asyncio.gather(*ticking, return_exceptions=True)
        view.end()


async def _tick(view: View) -> None:
    while True:
        view.tick(time.monotonic())
        await asyncio.sleep(_FRAME)


class _Following:
    def __init__(self, api: Api, stack: StackName, progress: Progress, view: View) -> None:
        self._api = api
        self._stack = stack
        self._progress = progress
        self._view = view
        self._began = time.monotonic()
        self._read_at = float("-inf")
        self._last = ""
        self._homeless: list[Happening] = []
        """Events of stacks whose place is not known yet."""

    async def run(self, after: str) -> Ended:
        while True:
            async for event in self._api.follow(self._stack, after):
                if event is not None:
                    after = self._last = event.id
                    await self._take(event)
                if event is None or self._may_be_the_end(event):
                    ended = await self._ended()
                    if ended is not None:
                        return ended
            # The stream of a deleted stack ends; so may that of a server that stops.
            ended = await self._ended()
            if ended is not None:
                return ended

    async def listen(self) -> None:
        """Ask now and then for the status reasons of what is in progress: no event has them."""
        while True:
            await asyncio.sleep(_NOW_AND_THEN)
            if self._is_busy() and self._progress.total <= _MANY:
                with suppress(Refusal, OSError):
                    tree = await self._api.tree(self._stack)
                    for item in self._progress.notice(tree):
                        self._view.reason(item)

    async def let_end(self) -> None:
        """Wait until nothing is in hand any more."""
        if not self._is_busy():
            return
        async for event in self._api.follow(self._stack, self._last):
            if event is not None:
                await self._take(event)
            if not self._is_busy():
                return

    def _is_busy(self) -> bool:
        return any(not item.children for item in self._progress.running.values())

    async def _take(self, event: Happening) -> None:
        progress, now = self._progress, time.monotonic()
        if event.is_of_stack and event.stack_id == self._stack.id:
            if event.status == "IN_PROGRESS" and event.action != progress.action:
                if self._homeless:
                    await self._read_tree()
                progress.restart(event.action, now)
        elif not progress.knows(event):
            self._homeless.append(event)
            if now - self._read_at > _SELDOM:
                await self._read_tree()
            return
        self._view.event(event, progress.happened(event, now))

    async def _read_tree(self) -> None:
        self._read_at = time.monotonic()
        self._progress.tree(await self._api.tree(self._stack), self._read_at)
        waiting, self._homeless = self._homeless, []
        for event in waiting:
            self._view.event(event, self._progress.happened(event, self._read_at))

    def _may_be_the_end(self, event: Happening) -> bool:
        return (
            event.is_of_stack
            and event.stack_id == self._stack.id
            and event.status in ("COMPLETE", "FAILED")
        )

    async def _ended(self) -> Ended | None:
        shown = await self._api.stack(self._stack.id)
        state = shown["stack_status"]
        if state.endswith("_IN_PROGRESS"):
            return None
        if self._homeless:
            await self._read_tree()
        seconds = time.monotonic() - self._began
        return Ended(state, shown.get("stack_status_reason") or "", seconds)
