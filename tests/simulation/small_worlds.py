"""Small worlds, exhaustively: every order of steps, and a crash at every step.

All choices of a run come from a tape. A run is played with a tape; the choices that were possible
after its end make new tapes. A state that was seen before is not gone into again: it is known by
what the database, the provider and the processes hold.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hotplate.engine.operations import Operations
from hotplate.engine.recipes import Recipe
from hotplate.testing import NOTHING, Plan, SimulatedProcess, Simulation, TapeChoices

_VOLATILE = ("created_at", "updated_at", "at", "heartbeat", "intent_at", "deadline", "due")


class Seen(Exception):
    """This state has been gone into before."""


@dataclass
class SmallWorld:
    """A first plan, a second operation, and so many crashes. The second comes at any step."""

    first: Plan
    second: Plan | None
    workers: int = 2
    crashes: int = 1
    depth: int = 40
    seen: set[str] = field(default_factory=set)
    is_exhausted: bool = False
    runs: int = 0
    cut: int = 0

    def explore(self, most: int) -> None:
        """Play all runs, at most so many."""
        tapes: list[tuple[int, ...]] = [()]
        random = Random(0)
        while tapes and self.runs < most:
            # Any of them, so that a bounded exploration reaches everywhere.
            tape = tapes.pop(random.randrange(len(tapes)))
            choices = TapeChoices(tape)
            self.runs += 1
            _Play(self, choices, len(tape)).go()
            taken = tuple(choices.taken)
            for place in range(len(tape), min(len(taken), self.depth)):
                others = range(taken[place] + 1, choices.sizes[place])
                tapes.extend((*taken[:place], other) for other in others)
        self.is_exhausted = not tapes


class _Play:
    def __init__(self, world: SmallWorld, choices: TapeChoices, told: int) -> None:
        self.world = world
        self.choices = choices
        self.told = told
        self.simulation = Simulation(choices=choices)
        self.workers = [self.simulation.start_worker() for _ in range(world.workers)]
        self.crashes = world.crashes
        self.second_is_due = True
        self.stack_id = ""

    def go(self) -> None:
        try:
            self._go()
        except Seen:
            self.world.cut += 1
        except BaseException as error:
            error.add_note(f"tape {self.choices.taken}")
            raise
        finally:
            self.simulation.close()

    def _go(self) -> None:
        simulation = self.simulation
        self._ask(self._create, self.world.first)
        # What comes before anything can go wrong is not worth a choice.
        self.choices.is_running = False
        simulation.run_until(lambda: bool(self.stack_id))
        self.choices.is_running = True
        simulation.meddle = self._meddle
        simulation.run_until(lambda: not self.second_is_due)
        simulation.run_until_rest()
        wanted = NOTHING if self.world.second is None else self.world.second
        simulation.invariants.fulfilled(self.stack_id, wanted)

    async def _create(self, operations: Operations) -> None:
        recipe = Recipe(self.world.first.hot())
        self.stack_id = await operations.create("project", "small", recipe)

    def _ask(self, ask: Callable[[Operations], Any], plan: Plan) -> None:
        self.simulation.ask("a request", ask, plan)

    def _meddle(self) -> None:
        """Choose: go on, ask for the second operation, or crash one of the workers."""
        if len(self.choices.taken) >= self.told:
            self._cut_if_seen()
        if len(self.choices.taken) >= self.world.depth:
            if self.second_is_due and self.simulation.is_at_rest():
                self._second()
            return
        alive = [process for process in self.workers if process.is_alive]
        acts: list[Callable[[], None]] = [lambda: None]
        if self.second_is_due:
            acts.append(self._second)
        if self.crashes:
            acts.extend(self._crash_of(process) for process in alive)
        if len(acts) > 1:
            acts[self.choices.choose(len(acts))]()
        if self.second_is_due and self.simulation.is_at_rest():
            self._second()

    def _second(self) -> None:
        self.second_is_due = False
        plan = self.world.second
        if plan is None:
            self._ask(lambda ops: ops.delete(self.stack_id), NOTHING)
        else:
            recipe = Recipe(plan.hot())
            self._ask(lambda ops: ops.update(self.stack_id, recipe), plan)

    def _crash_of(self, process: SimulatedProcess) -> Callable[[], None]:
        def crash() -> None:
            self.crashes -= 1
            process.crash()
            if not any(other.is_alive for other in self.workers):
                self.workers.append(self.simulation.start_worker())

        return crash

    def _cut_if_seen(self) -> None:
        state = self._state()
        if state in self.world.seen:
            raise Seen
        self.world.seen.add(state)

    def _state(self) -> str:
        """A name for all that decides what can happen from here on."""
        driver = self.simulation.database.driver
        ids: dict[str, int] = {}
        tables = []
        for table in ("stack", "version", "node", "worker"):
            cursor = driver.execute(f"SELECT * FROM {table} ORDER BY 1")
            names = [column[0] for column in cursor.description]
            tables.append(
                [
                    [
                        self._plain(value, ids)
                        for name, value in zip(names, row, strict=True)
                        if name not in _VOLATILE and name != "traversal"
                    ]
                    for row in cursor
                ]
            )
        now = self.simulation.loop.time()
        gates = sorted((str(gate.process), gate.label) for gate in self.simulation.loop.gates)
        timers = sorted(
            round(when - now, 3)
            for when, _, handle in self.simulation.loop._timers
            if not handle.cancelled()
        )
        objects = [(o.id, o.name, o.value) for o in self.simulation.cloud.objects.values()]
        whole = [
            tables, gates, timers, objects, self.crashes, self.second_is_due,
            [process.is_alive for process in self.workers],
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(whole, default=str).encode()).hexdigest()

    @staticmethod
    def _plain(value: Any, ids: dict[str, int]) -> Any:
        if isinstance(value, str) and len(value) == 36:
            return ids.setdefault(value, len(ids))
        return value
