"""Defects that only transactions show which go ahead with what they make ready."""

from collections.abc import Iterable

from sqlalchemy import Connection

from hotplate.engine.check.claims import Outcome
from hotplate.engine.worker.ahead import _Walk
from hotplate.model import Node, Task
from hotplate.store.nodes import lock_nodes
from tests.simulation.defects.engine import Defect, Patch


def versions_are_read_before_they_are_written(patch: Patch) -> None:
    """A clean-up does not know what the update of the same transaction has made of its version."""

    def keep(self: _Walk, outcome: Outcome) -> None:
        node = outcome.claim.node
        if node.task is Task.UPDATE and self._is_counted(outcome):
            self._offering[node.stack_id, node.name] = outcome.claim.version

    patch.setattr(_Walk, "_keep", keep)


def nodes_end_that_wait_for_others(patch: Patch) -> None:
    """One of several predecessors is enough."""

    def ready_by(self: _Walk, connection: Connection, latest: Iterable[Outcome]) -> list[Node]:
        targets = {each for outcome in latest for each in outcome.claim.node.successors}
        self._nodes = lock_nodes(connection, sorted(targets))
        return list(self._nodes.values())

    patch.setattr(_Walk, "_ready_by", ready_by)


AHEAD_DEFECTS: tuple[Defect, ...] = (
    versions_are_read_before_they_are_written,
    nodes_end_that_wait_for_others,
)
