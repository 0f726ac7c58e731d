"""One run of a small world along a tape of choices."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Protocol

from hotplate.engine.context import PORTION
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import RecipeBook
from hotplate.engine.recipes.stored import digest_of_recipe
from hotplate.engine.requests.operations import Operations
from hotplate.engine.worker.worker import Worker
from hotplate.testing import NOTHING, Plan, SimulatedProcess, Simulation
from hotplate.testing.cloud import CloudObject
from hotplate.testing.loop import Gate
from tests.simulation.small_worlds.memory import Moment, RememberingDatabase
from tests.simulation.small_worlds.state import StateNames, digest

_ARRIVED = "a message has arrived"
_WORKER = re.compile(r"worker-\d+")
_UNNOTICED = ("after claim_nodes", "after published")
"""Answers after which a process, unless it goes on with work of a dead one, asks nobody outside."""


class Seen(Exception):
    """This state has been gone into before."""


@dataclass(frozen=True, slots=True)
class World:
    """What is asked first, and what second (None: deletion)."""

    name: str
    first: Plan
    second: Plan | None
    crashes: int = 1
    token_size: int = 64
    portion: int = PORTION
    """Resources that one transaction writes of a traversal that begins."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Which runs of a world are gone through.

    ``delays``: how often a step may be taken out of turn; None for any number.
    ``at_once``: a process takes every answer in as soon as it is there.
    """

    delays: int | None = None
    at_once: bool = True


class Verb(Enum):
    """What a step does, and to what."""

    PASS = "a gate is passed"
    RING = "a timer goes off: the provider carries a call out"
    CRASH = "a process crashes"
    PASS_TIME = "time passes"


@dataclass(frozen=True, slots=True)
class Step:
    """Something that can happen next. ``cost`` is 1 if it is out of turn.

    ``taker``: which of the living workers gets the message.
    """

    words: str
    verb: Verb
    thing: Any = None
    cost: int = 0
    taker: int | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """A step that was taken. In another run that began in the same way it is found by its place."""

    words: str
    verb: Verb
    place: int
    cost: int
    taker: int | None
    was_chosen: bool


@dataclass(frozen=True, slots=True)
class Branch:
    """A choice that was made, and what else could have been chosen."""

    choice: int
    others: tuple[int, ...] = ()
    moment: Moment | None = None


class Explorer(Protocol):
    """What a run needs to know of the exploration that it is part of."""

    world: World
    limits: Limits
    seen: dict[bytes, int]
    offers: dict[bytes, list[str]]
    book: RecipeBook
    database: RememberingDatabase
    steps: int


class Play:
    """Choices come from the tape as far as it goes, then everything takes its turn.

    ``moment`` is where the last choice of the tape is made.
    """

    def __init__(
        self, explorer: Explorer, tape: tuple[int, ...] = (), moment: Moment | None = None
    ) -> None:
        self.branches: list[Branch] = []
        self.told: list[str] = []
        self._explorer = explorer
        self._world = explorer.world
        self._tape = tape
        self._moment = moment
        delays = explorer.limits.delays
        self._delays = 1_000_000 if delays is None else delays
        self._crashes = self._world.crashes
        self._made: dict[str, int] = {}
        self._offered: set[bytes] = set()
        self._own: set[bytes] = set()
        self._path: list[Taken] = []
        self._quiet: tuple[bool, bool] | None = None
        self._name: tuple[bytes, bytes] | None = None
        self._is_over = False
        self._taker = 0
        self._last = ""
        self._stack_id = ""
        explorer.database.replayed = () if moment is None else moment.answers
        self._simulation = simulation = Simulation(choices=self, database=explorer.database)
        simulation.random = explorer.database.numbers
        simulation.book = explorer.book
        simulation.portion = self._world.portion
        simulation.broker.token_size = lambda: self._world.token_size
        simulation.cloud.make = self._make  # type: ignore[method-assign]
        for plan in (self._world.first, self._world.second or NOTHING):
            simulation.invariants.plans[digest_of_recipe(Recipe(plan.hot()))] = plan
        self._watches = (explorer.database.after_commit, simulation.cloud.watch)
        if moment is not None:
            # What is repeated has been looked at.
            explorer.database.after_commit = lambda: None
            simulation.cloud.watch = lambda call: None
        self._workers: dict[SimulatedProcess, Worker] = {}

    def choose(self, number: int) -> int:
        """Return who takes the message that is being delivered."""
        return min(self._taker, number - 1)

    def go(self) -> None:
        """Play to the end, or to a state that was gone into before. Raises Violation."""
        try:
            self._go()
        except Seen:
            pass
        except BaseException as error:
            error.add_note(f"{self._world.name}: tape {[each.choice for each in self.branches]}")
            error.add_note("\n".join(self.told))
            raise
        finally:
            self._simulation.close()

    def _go(self) -> None:
        simulation = self._simulation
        for _ in range(2):
            process = simulation.start_worker()
            live: Any = simulation._tasks[-1].get_coro()
            self._workers[process] = live.cr_frame.f_locals["worker"]
        simulation.run_until(lambda: not simulation.loop.gates)
        simulation.ask("the first operation", self._create, self._world.first)
        simulation.run_until(lambda: bool(self._stack_id))
        self._names = StateNames(simulation, self._workers)
        self._second = self._ask_second()
        simulation.loop.take_step = self._take_step
        simulation.run_until(lambda: self._is_over)
        simulation.invariants.at_rest()
        wanted = NOTHING if self._world.second is None else self._world.second
        simulation.invariants.fulfilled(self._stack_id, wanted)

    async def _create(self, operations: Operations) -> None:
        recipe = Recipe(self._world.first.hot())
        self._stack_id = await operations.create("project", "small", recipe)

    def _ask_second(self) -> Any:
        """Ask at once: the request waits at its gate, and passing that is a step like others."""
        plan, words = self._world.second, "the second operation"
        if plan is None:
            return self._simulation.ask(words, lambda ops: ops.delete(self._stack_id), NOTHING)
        recipe = Recipe(plan.hot())
        return self._simulation.ask(words, lambda ops: ops.update(self._stack_id, recipe), plan)

    def _make(self, creation_token: str, name: str, value: Any, key: str = "") -> CloudObject:
        """Make an object whose id does not depend on what became of others."""
        self._simulation.cloud.refuse_taken(key)
        count = self._made[name] = self._made.get(name, 0) + 1
        now = self._simulation.loop.time()
        made = CloudObject(f"object-{name}-{count}", creation_token, name, value, now, now)
        made.key = made.own_key = key
        self._simulation.cloud.objects[made.id] = made
        return made

    def _take_step(self) -> None:
        if self._moment is not None and len(self._path) < len(self._moment.path):
            self._repeat(self._moment.path[len(self._path)])
            return
        loop = self._simulation.loop
        loop.before_step()
        if not loop.is_idle:
            return
        self._forget_names()
        steps = self._steps()
        if not steps:
            self._is_over = True
            return
        if len(steps) == 1 and self._quiet is not None:
            # Nothing is to be chosen, but the name is known: runs that have met go on once. One
            # that meets itself goes round for ever, and must go on until that is noticed.
            self._go_into(steps, may_return=True)
        step = steps[0] if len(steps) == 1 else self._chosen(steps)
        place = self._things(step.verb).index(step.thing)
        self._take(
            Taken(step.words, step.verb, place, step.cost, step.taker, len(steps) > 1), step.thing
        )

    def _repeat(self, taken: Taken) -> None:
        """Take a step that the run took which this one repeats: what else there was is known."""
        if taken.was_chosen:
            self.branches.append(Branch(self._tape[len(self.branches)]))
        self._take(taken, self._things(taken.verb)[taken.place])

    def _things(self, verb: Verb) -> Sequence[Any]:
        """Return what a verb may be about, in an order that all runs share."""
        if verb is Verb.PASS:
            return self._simulation.loop.gates
        if verb is Verb.RING:
            return self._simulation.loop.timers()
        return list(self._workers) if verb is Verb.CRASH else (None,)

    def _take(self, taken: Taken, thing: Any) -> None:
        self._path.append(taken)
        self._explorer.steps += 1
        self.told.append(taken.words)
        self._delays -= taken.cost
        if taken.taker is not None:
            self._taker = taken.taker
        if taken.verb is Verb.PASS:
            if thing.process in self._workers:
                self._last = thing.process.name
            del self._simulation.loop.gates[taken.place]
            thing.future.set_result(None)
        elif taken.verb is Verb.RING:
            self._simulation.loop.ring(thing)
        elif taken.verb is Verb.CRASH:
            self._crashes -= 1
            thing.crash()
        else:
            self._pass_time()

    def _chosen(self, steps: list[Step]) -> Step:
        place = len(self.branches)
        if place < len(self._tape):
            branch = Branch(self._tape[place])
            if place == len(self._tape) - 1:
                self._stop_repeating()
        else:
            self._go_into(steps)
            others = tuple(at for at, s in enumerate(steps) if at > 0 and s.cost <= self._delays)
            database = self._explorer.database
            moment = None
            if others:
                moment = database.moment(self._simulation, tuple(self._path), self._quiet)
            branch = Branch(0, others, moment)
        self.branches.append(branch)
        return steps[branch.choice]

    def _go_into(self, steps: list[Step], may_return: bool = False) -> None:
        """Remember that this state has been gone into. Raises Seen if it was before.

        ``may_return``: not if that was in this run.
        """
        turns = self._turns(steps) if self._explorer.limits.delays is not None else None
        made = sorted(self._made.items())
        # What was offered in this run before is not offered again.
        is_offered = self._quiet is not None and self._quiet[1]
        key = digest(repr((self._state_name(), is_offered, made, turns)))
        self._must_offer_the_same(key, steps)
        if may_return and key in self._own:
            return
        if self._explorer.seen.get(key, -1) >= self._delays:
            raise Seen
        self._own.add(key)
        self._explorer.seen[key] = self._delays

    def _forget_names(self) -> None:
        self._quiet = self._name = None

    def _state_name(self) -> tuple[bytes, bytes]:
        """Return the name of the present state, and that of its clocks."""
        if self._name is None:
            self._name = self._names.name(self._crashes)
        return self._name

    def _must_offer_the_same(self, key: bytes, steps: list[Step]) -> None:
        """Make sure that states with the same name have the same steps."""
        words = sorted(_WORKER.sub("worker", step.words) for step in steps)
        if self._explorer.offers.setdefault(key, words) != words:
            raise AssertionError(f"two states, one name: {self._explorer.offers[key]}, {words}")

    def _turns(self, steps: list[Step]) -> list[str]:
        """Return whose turn is when: part of the state if not all orders are gone through."""
        names: dict[str, str] = {}
        words = [step.words for step in steps]
        return [
            _WORKER.sub(lambda match: names.setdefault(match[0], f"worker {len(names)}"), each)
            for each in [*words, self._last]
        ]

    def _stop_repeating(self) -> None:
        if self._moment is None:
            return
        self._explorer.database.come_back(self._simulation, self._moment)
        self._explorer.database.after_commit, self._simulation.cloud.watch = self._watches
        self._moment = None

    def _steps(self) -> list[Step]:
        """Return what can happen next and makes a difference; nothing at the end."""
        gates = [
            gate
            for gate in self._simulation.loop.gates
            if gate.process is None or gate.process.is_alive
        ]
        alive = [process for process in self._workers if process.is_alive]
        at_once = self._at_once(gates, alive)
        if at_once:
            return at_once
        effects = self._effects()
        steps = self._in_turn(gates, alive, effects)
        second = [self._pass(gate) for gate in gates if gate.process not in self._workers]
        if not steps:
            is_resting, is_offered = self._look_around()
            if is_resting and not second:
                return []
            if not is_resting:
                steps = [Step("time passes", Verb.PASS_TIME)]
            if is_offered:
                return steps
        return [*steps, *second, *(() if effects else self._crashes_of(gates, alive))]

    def _at_once(self, gates: list[Gate], alive: list[SimulatedProcess]) -> list[Step]:
        """Return steps that need not wait for others: see the module `small_worlds`."""
        for gate in gates:
            if gate.process is None:
                takers = sorted(enumerate(alive), key=lambda each: each[1].name != self._last)
                return [
                    self._delivery(gate, at, process, cost)
                    for cost, (at, process) in enumerate(takers)
                ]
        for gate in gates:
            is_answer = gate.label.startswith("after")
            if gate.label == _ARRIVED or gate.label.endswith("WorkerLease._beat"):
                return [self._pass(gate)]
            if gate.process not in self._workers and (is_answer or self._is_reading(gate.process)):
                return [self._pass(gate)]
        if self._explorer.limits.at_once:
            for process in alive:
                own = [gate for gate in gates if gate.process is process]
                answers = [gate for gate in own if gate.label.startswith("after")]
                if answers:
                    noticed = any(gate.label not in _UNNOTICED for gate in answers)
                    crash = [self._crash(process)] if self._crashes and noticed else []
                    return _in_order([self._pass(gate) for gate in answers]) + crash
        return []

    def _in_turn(
        self, gates: list[Gate], alive: list[SimulatedProcess], effects: list[Any]
    ) -> list[Step]:
        """Return the steps of workers and cloud. First comes that of whoever went last."""
        steps = [self._pass(gate) for gate in gates if gate.process in alive]
        steps.extend(self._effect(timer) for timer in effects)
        steps.sort(key=lambda step: step.words.split(":")[0] != self._last)
        return _in_order(steps)

    def _crashes_of(self, gates: list[Gate], alive: list[SimulatedProcess]) -> list[Step]:
        """Return the crashes that make a difference: when nobody else can do anything."""
        if not self._crashes:
            return []
        busy = {gate.process for gate in gates if gate.process in alive}
        return [self._crash(process) for process in alive if busy <= {process}]

    def _look_around(self) -> tuple[bool, bool]:
        """Tell whether nothing goes on, and whether this state was met but for the clocks."""
        if self._moment is not None and self._moment.quiet is not None:
            return self._moment.quiet
        stacks = self._simulation.invariants.now.stacks.values()
        is_resting = all(stack.status != "IN_PROGRESS" for stack in stacks)
        if is_resting and self._second.is_over:
            is_resting = self._simulation.is_at_rest()
        name, _ = self._state_name()
        self._quiet = (is_resting, name in self._offered and not is_resting)
        self._offered.add(name)
        return self._quiet

    def _effects(self) -> list[Any]:
        timers: list[Any] = self._simulation.loop.timers()
        return [each for each in timers if each._callback.__qualname__.endswith("carry_out")]

    def _pass_time(self) -> None:
        """Go on to the next timer; a request that is on its way stays so."""
        loop = self._simulation.loop
        waiting, loop.gates = loop.gates, []
        loop.pass_time()
        loop.gates = waiting

    def _is_reading(self, process: SimulatedProcess) -> bool:
        """Tell whether a request has yet to read what never changes: the stack's name."""
        return self._world.second is not None and process.gates_passed < 2

    def _pass(self, gate: Gate) -> Step:
        who = gate.process.name if gate.process is not None else "broker"
        label = gate.label.replace("_WatchedStore.transact.<locals>.", "")
        return Step(f"{who}: {label}", Verb.PASS, gate)

    def _delivery(self, gate: Gate, at: int, process: SimulatedProcess, cost: int) -> Step:
        return Step(f"a message goes to {process.name}", Verb.PASS, gate, cost, taker=at)

    def _effect(self, timer: Any) -> Step:
        function = timer._callback
        cells = dict(zip(function.__code__.co_freevars, function.__closure__, strict=True))
        call = cells["call"].cell_contents
        return Step(f"{call.process}: the cloud does {call.verb} {call.name}", Verb.RING, timer)

    def _crash(self, process: SimulatedProcess) -> Step:
        return Step(f"{process.name} crashes", Verb.CRASH, process)


def _in_order(steps: list[Step]) -> list[Step]:
    """Let all but the first be out of turn."""
    return [replace(step, cost=int(at > 0)) for at, step in enumerate(steps)]
