"""Twin of hotplate.graph.soft: requirements that are given up where they would close a cycle."""

from hypothesis import given

from hotplate.graph import Graph
from tests.unit.graph.random_graphs import Requirements, acyclic_requirements, any_requirements


def edges(graph: Graph[int]) -> set[tuple[int, int]]:
    return {(node, other) for node in graph for other in graph.requires(node)}


def test_what_closes_no_cycle_is_required_as_well() -> None:
    graph = Graph({"port": ["net"], "subnet": ["net"], "net": []})
    assert graph.extended({"port": ["subnet"]}).order() == ("net", "subnet", "port")
    assert graph.requires("port") == ("net",)


def test_what_contradicts_a_requirement_is_left_out() -> None:
    graph = Graph({"server": [], "between": ["server"], "subnet": ["between"], "other": []})
    extended = graph.extended({"server": ["subnet", "other"]})
    assert extended.requires("server") == ("other",)
    assert extended.requires("subnet") == ("between",)


def test_nothing_requires_itself() -> None:
    assert Graph({"a": []}).extended({"a": ["a"]}).requires("a") == ()


def test_what_waits_for_a_circle_without_being_on_it_keeps_waiting() -> None:
    graph = Graph({"first": [], "a": [], "b": ["a"], "last": []})
    extended = graph.extended({"first": ["a", "b"], "a": ["b"], "last": ["b"]})
    assert extended.requires("first") == ("a", "b")
    assert extended.requires("a") == ()
    assert extended.requires("last") == ("b",)


def test_of_a_circle_of_soft_requirements_the_first_inserted_gives_up() -> None:
    extended = Graph({"a": [], "b": [], "c": []}).extended({"a": ["b"], "b": ["c"], "c": ["a"]})
    assert extended.order() == ("a", "c", "b")
    assert (extended.requires("b"), extended.requires("c")) == (("c",), ("a",))


def test_a_long_circle_is_no_deep_recursion() -> None:
    count = 5000
    graph = Graph({node: [node - 1] if node else [] for node in range(count)})
    extended = graph.extended({0: [count - 1], 5: [3]})
    assert extended.requires(0) == ()
    assert extended.requires(5) == (3, 4)


@given(acyclic_requirements(), any_requirements(max_nodes=20))
def test_hard_requirements_stay_and_soft_ones_on_no_cycle(
    hard: Requirements, soft: Requirements
) -> None:
    more = {node: [o for o in soft[node] if o in hard] for node in soft if node in hard}
    graph = Graph(hard)
    extended = graph.extended(more)
    assert not extended.cycle()
    assert edges(graph) <= edges(extended)
    every = Graph({node: [*required, *more.get(node, ())] for node, required in hard.items()})
    assert edges(extended) <= edges(every)
    for node, other in edges(every) - edges(extended):
        assert node == other or node in every.requires_transitively(other)


@given(acyclic_requirements(), any_requirements(max_nodes=20))
def test_the_answer_does_not_depend_on_the_order_of_what_is_given(
    hard: Requirements, soft: Requirements
) -> None:
    more = {node: [o for o in soft[node] if o in hard] for node in soft if node in hard}
    backwards = {node: more[node][::-1] for node in reversed(more)}
    graph = Graph(hard)
    assert edges(graph.extended(more)) == edges(graph.extended(backwards))
