"""Which extensions a service has: asked once in an hour, by whoever needs to know it first."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hotplate.cloud.calling import Clock
from hotplate.cloud.errors import Unavailable
from hotplate.cloud.service import Service

_SECONDS: Final = 3600.0
_SILENCE: Final = 30.0
"""Seconds for which a service that did not answer is not asked again."""


@dataclass(frozen=True, slots=True)
class _Known:
    aliases: frozenset[str]
    until: float


class Extensions:
    """The extensions of the services of one cloud. For one event loop."""

    def __init__(self, service: Callable[[str], Service], clock: Clock) -> None:
        self._service = service
        self._clock = clock
        self._known: dict[str, _Known] = {}
        self._silent_until: dict[str, float] = {}
        self._asking: dict[str, asyncio.Lock] = {}

    async def of(self, service: str) -> frozenset[str]:
        """Return the aliases of the extensions that a service has. Raises CloudError.

        An operator who adds one waits an hour at most, or starts the server anew.
        """
        async with self._asking.setdefault(service, asyncio.Lock()):
            known = self._known.get(service)
            if known is not None and self._clock.now() < known.until:
                return known.aliases
            if self._clock.now() < self._silent_until.get(service, 0.0):
                raise Unavailable(f"{service} did not tell lately which extensions it has")
            # Whoever asks may lose patience: the next one need not wait as long for nothing.
            self._silent_until[service] = self._clock.now() + _SILENCE
            found = await self._service(service).get("/extensions")
            del self._silent_until[service]
            aliases = frozenset(str(each["alias"]) for each in found["extensions"])
            self._known[service] = _Known(aliases, self._clock.now() + _SECONDS)
            return aliases
