"""What the engine knows of the world; all of it can be replaced by a simulated one."""

import asyncio
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from random import Random, SystemRandom
from typing import Any, Protocol, Self, TypeVar

from hotplate.clock import Clock

T = TypeVar("T")

_RESERVE = 4096
"""Bytes that are asked of the operating system at once."""

_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Linux has the former; elsewhere the latter goes on while a process is stopped, at least."""

_BYTE = 256
_ALL_BYTES = bytes(range(_BYTE))
_WORD = 16
_FREE = ~(0xF << 76 | 0x3 << 62)
_FOURTH = 0x4 << 76 | 0x2 << 62
"""The bits of a UUID that say that the others are random, and those others."""


class ServiceMissing(LookupError):
    """A service that a type needs is not enabled here."""


class Later:
    """A service that is made when it is first asked for."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def made(self) -> Any:
        """The service itself. Raises what making it raises, every time anew."""
        return self._make()

    @property
    def is_made(self) -> bool:
        """Whether anybody has asked for it."""
        return "made" in vars(self)


@dataclass(frozen=True, slots=True)
class Actor:
    """On whose behalf something is done: in a project, with an authority if there is one."""

    project: str
    authority: str | None = None


class PerActor(ABC):
    """A service that is another one for each on whose behalf something is done."""

    @abstractmethod
    def of(self, actor: Actor | None) -> Any:
        """Return the service for an actor. Raises ServiceMissing or AuthorityLost."""

    @abstractmethod
    async def close(self) -> None:
        """End the connections of all of them."""


@lru_cache
def _is_per_actor(kind: type) -> bool:
    """Tell whether a service is one, found out once for each kind: it is asked for each node."""
    return issubclass(kind, PerActor)


class UnpredictableRandom(SystemRandom):
    """The operating system's random numbers, asked for in larger portions.

    A call to the system for each character of a text costs more than all else that is done for
    it. Safe for several threads: no byte is used twice. A forked process begins anew.
    """

    def __init__(self) -> None:
        super().__init__()
        self._bytes: Iterator[int] = iter(b"")
        self._words: list[bytes] = []
        os.register_at_fork(after_in_child=self._forget)

    def _randbelow(self, limit: int) -> int:
        """Return a whole number below the limit, each with the same chance."""
        if limit > _BYTE:
            size = limit.bit_length()
            while (drawn := self.getrandbits(size)) >= limit:
                continue
            return drawn
        even = _BYTE - _BYTE % limit
        while True:
            for byte in self._bytes:
                if byte < even:
                    return byte % limit
            self._bytes = iter(os.urandom(_RESERVE))

    def choices(  # type: ignore[override]
        self, population: Sequence[Any], *args: Any, k: int = 1, **options: Any
    ) -> list[Any]:
        """Return ``k`` members, any of them more than once."""
        if args or options:
            return super().choices(population, *args, k=k, **options)
        limit = len(population)
        if not 0 < limit <= _BYTE:
            below = self._randbelow
            return [population[below(limit)] for _ in range(k)]
        # Bytes beyond the last multiple of the limit would favour the first members.
        unfair = _ALL_BYTES[_BYTE - _BYTE % limit :]
        drawn = bytearray()
        while len(drawn) < k:
            taken = bytes(islice(self._bytes, k))
            if not taken:
                self._bytes = iter(os.urandom(max(_RESERVE, k)))
            drawn += taken.translate(None, unfair)
        return [population[byte % limit] for byte in drawn[:k]]

    def getrandbits(self, count: int, /) -> int:
        """Return a whole number of so many random bits."""
        if not 0 < count <= _WORD * 8:
            return super().getrandbits(count)
        try:
            word = self._words.pop()
        except IndexError:
            drawn = os.urandom(_RESERVE)
            words = [drawn[at : at + _WORD] for at in range(0, _RESERVE, _WORD)]
            word = words.pop()
            self._words.extend(words)
        return int.from_bytes(word) >> (_WORD * 8 - count)

    def _forget(self) -> None:
        self._bytes = iter(b"")
        self._words = []


_RANDOM = UnpredictableRandom()


def _steady() -> float:
    return time.clock_gettime(_STEADY)


class Turns(Protocol):
    """Lets projects take turns."""

    async def run(self, work: Callable[[], T]) -> T:
        """Return what the work returns."""
        ...

    def asking(self, project: str) -> AbstractContextManager[None]:
        """Note that a project has a request in hand inside."""
        ...

    def is_heavy(self, project: str) -> bool:
        """Tell whether a project has computed so much that it gives way, and others are there."""
        ...


@dataclass(slots=True)
class RealWorld:
    """The clock of this process, unpredictable random numbers, and the services in use."""

    random: Random = field(default_factory=lambda: _RANDOM)
    services: Mapping[str, Any] = field(default_factory=dict)
    clock: Clock = field(default_factory=lambda: Clock(time.time, _steady), kw_only=True)
    actor: Actor | None = field(default=None, kw_only=True)
    """On whose behalf services are used; None for nobody in particular."""

    turns: "Turns | None" = field(default=None, kw_only=True)
    """What lets projects take turns at computing; None where there is nobody else."""

    def acting_for(self, actor: Actor) -> Self:
        """Return the same world, with the services that this actor has."""
        if not any(map(_is_per_actor, map(type, self.services.values()))):
            return self
        world = copy(self)
        world.actor = actor
        return world

    def now(self) -> float:
        """Return seconds since 1970, evenly, also while somebody sets the machine's clock."""
        return self.clock.now()

    def uptime(self) -> float:
        """Return seconds by a clock that is never set, and that goes on while all else is stopped.

        The time of day may be put back, and another steady clock stands while the machine sleeps.
        """
        return _steady()

    def uuid(self) -> str:
        """Return a new random id."""
        digits = f"{self.random.getrandbits(128) & _FREE | _FOURTH:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    async def aside(self, work: Callable[[], T]) -> T:
        """Return what the work returns, without keeping other tasks from running meanwhile.

        The work may take seconds, must be fit for any thread, and need not be awaited elsewhere.
        """
        return await asyncio.to_thread(work)

    async def in_turn(self, work: Callable[[], T]) -> T:
        """Do the same with work of milliseconds: one piece of a project at a time.

        Who has computed less goes first, and whoever has computed much waits for a moment.
        """
        return await (self.aside(work) if self.turns is None else self.turns.run(work))

    def asking(self, project: str) -> AbstractContextManager[None]:
        """Note that a project has a request in hand inside."""
        return nullcontext() if self.turns is None else self.turns.asking(project)

    def is_heavy(self, project: str) -> bool:
        """Tell whether a project has computed much lately, and others wait for each piece of it."""
        return self.turns is not None and self.turns.is_heavy(project)

    def service(self, name: str) -> Any:
        """Return a service by name. Raises ServiceMissing, AuthorityLost."""
        try:
            found = self.services[name]
        except KeyError:
            raise ServiceMissing(f'the service "{name}" is not enabled here') from None
        if isinstance(found, PerActor):
            return found.of(self.actor)
        return found.made if isinstance(found, Later) else found
