"""What processes have cost so far: those that were started, and all that these have started."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def ticks_of_trees(roots: Iterable[int]) -> dict[int, int]:
    """Return the clock ticks of CPU time of each process in trees of processes that are alive.

    What has ended below a process counts as its own.
    """
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text("utf-8").rpartition(")")[2].split()
            pid = int(stat.parent.name)
            parents[pid], ticks[pid] = int(fields[1]), sum(map(int, fields[11:15]))
    family, found = set(roots) & set(parents), -1
    while len(family) != found:
        found = len(family)
        family |= {pid for pid, parent in parents.items() if parent in family}
    return {pid: ticks[pid] for pid in family}


def cpu_seconds(roots: Iterable[int]) -> float:
    """Return the CPU seconds of trees of processes."""
    return sum(ticks_of_trees(roots).values()) / os.sysconf("SC_CLK_TCK")
