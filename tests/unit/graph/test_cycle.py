"""Twin of hotplate.graph.cycle: the path that closes a cycle."""

from itertools import pairwise

import pytest
from hypothesis import given

from hotplate.graph import CycleError, Graph
from tests.unit.graph.random_graphs import acyclic_requirements, any_requirements

HUGE = 100_000


def test_the_error_names_the_path_and_what_to_do() -> None:
    graph = Graph({"top": ["a"], "a": ["b"], "b": ["c", "leaf"], "c": ["a"], "leaf": []})
    with pytest.raises(CycleError) as e:
        graph.order()
    assert e.value.path == ("a", "b", "c", "a")
    assert str(e.value) == (
        "dependency cycle: a requires b requires c requires a; remove one of these references"
    )


def test_a_node_that_requires_itself_is_a_cycle() -> None:
    assert Graph({"a": ["a"]}).cycle() == ("a", "a")


def test_what_merely_requires_a_cycle_is_not_part_of_it() -> None:
    graph = Graph({"d": ["c"], "c": ["b"], "b": ["a"], "a": ["b"]})
    assert graph.cycle() == ("b", "a", "b")


def test_the_shorter_way_back_is_reported() -> None:
    graph = Graph({"a": ["b", "d"], "b": ["c"], "c": ["d"], "d": ["a"]})
    assert graph.cycle() == ("a", "d", "a")


def test_a_graph_without_a_cycle_reports_none() -> None:
    assert Graph({"a": ["b"], "b": []}).cycle() == ()


@given(any_requirements())
def test_a_cycle_is_reported_exactly_when_one_exists(requirements: dict[int, list[int]]) -> None:
    graph = Graph(requirements)
    exists = any(node in graph.requires_transitively(node) for node in graph)
    assert bool(graph.cycle()) == exists


@given(any_requirements())
def test_a_reported_path_is_a_real_cycle_without_repetition(
    requirements: dict[int, list[int]],
) -> None:
    path = Graph(requirements).cycle()
    if path:
        assert path[0] == path[-1]
        assert len(set(path)) == len(path) - 1
        assert all(required in requirements[node] for node, required in pairwise(path))
        insertion = list(requirements)
        assert path[0] == min(path, key=insertion.index)


@given(acyclic_requirements())
def test_no_cycle_is_invented(requirements: dict[int, list[int]]) -> None:
    assert Graph(requirements).cycle() == ()


@given(any_requirements())
def test_the_same_graph_reports_the_same_cycle(requirements: dict[int, list[int]]) -> None:
    shuffled_requirements = {node: list(reversed(names)) for node, names in requirements.items()}
    assert Graph(requirements).cycle() == Graph(shuffled_requirements).cycle()


def test_a_cycle_of_100000_nodes_is_found_and_its_message_stays_readable() -> None:
    graph = Graph({number: [(number + 1) % HUGE] for number in range(HUGE)})
    with pytest.raises(CycleError) as e:
        graph.order()
    assert e.value.path == (*range(HUGE), 0)
    assert "7 requires (99985 others) requires 99993" in str(e.value)
    assert len(str(e.value)) < 500
