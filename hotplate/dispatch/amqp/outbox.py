"""Tokens that wait to be sent, and who waits until they are."""

import asyncio
from collections.abc import Sequence

from hotplate.dispatch.tokens import Token

_MOST = 200
"""Tokens that are sent before their confirmations are waited for."""


class Outbox:
    """A queue of tokens in memory. One task sends, any number add and wait."""

    def __init__(self) -> None:
        self._pending: list[Token] = []
        self._added = 0
        self._sent = 0
        self._news = asyncio.Event()
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []

    def add(self, tokens: Sequence[Token]) -> None:
        """Let tokens be sent soon."""
        if tokens:
            self._pending.extend(tokens)
            self._added += len(tokens)
            self._news.set()

    async def batch(self) -> list[Token]:
        """Return the tokens to send next, as soon as there are any."""
        while not self._pending:
            self._news.clear()
            await self._news.wait()
        return self._pending[:_MOST]

    def confirm(self, count: int) -> None:
        """Note that the first tokens have arrived."""
        del self._pending[:count]
        self._sent += count
        still = []
        for mark, future in self._waiting:
            if mark > self._sent:
                still.append((mark, future))
            elif not future.done():
                future.set_result(None)
        self._waiting = still

    async def flushed(self) -> None:
        """Wait until all that was added before has arrived, or was given up."""
        if self._sent < self._added:
            future = asyncio.get_running_loop().create_future()
            self._waiting.append((self._added, future))
            await future

    def give_up(self) -> list[Token]:
        """Return what has not arrived: the broker is away. Nobody waits for it any more."""
        rest = list(self._pending)
        self.confirm(len(rest))
        return rest
