"""Nodes of resources that have to do with no other are made when they are asked for."""

from array import array

import pytest

from hotplate.document.names import Names
from hotplate.model import Task
from hotplate.plan.lone import Lone, LoneNodes, OneAfterTheOther, in_order
from hotplate.plan.prepare import PlannedNode

LISTED = [PlannedNode(0, -1, "a", Task.UPDATE), PlannedNode(1, 70, "a", Task.CLEANUP)]


def test_names_that_are_numbers_are_not_listed() -> None:
    names = in_order(Names([(0, 90_000), "x"]))
    assert len(names) == 90_001
    assert names[89_998:] == ["89998", "89999", "x"]
    assert (names[0], names[-1]) == ("0", "x")
    assert in_order({"b": 1}.keys()) == ("b",)


def test_new_ones_are_updated_after_what_is_listed() -> None:
    lone = Lone(("b", "c"))
    nodes = OneAfterTheOther(LISTED, LoneNodes(lone, listed=2, missing=1))
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
    lone = Lone(("b",), versions=array("q", [7, 8]), task=Task.CHECK)
    nodes = LoneNodes(lone, listed=2, missing=1)
    assert list(nodes) == [
        PlannedNode(2, -2, "b", Task.UPDATE),
        PlannedNode(3, 7, "", Task.CHECK),
        PlannedNode(4, 8, "", Task.CHECK),
    ]
    assert nodes[1:2] == [PlannedNode(3, 7, "", Task.CHECK)]
    assert nodes[2] == nodes[-1]
    assert lone.updates == 1


def test_versions_are_updated_and_then_looked_at_again() -> None:
    lone = Lone(("b",), array("q", [7, 8]), array("q", [9]))
    nodes = LoneNodes(lone, listed=2, missing=1)
    assert list(nodes) == [
        PlannedNode(2, -2, "b", Task.UPDATE),
        PlannedNode(3, 7, "", Task.UPDATE, 0, [5]),
        PlannedNode(4, 8, "", Task.UPDATE, 0, [6]),
        PlannedNode(5, 7, "", Task.CLEANUP, 1),
        PlannedNode(6, 8, "", Task.CLEANUP, 1),
        PlannedNode(7, 9, "", Task.CLEANUP),
    ]
    assert lone.updates == 3
    for start in range(7):
        for stop in range(8):
            assert nodes[start:stop] == list(nodes)[start:stop]


def test_what_does_not_follow_each_other_is_refused() -> None:
    with pytest.raises(ValueError, match="follows"):
        in_order(Names([(0, 9)]))[::2]
