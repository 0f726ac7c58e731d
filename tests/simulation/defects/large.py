"""Defects of traversals that are written in portions, each switched on by changing one function."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from hotplate.engine.traversal import claimed_coordinator, clearing, coordinator, untouched
from hotplate.model import Node, NodeState
from hotplate.model.unchanged import Unchanged
from hotplate.store.large.survey import Counted, counted, glances
from hotplate.store.nodes import insert_nodes

Patch = pytest.MonkeyPatch


def drafts_run_at_once(patch: Patch) -> None:
    """Nodes are worked on before all those are there that wait for them."""

    def insert(connection: Any, nodes: Sequence[Node]) -> None:
        opened = [
            replace(node, state=NodeState.WAITING if node.need else NodeState.READY)
            for node in nodes
        ]
        insert_nodes(connection, opened)

    patch.setattr(coordinator, "insert_nodes", insert)


def any_worker_may_write(patch: Patch) -> None:
    """A worker that was taken for dead goes on to write the graph that another writes anew."""
    patch.setattr(claimed_coordinator, "is_owner", lambda connection, node: True)


def overtaken_graphs_are_written(patch: Patch) -> None:
    """The graph of a traversal goes on to be written after a newer one has begun."""
    for module in (claimed_coordinator, coordinator):
        patch.setattr(module, "newest", lambda by, stacks: next(iter(stacks)))


def older_work_is_not_awaited(patch: Patch) -> None:
    """Work of an older traversal is not waited for."""
    patch.setattr(coordinator, "_is_awaited", lambda stack, node, known: False)


def first_tries_are_left(patch: Patch) -> None:
    """What a worker had written when it died stays beside what the next one writes."""
    patch.setattr(coordinator, "_before", lambda rows: 0)


def what_is_left_inside_goes_on(patch: Patch) -> None:
    """A large stack fails, and the coordinator that clears it away stops nothing inside it."""
    patch.setattr(clearing, "stop_some", lambda connection, tools, by: ([], True))


def nothing_is_compared(patch: Patch) -> None:
    """What is in order is left alone, whatever is wanted of it."""
    patch.setattr(
        untouched, "_is_wanted", lambda bound, name, fingerprint: name in bound.fingerprints
    )


def every_recipe_wants_the_same(patch: Patch) -> None:
    """What is in order is left alone if the recipe that the stack comes from wanted it at all."""
    patch.setattr(Unchanged, "among", lambda self, names, wanted: names & wanted.names())


def versions_out_of_order_are_not_seen(patch: Patch) -> None:
    """An update looks only at versions that are in order."""

    def in_order(*arguments: Any) -> Iterator[list[Any]]:
        for rows in glances(*arguments):
            yield [row for row in rows if row[3] != ""]

    def others_in_order(*arguments: Any) -> Counted | None:
        found = counted(*arguments)
        return found and Counted(found.number, [row for row in found.others if row[3] != ""])

    patch.setattr(untouched, "glances", in_order)
    patch.setattr(untouched, "counted", others_in_order)


def everything_is_carried(patch: Patch) -> None:
    """A traversal carries also what is to be changed or removed."""
    patch.setattr(coordinator, "disown", lambda connection, stack, versions: None)


LARGE_DEFECTS = (
    drafts_run_at_once,
    any_worker_may_write,
    overtaken_graphs_are_written,
    older_work_is_not_awaited,
    first_tries_are_left,
    nothing_is_compared,
    every_recipe_wants_the_same,
    versions_out_of_order_are_not_seen,
    everything_is_carried,
)
LARGE_NESTED_DEFECTS = (what_is_left_inside_goes_on,)
