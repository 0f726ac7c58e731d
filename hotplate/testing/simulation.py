"""A whole cluster in one thread: workers, database, broker, cloud, and the clock."""

import asyncio
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any, TypeVar

from sqlalchemy import Connection

from hotplate.bounded import LIGHT_TEXT
from hotplate.engine.context import AHEAD, PORTION, Tools
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound, RecipeBook, StackFacts
from hotplate.engine.requests.operations import Operations
from hotplate.engine.wanted_definition import note_fingerprints
from hotplate.engine.worker.worker import Worker
from hotplate.resources import Catalogue
from hotplate.resources.heat.groups.autoscaling_group import AutoScalingGroup
from hotplate.resources.heat.groups.resource_group import ResourceGroup
from hotplate.resources.heat.groups.scaling_policy import ScalingPolicy
from hotplate.resources.heat.wait_condition import WaitCondition
from hotplate.resources.heat.wait_condition_handle import WaitConditionHandle
from hotplate.template import Template, TemplateCache
from hotplate.testing.broker import SimulatedBroker, SimulatedDispatcher
from hotplate.testing.cloud import Call, CloudConnection, SimulatedCloud
from hotplate.testing.cloud_types import CLOUD_TYPES
from hotplate.testing.invariants import Invariants, Violation
from hotplate.testing.keyed_types import KEYED_TYPES
from hotplate.testing.loop import Choices, RandomChoices, SimulatedLoop
from hotplate.testing.notation import Plan
from hotplate.testing.process import SimulatedProcess
from hotplate.testing.store import SimulatedDatabase, SimulatedStore, in_memory
from hotplate.testing.world import SimulatedWorld

T = TypeVar("T")
Ask = Callable[[Operations], Coroutine[Any, Any, Any]]
Connect = Callable[[SimulatedCloud, SimulatedProcess, SimulatedStore], Any]

OTHER_TYPES = (
    AutoScalingGroup(),
    ResourceGroup(),
    ScalingPolicy(),
    WaitCondition(),
    WaitConditionHandle(),
)
CATALOGUE = Catalogue((*CLOUD_TYPES, *KEYED_TYPES, *OTHER_TYPES))
_COMPILED = TemplateCache()
"""What the simulations of an operating system process have compiled: many play the same."""

PATIENCE = 600.0
"""Simulated seconds within which everything must come to rest."""


class Request:
    """Something that was asked of the engine. ``accepted`` once it has changed a traversal."""

    def __init__(self, words: str, plan: Plan | None, process: SimulatedProcess) -> None:
        self.words = words
        self.plan = plan
        self.process = process
        self.accepted = False
        self.task: asyncio.Task[Any] | None = None
        self.afterwards: Callable[[Connection], None] = lambda connection: None
        """Called at the end of its first transaction; may raise Violation."""

    @property
    def is_over(self) -> bool:
        """Whether it has been answered, or never will be because its process crashed."""
        return not self.process.is_alive or (self.task is not None and self.task.done())

    @property
    def error(self) -> BaseException | None:
        """Why it was refused; None if it was not, or has not been answered."""
        if self.task is None or not self.task.done() or self.task.cancelled():
            return None
        return self.task.exception()

    def __repr__(self) -> str:
        return f"<{self.words}>"


class _WatchedStore(SimulatedStore):
    """The store of a request: notices when the request has been accepted."""

    def __init__(
        self, simulation: "Simulation", process: SimulatedProcess, request: Request
    ) -> None:
        super().__init__(simulation.database, process, simulation.gives_up)
        self._simulation = simulation
        self._request = request

    async def transact(self, work: Callable[[Connection], T]) -> T:
        simulation, request = self._simulation, self._request

        def watched(connection: Connection) -> T:
            before = simulation.sequences(connection)
            try:
                result = work(connection)
            except BaseException:
                # Refused: whatever is written about that is not what was asked for.
                request.afterwards = lambda connection: None
                raise
            after = simulation.sequences(connection)
            changed = [key for key in after if after[key] != before.get(key)]
            request.accepted = bool(changed)
            simulation.observe(request, connection)
            for stack_id in changed:
                simulation.note_recipe(connection, stack_id, request)
            return result

        return await super().transact(watched)


class _Templates(TemplateCache):
    """Compiles a short text once for all simulations.

    Whether a longer one is known already decides where it is compiled, and so on the steps of a
    run: of those nothing is left over from the simulation before.
    """

    def compile(self, text: str, name: str) -> Template:
        is_short = len(text) <= LIGHT_TEXT
        return _COMPILED.compile(text, name) if is_short else super().compile(text, name)


class _Book(RecipeBook):
    """Binds on the spot what servers bind elsewhere, with the same fingerprints."""

    def __init__(self, catalogue: Catalogue) -> None:
        super().__init__(catalogue)
        self.templates = _Templates()

    def bind(self, stack: StackFacts, recipe: Recipe, digest: str) -> Bound:
        bound = super().bind(stack, recipe, digest)
        note_fingerprints(CATALOGUE, bound)
        return bound


class Simulation:
    """The parts, put together. The same choices make the same run.

    Close it when done; a simulation that is not closed leaves tasks behind.
    """

    def __init__(
        self,
        seed: int = 0,
        choices: Choices | None = None,
        database: SimulatedDatabase | None = None,
        connect: Connect | None = None,
    ) -> None:
        """``connect`` gives each process its way to the cloud; without it all share one user."""
        self.seed = seed
        self._connect: Connect = connect or (
            lambda cloud, process, _: CloudConnection(cloud, process)
        )
        self.loop = SimulatedLoop(choices or RandomChoices(seed))
        self.random = Random(seed)  # noqa: S311 (repeatable on purpose)
        self.database = database or in_memory()
        self.database.begin(self.loop)
        self.cloud = SimulatedCloud(self.loop)
        self.broker = SimulatedBroker(self.loop)
        self.invariants = Invariants(self.database, self.cloud)
        self.processes: list[SimulatedProcess] = []
        self.requests: list[Request] = []
        self.accepted: list[Request] = []
        self.gives_up: Callable[[], bool] = lambda: False
        self.violation: Violation | None = None
        self.meddle: Callable[[], None] = lambda: None
        """Called before each step: may crash, pause and start processes, and ask things."""

        self.portion = PORTION
        """Resources that a transaction writes of a traversal that begins; for what starts later."""

        self.ahead = AHEAD

        self.book: RecipeBook = _Book(CATALOGUE)
        self._tasks: list[asyncio.Task[Any]] = []
        self.loop.before_step = self._before_step
        self.database.after_commit = self._watch(self.invariants.after_commit)
        self.cloud.watch = self._at_call
        self.loop.set_exception_handler(self._unhandled)

    def start_worker(self, name: str = "") -> SimulatedProcess:
        """Start a process with a worker in it."""
        process = SimulatedProcess(self.loop, name or f"worker-{len(self.processes) + 1}")
        self.processes.append(process)
        store = SimulatedStore(self.database, process, self.gives_up)
        dispatcher = SimulatedDispatcher(self.broker, process)
        worker = Worker(store, self._tools(process, store), dispatcher, process.name)

        async def live() -> None:
            await worker.start()
            await worker.run()

        self._spawn(live())
        return process

    def ask(
        self,
        words: str,
        ask: Ask,
        plan: Plan | None = None,
        process: SimulatedProcess | None = None,
    ) -> Request:
        """Ask something of the engine, in a process that may crash or in one that never does."""
        if process is None:
            process = SimulatedProcess(self.loop, "user")
        request = Request(words, plan, process)
        store = _WatchedStore(self, process, request)
        dispatcher = SimulatedDispatcher(self.broker, process)
        operations = Operations(store, self._tools(process, store), dispatcher)
        request.task = self.loop.create_task(ask(operations))
        self.requests.append(request)
        return request

    def answer(self, ask: Ask) -> Any:
        """Ask something and run until it is answered."""
        request = self.ask("a question", ask)
        self.run_until(lambda: request.is_over)
        assert request.task is not None  # noqa: S101 (set by ask)
        return request.task.result()

    def run_until(self, goal: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Run until the goal is reached. Raises Violation as soon as an invariant is broken."""
        self.loop.run_until(goal, seconds)
        self._raise_violation()

    def run_until_rest(self, seconds: float = PATIENCE) -> None:
        """Run until nothing goes on any more; then check what must hold at rest."""
        self.run_until(self.is_at_rest, seconds)
        self.invariants.at_rest()

    def is_at_rest(self) -> bool:
        """Tell whether nothing goes on any more."""
        if self.broker.queued or self.cloud.in_flight:
            return False
        if not all(request.is_over for request in self.requests):
            return False
        now = self.invariants.now
        if now.deferred_changes:
            return False
        return all(stack.status != "IN_PROGRESS" for stack in now.stacks.values()) and all(
            node.state == "done" for node in now.nodes.values()
        )

    def observe(self, request: Request, connection: Connection) -> None:
        """Check what a request has done, before that is committed: in its first transaction."""
        afterwards, request.afterwards = request.afterwards, lambda connection: None
        self._watch(lambda: afterwards(connection))()

    def sequences(self, connection: Connection) -> dict[str, int]:
        """Return the number of the current traversal of each stack, seen from a transaction.

        Goes past SQLAlchemy, as it is asked twice in each transaction of a request.
        """
        cursor = connection.connection.cursor()
        cursor.execute("SELECT id, sequence FROM stack")
        found = dict(cursor.fetchall())
        cursor.close()
        return found

    def note_recipe(self, connection: Connection, stack_id: str, request: Request) -> None:
        """Remember what a recipe was made from."""
        self.accepted.append(request)
        if request.plan is not None:
            rows = connection.exec_driver_sql("SELECT id, parent_id, recipe FROM stack")
            parent_id, recipe = next(row[1:] for row in rows if row[0] == stack_id)
            # What a request does to nested stacks is not what it was asked for.
            if parent_id is None:
                self.invariants.plans[recipe] = request.plan

    def close(self) -> None:
        """End all tasks."""
        self.database.after_commit = lambda: None
        self.loop.dispose()

    def _tools(self, process: SimulatedProcess, store: SimulatedStore) -> Tools:
        services = {"cloud": self._connect(self.cloud, process, store)}
        world = SimulatedWorld(self.random, services, self.loop)
        if self.loop.set_by:
            noted = self.database.rows("SELECT max(at) FROM event")[0][0]
            world.clock.begin_at(noted or 0.0)
        self.book.small = self.portion
        time, portion, ahead = self.database.time, self.portion, self.ahead
        return Tools(world, self.book, CATALOGUE, time, portion=portion, ahead=ahead)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = self.loop.create_task(work)
        self._tasks.append(task)

    def _before_step(self) -> None:
        self._raise_violation()
        self.invariants.external.after_step()
        if self.broker.failures:
            raise self.broker.failures[0]
        for task in self._tasks:
            if task.done() and not task.cancelled() and task.exception() is not None:
                raise Violation("a worker ended by itself") from task.exception()
        self.meddle()

    def _raise_violation(self) -> None:
        if self.violation is not None:
            violation, self.violation = self.violation, None
            raise violation

    def _watch(self, check: Callable[[], None]) -> Callable[[], None]:
        def watched() -> None:
            try:
                check()
            except Violation as violation:
                self.violation = self.violation or violation

        return watched

    def _at_call(self, call: Call) -> None:
        self._watch(lambda: self.invariants.at_call(call))()

    def _unhandled(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What is not awaited any more may fail unnoticed."""
