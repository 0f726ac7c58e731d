"""Nodes of independent resources are made when they are asked for."""

from array import array

from hotplate.model import Task
from hotplate.plan.independent import Independent, IndependentNodes
from hotplate.plan.lazy_sequences import Concatenation
from hotplate.plan.prepare import PlannedNode

LISTED = [PlannedNode(0, -1, "a", Task.UPDATE), PlannedNode(1, 70, "a", Task.CLEANUP)]


def test_new_ones_are_updated_after_what_is_listed() -> None:
    independent = Independent(("b", "c"))
    nodes = Concatenation(LISTED, IndependentNodes(independent, listed=2, missing=1))
    assert len(nodes) == 4
    assert list(nodes) == [
        *LISTED,
        PlannedNode(2, -2, "b", Task.UPDATE),
        PlannedNode(3, -3, "c", Task.UPDATE),
    ]
    for start in range(5):
        for stop in range(6):
            assert nodes[start:stop] == list(nodes)[start:stop]


def test_versions_are_visited_without_a_name() -> None:
    independent = Independent(("b",), versions=array("q", [7, 8]), task=Task.CHECK)
    nodes = IndependentNodes(independent, listed=2, missing=1)
    assert list(nodes) == [
        PlannedNode(2, -2, "b", Task.UPDATE),
        PlannedNode(3, 7, "", Task.CHECK),
        PlannedNode(4, 8, "", Task.CHECK),
    ]
    assert nodes[1:2] == [PlannedNode(3, 7, "", Task.CHECK)]
    assert nodes[2] == nodes[-1]
    assert independent.updates == 1


def test_versions_are_updated_and_then_looked_at_again() -> None:
    independent = Independent(("b",), array("q", [7, 8]), array("q", [9]))
    nodes = IndependentNodes(independent, listed=2, missing=1)
    assert list(nodes) == [
        PlannedNode(2, -2, "b", Task.UPDATE),
        PlannedNode(3, 7, "", Task.UPDATE, 0, [5]),
        PlannedNode(4, 8, "", Task.UPDATE, 0, [6]),
        PlannedNode(5, 7, "", Task.CLEANUP, 1),
        PlannedNode(6, 8, "", Task.CLEANUP, 1),
        PlannedNode(7, 9, "", Task.CLEANUP),
    ]
    assert independent.updates == 3
    for start in range(7):
        for stop in range(8):
            assert nodes[start:stop] == list(nodes)[start:stop]
