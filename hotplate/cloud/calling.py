"""How a call is made: under its lease to the end, and again after a pause if that does no harm."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random
from typing import Final, TypeVar

from hotplate.resources.lease import LeaseLost, hold

T = TypeVar("T")

_READ_AGAIN: Final = 3.0
"""Seconds after which the lease is read again while an answer is awaited.

A lease that is valid when a call begins stays so for some seconds (LONGEST_CALL of the worker);
this is shorter.
"""

_MOST_TRIES: Final = 5
_PATIENCE: Final = 40.0
"""Seconds for which one call is tried again; whoever wants to wait longer says so to the engine."""

_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 8.0
_SPREAD: Final = 0.25


@dataclass(frozen=True, slots=True)
class Clock:
    """What calls know of time: the clock, and how to wait."""

    now: Callable[[], float]
    """Seconds since 1970."""

    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    random: Random = field(default_factory=Random)


class Attempts:
    """Counts the tries of one call."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = clock.now()
        self._tries = 1

    def pause(self, headers: Mapping[str, str]) -> float | None:
        """Return how long to wait before the next try, None if it is not worth it any more.

        ``headers`` are those of the answer; the service may say when to come again.
        """
        seconds = _retry_after(headers, self._clock.now())
        if seconds is None:
            seconds = min(_FIRST_PAUSE * 2 ** (self._tries - 1), _LONGEST_PAUSE)
            seconds *= 1 + self._clock.random.uniform(-_SPREAD, _SPREAD)
        self._tries += 1
        late = self._clock.now() - self._began + seconds > _PATIENCE
        return None if late or self._tries > _MOST_TRIES else seconds


async def under_lease(call: Callable[[], Awaitable[T]], seconds: float) -> T:
    """Await a call for so many seconds, as long as the lease lasts. Raises LeaseLost, TimeoutError.

    A worker that is no longer sure of its claim does not go on waiting for an answer: whoever has
    the claim by then must find out what became of the request.
    """
    await hold()
    loop = asyncio.get_running_loop()
    lost: list[LeaseLost] = []
    watching: list[asyncio.Task[None]] = []
    try:
        async with asyncio.timeout(seconds) as limit:

            async def watch() -> None:
                while True:
                    try:
                        await hold()
                    except LeaseLost as error:
                        lost.append(error)
                        limit.reschedule(loop.time())
                        return
                    await asyncio.sleep(_READ_AGAIN)

            # A task is made only for the few calls that take long.
            later = loop.call_later(
                _READ_AGAIN, lambda: watching.append(asyncio.create_task(watch()))
            )
            try:
                return await call()
            finally:
                later.cancel()
                for task in watching:
                    task.cancel()
    except TimeoutError:
        if lost:
            raise lost[0] from None
        raise


def _retry_after(headers: Mapping[str, str], now: float) -> float | None:
    text = headers.get("retry-after", "")
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        then = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - datetime.fromtimestamp(now, UTC)).total_seconds())
