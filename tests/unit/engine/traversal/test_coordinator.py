"""Large traversals: what is written at a time, and what others see of it."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.acceptance import Options
from hotplate.engine.requests.operations import Operations
from hotplate.engine.worker.coordination import HANDED_OVER
from hotplate.testing import NOTHING, Fault, Plan, Simulation, plan
from hotplate.testing.store import _name_of

PORTION = 3
MANY = plan("\n".join(f'R{at}() = "x"' for at in range(10)))
CHANGED = MANY.changed('R3() = "y"')
MOSTLY_CHANGED = MANY.changed("\n".join(f'R{at}() = "z"' for at in range(6)))


class Written(Simulation):
    """A simulation that notes how many rows each transaction wrote."""

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.portion = PORTION
        self.written: dict[str, list[int]] = {}
        inner: Callable[..., Any] = self.database.transact
        self._inner = inner

        def transact(work: Any, twice: bool = False) -> Any:
            before = self.database.changes
            result = inner(work, twice)
            name = _name_of(work)
            self.written.setdefault(name, []).append(self.database.changes - before)
            return result

        self.database.transact = transact  # type: ignore[method-assign]

    def close(self) -> None:
        self.database.transact = self._inner  # type: ignore[method-assign]
        super().close()


@pytest.fixture
def simulation() -> Iterator[Written]:
    simulation = Written()
    simulation.start_worker()
    yield simulation
    simulation.close()


def _done(simulation: Simulation, wanted: Plan, ask: Callable[[Operations], Any]) -> Any:
    request = simulation.ask("something", ask, wanted)
    simulation.run_until_rest()
    assert request.task is not None
    return request.task.result()


def _update(stack_id: str, recipe: Recipe, operations: Operations) -> Any:
    return operations.update(stack_id, recipe)


def test_no_transaction_of_a_large_acceptance_writes_more_than_a_portion(
    simulation: Written,
) -> None:
    """Creating, changing and deleting: the writer is free again after each portion."""
    recipe = Recipe(MANY.hot(), MANY.files())
    stack_id = _done(simulation, MANY, lambda ops: ops.create("project", "stack", recipe))
    simulation.invariants.fulfilled(stack_id, MANY)
    for wanted in (CHANGED, MOSTLY_CHANGED):
        changed = Recipe(wanted.hot(), wanted.files())
        _done(simulation, wanted, partial(_update, stack_id, changed))
        simulation.invariants.fulfilled(stack_id, wanted)
    _done(simulation, NOTHING, lambda ops: ops.delete(stack_id))
    simulation.invariants.fulfilled(stack_id, NOTHING)
    assert simulation.written["let_go"] == [1], "what is to be changed is not carried"
    steps = ("write_versions", "write_nodes", "own_settled", "open_some", "remove_remains")
    for step in steps:
        assert simulation.written[step], f"{step} was never done"
        most = PORTION * (HANDED_OVER if step == "own_settled" else 1)
        assert max(simulation.written[step]) <= most, simulation.written[step]
    assert len(simulation.written["write_nodes"]) >= 4 + 1 + 4


def test_a_small_stack_has_no_coordinator(simulation: Written) -> None:
    """What is small is accepted in one transaction, and completed by its last node."""
    small = plan('A() = "x"')
    recipe = Recipe(small.hot(), small.files())
    stack_id = _done(simulation, small, lambda ops: ops.create("project", "stack", recipe))
    simulation.invariants.fulfilled(stack_id, small)
    assert "read_plan" not in simulation.written


def test_nothing_runs_before_the_graph_is_there(simulation: Written) -> None:
    """While portions are being written, the provider is not called."""
    recipe = Recipe(MANY.hot(), MANY.files())
    simulation.ask("create", lambda ops: ops.create("project", "stack", recipe), MANY)
    simulation.run_until(lambda: len(simulation.written.get("write_nodes", ())) == 4)
    assert not simulation.cloud.objects
    assert not simulation.cloud.in_flight
    states = Counter(node.state for node in simulation.invariants.now.nodes.values())
    assert states == {"draft": 10, "claimed": 1}
    simulation.run_until_rest()
    assert len(simulation.cloud.objects) == 10


CHAIN = plan('R0() = "x"\n' + "\n".join(f'R{at}(R0) = "x"' for at in range(1, 10)))
"""All need one."""


def _create(simulation: Simulation, wanted: Plan, **options: Any) -> Any:
    recipe = Recipe(wanted.hot(), wanted.files())
    chosen = Options(**options)
    return _done(simulation, wanted, lambda ops: ops.create("project", "stack", recipe, chosen))


def _status(simulation: Simulation, stack_id: str) -> tuple[str, str]:
    stack = simulation.invariants.now.stacks[stack_id]
    return stack.action, stack.status


def _refused(verb: str, name: str) -> Fault | None:
    return Fault.REFUSED if (verb, name) == ("create", "R0") else None


def test_a_large_stack_that_fails_is_cleared_away_in_portions(simulation: Written) -> None:
    """The failure itself writes hardly anything; after a while no node is left."""
    simulation.cloud.behaviour.fault = _refused
    stack_id = _create(simulation, CHAIN)
    assert _status(simulation, stack_id) == ("CREATE", "FAILED")
    assert len(simulation.written["remove_some"]) >= 4
    assert max(simulation.written["remove_some"]) <= PORTION
    assert max(simulation.written["record"]) <= 2 * PORTION + 4
    assert not simulation.invariants.now.nodes


def test_a_large_stack_that_fails_goes_back_at_once(simulation: Written) -> None:
    """What there was to do goes with the graph of the rollback, in portions as well."""
    simulation.cloud.behaviour.fault = _refused
    stack_id = _create(simulation, CHAIN, rollback=True)
    assert _status(simulation, stack_id) == ("ROLLBACK", "COMPLETE")
    assert max(simulation.written["remove_stale"]) <= PORTION
    assert not simulation.invariants.now.nodes


@pytest.mark.parametrize("rollback", [False, True])
def test_what_waits_in_a_large_stack_is_given_up_in_portions(
    simulation: Written, rollback: bool
) -> None:
    """Its time is up while everything is being built."""
    building = simulation.cloud.behaviour.building
    simulation.cloud.behaviour.building = lambda verb, name: 1e6 if verb == "create" else 0.0
    stack_id = _create(simulation, MANY, rollback=rollback, timeout=1)
    simulation.cloud.behaviour.building = building
    ended = ("ROLLBACK", "COMPLETE") if rollback else ("CREATE", "FAILED")
    assert _status(simulation, stack_id) == ended
    # The version, its event, its node.
    assert len(simulation.written["give_up_some"]) == 10
    assert max(simulation.written["give_up_some"]) <= 3
    assert not simulation.invariants.now.nodes
