"""Hypothesis strategies: requirements of random graphs, as Graph takes them."""

from hypothesis import strategies as st

Requirements = dict[int, list[int]]


@st.composite
def any_requirements(draw: st.DrawFn, max_nodes: int = 12) -> Requirements:
    """Any directed graph, cycles and self-references included, in a random insertion order."""
    nodes = draw(st.permutations(range(draw(st.integers(0, max_nodes)))))
    return {node: draw(st.lists(st.sampled_from(nodes), unique=True, max_size=4)) for node in nodes}


@st.composite
def acyclic_requirements(draw: st.DrawFn, max_nodes: int = 20) -> Requirements:
    """A graph whose nodes require smaller numbers only, in a random insertion order."""
    nodes = draw(st.permutations(range(draw(st.integers(0, max_nodes)))))
    return {
        node: draw(st.lists(st.integers(0, node - 1), unique=True, max_size=5)) if node else []
        for node in nodes
    }
