"""Random runs in which resources wait at hooks, which somebody clears at some moment."""

import json
from random import Random
from typing import Any

from hotplate.engine.recipes import Recipe
from hotplate.environment import Hook
from hotplate.testing import Plan
from tests.simulation.runs import Run

HOOKS = tuple(hook.value for hook in Hook)
CHANCE = 0.03
"""That a hook is cleared before a step, if there is one at which something waits."""


class HookedRun(Run):
    """A run like any other, but for hooks on some resources; what they are changes all the time.

    Somebody clears hooks until the run is over, so everything still comes to its end.
    """

    def __post_init__(self) -> None:
        self.hooks = Random(self.seed * 7 + 5)
        self.cleared = 0
        super().__post_init__()

    def _recipe(self, plan: Plan) -> Recipe:
        resources = {name: self._drawn() for name in (*plan.things, "*") if self._is_hooked(name)}
        environment = json.dumps({"resource_registry": {"resources": resources}})
        self.told.append(f"hooks {resources}")
        return Recipe(plan.hot(), plan.files(), environment=environment if resources else "")

    def _is_hooked(self, name: str) -> bool:
        return self.hooks.random() < (0.1 if name == "*" else 0.35)

    def _drawn(self) -> dict[str, Any]:
        drawn: dict[str, Any] = {"hooks": self.hooks.sample(HOOKS, self.hooks.randint(1, 3))}
        if self.hooks.random() < 0.3:
            drawn["*"] = {"hooks": self.hooks.sample(HOOKS, self.hooks.randint(1, 3))}
        return drawn

    def _meddle(self) -> None:
        waiting = [n for n in self.simulation.invariants.now.nodes.values() if n.hook is not None]
        if waiting and self.hooks.random() < CHANCE:
            node = self.hooks.choice(waiting)
            stack_id, name, hook = node.stack_id, node.name, node.hook or ""
            self.told.append(f"{self._when()} clear {hook} of {name}")
            self.cleared += 1
            self.simulation.ask("clear", lambda ops: ops.clear_hook(stack_id, name, hook))
        super()._meddle()
