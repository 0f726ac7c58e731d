"""Processes that crash, fall asleep and wake up late."""

import asyncio

from hotplate.testing.loop import SimulatedLoop


class SimulatedProcess:
    """One process of a simulated cluster.

    Whatever it does passes its gates. A crashed process stays at its gate for ever: no `finally`
    runs, nothing is sent. A paused one goes on later and does not know that it slept.
    """

    def __init__(self, loop: SimulatedLoop, name: str) -> None:
        self.loop = loop
        self.name = name
        self.is_alive = True
        self.crashed = asyncio.Event()
        self.wakes_at = 0.0
        self.gates_passed = 0

    async def gate(self, label: str) -> None:
        """Wait for the turn of this process."""
        await self.loop.pass_gate(self, label)
        self.gates_passed += 1

    def crash(self) -> None:
        """Stop for ever, wherever it stands."""
        self.is_alive = False
        self.wakes_at = float("inf")
        self.crashed.set()
        self.loop.close_gates(self)

    def pause(self, seconds: float) -> None:
        """Stand still for a while, wherever it stands."""
        self.wakes_at = max(self.wakes_at, self.loop.time() + seconds)

    def __repr__(self) -> str:
        return f"<process {self.name}>"
