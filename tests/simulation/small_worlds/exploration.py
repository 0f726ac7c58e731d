"""Small worlds, gone through and not drawn: at most three resources, two operations, two workers.

A world begins when its first operation has been accepted. From then on these are steps: a worker
takes a message, runs a transaction or takes in an answer; the provider carries a call out; the
second operation is accepted; a worker crashes, once. All orders of steps are runs of the world.
Choices are written on tapes; from each run follow the tapes that differ from it in a later choice.

What is not gone through twice, and why nothing is missed by it:

- A state whose name was met (`small_worlds_state`). Workers are interchangeable in these names.
  That states with one name offer the same steps is checked all along. States get names where
  something is to be chosen, and where time passes: after a crash little is to be chosen, and runs
  that have met would all go on to the same end.
- A message lies with a worker as soon as it is sent. Until it is claimed nobody can tell; which
  worker takes it is a choice, and a crash of that worker loses it.
- A crash comes when neither the provider nor the other worker can do anything, or between an answer
  and what the process does with it. What others do after a crash they could have done before it,
  and nobody notices a crash until time has passed.
- Time passes when no worker and no call can go on. The second operation may wait meanwhile. Moments
  that differ by clocks only count as one, and so do all moments at rest. Heartbeats go first: they
  write nothing that others read before time has passed again.
- The reading of what never changes, before an update is accepted, and the answers to requests.

Two limits make larger worlds finite in practice; `Limits` has them, and they do miss something:

- ``at_once``: a process takes an answer in as soon as it is there. Between processes this makes no
  difference, for taking in touches only the process itself. Missed is: two tasks of one process
  get their answers in another order than their transactions had.
- ``delays``: the step of whoever went last comes next, and the order of gates after it; that many
  steps may be taken out of turn (delay-bounded scheduling). The moments of the second operation and
  of the crash cost nothing: all of them are gone through whatever the limit.

Never gone through: lost and doubled messages, failing calls, pauses, a second crash, sweeps while
somebody could go on. Random runs have these.

`python -m tests.simulation.small_worlds.exploration` goes through all worlds and prints figures.
"""

import argparse
import sys
import time
from dataclasses import dataclass, field, replace
from unittest.mock import patch

from hotplate.engine.context import PORTION
from hotplate.engine.recipes.book import RecipeBook
from hotplate.engine.worker import lease, sweep
from hotplate.testing.simulation import CATALOGUE
from tests.simulation.small_worlds.memory import Moment, RememberingDatabase
from tests.simulation.small_worlds.play import Limits, Play, World
from tests.simulation.small_worlds.worlds import worlds

_SWEEP = 6.0
_HEARTBEAT = 4.0


class _LastingBook(RecipeBook):
    """Forgets no stack: runs share it, and in each of them the stacks have the same ids."""

    def __init__(self) -> None:
        super().__init__(CATALOGUE)

    def forget(self, stack_id: str) -> None: ...


@dataclass
class Exploration:
    """Goes through the runs of a world; afterwards tells how much that was."""

    world: World
    limits: Limits = field(default_factory=Limits)
    database: RememberingDatabase = field(default_factory=RememberingDatabase)
    seen: dict[bytes, int] = field(default_factory=dict)
    """For each state with how many steps out of turn left it was gone into."""

    offers: dict[bytes, list[str]] = field(default_factory=dict)
    book: RecipeBook = field(default_factory=_LastingBook)
    runs: int = 0
    steps: int = 0
    seconds: float = 0.0
    """Of processor time."""

    is_exhausted: bool = False

    def explore(self, seconds: float = float("inf")) -> None:
        """Play all runs, or as many as there is time for. Raises Violation."""
        # Between a crash and its being noticed nothing happens but these; fewer of them will do.
        with patch.object(sweep, "SWEEP", _SWEEP), patch.object(lease, "HEARTBEAT", _HEARTBEAT):
            self._explore(seconds)

    def _explore(self, seconds: float) -> None:
        began = time.process_time()
        tapes: list[tuple[tuple[int, ...], Moment | None]] = [((), None)]
        while tapes and self.seconds < seconds:
            tape, moment = tapes.pop()
            play = Play(self, tape, moment)
            play.go()
            self.runs += 1
            taken = tuple(branch.choice for branch in play.branches)
            for place in range(len(tape), len(taken)):
                branch = play.branches[place]
                tapes.extend(((*taken[:place], at), branch.moment) for at in branch.others)
            self.seconds = time.process_time() - began
        self.is_exhausted = not tapes

    def replay(self, tape: tuple[int, ...]) -> list[str]:
        """Play one run and return its steps. Raises Violation, which tells them as well."""
        with patch.object(sweep, "SWEEP", _SWEEP), patch.object(lease, "HEARTBEAT", _HEARTBEAT):
            play = Play(self, tape)
            play.go()
        return play.told

    def __str__(self) -> str:
        end = "exhausted" if self.is_exhausted else "not exhausted"
        return (
            f"{self.world.name}: {self.runs} runs, {len(self.seen)} states, {self.steps} steps, "
            f"{self.seconds:.1f} s, {end}"
        )


def main() -> int:
    """Go through worlds and print figures."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--sizes", default="1,2,3", help="numbers of resources")
    parser.add_argument("--delays", type=int, help="steps out of turn; without it any number")
    parser.add_argument("--any-answer-order", action="store_true", help="answers may wait")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for each world")
    parser.add_argument("--world", default="", help="part of a world's name")
    parser.add_argument("--portion", type=int, default=PORTION, help="resources written at a time")
    parser.add_argument("--tape", help="the choices of a single run, with commas")
    arguments = parser.parse_args()
    limits = Limits(arguments.delays, not arguments.any_answer_order)
    sizes = tuple(map(int, arguments.sizes.split(",")))
    for world in worlds(sizes):
        if arguments.world not in world.name:
            continue
        exploration = Exploration(replace(world, portion=arguments.portion), limits)
        if arguments.tape is not None:
            tape = tuple(map(int, filter(None, arguments.tape.split(","))))
            print("\n".join(exploration.replay(tape)))
            continue
        exploration.explore(arguments.seconds)
        print(exploration, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
