"""A graph without requirements says what a Graph would say, and keeps nothing but its nodes."""

import pickle

import pytest

from hotplate.graph import Graph, graph_of
from hotplate.graph.edgeless import EdgelessGraph

NODES = {"c": 1, "a": 2, "b": 3}


def test_it_says_what_a_graph_says() -> None:
    found = graph_of(NODES.keys(), {"a": ()})
    expected: Graph[str] = Graph({"c": (), "a": (), "b": ()})
    assert isinstance(found, EdgelessGraph)
    assert repr(found) == repr(expected)
    assert (len(found), tuple(found), "a" in found, "d" in found) == (
        3,
        ("c", "a", "b"),
        True,
        False,
    )
    for name in (
        "edges",
        "leaves",
        "roots",
        "independent",
        "order",
        "reverse_order",
        "levels",
        "cycle",
    ):
        assert getattr(found, name)() == getattr(expected, name)(), name
    for name in ("requires", "required_by", "requires_transitively", "required_by_transitively"):
        assert getattr(found, name)("a") == () == getattr(expected, name)("a")
        with pytest.raises(KeyError):
            getattr(found, name)("d")
    assert found.order_without({"a"}) == expected.order_without({"a"}) == ("c", "b")
    assert tuple(found.subgraph(["b", "c"])) == ("c", "b")
    assert tuple(pickle.loads(pickle.dumps(found))) == ("c", "a", "b")
    assert graph_of(dict[str, int]().keys(), {}).levels() == Graph[str]({}).levels()


def test_what_is_added_makes_it_a_graph() -> None:
    found = graph_of(NODES.keys(), {})
    assert found.extended({}) is found
    assert found.extended({"c": ["b"]}).order() == ("a", "b", "c")
    assert graph_of(NODES.keys(), {"c": ["b"]}).order() == ("a", "b", "c")
