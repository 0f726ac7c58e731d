"""Who tells the stories: on which database, and how often when a story is told again and again."""

import os
from collections.abc import Callable, Iterator
from itertools import count

from hotplate.engine.context import PORTION
from hotplate.testing import Story
from hotplate.testing.loop import Choices
from hotplate.testing.simulation import Connect
from hotplate.testing.store import SimulatedDatabase

Part = Callable[[Story], None]

# Where a story is interrupted: from which step on, and every how many steps. SQLite in memory is
# fast enough to try all of them, but for `make quick`. On the servers this is a sample, and not the
# same on both.
_STRIDE = int(os.environ.get("SCENARIO_STRIDE", "1"))
_STEPS = {"sqlite": (0, _STRIDE), "postgresql": (1, 11), "mariadb": (4, 11)}


class Teller:
    """Begins stories on one kind of database, without one in memory.

    The stories are the same on all of them.
    """

    def __init__(self, kind: str = "sqlite", database: SimulatedDatabase | None = None) -> None:
        self.kind = kind
        self.database = database

    def __call__(
        self,
        seed: int = 0,
        workers: int = 2,
        choices: Choices | None = None,
        connect: Connect | None = None,
        portion: int = PORTION,
    ) -> Story:
        """Begin a story in an empty database."""
        return Story(seed, workers, choices, self.database, connect, portion=portion)

    @property
    def first(self) -> int:
        """A step at which this kind of database is the only one that is interrupted."""
        return _STEPS[self.kind][0]

    def steps(self) -> Iterator[int]:
        """The steps at which a story is to be interrupted, one after the other, without end."""
        first, stride = _STEPS[self.kind]
        return count(first, stride)

    def at_every_step(self, beginning: Part, interruption: Part, ending: Part) -> None:
        """Tell a story again and again, interrupted later each time.

        The last time the beginning comes to its end before it is interrupted: that one is not told.
        """
        for number in self.steps():
            with self(seed=number) as story:
                beginning(story)
                story.steps(number)
                interruption(story)
                if came_too_late(story):
                    assert number > 3, "there was nothing to interrupt"
                    return
                story.finish()
                ending(story)


def came_too_late(story: Story) -> bool:
    """Whether the last operation began after the one before had come to its end."""
    states = [(state, reason) for name, state, reason in story.events if name == "story"]
    begun = max(at for at, (_, reason) in enumerate(states) if reason.endswith(" started"))
    return begun > 0 and states[begun - 1][0].endswith("_COMPLETE")
