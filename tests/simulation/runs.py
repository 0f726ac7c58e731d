"""One random run: a stack, a few operations, and everything that can go wrong.

Every seed has two runs, a flat one and one with stacks inside the stack. What is inside is drawn
from a source of its own, so the flat runs are what they were before there were nested ones.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hotplate.document import InvalidDocument
from hotplate.engine.recipes import Recipe
from hotplate.engine.refusals import Refused
from hotplate.engine.requests.acceptance import Options
from hotplate.engine.requests.operations import Operations
from hotplate.model import Action
from hotplate.testing import NOTHING, Fault, Plan, SimulatedProcess, Simulation, Violation
from tests.simulation.nesting import nest, nest_again, pace
from tests.simulation.templates import changed, random_plan

LONGEST = 3000.0


@dataclass
class Weather:
    """How much goes wrong in a run."""

    crashes: int
    pauses: int
    fault: float
    lost: float
    doubled: float
    gives_up: float
    slow: float

    @classmethod
    def drawn(cls, random: Random) -> "Weather":
        fair = random.random() < 0.1
        return cls(
            crashes=0 if fair else random.choice((1, 1, 2, 3)),
            pauses=0 if fair else random.choice((0, 0, 1, 2)),
            fault=0 if fair else random.choice((0, 0, 0.02, 0.08)),
            lost=0 if fair else random.choice((0, 0, 0.1, 0.5)),
            doubled=0 if fair else random.choice((0, 0.1, 0.3)),
            gives_up=random.choice((0, 0.05)),
            slow=random.choice((0, 0.2, 0.5)),
        )


@dataclass
class Run:
    """A run and what was done in it."""

    seed: int
    stormy: bool = False
    nested: bool = False
    paced: bool = False
    large: bool = False
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Two sources: what is done does not change when the engine draws one number more.
        self.random = Random(self.seed * 2 + 1)
        self.simulation = Simulation(self.seed)
        self.weather = Weather.drawn(self.random)
        if self.stormy:
            self.weather = Weather(3, 4, 0.04, 0.2, 0.3, 0.02, 0.3)
        self.chance = 0.04 if self.stormy else 0.02
        self.stack_id = ""
        self.plan = random_plan(self.random)
        self.nesting = Random(self.seed * 5 + 3)
        if self.nested:
            self.plan = nest(self.nesting, self.plan)
        self.pacing = Random(self.seed * 7 + 5)
        if self.paced:
            self.plan = pace(self.pacing, self.plan)
        # A source of its own: the other runs are what they were before clocks were set. Processes
        # that start after a jump are some way ahead of, or behind, those from before it.
        self.clocks = Random(self.seed * 11 + 7)
        self.jumps = 2 if self.seed % 4 == 3 and not self.weather.crashes else 0
        self.set_at = float("-inf")
        self.workers: list[SimulatedProcess] = []
        self.is_over = False
        if self.large:
            # All but the smallest traversals are large ones, with crashes between any two portions.
            self.simulation.portion = Random(self.seed * 13 + 11).choice((1, 1, 2, 3))
        self._set_the_weather()

    def _set_the_weather(self) -> None:
        random, weather, simulation = Random(self.seed * 3 + 2), self.weather, self.simulation
        behaviour = simulation.cloud.behaviour
        behaviour.latency = lambda verb, name: random.choice((0.01, 0.1, 1.0, 2.0))
        behaviour.unseen = lambda: random.choice((0.0, 0.5, 2.5))
        behaviour.building = lambda verb, name: (
            random.uniform(0.5, 4) if random.random() < weather.slow else 0.0
        )
        faults = tuple(Fault)
        behaviour.fault = lambda verb, name: (
            random.choice(faults)
            if random.random() < weather.fault and verb not in ("find", "read")
            else None
        )
        simulation.broker.copies = lambda: (
            0 if random.random() < weather.lost else 2 if random.random() < weather.doubled else 1
        )
        simulation.broker.token_size = lambda: random.choice((1, 2, 64))
        simulation.gives_up = lambda: random.random() < weather.gives_up
        simulation.meddle = self._meddle

    def _meddle(self) -> None:
        if self.is_over:
            return
        if self.weather.crashes and self.random.random() < self.chance:
            self.weather.crashes -= 1
            self._crash(self.random.choice(self._alive()))
        if self.weather.pauses and self.random.random() < self.chance:
            self.weather.pauses -= 1
            process = self.random.choice(self._alive())
            seconds = self.random.choice((1.0, 5.0, 12.0, 20.0))
            self.told.append(f"{self._when()} {process} sleeps for {seconds} s")
            process.pause(seconds)
        # Not forth and back before anybody has looked.
        is_time = self.simulation.loop.time() > self.set_at + 20
        if self.jumps and is_time and self.clocks.random() < self.chance:
            self.jumps -= 1
            self.set_at = self.simulation.loop.time()
            seconds = self.clocks.choice((-3600.0, -30.0, -5.0, 5.0, 30.0, 3600.0))
            self.told.append(f"{self._when()} all clocks are set by {seconds} s")
            self.simulation.loop.set_by += seconds

    def _crash(self, process: SimulatedProcess) -> None:
        self.told.append(f"{self._when()} {process} crashes")
        process.crash()
        if len(self._alive()) == 0 or self.random.random() < 0.5:
            self.workers.append(self.simulation.start_worker())

    def _alive(self) -> list[SimulatedProcess]:
        return [process for process in self.workers if process.is_alive]

    def _when(self) -> str:
        loop = self.simulation.loop
        return f"step {loop.steps}, {loop.time() - 1_000_000_000:.2f} s:"

    def go(self) -> None:
        """Play the run to its end. Raises Violation and the like."""
        try:
            self._play()
        except BaseException as error:
            error.add_note(f"seed {self.seed}")
            error.add_note("\n".join(self.told))
            error.add_note("\n".join(self._events()))
            raise
        finally:
            self.simulation.close()

    def _events(self) -> list[str]:
        rows = self.simulation.database.rows(
            "SELECT at - 1000000000, name, action, status, reason FROM event ORDER BY number"
        )
        return [f"{at:.2f} {' '.join(words)}" for at, *words in rows]

    def _play(self) -> None:
        self.workers = [self.simulation.start_worker() for _ in range(self.random.randint(1, 3))]
        self._create()
        for _ in range(self.random.randint(1, 5)):
            if self.random.random() < 0.25:
                self.simulation.run_until_rest(LONGEST)
                self._look()
            else:
                self._steps(self.random.randint(0, 60))
            self._do_something()
        self._steps(self.random.randint(0, 60))
        self.is_over = True
        self.simulation.run_until_rest(LONGEST)
        self._look()
        self._end_well()

    def _steps(self, number: int) -> None:
        end = self.simulation.loop.steps + number
        self.simulation.run_until(lambda: self.simulation.loop.steps >= end)

    def _ask(self, words: str, ask: Callable[[Operations], Any], plan: Plan | None = None) -> None:
        # Half of the requests come to a process that may crash while it answers.
        process = self.random.choice([None, *self._alive()])
        self.told.append(f"{self._when()} {words} at {process}")
        self.simulation.ask(words, ask, plan, process)

    def _create(self) -> None:
        options = Options(rollback=self.random.random() < 0.3)
        recipe = self._recipe(self.plan)

        async def ask(operations: Operations) -> None:
            self.stack_id = await operations.create("project", "stack", recipe, options)

        request = self.simulation.ask(f"create {self.plan}", ask, self.plan)
        self.told.append(f"create {self.plan}; {options}; {self.weather}")
        if self.large:
            self.told.append(f"portions of {self.simulation.portion}")
        self.simulation.run_until(lambda: request.is_over)

    def _do_something(self) -> None:
        stack = self.stack_id
        what = self.random.random()
        if what < 0.6:
            if self.random.random() < 0.85:
                self.plan = self._changed()
            plan = self.plan
            rollback = self.random.choice((None, None, True, False))
            recipe, options = self._recipe(plan), Options(rollback=rollback)
            words = f"update {plan}; {options}"
            self._ask(words, lambda ops: ops.update(stack, recipe, options), plan)
        elif what < 0.68:
            self._ask("roll back", lambda ops: ops.roll_back(stack))
        elif what < 0.74:
            roll_back = self.random.random() < 0.5
            self._ask(f"cancel {roll_back}", lambda ops: ops.cancel(stack, roll_back))
        elif what < 0.82:
            name = self.random.choice(list(self.plan.things) or ["A"])
            unhealthy = self.random.random() < 0.8
            if self.nested:
                stack, name = self._anybody(name)
            self._ask(f"mark {name}", lambda ops: ops.mark(stack, name, unhealthy))
        elif what < 0.88:
            self._ask("retry", lambda ops: ops.retry(stack))
        elif what < 0.95:
            action = self.random.choice((Action.SUSPEND, Action.RESUME, Action.CHECK))
            self._ask(action.value.lower(), lambda ops: ops.visit(stack, action))
        else:
            self._ask("delete", lambda ops: ops.delete(stack), NOTHING)

    def _changed(self) -> Plan:
        plan = changed(self.random, self.plan)
        plan = nest_again(self.nesting, self.plan, plan) if self.nested else plan
        return pace(self.pacing, plan) if self.paced else plan

    def _anybody(self, name: str) -> tuple[str, str]:
        """A resource of the stack or, as often, of a stack inside it."""
        now = self.simulation.invariants.now
        inner = [v for v in now.versions.values() if v.stack_id != self.stack_id]
        if not inner or self.nesting.random() < 0.5:
            return self.stack_id, name
        version = self.nesting.choice(inner)
        return version.stack_id, version.name

    def _look(self) -> None:
        """At rest: every answer was sensible, and a complete stack is what was asked for last."""
        for request in self.simulation.requests:
            if request.error is not None and not isinstance(
                request.error, (Refused, InvalidDocument)
            ):
                raise Violation(f"{request} was not answered") from request.error
        stack = self.simulation.invariants.now.stacks[self.stack_id]
        if stack.status == "COMPLETE" and stack.action in ("CREATE", "UPDATE", "ROLLBACK"):
            versions = self.simulation.invariants.now.versions.values()
            if not any(v.status == "FAILED" for v in versions):
                plan = self.simulation.invariants.plans.get(stack.recipe, NOTHING)
                self.simulation.invariants.fulfilled(self.stack_id, plan)

    def _end_well(self) -> None:
        """Whatever happened, there is a way on, once nothing goes wrong any more."""
        simulation, stack_id = self.simulation, self.stack_id
        simulation.cloud.behaviour.fault = lambda verb, name: None
        for item in simulation.cloud.objects.values():
            item.is_broken = False
        stack = simulation.invariants.now.stacks[stack_id]
        if stack.deleted_at is not None:
            return
        if stack.action == "SUSPEND":
            self._finally("resume", lambda ops: ops.visit(stack_id, Action.RESUME))
        if stack.action != "DELETE":
            recipe, options = self._recipe(self.plan), Options(rollback=False)
            for _ in range(3):
                # A second try: what nobody could find after a crash makes the first one fail.
                self._finally(
                    "update", lambda ops: ops.update(stack_id, recipe, options), self.plan
                )
                if simulation.invariants.now.stacks[stack_id].status == "COMPLETE":
                    break
            simulation.invariants.fulfilled(stack_id, self.plan)
        self._finally("delete", lambda ops: ops.delete(stack_id), NOTHING)
        simulation.invariants.fulfilled(stack_id, NOTHING)

    def _finally(
        self, words: str, ask: Callable[[Operations], Any], plan: Plan | None = None
    ) -> None:
        self.told.append(f"{self._when()} finally {words}")
        request = self.simulation.ask(words, ask, plan)
        self.simulation.run_until_rest(LONGEST)
        if request.error is not None:
            raise Violation(f"there is no way on: {words}") from request.error

    def _recipe(self, plan: Plan) -> Recipe:
        return Recipe(plan.hot(), plan.files())


def run(
    seed: int,
    stormy: bool = False,
    nested: bool = False,
    paced: bool = False,
    large: bool = False,
) -> None:
    """Play a run of a seed; in stormy weather more goes wrong than usual.

    ``paced``: groups go in batches and lose members that are named. ``large``: traversals are
    written in portions.
    """
    Run(seed, stormy, nested, paced, large).go()
