"""Twin of hotplate.graph.order: orders and levels."""

import pytest
from hypothesis import given

from hotplate.graph import CycleError, Graph
from tests.unit.graph.random_graphs import acyclic_requirements

HUGE = 100_000


def test_what_is_required_comes_first_and_ties_keep_insertion_order() -> None:
    graph = Graph({"server": ["port"], "z": [], "port": ["net"], "a": [], "net": []})
    assert graph.order() == ("z", "a", "net", "port", "server")


def test_a_node_runs_as_soon_as_it_may_if_it_was_inserted_early() -> None:
    graph = Graph({"first": ["c"], "a": [], "b": [], "c": ["a"], "d": []})
    assert graph.order() == ("a", "b", "c", "first", "d")


def test_the_reverse_order_is_the_order_backwards() -> None:
    graph = Graph({"server": ["port"], "port": ["net"], "net": []})
    assert graph.reverse_order() == ("server", "port", "net")


def test_levels_hold_what_may_run_side_by_side() -> None:
    graph = Graph({"server": ["port", "volume"], "port": ["net"], "volume": [], "net": []})
    assert graph.levels() == (("volume", "net"), ("port",), ("server",))


def test_no_order_and_no_levels_with_a_cycle() -> None:
    graph = Graph({"a": ["b"], "b": ["a"], "c": []})
    for ask in (graph.order, graph.reverse_order, graph.levels):
        with pytest.raises(CycleError):
            ask()


@given(acyclic_requirements())
def test_every_order_is_valid(requirements: dict[int, list[int]]) -> None:
    order = Graph(requirements).order()
    place = {node: index for index, node in enumerate(order)}
    assert sorted(order) == sorted(requirements)
    assert all(
        place[required] < place[node] for node, names in requirements.items() for required in names
    )


@given(acyclic_requirements())
def test_each_next_node_is_the_first_inserted_of_those_that_may_come(
    requirements: dict[int, list[int]],
) -> None:
    placed: set[int] = set()
    for node in Graph(requirements).order():
        may_come = [
            name
            for name, required in requirements.items()
            if name not in placed and placed.issuperset(required)
        ]
        assert node == may_come[0]
        placed.add(node)


@given(acyclic_requirements())
def test_a_graph_inserted_in_a_valid_order_keeps_it(requirements: dict[int, list[int]]) -> None:
    order = Graph(requirements).order()
    assert Graph({node: requirements[node] for node in order}).order() == order


@given(acyclic_requirements())
def test_levels_agree_with_the_order_and_are_as_early_as_possible(
    requirements: dict[int, list[int]],
) -> None:
    graph = Graph(requirements)
    levels = graph.levels()
    level_of = {node: number for number, level in enumerate(levels) for node in level}
    assert sorted(level_of) == sorted(graph.order())
    assert all(levels)
    for node, required in requirements.items():
        assert level_of[node] == max((level_of[name] + 1 for name in required), default=0)


@given(acyclic_requirements())
def test_the_closure_is_everything_below_and_both_directions_agree(
    requirements: dict[int, list[int]],
) -> None:
    graph = Graph(requirements)
    for node in graph:
        below: set[int] = set(graph.requires(node))
        for required in graph.requires(node):
            below.update(graph.requires_transitively(required))
        assert set(graph.requires_transitively(node)) == below
        assert all(node in graph.required_by_transitively(name) for name in below)


def test_a_chain_of_100000_nodes_is_ordered_in_both_insertion_orders() -> None:
    downwards = Graph({number: [number + 1] if number < HUGE - 1 else [] for number in range(HUGE)})
    upwards = Graph({number: [number - 1] if number else [] for number in range(HUGE)})
    assert downwards.order() == tuple(reversed(range(HUGE)))
    assert upwards.order() == tuple(range(HUGE))
    assert len(upwards.levels()) == HUGE
    assert len(upwards.requires_transitively(HUGE - 1)) == HUGE - 1


def test_a_fan_of_100000_nodes_is_ordered_from_both_ends() -> None:
    fan_in = Graph({"all": range(HUGE), **{number: [] for number in range(HUGE)}})
    assert fan_in.order() == (*range(HUGE), "all")
    assert [len(level) for level in fan_in.levels()] == [HUGE, 1]
    fan_out = Graph({**{number: ["one"] for number in range(HUGE)}, "one": []})
    assert fan_out.order() == ("one", *range(HUGE))
    assert fan_out.leaves() == ("one",)


def test_a_million_edges_between_two_layers_are_ordered() -> None:
    left, right = range(1000), range(1000, 2000)
    graph = Graph({**dict.fromkeys(left, right), **dict.fromkeys(right, ())})
    assert graph.order() == (*right, *left)
    assert graph.levels() == (tuple(right), tuple(left))
