"""Questions that several ask within a moment, asked together."""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Generic, TypeVar

from hotplate.cloud.calling import Clock

_SECONDS: Final = 0.02
"""How long one who asks waits for others."""

Answer = TypeVar("Answer")


class Gathering(Generic[Answer]):
    """Answers any number of askers with as few calls as there can be.

    ``together`` is given all keys that are asked for; what it leaves out has no answer.
    """

    def __init__(
        self, together: Callable[[Sequence[str]], Awaitable[Mapping[str, Answer]]], clock: Clock
    ) -> None:
        self._together = together
        self._clock = clock
        self._waiting: list[tuple[str, asyncio.Future[Answer | None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def ask(self, key: str) -> Answer | None:
        """Return the answer for a key. Raises what the call for all of them raises."""
        answer: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((key, answer))
        if self._task is None:
            # It serves many claims, so it is under no one's lease; it changes nothing.
            self._task = asyncio.create_task(self._serve(), context=contextvars.Context())
        return await answer

    async def _serve(self) -> None:
        """Answer all who wait; those who come meanwhile are answered with the next call."""
        try:
            while self._waiting:
                await self._clock.sleep(_SECONDS)
                group, self._waiting = self._waiting, []
                await self._answer([each for each in group if not each[1].done()])
        finally:
            self._task = None

    async def _answer(self, group: list[tuple[str, asyncio.Future[Answer | None]]]) -> None:
        try:
            found = await self._together(sorted({key for key, _ in group}))
        except Exception as error:
            for _, answer in group:
                if not answer.done():
                    answer.set_exception(error)
            return
        except BaseException:
            for _, answer in group:
                answer.cancel()
            raise
        for key, answer in group:
            if not answer.done():
                answer.set_result(found.get(key))
