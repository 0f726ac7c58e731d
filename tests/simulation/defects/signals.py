"""Defects of signals and of groups that scale, to be switched on one at a time."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from hotplate.engine.check import record as recording
from hotplate.engine.context import Tools
from hotplate.engine.requests import signals
from hotplate.engine.traversal import between
from hotplate.engine.worker import sweep
from hotplate.model import Node, Stack, Status
from tests.simulation.defects.engine import Defect, Patch


def signals_wake_nobody(patch: Patch) -> None:
    """A signal is kept, and those who listen sleep on."""
    patch.setattr(signals, "_wake_listeners", lambda *arguments: [])


def signals_are_missed_on_the_way_to_bed(patch: Patch) -> None:
    """A signal that comes while its listener goes to sleep does not wake it."""
    patch.setattr(recording, "wake_if_signalled", lambda *arguments: [])


def signals_during_a_traversal_are_forgotten(patch: Patch) -> None:
    """A policy is told something in the middle of an update, and nobody writes it down."""
    present = between.adjust

    def adjust(connection: Connection, tools: Tools, stack: Stack, *more: Any) -> list[int]:
        if stack.status is Status.IN_PROGRESS:
            return []
        return present(connection, tools, stack, *more)

    patch.setattr(signals, "adjust", adjust)


def scaling_does_not_wait_for_the_traversal(patch: Patch) -> None:
    """A group changes its size at once, whatever goes on in its stack."""
    present = between.run_deferred_changes

    def run(connection: Connection, tools: Tools, stack: Stack) -> list[int]:
        return present(connection, tools, replace(stack, status=Status.COMPLETE))

    patch.setattr(between, "run_deferred_changes", run)


def nobody_hears_of_the_end_of_scaling(patch: Patch) -> None:
    """The stack inside is told its new size, and there is no node that waits for it."""

    def insert(connection: Connection, nodes: Sequence[Node]) -> None:
        return None

    patch.setattr(between, "insert_nodes", insert)


def deferred_changes_are_not_looked_for(patch: Patch) -> None:
    """What was kept until the stack is at rest stays where it is."""
    patch.setattr(sweep, "stacks_with_deferred_changes", lambda connection: [])


def what_signals_add_is_overwritten(patch: Patch) -> None:
    """A worker writes what it read of a resource before a signal came."""
    patch.setattr(recording, "add_signalled", lambda *arguments: None)


SIGNAL_DEFECTS: tuple[Defect, ...] = (
    signals_wake_nobody,
    signals_are_missed_on_the_way_to_bed,
    signals_during_a_traversal_are_forgotten,
    scaling_does_not_wait_for_the_traversal,
    nobody_hears_of_the_end_of_scaling,
    deferred_changes_are_not_looked_for,
    what_signals_add_is_overwritten,
)
