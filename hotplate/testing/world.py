"""A world whose clock and chance belong to the simulation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

from hotplate.clock import Clock
from hotplate.engine.world import RealWorld
from hotplate.testing.loop import SimulatedLoop

T = TypeVar("T")


@dataclass(slots=True)
class SimulatedWorld(RealWorld):
    """What the engine and the resource types of one process know of the world."""

    random: Random = field(default_factory=lambda: Random(0))  # noqa: S311 (repeatable on purpose)
    services: Mapping[str, Any] = field(default_factory=dict)
    loop: SimulatedLoop | None = None

    def __post_init__(self) -> None:
        """Tell the time by the simulation."""
        if self.loop is not None:
            self.clock = Clock(self.loop.wall, self.loop.time)

    def now(self) -> float:
        """Return the simulated time of day."""
        return self.clock.now() if self.loop is not None else 0.0

    def uptime(self) -> float:
        """Return the simulated time: it goes on for processes that sleep."""
        return self.loop.time() if self.loop is not None else 0.0

    async def aside(self, work: Callable[[], T]) -> T:
        """Do the work at once: a thread would make a run unrepeatable."""
        return work()
