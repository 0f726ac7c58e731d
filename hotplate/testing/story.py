"""Scenarios that read like short stories: what the user asks, what happens, what must be true."""

import json
from collections.abc import Callable
from types import TracebackType
from typing import Any

from hotplate.engine.context import PORTION
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.acceptance import Options
from hotplate.engine.requests.operations import Operations
from hotplate.identity import Credentials
from hotplate.model import Action
from hotplate.testing.cloud import Fault, SimulatedCloud
from hotplate.testing.external_objects import ExternalObjects
from hotplate.testing.invariants import VersionRow, Violation
from hotplate.testing.loop import Choices
from hotplate.testing.notation import NOTHING, Plan
from hotplate.testing.process import SimulatedProcess
from hotplate.testing.simulation import Connect, Request, Simulation
from hotplate.testing.store import SimulatedDatabase


class Story:
    """One stack and what becomes of it.

    Requests (`create`, `update`, ...) return when they have been answered; what they began goes
    on with `finish`, `until` and `steps`. The invariants are checked all the time. Without a
    ``database`` it happens in memory. Traversals with more resources than ``portion`` are written
    in portions.
    """

    def __init__(
        self,
        seed: int = 0,
        workers: int = 2,
        choices: Choices | None = None,
        database: SimulatedDatabase | None = None,
        connect: Connect | None = None,
        *,
        portion: int = PORTION,
    ) -> None:
        self.simulation = Simulation(seed, choices, database, connect)
        self.simulation.portion = portion
        self.caller: Credentials | None = None
        """Who asks, where that matters."""

        try:
            self.workers = [self.simulation.start_worker() for _ in range(workers)]
        except BaseException:
            # There is no story that could be left, so nothing else would close it.
            self.simulation.close()
            raise
        self.stack_id = ""
        self.resources: dict[str, Any] = {}
        """What the environment says of single resources from the next request on, as in a registry:
        hooks and restricted actions."""

        self._ids_before: dict[str, str | None] = {}
        self._events_before = 0
        self._failing: dict[tuple[str, str], Fault] = {}
        self.cloud.behaviour.fault = lambda verb, name: self._failing.get((name, verb))

    def __enter__(self) -> "Story":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            error.add_note(f"seed {self.simulation.seed}, step {self.simulation.loop.steps}")
            error.add_note("\n".join(self.history()))
        self.simulation.close()

    @property
    def cloud(self) -> SimulatedCloud:
        """The provider."""
        return self.simulation.cloud

    @property
    def external(self) -> ExternalObjects:
        """External objects."""
        return self.simulation.invariants.external

    # What the user does

    def create(self, plan: Plan, rollback: bool = False, timeout: int | None = None) -> None:
        """Create the stack."""
        options = Options(rollback=rollback, timeout=timeout)
        recipe = self._recipe(plan)

        async def ask(operations: Operations) -> None:
            self.stack_id = await operations.create("project", "story", recipe, options)

        self._do(f"create {plan}", ask, plan)

    def update(
        self,
        plan: Plan,
        rollback: bool | None = None,
        converges: bool = False,
        **parameters: Any,
    ) -> None:
        """Update the stack to a plan."""
        options = Options(rollback=rollback, converges=converges)
        recipe = self._recipe(plan, **parameters)
        self._do(f"update {plan}", lambda ops: ops.update(self.stack_id, recipe, options), plan)

    def delete(self) -> None:
        """Delete the stack."""
        self._do("delete", lambda ops: ops.delete(self.stack_id), NOTHING)

    def roll_back(self) -> None:
        """Go back to what completed last."""
        self._do("roll back", lambda ops: ops.roll_back(self.stack_id))

    def retry(self) -> None:
        """Try again what failed."""
        self._do("retry", lambda ops: ops.retry(self.stack_id))

    def cancel(self, roll_back: bool) -> None:
        """Cancel what is going on."""
        self._do("cancel", lambda ops: ops.cancel(self.stack_id, roll_back))

    def mark(self, name: str, unhealthy: bool = True) -> None:
        """Say that a resource is unhealthy, or well again."""
        self._do(f"mark {name}", lambda ops: ops.mark(self.stack_id, name, unhealthy))

    def visit(self, action: Action) -> None:
        """Suspend, resume, check or snapshot the stack."""
        self._do(action.value.lower(), lambda ops: ops.visit(self.stack_id, action))

    def clear(self, name: str, hook: str, inside: str = "") -> None:
        """Clear the hook at which a resource waits, in a nested stack if one is named."""
        stack_id = self.nested[inside] if inside else self.stack_id
        self._answered(
            self.simulation.ask(f"clear {hook}", lambda ops: ops.clear_hook(stack_id, name, hook))
        )

    def signal(self, name: str, inside: str = "", **details: Any) -> None:
        """Tell a resource something, in a nested stack if one is named."""
        stack_id = self.nested[inside] if inside else self.stack_id
        self._answered(
            self.simulation.ask(f"signal {name}", lambda ops: ops.signal(stack_id, name, details))
        )

    def _recipe(self, plan: Plan, **parameters: Any) -> Recipe:
        environment = ""
        if self.resources:
            environment = json.dumps({"resource_registry": {"resources": self.resources}})
        return Recipe(plan.hot(), plan.files(), environment=environment, parameters=parameters)

    def _do(self, words: str, ask: Any, plan: Plan | None = None) -> None:
        self._ids_before = self.ids
        self._events_before = len(self.events)
        caller = self.caller

        def asked(operations: Operations) -> Any:
            if caller is not None:
                project = caller.project_id
                operations = operations.on_behalf_of(caller.user_name, project, caller)
            return ask(operations)

        self._answered(self.simulation.ask(words, asked, plan))

    def _answered(self, request: Request) -> None:
        self.simulation.run_until(lambda: request.is_over)
        if request.error is not None:
            raise request.error

    # What happens

    def finish(self, seconds: float = 600.0) -> None:
        """Let everything come to its end."""
        self.simulation.run_until_rest(seconds)

    def until(self, goal: Callable[[], bool]) -> None:
        """Go on until something is the case."""
        self.simulation.run_until(goal)

    def steps(self, number: int) -> bool:
        """Go on for some steps; tell whether everything came to its end before."""
        end = self.simulation.loop.steps + number
        rest = self.simulation.is_at_rest
        self.simulation.run_until(lambda: self.simulation.loop.steps >= end or rest())
        return self.simulation.loop.steps < end

    def crash(self, worker: int = 0) -> SimulatedProcess:
        """Kill a worker."""
        process = self.workers[worker]
        process.crash()
        return process

    def start_worker(self) -> SimulatedProcess:
        """Start one more worker."""
        self.workers.append(self.simulation.start_worker())
        return self.workers[-1]

    def failing(self, name: str, verb: str, fault: Fault = Fault.REFUSED) -> None:
        """Let calls for a resource fail from now on."""
        self._failing[name, verb] = fault

    def working(self, name: str, verb: str) -> None:
        """Let calls for a resource succeed again."""
        del self._failing[name, verb]

    # What is the case

    @property
    def status(self) -> str:
        """The stack's action and status in one word."""
        stack = self.simulation.invariants.now.stacks[self.stack_id]
        return f"{stack.action}_{stack.status}"

    @property
    def reason(self) -> str:
        """The stack's reason."""
        return self.simulation.invariants.now.stacks[self.stack_id].reason

    @property
    def is_gone(self) -> bool:
        """Whether the stack has been deleted."""
        return self.simulation.invariants.now.stacks[self.stack_id].deleted_at is not None

    @property
    def versions(self) -> list[VersionRow]:
        """All versions, oldest first."""
        rows = self.simulation.invariants.now.versions.values()
        return sorted((v for v in rows if v.stack_id == self.stack_id), key=lambda v: v.id)

    def version(self, name: str) -> VersionRow:
        """The newest version of a resource."""
        return [v for v in self.versions if v.name == name][-1]

    def state(self, name: str) -> str:
        """Action and status of the newest version of a resource; empty if there is none."""
        found = [v for v in self.versions if v.name == name]
        return f"{found[-1].action}_{found[-1].status}" if found else ""

    def waits_at(self, name: str, hook: str, inside: str = "") -> bool:
        """Whether a resource waits at a hook, in a nested stack if one is named."""
        stack_id = self.nested.get(inside) if inside else self.stack_id
        return any(
            (node.stack_id, node.name, node.hook, node.state) == (stack_id, name, hook, "parked")
            for node in self.simulation.invariants.now.nodes.values()
        )

    def made(self, name: str) -> int:
        """How many objects of a resource have been made so far."""
        return self.cloud.count("create", name)

    def exists(self, name: str, number: int = 1) -> bool:
        """Whether so many objects of a resource have been made and recorded."""
        return len([v for v in self.versions if v.name == name and v.physical_id]) >= number

    @property
    def ids(self) -> dict[str, str | None]:
        """The physical ids of the newest versions, by name."""
        return {version.name: version.physical_id for version in self.versions}

    @property
    def nested(self) -> dict[str, str]:
        """The ids of the nested stacks, by the names that lead to them: "mid", "mid.inner"."""
        found: dict[str, str] = {}
        now = self.simulation.invariants.now
        below = [("", self.stack_id)]
        for path, stack_id in below:
            for version in now.of_stack(stack_id):
                child = now.child(version)
                if child is not None:
                    found[f"{path}{version.name}"] = child.id
                    below.append((f"{path}{version.name}.", child.id))
        return found

    def size(self, name: str) -> int:
        """How many members a group has, those that are being made or deleted not counted."""
        child = self.simulation.invariants.now.of_stack(self.nested.get(name, ""))
        return len([v for v in child if v.status == "COMPLETE" and v.action != "DELETE"])

    @property
    def events(self) -> list[tuple[str, str, str]]:
        """All events of the stack: name, state, reason. The stack's own name is "story"."""
        rows = self.simulation.database.rows(
            "SELECT stack_id, name, action, status, reason FROM event ORDER BY number"
        )
        return [(row[1], f"{row[2]}_{row[3]}", row[4]) for row in rows if row[0] == self.stack_id]

    @property
    def news(self) -> list[tuple[str, str]]:
        """Names and states of the events since the last request."""
        return [(name, state) for name, state, _ in self.events[self._events_before :]]

    def history(self) -> list[str]:
        """All events, for the reader of a failed run."""
        return [f"{name} {state} {reason}" for name, state, reason in self.events]

    # What must be true

    def verify(self, plan: Plan, status: str) -> None:
        """Check that the provider and the database hold exactly the plan."""
        if self.status != status:
            raise Violation(f"the stack is {self.status} ({self.reason}), not {status}")
        self.simulation.invariants.fulfilled(self.stack_id, plan)

    def verify_gone(self) -> None:
        """Check that nothing is left, neither here nor at the provider."""
        if not self.is_gone or self.versions or self.cloud.objects:
            raise Violation(f"left: {self.versions} {list(self.cloud.objects.values())}")

    def kept(self, *names: str) -> None:
        """Check that resources are the same objects as before the last request."""
        for name in names:
            if self.ids.get(name) != self._ids_before.get(name) or not self.ids.get(name):
                raise Violation(f"{name} was {self._ids_before.get(name)}, is {self.ids.get(name)}")

    def replaced(self, *names: str) -> None:
        """Check that resources are other objects than before the last request."""
        for name in names:
            if self.ids.get(name) == self._ids_before.get(name) or not self.ids.get(name):
                raise Violation(f"{name} is still {self.ids.get(name)}")

    def quiet(self, *names: str) -> None:
        """Check that nothing happened to resources since the last request."""
        loud = [entry for entry in self.news if entry[0] in names]
        if loud:
            raise Violation(f"not quiet: {loud}")

    def order(self, *happenings: tuple[str, str]) -> None:
        """Check that events of the last request came in this order."""
        places = [self.news.index(happening) for happening in happenings]
        if places != sorted(places):
            raise Violation(f"out of order: {happenings} in {self.news}")
