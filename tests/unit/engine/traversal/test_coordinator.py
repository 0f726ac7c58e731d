"""Large traversals: what is written at a time, and what others see of it."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.operations import Operations
from hotplate.testing import NOTHING, Plan, Simulation, plan
from hotplate.testing.store import _name_of

PORTION = 3
MANY = plan("\n".join(f'R{at}() = "x"' for at in range(10)))
CHANGED = MANY.changed('R3() = "y"')


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


def test_no_transaction_of_a_large_acceptance_writes_more_than_a_portion(
    simulation: Written,
) -> None:
    """Creating, changing and deleting: the writer is free again after each portion."""
    recipe, changed = (Recipe(each.hot(), each.files()) for each in (MANY, CHANGED))
    stack_id = _done(simulation, MANY, lambda ops: ops.create("project", "stack", recipe))
    simulation.invariants.fulfilled(stack_id, MANY)
    _done(simulation, CHANGED, lambda ops: ops.update(stack_id, changed))
    simulation.invariants.fulfilled(stack_id, CHANGED)
    _done(simulation, NOTHING, lambda ops: ops.delete(stack_id))
    simulation.invariants.fulfilled(stack_id, NOTHING)
    steps = ("write_versions", "write_nodes", "take_over", "open_some", "remove_remains")
    for step in steps:
        assert simulation.written[step], f"{step} was never done"
        assert max(simulation.written[step]) <= PORTION, simulation.written[step]
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
