"""One measured number, and the clock that measures it."""

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time


@dataclass(frozen=True)
class Figure:
    """What was done to how many things, and the CPU seconds it took.

    `baseline` is the name of an earlier figure of the same benchmark that this one is compared
    with, thing by thing: a ratio near 1 means that the cost grows with the number of things and
    no faster. `note` is whatever else was measured.
    """

    name: str
    things: int
    seconds: float
    baseline: str = ""
    note: str = ""

    @property
    def microseconds_each(self) -> float:
        return self.seconds * 1e6 / self.things


def measure(
    name: str, things: int, action: Callable[[], object], *, baseline: str = "", rounds: int = 3
) -> Figure:
    """Run the action a few times and keep the fastest: the others measure the neighbours."""

    def once() -> float:
        start = process_time()
        action()
        return process_time() - start

    return Figure(name, things, min(once() for _ in range(rounds)), baseline)
