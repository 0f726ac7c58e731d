"""What the engine works with."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeVar

from sqlalchemy import Connection

from hotplate.bounded import Evaluation, Evaluator
from hotplate.engine.recipes.book import RecipeBook
from hotplate.engine.world import Actor, RealWorld
from hotplate.model.limits import DEEPEST_NESTING
from hotplate.store.fairness.owners import Owners
from hotplate.store.signal_cache import SignalCache
from hotplate.store.workers import database_time

if TYPE_CHECKING:
    # Whoever only reads what is stored needs no types.
    from hotplate.resources.catalogue import Catalogue

T = TypeVar("T")

AHEAD: Final = 64
PORTION: Final = 500
"""So many resources take some 20 to 30 ms of the writer, for which others wait."""

SMALLER: Final = 8
"""While several projects write, a portion is a so-manieth part."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What transactions of the engine need besides a connection."""

    world: RealWorld
    book: RecipeBook
    catalogue: "Catalogue"
    clock: Callable[[Connection], float] = database_time
    """The one clock that all workers share, for heartbeats. A simulation has its own."""

    allows_unverified: bool = False
    """Whether objects may be external whose existence cannot be verified."""

    most_resources: int = 0
    """Resources that a stack may have, nested stacks included; 0 for no limit."""

    deepest_nesting: int = DEEPEST_NESTING
    """Levels of nested stacks; no listing need go deeper."""

    portion: int = PORTION
    """Resources that one transaction of an acceptance writes; what is larger is split."""

    ahead: int = AHEAD
    """Nodes that a transaction brings to their end besides those that it is for."""

    switched_off: tuple[str, ...] = ()
    """Types that no new resource may have; those that there are go on."""

    signals: SignalCache = field(default_factory=SignalCache)
    """What resources were told, as far as it was looked at lately."""

    owners: Owners = field(default_factory=Owners)
    """Whose the stacks are that are worked on."""

    evaluator: Evaluator | None = None
    """Where heavy expressions are evaluated; None for a thread, without a database."""

    def portion_of(self, project: str) -> int:
        """Return how many resources one transaction may write for a project now."""
        return self.portion // SMALLER if self.world.is_heavy(project) else self.portion

    @property
    def offered(self) -> "Catalogue":
        """The types that a new resource may have."""
        return self.catalogue.without(self.switched_off) if self.switched_off else self.catalogue

    def acting_for(self, actor: Actor) -> "Tools":
        """Return the same tools with the services of an actor; the very same if that is all one."""
        world = self.world.acting_for(actor)
        return self if world is self.world else replace(self, world=world)

    async def evaluate(self, evaluation: Evaluation[T]) -> T:
        """Evaluate where nobody waits for it. Raises what the evaluation raises."""
        if self.evaluator is not None:
            return await self.evaluator.run(evaluation)
        return await self.world.aside(lambda: evaluation.run(self, None))
