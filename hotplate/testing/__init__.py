"""Simulated clock, store, broker and cloud: the real engine, every crash repeatable.

Write a scenario as a `Story`, or put the parts together with `Simulation`. A run is decided by
its seed alone; a failure names it.
"""

from hotplate.testing.cloud import CloudError, Fault, SimulatedCloud
from hotplate.testing.invariants import Invariants, Violation
from hotplate.testing.loop import RandomChoices, SimulatedLoop, Stuck, TookTooLong
from hotplate.testing.notation import NOTHING, Plan, Thing, plan
from hotplate.testing.process import SimulatedProcess
from hotplate.testing.simulation import Request, Simulation
from hotplate.testing.story import Story
from hotplate.testing.world import SimulatedWorld

__all__ = [
    "NOTHING",
    "CloudError",
    "Fault",
    "Invariants",
    "Plan",
    "RandomChoices",
    "Request",
    "SimulatedCloud",
    "SimulatedLoop",
    "SimulatedProcess",
    "SimulatedWorld",
    "Simulation",
    "Story",
    "Stuck",
    "Thing",
    "TookTooLong",
    "Violation",
    "plan",
]
