"""What ordering a graph costs per edge, and that it stays linear."""

from collections.abc import Iterator

from hotplate.graph import Graph
from tests.benchmarks.figure import Figure, measure

Requirements = dict[int, list[int]]


def chain(length: int) -> Requirements:
    return {node: [node - 1] if node else [] for node in range(length)}


def fan(width: int) -> Requirements:
    return {**{node: [] for node in range(width)}, width: list(range(width))}


def layers(width: int, count: int) -> Requirements:
    """Each node requires every node of the layer before its own."""
    return {
        layer * width + node: list(range((layer - 1) * width, layer * width)) if layer else []
        for layer in range(count)
        for node in range(width)
    }


def figures() -> Iterator[Figure]:
    """Build and order: small ones first, then the same shape much larger."""
    yield from _shape("chain", chain(1_000), chain(100_000))
    yield from _shape("fan", fan(1_000), fan(100_000))
    yield from _shape("stack of layers", layers(100, 2), layers(100, 101))
    ring = {**chain(100_000), 0: [99_999]}
    yield measure("find the cycle of 100,000 nodes", len(ring), Graph(ring).cycle)


def _shape(name: str, small: Requirements, large: Requirements) -> Iterator[Figure]:
    baseline = ""
    for requirements in (small, large):
        edges = sum(map(len, requirements.values()))

        def build_and_order(requirements: Requirements = requirements) -> None:
            Graph(requirements).order()

        figure = measure(
            f"order a {name}, {edges:,} edges", edges, build_and_order, baseline=baseline
        )
        yield figure
        baseline = figure.name
