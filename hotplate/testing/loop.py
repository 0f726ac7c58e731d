"""An asyncio event loop in which time is a number and every choice comes from a tape."""

import asyncio
import heapq
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import Context
from random import Random
from typing import Any, Protocol

START = 1_000_000_000.0
"""When every simulation begins, in seconds since 1970."""


class Stuck(Exception):
    """Nothing will ever happen again, and what was waited for has not happened."""


class TookTooLong(Exception):
    """What was waited for has not happened within its time."""


class Choices(Protocol):
    """Where all choices of a simulation come from."""

    def choose(self, number: int) -> int:
        """Return one of so many, counted from 0."""
        ...


class RandomChoices:
    """Choices drawn from a seed: the same seed makes the same run."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311 (repeatable on purpose)

    def choose(self, number: int) -> int:
        """Return any of so many."""
        return self.random.randrange(number) if number > 1 else 0


class Gate:
    """A place where a coroutine waits until the simulation lets it through."""

    __slots__ = ("future", "label", "process")

    def __init__(self, process: Any, label: str, future: asyncio.Future[None]) -> None:
        self.process = process
        self.label = label
        self.future = future


class SimulatedLoop(asyncio.BaseEventLoop):
    """Runs plain callbacks in order; at gates, and only there, chance decides who goes on.

    Gates stand before and after every transaction and after every answer from outside, so any two
    processes can be interleaved in any way that matters. Time moves on to the next timer when
    nothing can go on. Used by one thread; opens nothing, so nothing has to be closed.
    """

    def __init__(self, choices: Choices) -> None:
        super().__init__()
        self.choices = choices
        self.steps = 0
        self.gates: list[Gate] = []
        self.before_step: Callable[[], None] = lambda: None
        self.take_step: Callable[[], None] = self._step
        """Does one step; whoever wants to choose among more than gates puts another one here."""

        self.set_by = 0.0
        """Seconds by which somebody has set the clocks of all machines."""

        self._now = START
        self._callbacks: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._count = 0
        self._goal: Callable[[], bool] = lambda: False
        self._end = float("inf")
        self._failure: BaseException | None = None

    def time(self) -> float:
        """Return the simulated time, which only goes on."""
        return self._now

    def wall(self) -> float:
        """Return what the clocks of the machines say."""
        return self._now + self.set_by

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Run a callback after those that wait already."""
        handle = asyncio.Handle(callback, args, self, context)
        self._callbacks.append(handle)
        return handle

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Run a callback at a simulated time."""
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._count += 1
        heapq.heappush(self._timers, (when, self._count, handle))
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Cancelled timers are dropped when their time comes."""

    async def pass_gate(self, process: Any, label: str) -> None:
        """Wait until the simulation lets this process go on."""
        gate = Gate(process, label, self.create_future())
        self.gates.append(gate)
        await gate.future

    def close_gates(self, process: Any) -> None:
        """Let nothing of a process go on, ever."""
        self.gates = [gate for gate in self.gates if gate.process is not process]

    def run_until(self, goal: Callable[[], bool], seconds: float = float("inf")) -> None:
        """Run until the goal is reached, looking at it before each step.

        Raises TookTooLong or Stuck, or whatever a callback of the simulation raised.
        """
        self._goal = goal
        self._end = self._now + seconds
        self._failure = None
        self.run_forever()
        if self._failure is not None:
            raise self._failure

    def run_to_end(self, awaitable: Awaitable[Any]) -> Any:
        """Run until a coroutine has returned, and return what it returned."""
        task = asyncio.ensure_future(awaitable, loop=self)
        self.run_until(task.done)
        return task.result()

    def _run_once(self) -> None:
        if self._callbacks:
            handle = self._callbacks.popleft()
            if not handle.cancelled():
                handle._run()
            return
        try:
            if self._goal():
                self.stop()
                return
            self.take_step()
        except BaseException as failure:
            self._failure = failure
            self.stop()

    def _step(self) -> None:
        """Let a coroutine through a gate, or let time pass."""
        self.before_step()
        if self._callbacks:
            return
        self.steps += 1
        open_gates = [
            at
            for at, gate in enumerate(self.gates)
            if gate.process is None or gate.process.wakes_at <= self._now
        ]
        if open_gates:
            chosen = open_gates[self.choices.choose(len(open_gates))]
            gate = self.gates.pop(chosen)
            if not gate.future.done():
                gate.future.set_result(None)
            return
        self.pass_time()

    def pass_time(self) -> None:
        """Go on to the next timer. Raises Stuck or TookTooLong."""
        while self._timers and self._timers[0][2].cancelled():
            heapq.heappop(self._timers)
        sleeping = [gate.process.wakes_at for gate in self.gates]
        times = [*sleeping, *([self._timers[0][0]] if self._timers else [])]
        if not times:
            raise Stuck("all that is waited for cannot happen")
        self._now = max(self._now, min(times))
        if self._now > self._end:
            raise TookTooLong("the time for this is up")
        while self._timers and self._timers[0][0] <= self._now:
            _, _, handle = heapq.heappop(self._timers)
            if not handle.cancelled():
                self._callbacks.append(handle)

    def dispose(self) -> None:
        """End all tasks; call this when the simulation has been judged."""
        self.before_step = lambda: None
        self.gates = []
        self._timers = []
        for _ in range(20):
            tasks = [task for task in asyncio.all_tasks(self) if not task.done()]
            if not tasks and not self._callbacks:
                break
            for task in tasks:
                task.cancel()
            self._goal = lambda: True
            self.run_forever()
        self.close()

    def timers(self) -> list[asyncio.TimerHandle]:
        """Return the timers that have not been cancelled, earliest first."""
        return [handle for _, _, handle in sorted(self._timers) if not handle.cancelled()]

    def ring(self, handle: asyncio.TimerHandle) -> None:
        """Let a timer go off before its time."""
        self._timers = [timer for timer in self._timers if timer[2] is not handle]
        heapq.heapify(self._timers)
        self._callbacks.append(handle)

    @property
    def is_idle(self) -> bool:
        """Whether all callbacks have been run."""
        return not self._callbacks

    def _process_events(self, event_list: Any) -> None:
        """There are no events from outside."""

    def _write_to_self(self) -> None:
        """No other thread wakes this loop."""
