"""Twin of hotplate.graph.graph: structure, and questions about neighbours."""

import pytest

from hotplate.graph import Graph, UnknownNodeError

# A server on a port on a network, and a volume on its own.
STACK = Graph({"server": ["port", "volume"], "port": ["net"], "volume": [], "net": []})


def test_a_node_knows_what_it_requires_and_what_requires_it() -> None:
    assert STACK.requires("server") == ("port", "volume")
    assert STACK.required_by("net") == ("port",)
    assert STACK.requires("net") == ()
    assert STACK.required_by("server") == ()


def test_neighbours_come_in_insertion_order_even_when_given_as_sets() -> None:
    names = [f"node{number}" for number in range(50)]
    graph = Graph({**dict.fromkeys(names, ()), "last": set(names)})
    assert graph.requires("last") == tuple(names)


def test_requiring_a_node_twice_counts_once() -> None:
    graph = Graph({"a": ["b", "b"], "b": []})
    assert graph.requires("a") == ("b",)
    assert graph.required_by("b") == ("a",)


def test_an_unknown_requirement_is_refused_naming_both_nodes() -> None:
    with pytest.raises(UnknownNodeError, match="server requires prot, which does not exist") as e:
        Graph({"server": ["prot"], "port": []})
    assert (e.value.node, e.value.required) == ("server", "prot")


def test_asking_for_a_node_that_is_not_there_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="router"):
        STACK.requires("router")


def test_edges_and_mapping_build_the_same_graph() -> None:
    graph = Graph.from_edges(
        [("server", "port"), ("server", "volume"), ("port", "net")],
        nodes=["server", "port", "volume", "net"],
    )
    assert list(graph) == list(STACK)
    assert graph.order() == STACK.order()


def test_nodes_known_only_from_edges_are_inserted_as_they_appear() -> None:
    assert list(Graph.from_edges([("a", "b"), ("c", "a")], nodes=["lone"])) == [
        "lone",
        "a",
        "b",
        "c",
    ]


def test_leaves_require_nothing_and_roots_are_required_by_nothing() -> None:
    assert STACK.leaves() == ("volume", "net")
    assert STACK.roots() == ("server",)


def test_the_closure_reaches_through_others_and_leaves_the_node_out() -> None:
    assert STACK.requires_transitively("server") == ("port", "volume", "net")
    assert STACK.required_by_transitively("net") == ("server", "port")
    assert STACK.requires_transitively("port", "volume") == ("net",)
    assert STACK.requires_transitively() == ()


def test_the_closure_of_a_node_on_a_cycle_contains_the_node() -> None:
    graph = Graph({"a": ["b"], "b": ["a"]})
    assert graph.requires_transitively("a") == ("a", "b")


def test_a_subgraph_keeps_the_requirements_among_its_nodes_only() -> None:
    graph = STACK.subgraph({"net", "server", "port"})
    assert list(graph) == ["server", "port", "net"]
    assert graph.requires("server") == ("port",)
    assert graph.roots() == ("server",)


def test_the_empty_graph_has_an_empty_order() -> None:
    graph: Graph[str] = Graph({})
    assert (len(graph), graph.order(), graph.levels(), graph.roots()) == (0, (), (), ())


def test_later_changes_of_the_source_do_not_reach_the_graph() -> None:
    source = {"a": ["b"], "b": []}
    graph = Graph(source)
    source["a"].clear()
    source["c"] = []
    assert list(graph) == ["a", "b"]
    assert graph.requires("a") == ("b",)


def test_membership_size_and_description() -> None:
    assert "net" in STACK
    assert "router" not in STACK
    assert len(STACK) == 4
    assert repr(STACK) == "<Graph of 4 nodes and 3 edges>"


def test_nodes_may_be_any_hashable_value() -> None:
    graph = Graph({("stack", 1): [("stack", 2)], ("stack", 2): []})
    assert graph.order() == (("stack", 2), ("stack", 1))
