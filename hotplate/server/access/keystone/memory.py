"""What was answered lately, and what is being asked: nobody asks twice for the same."""

import asyncio
import contextvars
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Entry(Generic[T]):
    value: T
    until: float


class Memory(Generic[T]):
    """Remembers the values of keys for a while, at most so many; the longest unused one goes first.

    Keys are digests. Whoever asks for a key that is being asked for waits for the same answer;
    one of them may be cancelled, the others still get it. What is raised is not remembered.
    """

    def __init__(self, most: int, lifetime: Callable[[T], float], now: Callable[[], float]) -> None:
        self._most = most
        self._lifetime = lifetime
        self._now = now
        self._entries: OrderedDict[bytes, _Entry[T]] = OrderedDict()
        self._asked: dict[bytes, asyncio.Task[T]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    async def get(self, key: bytes, ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the value of a key, asked for unless it is known. Raises what ``ask`` raises."""
        entry = self._entries.get(key)
        if entry is not None:
            if self._now() < entry.until:
                self._entries.move_to_end(key)
                return entry.value
            del self._entries[key]
        task = self._asked.get(key)
        if task is None:
            # Of no request: whoever asked first may go away, and its context with it.
            task = asyncio.create_task(ask(), context=contextvars.Context())
            self._asked[key] = task
            task.add_done_callback(lambda done: self._answered(key, done))
        return await asyncio.shield(task)

    def _answered(self, key: bytes, task: asyncio.Task[T]) -> None:
        del self._asked[key]
        if task.cancelled() or task.exception() is not None:
            return
        value = task.result()
        lifetime = self._lifetime(value)
        if lifetime > 0 and self._most:
            self._entries[key] = _Entry(value, self._now() + lifetime)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
